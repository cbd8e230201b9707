"""The room's operations for clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.base.api import NOT_FOUND, Doc, Route
from lastro.base.errors import Kind, Problem, Refused
from lastro.base.paging import PAGING, read_page
from lastro.webhooks.actions import ListUndelivered, Resend

if TYPE_CHECKING:
    from lastro.base.api import Incoming


def routes() -> tuple[Route, ...]:
    """List what failed to be delivered; send one event again."""
    return (
        Route(
            "GET", "/order/v1/webhook/events", "list_webhook_events", "webhooks:read", _list,
            Doc("List webhook events that failed delivery"), queries=PAGING,
        ),
        Route(
            "POST", "/order/v1/webhook/events/{id}/resend", "resend_webhook_event", "webhooks:write", _resend,
            Doc("Send a webhook event again"), success=202, key="optional",
        ),
    )  # fmt: skip


def _list(incoming: Incoming) -> ListUndelivered | Refused:
    problems: list[Problem] = []
    page = read_page(incoming.query, problems)
    return Refused(Kind.INVALID, tuple(problems)) if problems else ListUndelivered(page)


def _resend(incoming: Incoming) -> Resend | Refused:
    event_id = incoming.id("id")
    return NOT_FOUND if event_id is None else Resend(event_id)
