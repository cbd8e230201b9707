"""Acts for tests by API: no token, and 200 for network refusals."""

from litestar import Response, delete, get
from litestar.di import NamedDependency

from lastro_sim import faults, queries, scenarios
from lastro_sim.answers import Asked, answer
from lastro_sim.network import Network
from lastro_sim.partners import BEHAVIOURS, PARTNERS
from lastro_sim.routes import act, listing

from . import scheduled
from .acts import Bank
from .authorizing import Authorizing

ROUTES = (
    act("/phone/read", Bank.read, "bank"),
    act("/phone/pay", Bank.pay, "bank"),
    act("/phone/transfer", Bank.transfer, "bank"),
    act("/phone/return", Bank.give_back, "bank"),
    act("/phone/authorize", Authorizing.authorize, "authorizing"),
    act("/phone/decline", Authorizing.decline, "authorizing"),
    act("/phone/cancel-subscription", Authorizing.cancel, "authorizing"),
    act("/phone/authorizations/{id_rec:str}/cancel", Authorizing.cancel, "authorizing", needs_body=False),
    act("/phone/cancel-charge", scheduled.cancel),
    act("/faults", lambda network, form: faults.order(network, form, BEHAVIOURS)),
    listing("/phone/authorizations", Authorizing.listed, "idRec", of="authorizing"),
    listing("/charges", scheduled.listed, "idRec"),
    listing("/payments", Bank.payments, "endToEndId", of="bank"),
)


@get("/faults")
async def fault_list(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Lists the faults that have not struck yet."""
    queries.read(request, ())
    return answer({"data": faults.waiting(network)})


@get("/faults/kinds")
async def fault_kinds(request: Asked) -> Response[bytes]:
    """Lists the operations that take faults, with the behaviours of each."""
    queries.read(request, ())
    return answer({"data": [{"operation": name, "behaviours": sorted(all_)} for name, all_ in BEHAVIOURS.items()]})


@delete("/faults", status_code=200)
async def fault_forget(network: NamedDependency[Network]) -> Response[bytes]:
    """Withdraws all faults; their past effects stay."""
    faults.forget(network)
    return answer({"data": []})


@get("/scenarios")
async def scenario_list(request: Asked) -> Response[bytes]:
    """Lists the magic values."""
    queries.read(request, ())
    return answer({"data": scenarios.listed({name: partner.magic for name, partner in PARTNERS.items()})})
