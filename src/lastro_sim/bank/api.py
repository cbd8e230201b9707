"""Acts for tests by API: no token, and 200 for network refusals."""

from litestar import Response, delete, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from lastro_sim import faults, queries, scenarios
from lastro_sim.answers import Asked, answer
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.partners import BEHAVIOURS, PARTNERS

from . import scheduled
from .acts import MOST_LISTED, Bank
from .authorizing import Authorizing


@post("/phone/read", status_code=200)
async def phone_read(request: Asked, bank: NamedDependency[Bank]) -> Response[bytes]:
    """Reads a code."""
    return answer(await bank.read(Form.read(await request.body())))


@post("/phone/pay", status_code=200)
async def phone_pay(request: Asked, bank: NamedDependency[Bank]) -> Response[bytes]:
    """Pays a code."""
    return answer(await bank.pay(Form.read(await request.body())))


@post("/phone/transfer", status_code=200)
async def phone_transfer(request: Asked, bank: NamedDependency[Bank]) -> Response[bytes]:
    """Pays without a code."""
    return answer(await bank.transfer(Form.read(await request.body())))


@post("/phone/return", status_code=200)
async def phone_return(request: Asked, bank: NamedDependency[Bank]) -> Response[bytes]:
    """Returns a received payment."""
    return answer(bank.give_back(Form.read(await request.body())))


@post("/phone/authorize", status_code=200)
async def phone_authorize(request: Asked, authorizing: NamedDependency[Authorizing]) -> Response[bytes]:
    """Authorizes a recurrence."""
    return answer(await authorizing.authorize(Form.read(await request.body())))


@post("/phone/decline", status_code=200)
async def phone_decline(request: Asked, authorizing: NamedDependency[Authorizing]) -> Response[bytes]:
    """Declines a recurrence."""
    return answer(await authorizing.decline(Form.read(await request.body())))


@post("/phone/cancel-subscription", status_code=200)
async def phone_cancel(request: Asked, authorizing: NamedDependency[Authorizing]) -> Response[bytes]:
    """Cancels an authorization."""
    return answer(authorizing.cancel(Form.read(await request.body())))


@get("/phone/authorizations")
async def authorization_list(request: Asked, authorizing: NamedDependency[Authorizing]) -> Response[bytes]:
    """Lists the payers' authorizations."""
    found = queries.read(request, {"idRec", "limit"})
    limit = queries.whole(found, "limit", 1000, 1, MOST_LISTED)
    return answer({"data": authorizing.listed(found.get("idRec"), limit)})


@post("/phone/authorizations/{id_rec:str}/cancel", status_code=200)
async def authorization_cancel(
    request: Asked, authorizing: NamedDependency[Authorizing], id_rec: FromPath[str]
) -> Response[bytes]:
    """Cancels one authorization; the body may give a reason."""
    raw = await request.body()
    return answer(authorizing.cancel(Form.read(raw) if raw else Form({}), id_rec))


@post("/phone/cancel-charge", status_code=200)
async def charge_cancel(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Cancels one charge to come."""
    return answer(scheduled.cancel(network, Form.read(await request.body())))


@get("/charges")
async def charge_list(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Lists the charges to collect and their outcomes."""
    found = queries.read(request, {"idRec", "limit"})
    limit = queries.whole(found, "limit", 1000, 1, MOST_LISTED)
    return answer({"data": scheduled.listed(network, found.get("idRec"), limit)})


@get("/payments")
async def payment_list(request: Asked, bank: NamedDependency[Bank]) -> Response[bytes]:
    """Lists the payments that reached the network."""
    found = queries.read(request, {"endToEndId", "limit"})
    limit = queries.whole(found, "limit", 1000, 1, MOST_LISTED)
    return answer({"data": bank.payments(found.get("endToEndId"), limit)})


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


@post("/faults", status_code=200)
async def fault_order(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Orders a fault."""
    return answer(faults.order(network, Form.read(await request.body()), BEHAVIOURS))


@delete("/faults", status_code=200)
async def fault_forget(network: NamedDependency[Network]) -> Response[bytes]:
    """Withdraws all faults."""
    faults.forget(network)
    return answer({"data": []})


@get("/scenarios")
async def scenario_list(request: Asked) -> Response[bytes]:
    """Lists the magic values."""
    queries.read(request, ())
    return answer({"data": scenarios.listed({name: partner.magic for name, partner in PARTNERS.items()})})


ROUTES: tuple[HTTPRouteHandler, ...] = (
    phone_read,
    phone_pay,
    phone_transfer,
    phone_return,
    phone_authorize,
    phone_decline,
    phone_cancel,
    authorization_list,
    authorization_cancel,
    charge_cancel,
    charge_list,
    payment_list,
    fault_list,
    fault_kinds,
    fault_order,
    fault_forget,
    scenario_list,
)
