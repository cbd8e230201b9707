"""The crypto partners' own endpoints: rates, and the app that pays."""

import re

from litestar import Response, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath

from lastro_sim import logs
from lastro_sim.answers import Asked, answer
from lastro_sim.bank import payers
from lastro_sim.clock import counted
from lastro_sim.collecting import items, phone
from lastro_sim.collecting.api import DOCUMENTS, numbered
from lastro_sim.collecting.partner import Fields, Partner
from lastro_sim.forms import Form
from lastro_sim.guard import PARTICIPANT_ONLY
from lastro_sim.network import Network
from lastro_sim.partners import APPS, PARTNERS
from lastro_sim.refusals import RefusedError, found
from lastro_sim.showing import page, to_result, typed

from . import quotes

BRAND = re.compile(r"[A-Z0-9]{2,16}")
QUOTES = [f"/{app.name}/v1/quotes/{{reference:str}}" for app in APPS]
PAGES = [f"/{app.name}/app/{{reference:str}}" for app in APPS]


@put(QUOTES, opt=PARTICIPANT_ONLY)
async def quote_put(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """Registers a quote, payable once it has its order."""
    partner = _whose(request)
    logs.about(numbered(partner, reference))
    is_new = quotes.ask(network, partner, _quote(reference, await request.body()), request.headers["host"])
    return answer(_known(network, partner, reference), 201 if is_new else 200)


@get(QUOTES, opt=PARTICIPANT_ONLY)
async def quote_get(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """Returns one quote and its status."""
    partner = _whose(request)
    return answer(_known(network, partner, numbered(partner, reference)))


@get(PAGES)
async def app(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[str]:
    """Shows a quote in the app: both amounts and its last instant."""
    quote = _known(network, _whose(request), reference)
    return page(request, "crypto.html", quote=quote, path=request.url.path, payers=payers.ON_THE_PHONE)


@post(PAGES)
async def app_acts(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[str]:
    """Pays a quote from the app's page, or declines and closes it. A quote without its order cannot be paid."""
    form, partner = await typed(request, "payer", "act"), _whose(request)
    status = _known(network, partner, reference)["status"]
    if form.data.pop("act", "pay") == "decline":
        if status != items.PAID:
            items.close(network, partner, reference)
        return Response("", status_code=303, headers={"Location": request.url.path})
    known = items.find(network, partner, reference)
    if known is None:
        return to_result(phone.refused(network, "CHARGE_NOT_OPEN" if status == quotes.QUOTED else "CHARGE_REMOVED"))
    return to_result(phone.pay(network, partner, known, form))


def _whose(request: Asked) -> Partner:
    return PARTNERS[request.url.path.split("/")[1]]


def _known(network: Network, partner: Partner, reference: str) -> Fields:
    return found(quotes.shown(network, partner, reference))


def _quote(reference: str, raw: bytes) -> quotes.Quote:
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
    return quotes.Quote(reference, brand, cents, counted(until), name, description)
