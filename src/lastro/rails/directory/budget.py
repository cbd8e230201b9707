"""The directory's token buckets in the database, shared by all processes. Real time fills them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.rails.directory.rules import UNKNOWN_SECONDS, buckets, digest
from lastro.rails.port import BudgetSpent

if TYPE_CHECKING:
    from collections.abc import Collection

    from lastro.core.db import Database
    from lastro.rails.port import Asking

_TAKE = "SELECT * FROM directory_take($1, $2, $3, $4, $5, $6)"
_SETTLE = "SELECT directory_settle($1, $2, $3, $4)"
_SENT = "SELECT directory_sent($1)"
_FOR_NOW = timedelta(seconds=UNKNOWN_SECONDS)


class Budget:
    """The budget of look-ups that is left.

    category: the participant's. company_percent: the share of its bucket that one company may take.
    """

    def __init__(self, database: Database, category: str, company_percent: int) -> None:
        self._database = database
        self._category = category
        self._company_percent = company_percent

    async def take(self, key: str, asking: Asking) -> bool:
        """Takes the price of a look-up that finds an entry. False: somebody was told lately that there is no such key.

        BudgetSpent: one of the buckets is empty, and nothing was taken.
        """
        found = buckets(key, asking, self._category, self._company_percent)
        async with self._database.session() as session:
            row = await session.row(
                _TAKE, digest(key), asking.end_to_end_id, [b.name for b in found],
                [b.policy.refill / 60 for b in found], [b.policy.capacity for b in found], found[-1].policy.back,
            )  # fmt: skip
        assert row is not None
        if row["seconds"] is not None:
            raise BudgetSpent(row["seconds"])
        return not row["is_unknown"]

    async def missed(self, key: str, asking: Asking) -> None:
        """Takes the rest of the price of a missing key. It remembers for everybody that there is no such key."""
        found = buckets(key, asking, self._category, self._company_percent)
        costs = [b.policy.missing - 1.0 for b in found]
        async with self._database.session() as session:
            await session.fetch(_SETTLE, [b.name for b in found], costs, digest(key), _FOR_NOW)

    async def drained(self, key: str, asking: Asking) -> None:
        """Empties the payer's bucket, as the directory says it is empty.

        It is not asked until there is something again.
        """
        payer = buckets(key, asking, self._category, self._company_percent)[-1]
        async with self._database.session() as session:
            await session.fetch(_SETTLE, [payer.name], [payer.policy.capacity], None, _FOR_NOW)

    async def sent(self, end_to_end_ids: Collection[str]) -> None:
        """Gives tokens back to payers and to us, once for each payment.

        The payments that look-ups were for have been sent.
        """
        async with self._database.session() as session:
            await session.fetch(_SENT, list(end_to_end_ids))
