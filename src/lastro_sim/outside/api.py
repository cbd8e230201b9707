"""Endpoints of the outside bank's acts, for tests: no token."""

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from lastro_sim import queries
from lastro_sim.answers import Asked, answer
from lastro_sim.bank.acts import MOST_LISTED
from lastro_sim.forms import Form

from .acts import OutsideBank


@post("/bank/outside/charges", status_code=200)
async def charge_issue(request: Asked, outside: NamedDependency[OutsideBank]) -> Response[bytes]:
    """Issues a dynamic charge of the outside bank's customer."""
    return answer(outside.issue(Form.read(await request.body())))


@get("/bank/outside/charges")
async def charge_list(request: Asked, outside: NamedDependency[OutsideBank]) -> Response[bytes]:
    """Lists the outside bank's charges."""
    found = queries.read(request, {"txId", "limit"})
    limit = queries.whole(found, "limit", 1000, 1, MOST_LISTED)
    return answer({"data": outside.charges(found.get("txId"), limit)})


@post("/bank/outside/charges/{tx_id:str}", status_code=200)
async def charge_change(request: Asked, outside: NamedDependency[OutsideBank], tx_id: FromPath[str]) -> Response[bytes]:
    """Changes a charge, or end it."""
    return answer(outside.change(tx_id, Form.read(await request.body())))


@post("/bank/outside/static-codes", status_code=200)
async def static_code(request: Asked, outside: NamedDependency[OutsideBank]) -> Response[bytes]:
    """Returns a static code of the outside bank's customer."""
    return answer(outside.static_code(Form.read(await request.body())))


ROUTES: tuple[HTTPRouteHandler, ...] = (charge_issue, charge_list, charge_change, static_code)
