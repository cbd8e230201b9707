"""The door of each network of tills for participants: charges, movements, statements. Each has the same under its name."""

import re
from functools import partial

from litestar import Response, get, post, put
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from lastro_sim import logs, statements
from lastro_sim.answers import Asked, answer
from lastro_sim.clock import counted
from lastro_sim.collecting import items, movements
from lastro_sim.collecting import statements as collected
from lastro_sim.collecting.partner import Partner
from lastro_sim.forms import Form
from lastro_sim.guard import participant_only
from lastro_sim.network import Network
from lastro_sim.refusals import Problem, RefusedError, malformed, not_found

from .partner import CURRENCY, PARTNERS

REFERENCE = re.compile(r"[0-9]{14,30}")
DOCUMENTS = frozenset({"CPF", "CNPJ", "CURP", "RFC", "OTHERS"})
LEAST, MOST = 1_000, 1_000_000  # MXN 10 to MXN 10,000
NAMED = {partner.name: partner for partner in PARTNERS}


def _at(path: str) -> list[str]:
    return [f"/{name}/v1/{path}" for name in NAMED]


@put(_at("charges/{reference:str}"), guards=[participant_only])
async def charge_put(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """Make a reference payable at the tills."""
    logs.about(_numbered(reference))
    is_new = items.register(network, _whose(request), _item(reference, await request.body()))
    return _charge(request, network, reference, 201 if is_new else 200)


@get(_at("charges/{reference:str}"), guards=[participant_only])
async def charge_get(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """How a charge stands."""
    return _charge(request, network, _numbered(reference))


@post(_at("charges/{reference:str}/cancel"), guards=[participant_only], status_code=200)
async def charge_cancel(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """No till takes it any more."""
    logs.about(_numbered(reference))
    items.close(network, _whose(request), reference)
    return answer({"reference": reference, "status": items.CLOSED})


@get(_at("movements"), guards=[participant_only])
async def movement_list(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """What happened after a place, and with this the word that everything up to it has arrived."""
    return answer({"movements": await movements.pulled(request, network, _whose(request))})


@get(_at("statements"), guards=[participant_only])
async def statement(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """A page of the statement of a day that is over."""
    partner = _whose(request)
    return statements.page(request, network, partner.name, partial(collected.movements, network, partner))


ROUTES: tuple[HTTPRouteHandler, ...] = (charge_put, charge_get, charge_cancel, movement_list, statement)


def _whose(request: Asked) -> Partner:
    return NAMED[request.url.path.split("/")[1]]


def _numbered(reference: str) -> str:
    """The reference in a path, as it must be written."""
    if REFERENCE.fullmatch(reference) is None:
        raise malformed(Problem("reference", "INVALID", "A reference has from 14 to 30 digits"))
    return reference


def _item(reference: str, raw: bytes) -> items.Item:
    form = Form.read(raw)
    amount, expires_at = form.message_amount("amount"), form.moment("expiresAt")
    form.choice("currency", {CURRENCY})
    customer = form.child("customer")
    document = customer.child("document")
    fields = {
        "orderNumber": form.text("orderNumber", 64),
        "description": form.text("description", 140),
        "merchant": form.text("merchant", 140),
        "customer": {
            "name": customer.text("name"),
            "document": {"type": document.choice("type", DOCUMENTS), "number": document.text("number", 40)},
        },
    }
    form.check()
    if not LEAST <= amount <= MOST:
        raise RefusedError(422, "AMOUNT_OUT_OF_RANGE", "A till takes from MXN 10 to MXN 10,000")
    assert expires_at is not None
    return items.Item(reference, amount, counted(expires_at), fields)


def _charge(request: Asked, network: Network, reference: str, status: int = 200) -> Response[bytes]:
    partner = _whose(request)
    known = items.find(network, partner, reference)
    if known is None:
        raise not_found()
    return answer(items.shown(network, partner, known), status)
