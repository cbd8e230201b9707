"""The doors to the collecting bank: for participants its own protocol, for tests and people the list and its acts."""

import asyncio

from litestar import Response, get, post, put
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from lastro_sim import logs, queries
from lastro_sim.answers import Asked, answer
from lastro_sim.bank.acts import MOST_LISTED
from lastro_sim.forms import Form
from lastro_sim.guard import participant_only
from lastro_sim.network import Network
from lastro_sim.refusals import not_found

from . import intake, movements, phone, returns, slips

LONGEST_WAIT = 30
LARGEST_BATCH = 100
MOST_ANSWERED = 60  # of more that were asked for: the client asks again
LARGEST_PLACE = 999_999_999
LOOK_AGAIN_SECONDS = 1.0


@put("/boleto/v1/slips/{nosso_numero:str}", guards=[participant_only])
async def slip_put(request: Asked, network: NamedDependency[Network], nosso_numero: FromPath[str]) -> Response[bytes]:
    """Make a slip payable."""
    logs.about(intake.numbered(nosso_numero))
    is_new = intake.register(network, nosso_numero, await request.body())
    return _slip(network, nosso_numero, 201 if is_new else 200)


@get("/boleto/v1/slips/{nosso_numero:str}", guards=[participant_only])
async def slip_get(network: NamedDependency[Network], nosso_numero: FromPath[str]) -> Response[bytes]:
    """How a slip stands."""
    return _slip(network, intake.numbered(nosso_numero))


@post("/boleto/v1/slips/{nosso_numero:str}/close", guards=[participant_only], status_code=200)
async def slip_close(network: NamedDependency[Network], nosso_numero: FromPath[str]) -> Response[bytes]:
    """Nobody may pay it any more."""
    logs.about(intake.numbered(nosso_numero))
    slips.close(network, nosso_numero)
    return answer({"nossoNumero": nosso_numero, "status": slips.CLOSED})


@get("/boleto/v1/movements", guards=[participant_only])
async def movement_list(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """What happened after a place, and with this the word that everything up to it has arrived."""
    found = queries.read(request, {"after", "wait", "limit"})
    wait = queries.whole(found, "wait", 0, 0, LONGEST_WAIT)
    limit = queries.whole(found, "limit", LARGEST_BATCH, 1, LARGEST_BATCH)
    place = queries.whole(found, "after", 0, 0, LARGEST_PLACE) if "after" in found else None
    if place is not None:
        movements.confirm(network, place)
    loop = asyncio.get_running_loop()
    until = loop.time() + wait
    while True:
        told = movements.after(network, place, min(limit, MOST_ANSWERED))
        left = until - loop.time()
        if told or left <= 0:
            return answer({"movements": told})
        await network.bells.wait(movements.BELL, min(left, LOOK_AGAIN_SECONDS))


@put("/boleto/v1/returns/{return_id:str}", guards=[participant_only])
async def return_put(request: Asked, network: NamedDependency[Network], return_id: FromPath[str]) -> Response[bytes]:
    """Give money back to who paid."""
    logs.about(return_id)
    is_new = intake.give_back(network, return_id, await request.body())
    return _return(network, return_id, 201 if is_new else 200)


@get("/boleto/v1/returns/{return_id:str}", guards=[participant_only])
async def return_get(network: NamedDependency[Network], return_id: FromPath[str]) -> Response[bytes]:
    """What has become of a return."""
    return _return(network, return_id)


@get("/slips")
async def slip_list(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """What is registered, what was paid of it, and what was given back."""
    found = queries.read(request, {"nossoNumero", "limit"})
    limit = queries.whole(found, "limit", 1000, 1, MOST_LISTED)
    return answer({"data": phone.listed(network, found.get("nossoNumero"), limit)})


@post("/slips/payments/{payment_id:str}/void", status_code=200)
async def payment_void(request: Asked, network: NamedDependency[Network], payment_id: FromPath[str]) -> Response[bytes]:
    """A payment that was announced does not settle; the body may say why."""
    raw = await request.body()
    return answer(phone.end_void(network, payment_id, Form.read(raw) if raw else Form({})))


ROUTES: tuple[HTTPRouteHandler, ...] = (
    slip_put,
    slip_get,
    slip_close,
    movement_list,
    return_put,
    return_get,
    slip_list,
    payment_void,
)


def _slip(network: Network, nosso_numero: str, status: int = 200) -> Response[bytes]:
    known = slips.find(network, nosso_numero)
    if known is None:
        raise not_found()
    return answer(slips.shown(network, known), status)


def _return(network: Network, return_id: str, status: int = 200) -> Response[bytes]:
    known = returns.find(network, return_id)
    if known is None:
        raise not_found()
    return answer(returns.shown(known), status)
