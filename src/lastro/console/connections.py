"""The page of connections: a company's own accounts at banks, with what is open and until when each was polled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lastro.console import company_page
from lastro.orders import CONNECTIONS_COUNTED, shown_connections

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from lastro.api_kit.http import Response
    from lastro.console.shell import ConnectionSummary, PageRequest, User
    from lastro.orders import ShownConnection

HERE: Final = "/console/connections"
_SOON_DAYS, _URGENT_DAYS = 30, 7  # as `lastro bank certificates` has them


async def show(user: User, request: PageRequest) -> Response:
    """GET /console/connections: the company's bank accounts that are reached by API Pix. Nothing of it is secret."""
    company = company_page.company_of(user)
    found, is_all = await shown_connections(user.console_context.app_context.database, company)
    summaries, now = user.console_context.app_context.connection_summaries(), user.console_context.entrance.machine_now()
    shown = [_shown(one, summaries.get(one.rail), now) for one in found]
    return company_page.render(user, "connections.html", HERE, connections=shown, is_all=is_all, counted=CONNECTIONS_COUNTED)


def _shown(known: ShownConnection, summary: ConnectionSummary | None, now: datetime) -> Mapping[str, Any]:
    """Returns a connection for the page. summary: what this process has of it; None: it stands in no file any more."""
    until = None if summary is None else summary.certificate_until
    days = None if until is None else (until - now).days
    return {"known": known, "summary": summary, "certificate_until": until, "days": days, "tone": tone(days)}


def tone(days: int | None) -> str:
    """Returns how urgent the end of a certificate is. days: those left, negative once it is over; None: there is none."""
    if days is None:
        return "calm"
    return "bad" if days <= _URGENT_DAYS else "waiting" if days <= _SOON_DAYS else "good"
