"""The door of each bank of account numbers for participants: numbers, returns, movements, statements."""

import re
from functools import partial

from litestar import Response, get, post, put
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from lastro_sim import logs, statements
from lastro_sim.answers import Asked, answer
from lastro_sim.clock import counted
from lastro_sim.collecting import items, movements, returns
from lastro_sim.collecting import statements as collected
from lastro_sim.collecting.partner import Partner
from lastro_sim.forms import Form
from lastro_sim.guard import participant_only
from lastro_sim.network import Network
from lastro_sim.refusals import Problem, malformed, not_found

from .partner import PARTNERS

NAMED = {partner.name: partner for partner in PARTNERS}
NUMBERS = {"spei": re.compile(r"[0-9]{18}"), "deposit": re.compile(r"[0-9]{19}")}
ACCOUNTS = ["/spei/v1/clabes/{number:str}", "/deposit/v1/accounts/{number:str}"]
RETURN_ID = re.compile(r"[A-Za-z0-9]{1,40}")
DOCUMENTS = frozenset({"CPF", "CNPJ", "CURP", "RFC", "OTHERS"})
LONGEST_ID = 64


def _at(path: str) -> list[str]:
    return [f"/{name}/v1/{path}" for name in NAMED]


@put(ACCOUNTS, guards=[participant_only])
async def account_put(request: Asked, network: NamedDependency[Network], number: FromPath[str]) -> Response[bytes]:
    """Open a number for an order."""
    logs.about(_numbered(request, number))
    partner = _whose(request)
    is_new = items.register(network, partner, _item(partner, number, await request.body()))
    return _account(request, network, number, 201 if is_new else 200)


@get(ACCOUNTS, guards=[participant_only])
async def account_get(request: Asked, network: NamedDependency[Network], number: FromPath[str]) -> Response[bytes]:
    """How a number stands."""
    return _account(request, network, _numbered(request, number))


@post([f"{path}/close" for path in ACCOUNTS], guards=[participant_only], status_code=200)
async def account_close(request: Asked, network: NamedDependency[Network], number: FromPath[str]) -> Response[bytes]:
    """What is sent there from now on goes back by itself."""
    logs.about(_numbered(request, number))
    items.close(network, _whose(request), number)
    return answer({"number": number, "status": items.CLOSED})


@put(_at("returns/{return_id:str}"), guards=[participant_only])
async def return_put(request: Asked, network: NamedDependency[Network], return_id: FromPath[str]) -> Response[bytes]:
    """Give money back to who sent it."""
    if RETURN_ID.fullmatch(return_id) is None:
        raise malformed(Problem("returnId", "INVALID", "A return id has up to 40 letters and digits"))
    logs.about(return_id)
    form = Form.read(await request.body())
    asked = returns.Return(
        return_id, form.text("paymentId", LONGEST_ID), form.message_amount("amount"), form.text("reason", LONGEST_ID)
    )
    form.check()
    is_new = returns.give_back(network, _whose(request), asked)
    return _return(request, network, return_id, 201 if is_new else 200)


@get(_at("returns/{return_id:str}"), guards=[participant_only])
async def return_get(request: Asked, network: NamedDependency[Network], return_id: FromPath[str]) -> Response[bytes]:
    """What has become of a return."""
    return _return(request, network, return_id)


@get(_at("movements"), guards=[participant_only])
async def movement_list(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """What happened after a place, and with this the word that everything up to it has arrived."""
    return answer({"movements": await movements.pulled(request, network, _whose(request))})


@get(_at("statements"), guards=[participant_only])
async def statement(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """A page of the statement of a day that is over."""
    partner = _whose(request)
    return statements.page(request, network, partner.name, partial(collected.movements, network, partner))


ROUTES: tuple[HTTPRouteHandler, ...] = (
    account_put,
    account_get,
    account_close,
    return_put,
    return_get,
    movement_list,
    statement,
)


def _whose(request: Asked) -> Partner:
    return NAMED[request.url.path.split("/")[1]]


def _numbered(request: Asked, number: str) -> str:
    """The number in a path, as it must be written."""
    if NUMBERS[_whose(request).name].fullmatch(number) is None:
        raise malformed(Problem("number", "INVALID", "A CLABE has 18 digits; bank, branch and account together have 19"))
    return number


def _item(partner: Partner, number: str, raw: bytes) -> items.Item:
    form = Form.read(raw)
    amount, expires_at = form.message_amount("amount"), form.moment("expiresAt")
    form.choice("currency", {partner.currency})
    fields = {
        "orderNumber": form.text("number", 64),
        "description": form.text("description", 140),
        "beneficiary": _person(form.child("beneficiary")),
        "customer": _person(form.child("payer")),
    }
    form.check()
    assert expires_at is not None
    return items.Item(number, amount, counted(expires_at), fields)


def _person(form: Form) -> dict[str, object]:
    document = form.child("document")
    return {
        "name": form.text("name"),
        "document": {"type": document.choice("type", DOCUMENTS), "number": document.text("number", 40)},
    }


def _account(request: Asked, network: Network, number: str, status: int = 200) -> Response[bytes]:
    partner = _whose(request)
    known = items.find(network, partner, number)
    if known is None:
        raise not_found()
    return answer(items.shown(network, partner, known), status)


def _return(request: Asked, network: Network, return_id: str, status: int = 200) -> Response[bytes]:
    partner = _whose(request)
    known = returns.find(network, partner, return_id)
    if known is None:
        raise not_found()
    return answer(returns.shown(partner, known), status)
