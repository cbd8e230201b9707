"""Endpoints of the STR: transfers for participants, list and returns for tests."""

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from lastro.standards import pix_ids
from lastro_sim.answers import Asked, answer
from lastro_sim.guard import PARTICIPANT_ONLY
from lastro_sim.network import Network
from lastro_sim.refusals import Problem, forbidden, found, malformed
from lastro_sim.routes import act, listing
from lastro_sim.settings import SIMULATED_BANKS

from . import acts, incoming, intake, transfers


@post("/str/v1/msgs/{ispb:str}", opt=PARTICIPANT_ONLY)
async def message_in(request: Asked, network: NamedDependency[Network], ispb: FromPath[str]) -> Response[bytes]:
    """Posts one transfer; its outcome comes on the stream."""
    if not pix_ids.is_ispb(ispb):
        raise malformed(Problem("ispb", "INVALID", "An ISPB is eight digits or upper-case letters"))
    if ispb in SIMULATED_BANKS:
        raise forbidden()
    return answer({"resourceId": intake.receive(network, ispb, await request.body())}, 201)


@get("/str/v1/transfers/{num_ctrl_if:str}", opt=PARTICIPANT_ONLY)
async def transfer_status(network: NamedDependency[Network], num_ctrl_if: FromPath[str]) -> Response[bytes]:
    """Returns one transfer or return and its status."""
    back = incoming.return_of(network, num_ctrl_if)
    if back is not None:
        return answer(incoming.answered(network, back))
    known = found(transfers.find(network, num_ctrl_if))
    transfers.release(network, known)
    return answer(transfers.shown(network, known) | transfers.repeated(known))


ROUTES = (
    listing("/teds", acts.listed, "numCtrlIf"),
    act("/bank/outside/ted-returns", acts.give_back),
    act("/phone/ted", incoming.send),
    listing("/teds/in", incoming.listed),
)
