"""Asking a room's routes as the HTTP door does, and walking through the pages of a list."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from tests.cast import INSTITUTION, PLACE, Cast, Client

from lastro import accounts, orders
from lastro.api_kit.routes import Incoming, Route
from lastro.core.errors import Refused
from lastro.core.runner import Reply

ROUTES: Mapping[str, Route] = {r.operation: r for r in (*accounts.routes(INSTITUTION), *orders.routes(PLACE))}


async def ask(
    cast: Cast, client: Client, operation: str, query: Mapping[str, str] | None = None, **path: str
) -> Reply | Refused:
    route = ROUTES[operation]
    parsed = route.parse(Incoming(client.company_id, path, query or {}, b"", {}, None))
    if isinstance(parsed, Refused):
        return parsed
    return await cast.run(client, parsed, operation=operation, permission=route.permission)


async def answered(
    cast: Cast, client: Client, operation: str, query: Mapping[str, str] | None = None, **path: str
) -> dict[str, Any]:
    """The body of a yes."""
    reply = await ask(cast, client, operation, query, **path)
    assert isinstance(reply, Reply), reply
    assert reply.status == 200
    body: dict[str, Any] = msgspec.json.decode(reply.body)
    return body


async def walked(
    cast: Cast, client: Client, operation: str, query: Mapping[str, str] | None = None, limits: Iterable[int] = (7,)
) -> list[dict[str, Any]]:
    """What all pages of a list show, one after the other; each asked with the next of the limits."""
    given = dict(query or {})
    sizes = _over_and_over(limits)
    shown: list[dict[str, Any]] = []
    while True:
        given["limit"] = str(next(sizes))
        page = await answered(cast, client, operation, given)
        assert len(page["data"]) <= int(given["limit"])
        shown += page["data"]
        if not page["hasNext"]:
            assert page.get("nextCursor") is None
            return shown
        assert page["nextCursor"] == page["data"][-1]["createdAt"]
        given["cursor"] = page["nextCursor"]


def problems(outcome: Reply | Refused) -> list[tuple[str, str]]:
    """Field and issue of everything that is wrong."""
    assert isinstance(outcome, Refused), outcome
    assert all(p.description for p in outcome.problems)
    return [(p.field, p.issue) for p in outcome.problems]


def _over_and_over(limits: Iterable[int]) -> Iterator[int]:
    known = tuple(limits)
    while True:
        yield from known
