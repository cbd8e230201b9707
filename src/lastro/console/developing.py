"""The developers' pages: API clients, webhooks, deliveries, and the feed as it grows."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from lastro.api_kit.http import Response
from lastro.console import clients, company_page, figures, live, resending, shell
from lastro.console.form_problems import NONE, placed
from lastro.console.terms import Terms
from lastro.people import Role
from lastro.webhooks import EVENTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.console.shell import PageRequest, User

HERE: Final = "/console/developers"
WEBHOOKS: Final = f"{HERE}/webhooks"
FEED: Final = f"{HERE}/feed"
_HOOK = "/order/v1/webhook"
_FEWEST_FAILED = 300
_NO_CONTENT = 204
_LATELY: Final = timedelta(hours=24)  # so far back it is looked how endpoints do
SHOWN: Final = 50  # events on a page of the feed
_LOOKED_AT: Final = 1000  # among so many events those of one type are looked for; the page says where it ended


async def show(user: User, request: PageRequest) -> Response:
    """GET /console/developers: addresses, clients, and the way to everything else."""
    app_context = user.console_context.app_context
    return company_page.render(
        user, "developers.html", HERE, address=app_context.place.public_url, clients=await clients.everybody(user),
        may_change=user.may(Role.ADMINISTER),
    )  # fmt: skip


# ── where events go ──


async def webhooks(user: User, request: PageRequest) -> Response:
    """GET /console/developers/webhooks: each type's address, failing endpoints, and actions."""
    return await _webhooks(user)


async def send_to(user: User, request: PageRequest) -> Response:
    """POST …/webhooks/url: sets the address of a type's events; empty: none."""
    url = request.form.get("url", "").strip()
    one = {"event": request.form.get("event", ""), **({"url": url} if url else {})}
    return await _asked(user, "PUT", _HOOK, {"events": [one]}, "url", {"event": "to-event", "url": "to-url"}, request)


async def ask_secret(user: User, request: PageRequest) -> Response:
    """GET …/webhooks/secret: the confirmation page of another secret."""
    say = Terms(user.language)
    _, now = await user.call("GET", _HOOK)
    urls = sorted({one["url"] for one in now["events"] if "url" in one})
    told = ((say("dev.url"), ", ".join(urls) or say("dev.nowhere")),)
    return company_page.sure(
        user, HERE, title=say("dev.new-secret"), about=say("dev.signing-sure"), to=f"{WEBHOOKS}/secret", back=WEBHOOKS,
        told=told,
    )  # fmt: skip


async def renew_secret(user: User, request: PageRequest) -> Response:
    """POST …/webhooks/secret: rotates the signing secret; this page alone shows it."""
    status, said = await user.call("POST", f"{_HOOK}/rotate-secret")
    if status < _FEWEST_FAILED:
        return await _webhooks(user, secret=said["secret"])
    return await _webhooks(user, status=status, problems=placed(company_page.why(said), {}))


async def try_out(user: User, request: PageRequest) -> Response:
    """POST …/webhooks/test: sends an event that says that it is a test."""
    url = request.form.get("url", "").strip()
    body = {"event": request.form.get("event", ""), **({"url": url} if url else {})}
    inputs = {"event": "test-event", "url": "test-url"}
    return await _asked(user, "POST", f"{_HOOK}/test", body, "test", inputs, request)


async def _asked(
    user: User, method: str, path: str, body: dict[str, Any], done: str, inputs: Mapping[str, str], request: PageRequest
) -> Response:  # fmt: skip
    status, said = await user.call(method, path, body=body)
    if status < _FEWEST_FAILED:
        return await _webhooks(user, done=done)
    return await _webhooks(user, status=status, problems=placed(company_page.why(said), inputs), typed=request.form)


async def _webhooks(user: User, *, status: int = 200, **told: Any) -> Response:
    _, now = await user.call("GET", _HOOK)
    async with company_page.session_of(user) as session:
        since = await figures.business_now(session) - _LATELY
        done = await figures.endpoints(session, company_page.company_of(user), since)
    given = {"done": None, "secret": None, "problems": NONE, "typed": {}, **told}
    return company_page.render(
        user, "webhooks.html", HERE, status=status, events=now["events"], endpoints=now["endpoints"], types=EVENTS,
        done_by=done, most=figures.DELIVERIES, shown=figures.SHOWN_ENDPOINTS,
        again=resending.STATUSES, may_change=user.may(Role.ADMINISTER), may_send=user.may(Role.OPERATE), **given,
    )  # fmt: skip


# ── the feed ──


async def feed(user: User, request: PageRequest) -> Response:
    """GET /console/developers/feed: the newest events, or those up to a number; htmx takes the table when it has grown.

    until: the last number that is shown. event: of this type alone. seen: what the page has; nothing newer is no content.
    ends: until when it asks by itself, in seconds of the machine's clock.
    """
    async with company_page.session_of(user) as session:
        newest = await figures.newest_number(session, company_page.company_of(user))
    news = live.until(user, request)
    if request.is_fragment and live.number_of(request, "seen") == newest and news.asks:
        return Response(_NO_CONTENT, b"", shell.HTML, shell.HEADERS)
    until = live.number_of(request, "until")
    last = newest if until is None else min(until, newest)
    wanted = request.query.get("event", "")
    reach = _LOOKED_AT if wanted else SHOWN
    async with company_page.session_of(user) as session:
        after = await figures.number_before(session, company_page.company_of(user), last, reach)
    status, said = await user.call("GET", "/order/v1/events", {"after": str(after), "limit": str(reach)})
    found = said["data"][::-1] if status < _FEWEST_FAILED else []
    found = [one for one in found if wanted in ("", one["event"]) and one["sequence"] <= last]
    rows = found[:SHOWN]
    # If more of the type exist than fit, the page before this one ends at the first that did not.
    older = found[SHOWN]["sequence"] if len(found) > SHOWN else after
    return company_page.render(
        user, "feed-table.html" if request.is_fragment else "feed.html", HERE, status=status, rows=rows, newest=newest,
        older=older or None, looked_at=min(last - after, reach) if wanted else None,
        is_live=until is None and news.asks, is_newest=until is None,
        ends=news.ends, types=EVENTS, only=wanted,
        problems=placed(() if status < _FEWEST_FAILED else company_page.why(said), {"event": "event"}),
    )  # fmt: skip
