"""The order that a payer's bank reads at its location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.core.runner import Query
from lastro.orders.store import ORDER, SHOWN, shown_from

if TYPE_CHECKING:
    from lastro.orders.model import OrderShown

_BY_LOCATION = SHOWN.format(ORDER + "o.location_token = $2")


def shown_by_location(token: str) -> Query[OrderShown | None]:
    """Returns the query of the order with this location."""
    return Query(_BY_LOCATION, (token,), lambda rows: shown_from(rows[0]) if rows else None)
