"""Endpoints of collecting partners. Participants have one protocol under each name; tests and people have lists and acts."""

import re
from functools import partial
from typing import Any

from litestar import Response, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath

from lastro_sim import logs, queries, statements
from lastro_sim.answers import Asked, answer
from lastro_sim.card.partner import CARD
from lastro_sim.clock import counted
from lastro_sim.forms import Form
from lastro_sim.guard import PARTICIPANT_ONLY
from lastro_sim.network import Network
from lastro_sim.partners import PARTNERS
from lastro_sim.refusals import Problem, RefusedError, found, malformed
from lastro_sim.routes import MOST_LISTED, act

from . import items, movements, phone, returns
from . import statements as collected
from .partner import Fields, Item, Partner

RETURN_ID = re.compile(r"[A-Za-z0-9]{1,35}")
REASON = re.compile(r"[A-Z0-9]{1,8}")
DOCUMENTS = frozenset({"CPF", "CNPJ", "CURP", "RFC", "OTHERS"})


def _at(path: str, *, also_card: bool = True) -> list[str]:
    """Returns the path under every partner; cards have some routes of their own."""
    return [f"/{name}/v1/{path}" for name in PARTNERS if also_card or name != CARD.name]


@put(_at("charges/{reference:str}", also_card=False), opt=PARTICIPANT_ONLY)
async def charge_put(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """Registers an item under a reference."""
    partner = _whose(request)
    logs.about(numbered(partner, reference))
    item = _item(partner, reference, await request.body())
    partner.admit(network, partner, item)
    is_new = items.register(network, partner, item)
    return _charge(network, partner, reference, 201 if is_new else 200)


@get(_at("charges/{reference:str}", also_card=False), opt=PARTICIPANT_ONLY)
async def charge_get(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """Returns one item and its status."""
    partner = _whose(request)
    return _charge(network, partner, numbered(partner, reference))


@post(_at("charges/{reference:str}/close", also_card=False), opt=PARTICIPANT_ONLY, status_code=200)
async def charge_close(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """Closes an item."""
    partner = _whose(request)
    logs.about(numbered(partner, reference))
    items.close(network, partner, reference)
    return answer({"reference": reference, "status": items.CLOSED})


@get(_at("movements"), opt=PARTICIPANT_ONLY)
async def movement_list(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Returns movements after a position and confirms those up to it."""
    return answer({"movements": await movements.pulled(request, network, _whose(request))})


@put(_at("returns/{return_id:str}"), opt=PARTICIPANT_ONLY)
async def return_put(request: Asked, network: NamedDependency[Network], return_id: FromPath[str]) -> Response[bytes]:
    """Returns money to the payer."""
    if RETURN_ID.fullmatch(return_id) is None:
        raise malformed(Problem("returnId", "INVALID", "A return id has up to 35 letters and digits"))
    logs.about(return_id)
    form = Form.read(await request.body())
    payment_id, amount = form.text("paymentId", 64), form.message_amount("amount")
    reason = form.text("reason", 8, REASON)
    form.check()
    if amount == 0:
        raise RefusedError(422, "AMOUNT_ZERO", "A return moves something")
    partner = _whose(request)
    is_new = returns.give_back(network, partner, returns.Return(return_id, payment_id, amount, reason))
    return _return(network, partner, return_id, 201 if is_new else 200)


@get(_at("returns/{return_id:str}"), opt=PARTICIPANT_ONLY)
async def return_get(request: Asked, network: NamedDependency[Network], return_id: FromPath[str]) -> Response[bytes]:
    """Returns one return and its status."""
    return _return(network, _whose(request), return_id)


@get(_at("statements", also_card=False), opt=PARTICIPANT_ONLY)
async def statement(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Returns a page of the statement of a past day."""
    partner = _whose(request)
    return statements.page(request, network, partner.name, partial(collected.movements, network, partner))


@get("/collecting/{partner:str}")
async def item_list(request: Asked, network: NamedDependency[Network], partner: FromPath[str]) -> Response[bytes]:
    """Lists a partner's items with their payments and returns."""
    whose = found(PARTNERS.get(partner))
    given = queries.read(request, {"reference", "limit"})
    limit = queries.whole(given, "limit", 1000, 1, MOST_LISTED)
    return answer({"data": phone.listed(network, whose, given.get("reference"), limit)})


def _void(network: Network, form: Form, partner: str, payment_id: str) -> dict[str, Any]:
    return phone.end_void(network, found(PARTNERS.get(partner)), payment_id, form)


ROUTES = (act("/collecting/{partner:str}/payments/{payment_id:str}/void", _void, needs_body=False),)


def numbered(partner: Partner, reference: str) -> str:
    """Returns the reference in a path, checked for its form."""
    if partner.reference.fullmatch(reference) is None:
        raise malformed(Problem("reference", "INVALID", f"A reference has the form {partner.reference.pattern}"))
    return reference


def _whose(request: Asked) -> Partner:
    return PARTNERS[request.url.path.split("/")[1]]


def _item(partner: Partner, reference: str, raw: bytes) -> Item:
    form = Form.read(raw)
    amount, expires_at = form.message_amount("amount"), form.moment("expiresAt")
    form.choice("currency", {partner.currency})
    fields = {
        "number": form.text("number", 64),
        "description": form.text("description", 140),
        "beneficiary": _person(form.child("beneficiary")),
        "payer": _person(form.child("payer")),
        **partner.details(form),
    }
    form.check()
    if amount == 0:
        raise RefusedError(422, "AMOUNT_ZERO", "Nothing is asked for")
    assert expires_at is not None
    return Item(reference, amount, counted(expires_at), fields)


def _person(form: Form) -> Fields:
    document = form.child("document")
    person: dict[str, Any] = {
        "name": form.text("name"),
        "document": {"type": document.choice("type", DOCUMENTS), "number": document.text("number", 40)},
    }
    address = form.maybe_text("address", 400)
    return person | ({"address": address} if address else {})


def _charge(network: Network, partner: Partner, reference: str, status: int = 200) -> Response[bytes]:
    return answer(items.shown(network, partner, found(items.find(network, partner, reference))), status)


def _return(network: Network, partner: Partner, return_id: str, status: int = 200) -> Response[bytes]:
    return answer(returns.shown(partner, found(returns.find(network, partner, return_id))), status)
