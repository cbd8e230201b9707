"""Our returns at a bank, read by the role that sees ids."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from lastro.core.money import Money
from lastro.rails.api_pix.returns import ReturnedPayment
from lastro.standards.pix_ids import company_of_end_to_end_id

if TYPE_CHECKING:
    from collections.abc import Collection

    from lastro.core.db import Database

_RETURNED = """
SELECT p.end_to_end_id, r.amount_minor
  FROM company_numbers n JOIN refunds r ON r.company_id = n.company_id AND r.return_id = $2
  JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
 WHERE n.number = $1 AND r.rail = $3
"""
_KNOWN = """
SELECT r.return_id FROM unnest($1::integer[], $2::text[]) a(number, return_id)
  JOIN company_numbers n USING (number) JOIN refunds r ON r.company_id = n.company_id AND r.return_id = a.return_id
 WHERE r.rail = $3
"""


class OwnReturns:
    """The returns of one rail. work: of the role that sees ids. A return's id names its company."""

    def __init__(self, work: Database, rail: str) -> None:
        self._work = work
        self._rail = rail

    async def __call__(self, return_id: str) -> ReturnedPayment | None:
        """Returns what a return of ours gives back; None: there is none. DatabaseAway: try again later."""
        number = company_of_end_to_end_id(return_id)
        if number is None:
            return None
        for row in await self._work.everywhere(_RETURNED, number, return_id, self._rail):
            return ReturnedPayment(row["end_to_end_id"], Money(row["amount_minor"], "BRL"))
        return None

    async def known(self, return_ids: Collection[str]) -> frozenset[str]:
        """Returns those that are ours. DatabaseAway: try again later."""
        numbers: defaultdict[int, list[str]] = defaultdict(list)
        for name in return_ids:
            if (number := company_of_end_to_end_id(name)) is not None:
                numbers[number].append(name)
        if not numbers:
            return frozenset()
        named = [(number, name) for number, names in numbers.items() for name in names]
        rows = await self._work.everywhere(_KNOWN, [n for n, _ in named], [name for _, name in named], self._rail)
        return frozenset(row["return_id"] for row in rows)
