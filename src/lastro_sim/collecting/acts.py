"""The acts at partners that collect, for tests and people: what is registered and was paid, and a payment made void."""

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from lastro_sim import queries
from lastro_sim.answers import Asked, answer
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.partners import PARTNERS
from lastro_sim.refusals import not_found

from . import phone
from .partner import Partner

MOST_LISTED = 10_000


@get("/collecting/{partner:str}")
async def item_list(request: Asked, network: NamedDependency[Network], partner: FromPath[str]) -> Response[bytes]:
    """What is registered at a partner, what was paid of it, and what was given back."""
    whose = _named(partner)
    found = queries.read(request, {"reference", "limit"})
    limit = queries.whole(found, "limit", 1000, 1, MOST_LISTED)
    return answer({"data": phone.listed(network, whose, found.get("reference"), limit)})


@post("/collecting/{partner:str}/payments/{payment_id:str}/void", status_code=200)
async def payment_void(
    request: Asked, network: NamedDependency[Network], partner: FromPath[str], payment_id: FromPath[str]
) -> Response[bytes]:
    """A payment that was announced does not settle; the body may say why."""
    raw = await request.body()
    return answer(phone.end_void(network, _named(partner), payment_id, Form.read(raw) if raw else Form({})))


ROUTES: tuple[HTTPRouteHandler, ...] = (item_list, payment_void)


def _named(name: str) -> Partner:
    found = PARTNERS.get(name)
    if found is None:
        raise not_found()
    return found
