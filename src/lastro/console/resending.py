"""Sends many deliveries again: a page says how many, where to and by which filter, before a person does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from lastro import webhooks
from lastro.api_kit.routes import stamp
from lastro.console import company_page, figures
from lastro.console.form_problems import elements, placed
from lastro.console.terms import Terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.api_kit.http import Response
    from lastro.console.shell import PageRequest, User

HERE: Final = "/console/resend"
# The choices of statuses to send again: the interface's own words; "" is all that did not arrive.
STATUSES: Final = ("", "RETRYING", "FAILED", "DELIVERED")
SHOWN: Final = 20  # addresses on the page
_NAMES: Final = ("status", "event", "referenceId", "url", "from", "to")
_RESEND: Final = "/order/v1/webhook/events/resend"
_DAY: Final = len("2026-11-29")
EVERY: Final = "ALL"  # the list's word for no choice
_FEWEST_FAILED: Final = 300


@dataclass(frozen=True, slots=True)
class Preview:
    """The deliveries that fit. urls: the first addresses, each with its number; others: how many addresses more."""

    count: int
    has_more: bool
    urls: tuple[tuple[str, int], ...]
    others: int


async def show(user: User, request: PageRequest) -> Response:
    """GET /console/resend: the filter, and what would be sent by it. Nothing is sent."""
    return await _page(user, wanted_of(request.query))


async def send(user: User, request: PageRequest) -> Response:
    """POST /console/resend: sends what the page has counted, at the API's default rate a minute."""
    wanted = wanted_of(request.form)
    if "sure" not in request.form:
        return await _page(user, wanted)
    status, said = await user.call("POST", _RESEND, body={"filter": wanted})
    if status >= _FEWEST_FAILED:
        return await _page(user, wanted, status=status, problems=company_page.why(said))
    more = f"{HERE}?{urlencode({**wanted, 'from': said['nextFrom']})}" if said["hasMore"] else None
    return _rendered(user, wanted, done=said["count"], more=more)


def wanted_of(given: Mapping[str, str]) -> dict[str, str]:
    """Returns the API's filter: what was filled in. Without a status it is all that did not arrive."""
    found = {name: text for name in _NAMES if (text := given.get(name, "").strip())}
    return {name: text for name, text in found.items() if (name, text) != ("status", EVERY)}


async def _page(user: User, wanted: Mapping[str, str], *, status: int = 200, problems: Any = ()) -> Response:
    """Renders the filter with its preview or its problems."""
    if refused := user.console_context.calls.problems(user, "POST", _RESEND, {"filter": wanted}):
        return _rendered(user, wanted, status=refused[0], problems=problems or company_page.why(refused[1]))
    async with company_page.session_of(user) as session:
        now = await figures.business_now(session)
        found = await webhooks.preview_resend(session, company_page.company_of(user), wanted)
    urls = sorted(found.urls.items(), key=lambda one: (-one[1], one[0]))
    preview = Preview(sum(found.urls.values()), found.has_more, tuple(urls[:SHOWN]), len(urls[SHOWN:]))
    # What is made after this page was shown is not sent by its form.
    return _rendered(user, wanted, status=status, problems=problems, preview=preview, kept={"to": stamp(now), **wanted})


def _rendered(user: User, wanted: Mapping[str, str], *, status: int = 200, **told: Any) -> Response:
    say = Terms(user.language)
    named = [
        (say("resend.status"), say.state(wanted["status"]) if "status" in wanted else say("resend.any")),
        (say("dev.event"), wanted.get("event") or say("dev.any-type")),
        *((say(f"resend.{name}"), wanted[name]) for name in ("url", "referenceId", "from", "to") if name in wanted),
    ]
    problems = placed(told.pop("problems", ()), elements("r-", *_NAMES))
    given = {"problems": problems, "preview": None, "kept": {}, "done": None, "more": None, **told}
    kinds = {name: "date" if len(wanted.get(name, "")) in (0, _DAY) else "text" for name in ("from", "to")}
    return company_page.render(
        user, "resend.html", "/console/events", status=status, filter=wanted, named=named, statuses=STATUSES,
        types=webhooks.EVENTS, kinds=kinds, **given,
    )  # fmt: skip
