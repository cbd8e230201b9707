"""Endpoints of the acquirer: merchants' protocol, challenge page, list and acts for tests."""

from functools import partial
from pathlib import Path
from typing import Any

import jinja2
from litestar import Response, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath

from lastro.standards.legible import as_shown
from lastro_sim import amounts, logs, statements
from lastro_sim.answers import Asked, answer
from lastro_sim.collecting import returns
from lastro_sim.collecting import statements as collected
from lastro_sim.collecting.api import numbered
from lastro_sim.collecting.partner import Row
from lastro_sim.forms import Form
from lastro_sim.guard import PARTICIPANT_ONLY
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError, found
from lastro_sim.routes import act, listing
from lastro_sim.statements import Movement

from . import charges, vault
from .partner import CARD

MOST_INSTALLMENTS = 24
THREE_DS = ("transStatus", "eci", "authenticationValue", "dsTransId", "version")  # fields of a merchant's charge

PAGE = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent.parent / "templates"), autoescape=True, finalize=as_shown
).get_template("challenge.html")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": "no-store",
}  # fmt: skip


@post("/card/v1/tokens", opt=PARTICIPANT_ONLY)
async def token_post(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Makes a token of a card."""
    card = vault.tokenize(network, await request.body())
    return answer({"token": card["token"], "brand": card["brand"], "lastFour": card["last_four"]}, 201)


@put("/card/v1/charges/{reference:str}", opt=PARTICIPANT_ONLY)
async def payment_put(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """Registers a payment and authenticates its payer."""
    logs.about(numbered(CARD, reference))
    is_new = charges.register(network, _asked(reference, await request.body()))
    return _payment(network, reference, 201 if is_new else 200)


@get("/card/v1/charges/{reference:str}", opt=PARTICIPANT_ONLY)
async def payment_get(network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """Returns one payment and its status."""
    return _payment(network, numbered(CARD, reference))


@post("/card/v1/charges/{reference:str}/charge", opt=PARTICIPANT_ONLY, status_code=200)
async def payment_charge(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """Charges a payment's card, once."""
    logs.about(numbered(CARD, reference))
    form = Form.read(await request.body())
    amount = form.message_amount("amount")
    form.choice("currency", {CARD.currency})
    three_ds = form.maybe_child("threeDs")
    said = None if three_ds is None else {name: three_ds.maybe_text(name, 64) for name in THREE_DS}
    form.check()
    charges.charge(network, reference, amount, said)
    return _payment(network, reference)


@post("/card/v1/charges/{reference:str}/close", opt=PARTICIPANT_ONLY, status_code=200)
async def payment_close(network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """Closes a payment, so that nobody may charge it."""
    logs.about(numbered(CARD, reference))
    charges.close(network, reference)
    return answer({"reference": reference})


@get("/card/v1/statements", opt=PARTICIPANT_ONLY)
async def statement(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Returns a page of the statement of a past day."""
    return statements.page(request, network, CARD.name, partial(_day, network))


@get("/card/challenge/{name:str}")
async def challenge_page(network: NamedDependency[Network], name: FromPath[str]) -> Response[str]:
    """Shows the issuer's challenge; once answered, the way back."""
    return _page(_challenged(network, name))


@post("/card/challenge/{name:str}")
async def challenge_answer(request: Asked, network: NamedDependency[Network], name: FromPath[str]) -> Response[str]:
    """Takes the payer's answer from the page. It is no redirect: the page's policy sends forms nowhere else."""
    chosen = (await request.form()).get("outcome")
    known = _challenged(network, name)
    if chosen in charges.ENDS:
        charges.answered(network, known, charges.ENDS[chosen])
    return Response("", status_code=303, headers={"Location": f"/card/challenge/{known['challenge']}"})


def _cards(network: Network, reference: str | None, number: str | None, limit: int) -> list[dict[str, object]]:
    """Lists the card payments with authentication, capture, returns and chargebacks."""
    rows = charges.numbered(network, number) if number and not reference else None
    rows = network.store.newest("card_charge", limit, reference=reference) if rows is None else rows
    return [_listed(network, row) for row in rows]


def _challenge(network: Network, form: Form, reference: str) -> dict[str, Any]:
    """Answers a challenge without its page: pass, fail, unavailable or reject."""
    outcome = form.choice("outcome", charges.ENDS)
    form.check()
    known = found(charges.find(network, reference))
    charges.answered(network, known, charges.ENDS[outcome])
    return charges.shown(network, network.store.get("card_charge", reference=reference))


def _charge_back(network: Network, form: Form, reference: str) -> dict[str, Any]:
    """Charges a payment back, in full where no amount is given."""
    amount, code = form.maybe_amount("amount"), form.maybe_text("code", 16)
    form.check()
    known = found(charges.find(network, reference))
    if known["payment_id"] is None or (amount or 0) > known["amount"]:
        return {"reference": reference, "status": "REJECTED", "code": "NOT_CAPTURED"}
    name = charges.charged_back(network, known, amount or known["amount"], code or "10.4")
    return {"reference": reference, "chargebackId": name, "status": "TAKEN"}


ROUTES = (
    listing("/cards", _cards, "reference", "number"),
    act("/cards/{reference:str}/challenge", _challenge),
    act("/cards/{reference:str}/chargeback", _charge_back, needs_body=False),
)


def _asked(reference: str, raw: bytes) -> charges.ChargeAsked:
    form = Form.read(raw)
    installments = form.maybe_whole("installments", 1, MOST_INSTALLMENTS)
    form.choice("currency", {CARD.currency})
    asked = charges.ChargeAsked(
        reference,
        form.text("token", 64),
        form.message_amount("amount"),
        installments or 1,
        form.flag("skip3ds"),
        form.text("returnUrl", 2048),
        {"number": form.text("number", 64), "description": form.text("description", 140)},
    )
    form.check()
    if asked.amount == 0:
        raise RefusedError(422, "AMOUNT_ZERO", "A payment asks for something")
    return asked


def _payment(network: Network, reference: str, status: int = 200) -> Response[bytes]:
    return answer(charges.shown(network, found(charges.find(network, reference))), status)


def _challenged(network: Network, name: str) -> Row:
    return found(network.store.find("card_charge", challenge=name))


def _page(known: Row) -> Response[str]:
    html = PAGE.render(
        amount=amounts.printed(known["amount"]), is_open=known["status"] in charges.ASKED, back=known["return_url"]
    )
    return Response(html, media_type="text/html; charset=utf-8", headers=HEADERS)


def _listed(network: Network, row: Row) -> dict[str, object]:
    given = [] if row["payment_id"] is None else returns.of_payment(network, CARD, row["payment_id"])
    taken = network.store.every("card_chargeback", reference=row["reference"])
    return charges.shown(network, row) | {
        "returns": [returns.shown(CARD, one) for one in given],
        "chargebacks": [charges.chargeback(one) for one in taken],
    }


def _day(network: Network, begin: int, end: int) -> list[Movement]:
    """Returns the payments, refunds and chargebacks between two instants."""
    lines = collected.movements(network, CARD, begin, end)
    sql = "SELECT * FROM card_chargeback WHERE taken_at >= ? AND taken_at < ? ORDER BY taken_at, seq"
    for row in network.store.rows(sql, begin, end):
        name, about = row["chargeback_id"], {"reference": row["reference"]}
        message = {"id": f"S{name}", "type": "CHARGEBACK"} | charges.chargeback(row)
        lines.append(Movement("CHARGEBACK", name, row["payment_id"], row["amount"], row["taken_at"], message, about))
    return sorted(lines, key=lambda one: one.settled_at)
