"""The HTTP operation of a company's fees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro.api_kit.routes import Route
from lastro.companies import docs
from lastro.companies.actions.fees import ListFees

if TYPE_CHECKING:
    from lastro.api_kit.routes import Incoming
    from lastro.core.runner import Verb


def routes() -> tuple[Route, ...]:
    """Returns the room's operation."""
    return (Route("GET", "/order/v1/banking/fees", "list_fees", "accounts:read", _list, docs.FEES),)


def _list(_: Incoming) -> Verb[Any]:
    """Serves GET /order/v1/banking/fees."""
    return ListFees()
