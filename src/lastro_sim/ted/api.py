"""Endpoints of the STR: transfers for participants, list and returns for tests."""

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from lastro.standards import pix_ids
from lastro_sim import queries
from lastro_sim.answers import Asked, answer
from lastro_sim.bank.acts import MOST_LISTED
from lastro_sim.forms import Form
from lastro_sim.guard import participant_only
from lastro_sim.network import Network
from lastro_sim.refusals import Problem, forbidden, malformed, not_found
from lastro_sim.settings import SIMULATED_BANKS

from . import acts, incoming, intake, transfers


@post("/str/v1/msgs/{ispb:str}", guards=[participant_only])
async def message_in(request: Asked, network: NamedDependency[Network], ispb: FromPath[str]) -> Response[bytes]:
    """Posts one transfer; its outcome comes on the stream."""
    if not pix_ids.is_ispb(ispb):
        raise malformed(Problem("ispb", "INVALID", "An ISPB is eight digits or upper-case letters"))
    if ispb in SIMULATED_BANKS:
        raise forbidden()
    return answer({"resourceId": intake.receive(network, ispb, await request.body())}, 201)


@get("/str/v1/transfers/{num_ctrl_if:str}", guards=[participant_only])
async def transfer_status(network: NamedDependency[Network], num_ctrl_if: FromPath[str]) -> Response[bytes]:
    """Returns one transfer or return and its status."""
    back = incoming.return_of(network, num_ctrl_if)
    if back is not None:
        return answer(incoming.answered(network, back))
    known = transfers.find(network, num_ctrl_if)
    if known is None:
        raise not_found()
    transfers.release(network, known)
    return answer(transfers.shown(network, known) | transfers.repeated(known))


@get("/teds")
async def transfer_list(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Lists the transfers that reached the STR."""
    found = queries.read(request, {"numCtrlIf", "limit"})
    limit = queries.whole(found, "limit", 1000, 1, MOST_LISTED)
    return answer({"data": acts.listed(network, found.get("numCtrlIf"), limit)})


@post("/bank/outside/ted-returns", status_code=200)
async def transfer_return(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Returns a transfer."""
    return answer(acts.give_back(network, Form.read(await request.body())))


@post("/phone/ted", status_code=200)
async def transfer_to_lastro(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Sends a transfer to an account at lastro."""
    return answer(incoming.send(network, Form.read(await request.body())))


@get("/teds/in")
async def transfers_to_lastro(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Lists the transfers from other banks and their returns."""
    limit = queries.whole(queries.read(request, {"limit"}), "limit", 1000, 1, MOST_LISTED)
    return answer({"data": incoming.listed(network, limit)})


ROUTES: tuple[HTTPRouteHandler, ...] = (
    message_in,
    transfer_status,
    transfer_list,
    transfer_return,
    transfer_to_lastro,
    transfers_to_lastro,
)
