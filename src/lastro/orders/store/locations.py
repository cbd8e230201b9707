"""The order that a payer's bank reads at its location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.core.runner import Query
from lastro.orders.store import ORDER, SHOWN, shown_from

if TYPE_CHECKING:
    from lastro.orders.model import OrderShown

_BY_LOCATION = SHOWN.format(ORDER + "o.location_token = $2")
# An order by a connection has no location here; its picture is found by the token of its page.
_BY_PICTURE = SHOWN.format(
    ORDER + "(o.location_token = $2 OR (o.order_token = $2 AND o.location_token IS NULL AND o.payment_method = 'PIX'))"
)


def shown_by_location(token: str) -> Query[OrderShown | None]:
    """Returns the query of the order with this location."""
    return Query(_BY_LOCATION, (token,), lambda rows: shown_from(rows[0]) if rows else None)


def shown_by_picture(token: str) -> Query[OrderShown | None]:
    """Returns the query of the order whose picture has this token."""
    return Query(_BY_PICTURE, (token,), lambda rows: shown_from(rows[0]) if rows else None)
