"""The doors to the crypto partners for participants: quotes, movements, returns, statements."""

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
from lastro_sim.refusals import Problem, RefusedError, malformed, not_found

from . import quotes
from .partner import at, whose
from .quotes import Quote

REFERENCE = re.compile(r"[0-9]{20}")
BRAND = re.compile(r"[A-Z0-9]{2,16}")
RETURN_ID = re.compile(r"[A-Za-z0-9]{1,35}")
REASON = re.compile(r"[A-Z0-9]{1,8}")
DOCUMENTS = frozenset({"CPF", "CNPJ", "CURP", "RFC", "OTHERS"})
QUOTED, OPEN = "QUOTED", "OPEN"


@put(at("/crypto/v1/quotes/{reference:str}"), guards=[participant_only])
async def quote_put(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """Give a rate. Nobody can pay it before it has its order."""
    logs.about(_numbered(reference))
    is_new = quotes.ask(network, _of(request), _quote(reference, await request.body()), request.headers["host"])
    return _shown(network, _of(request), reference, 201 if is_new else 200)


@get(at("/crypto/v1/quotes/{reference:str}"), guards=[participant_only])
async def quote_get(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """How a quote stands."""
    return _shown(network, _of(request), _numbered(reference))


@put(at("/crypto/v1/quotes/{reference:str}/order"), guards=[participant_only])
async def order_put(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """Open a quote to be paid: there is an order for it."""
    logs.about(_numbered(reference))
    partner = _of(request)
    known = quotes.find(network, partner, reference)
    if known is None:
        raise RefusedError(422, "UNKNOWN_QUOTE", "No rate was given under this reference")
    item = _item(reference, await request.body())
    if item.fields["amount"] != known["amount"]:
        raise RefusedError(422, "AMOUNT_DIFFERS", "The order is of another amount than its quote")
    is_new = items.register(network, partner, item)
    return _shown(network, _of(request), reference, 201 if is_new else 200)


@post(at("/crypto/v1/quotes/{reference:str}/close"), guards=[participant_only], status_code=200)
async def quote_close(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """No app pays it any more."""
    logs.about(_numbered(reference))
    items.close(network, _of(request), reference)
    return answer({"reference": reference, "status": items.CLOSED})


@get(at("/crypto/v1/movements"), guards=[participant_only])
async def movement_list(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """What happened after a place, and with this the word that everything up to it has arrived."""
    return answer({"movements": await movements.pulled(request, network, _of(request))})


@put(at("/crypto/v1/returns/{return_id:str}"), guards=[participant_only])
async def return_put(request: Asked, network: NamedDependency[Network], return_id: FromPath[str]) -> Response[bytes]:
    """Give money back to who paid."""
    logs.about(return_id)
    is_new = returns.give_back(network, _of(request), _return(return_id, await request.body()))
    return _given_back(network, _of(request), return_id, 201 if is_new else 200)


@get(at("/crypto/v1/returns/{return_id:str}"), guards=[participant_only])
async def return_get(request: Asked, network: NamedDependency[Network], return_id: FromPath[str]) -> Response[bytes]:
    """What has become of a return."""
    return _given_back(network, _of(request), return_id)


@get(at("/crypto/v1/statements"), guards=[participant_only])
async def statement(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """A page of the statement of a day that is over."""
    partner = _of(request)
    return statements.page(request, network, partner.name, partial(collected.movements, network, partner))


ROUTES: tuple[HTTPRouteHandler, ...] = (
    quote_put,
    quote_get,
    order_put,
    quote_close,
    movement_list,
    return_put,
    return_get,
    statement,
)


def standing(network: Network, partner: Partner, reference: str) -> str:
    """How a quote stands: given alone, open to be paid, paid, closed, or over."""
    known = items.find(network, partner, reference)
    if known is None:
        return items.CLOSED if items.is_closed(network, partner, reference) else QUOTED
    found = items.status(network, partner, known)
    return OPEN if found == items.REGISTERED else found


def _of(request: Asked) -> Partner:
    return whose(request.url.path)


def _numbered(reference: str) -> str:
    """The reference in a path, as it must be written."""
    if REFERENCE.fullmatch(reference) is None:
        raise malformed(Problem("reference", "INVALID", "A reference has twenty digits"))
    return reference


def _quote(reference: str, raw: bytes) -> Quote:
    form = Form.read(raw)
    brand, cents, until = form.text("brand", 16, BRAND), form.message_amount("amount"), form.moment("validUntil")
    description, receiver = form.text("description", 140), form.child("receiver")
    document = receiver.child("document")
    name = receiver.text("name")
    document.choice("type", DOCUMENTS)
    document.text("number", 40)
    form.check()
    if cents == 0:
        raise RefusedError(422, "AMOUNT_ZERO", "There is no rate for nothing")
    assert until is not None
    return Quote(reference, brand, cents, counted(until), name, description)


def _item(reference: str, raw: bytes) -> items.Item:
    form = Form.read(raw)
    cents, expires_at = form.message_amount("amount"), form.moment("expiresAt")
    payer = form.child("payer")
    document = payer.child("document")
    fields = {
        "number": form.text("number", 64),
        "amount": str(form.given("amount")),
        "payer": {
            "name": payer.text("name"),
            "document": {"type": document.choice("type", DOCUMENTS), "number": document.text("number", 40)},
        },
    }
    form.check()
    assert expires_at is not None
    return items.Item(reference, cents, counted(expires_at), fields)


def _return(return_id: str, raw: bytes) -> returns.Return:
    if RETURN_ID.fullmatch(return_id) is None:
        raise malformed(Problem("returnId", "INVALID", "A return id has up to 35 letters and digits"))
    form = Form.read(raw)
    payment_id, cents = form.text("paymentId", 64), form.message_amount("amount")
    reason = form.text("reason", 8, REASON)
    form.check()
    if cents == 0:
        raise RefusedError(422, "AMOUNT_ZERO", "A return moves something")
    return returns.Return(return_id, payment_id, cents, reason)


def _shown(network: Network, partner: Partner, reference: str, status: int = 200) -> Response[bytes]:
    known = quotes.find(network, partner, reference)
    if known is None:
        raise not_found()
    return answer(known | {"status": standing(network, partner, reference)}, status)


def _given_back(network: Network, partner: Partner, return_id: str, status: int = 200) -> Response[bytes]:
    known = returns.find(network, partner, return_id)
    if known is None:
        raise not_found()
    return answer(returns.shown(partner, known), status)
