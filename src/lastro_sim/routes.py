"""Routes as rows: acts and lists for tests, which need no token."""

from collections.abc import Callable
from inspect import isawaitable
from types import ModuleType
from typing import Any

from litestar import Response, get, post
from litestar.handlers import HTTPRouteHandler

from lastro_sim import queries
from lastro_sim.answers import Asked, answer, body
from lastro_sim.forms import Form

MOST_LISTED = 10_000


def act(path: str, does: Callable[..., Any], of: str = "network", *, needs_body: bool = True) -> HTTPRouteHandler:
    """Returns the route of an act: a form is posted, and 200 answers it, a refusal of the network too.

    does: is given what the application keeps as `of`, the form, and the parameters of the path.
    """

    async def acted(request: Asked) -> Response[bytes]:
        raw = await body(request.receive)
        form = Form.read(raw) if raw or needs_body else Form({})
        done = does(getattr(request.app.state, of), form, **request.path_params)
        return answer(await done if isawaitable(done) else done)

    return post(path, status_code=200)(acted)


def listing(
    path: str, lists: Callable[..., Any], *filters: str, of: str = "network", usual: int = 1000, most: int = MOST_LISTED
) -> HTTPRouteHandler:
    """Returns the route of a list, `?limit=`.

    lists: is given what the application keeps as `of`, the query's filters, and the limit.
    """

    async def listed(request: Asked) -> Response[bytes]:
        found = queries.read(request, {*filters, "limit"})
        limit = queries.whole(found, "limit", usual, 1, most)
        return answer({"data": lists(getattr(request.app.state, of), *map(found.get, filters), limit)})

    return get(path)(listed)


def of_module(module: ModuleType) -> list[HTTPRouteHandler]:
    """Returns the routes that a module declares: handlers, and the rows of its ROUTES."""
    handlers = [value for value in vars(module).values() if isinstance(value, HTTPRouteHandler)]
    return [*handlers, *getattr(module, "ROUTES", ())]
