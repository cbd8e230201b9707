"""The order that a payer's bank reads at its location."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lastro.base.run import Glance
from lastro.orders.store import ORDER, SHOWN, shown_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from asyncpg import Record

    from lastro.orders.model import Shown

# A key may leave by a claim while an order names it, and then leads to whoever has claimed it.
_BY_LOCATION = f"""
SELECT s.*, EXISTS (SELECT FROM pix_keys k WHERE k.company_id = $1 AND k.key = s.pix_key AND k.account_id = s.account_id
                                             AND k.status = 'ACTIVE') AS leads_here
  FROM ({SHOWN.format(ORDER + "o.location_token = $2")}) s
"""  # noqa: S608 a statement of our own


def shown_by_location(token: str) -> Glance[Shown | None]:
    """The order whose location this is, and whether its key still leads to its account."""
    return Glance(_BY_LOCATION, (token,), _located)


def _located(rows: Sequence[Record]) -> Shown | None:
    return replace(shown_from(rows[0]), leads_here=rows[0]["leads_here"]) if rows else None
