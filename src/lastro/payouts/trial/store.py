"""The SQL of payouts that are tried out, many in one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.payouts import rules
from lastro.payouts.store import SAME

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from uuid import UUID

    from lastro.base.db import Session
    from lastro.payouts.model import Wish

_TAKEN = "SELECT external_id FROM payouts WHERE company_id = $1 AND external_id = ANY ($2::text[])"
_NUMBERS = "SELECT nextval('network_ids_seq') FROM generate_series(1, $1)"
_WISHED = (
    "place", "account_id", "amount_minor", "payment_method", "key", "document_number", "account", "branch", "ispb", "compe",
    "likeness",
)  # fmt: skip
# Equal as a single create is, each to a row of what is wished.
_SAME = f"""
SELECT w.place, s.id
  FROM unnest($3::integer[], $4::uuid[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
              $11::text[], $12::text[], $13::bigint[]) w({", ".join(_WISHED)})
 CROSS JOIN LATERAL ({SAME.format(since="$2", **{name: f"w.{name}" for name in _WISHED})}) s
"""  # noqa: S608 statements of our own


async def taken(session: Session, company_id: UUID, external_ids: Sequence[str]) -> frozenset[str]:
    """Those of the codes that a payout of the company has already."""
    return frozenset(row["external_id"] for row in await session.fetch(_TAKEN, company_id, list(external_ids)))


async def numbers(session: Session, count: int) -> list[int]:
    """As many numbers for ids of the network, each given once."""
    return [row["nextval"] for row in await session.fetch(_NUMBERS, count)]


async def sames(session: Session, company_id: UUID, wishes: Sequence[Wish], since: datetime) -> dict[int, UUID]:
    """By the place of a wish: an equal payout made after `since`, the newest."""
    if not wishes:
        return {}
    columns = zip(*(_row(place, wish) for place, wish in enumerate(wishes)), strict=True)
    rows = await session.fetch(_SAME, company_id, since, *map(list, columns))
    return {row["place"]: row["id"] for row in rows}


def _row(place: int, w: Wish) -> tuple[object, ...]:
    who, at = w.person, w.place
    return (
        place, w.account_id, w.amount.minor, w.method, rules.key_paid(w), None if who is None else who.document_number,
        None if at is None else at.account, None if at is None else at.branch, None if at is None else at.ispb,
        None if at is None else at.compe, rules.wished_likeness(w),
    )  # fmt: skip
