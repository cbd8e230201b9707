"""A payer's acts on an item: type or scan, read, pay."""

from collections.abc import Iterable
from typing import Any

from lastro_sim import amounts, faults, logs
from lastro_sim.bank import payers
from lastro_sim.clock import printed_or_none
from lastro_sim.forms import Form
from lastro_sim.network import Network

from . import items, payments, returns
from .partner import SETTLED, Partner, Row

# With one of these faults a partner takes a payment that it should refuse.
TAKEN_ALL_THE_SAME = {"ALREADY_PAID": "twice", "CHARGE_REMOVED": "late", "EXPIRED": "late"}
PROBLEMS = {items.PAID: "ALREADY_PAID", items.CLOSED: "CHARGE_REMOVED", items.EXPIRED: "EXPIRED"}


def found(network: Network, partners: Iterable[Partner], form: Form) -> tuple[Partner, Row] | None:
    """Finds the item typed as `qrcodeData`, and its partner; None if unknown."""
    text = form.given("qrcodeData")
    if not isinstance(text, str):
        return None
    for partner in partners:
        reference = partner.typed(text)
        if partner.reference.fullmatch(reference) and (known := items.find(network, partner, reference)) is not None:
            return partner, known
    return None


def read(network: Network, partner: Partner, known: Row) -> dict[str, Any]:
    """Returns an item's fields as the phone shows them."""
    problem = _problem(network, partner, known)
    asked = {
        "kind": partner.kind,
        "amount": amounts.printed(known["amount"]),
        "currency": partner.currency,
        "openAmount": False,
        "reference": known["reference"],
        "expiresAt": printed_or_none(known["expires_at"]),
        "status": items.status(network, partner, known),
        "problem": problem,
        **partner.shows(items.fields(known)),
    }
    return {name: value for name, value in asked.items() if value is not None}


def pay(network: Network, partner: Partner, known: Row, form: Form) -> dict[str, Any]:
    """Pays an item: taken, and settled now or later; or refused.

    A fault can have a payment taken that the partner does not take. The body may delay settlement by `settlesIn` seconds.
    """
    amount, payer = form.maybe_amount("amount"), payers.chosen(form)
    longer = form.maybe_seconds("settlesIn", faults.LONGEST_DELAY) or 0
    price, reference = amount or known["amount"], known["reference"]
    form.check()
    if payer.refused is not None:
        return refused(network, payer.refused)
    logs.about(reference)
    about = items.about(reference, known["amount"], payer.document)

    def struck(*behaviours: str) -> faults.Fault | None:
        return faults.strike(network, partner.name, about, behaviours)

    with network.store.writing():
        problem = _problem(network, partner, known)
        if problem is not None and struck(TAKEN_ALL_THE_SAME[problem]) is None:
            return refused(network, problem)
        fits = partner.takes_any_amount or known["amount"] == price
        if not fits and struck("wrong-amount") is None:
            return refused(network, "AMOUNT_NOT_ALLOWED")
        magic = partner.strikes(known["amount"])
        fault = struck("slow", "void") or magic
        twice = problem is None and (struck("twice") is not None or (magic is not None and magic.behaviour == "twice"))
        who = {"name": payer.name, "document": {"type": payer.document_type, "number": payer.document}}
        how = ("slow", longer) if fault is None else (fault.behaviour, fault.delay + longer)
        taken = [payments.take(network, partner, reference, price, {"payer": who}, how) for _ in range(2 if twice else 1)]
    first = network.store.get("item_payment", payment_id=taken[0])
    word = "SETTLED" if first["status"] == SETTLED else "PENDING"
    return {"paymentId": taken[0], "reference": reference, "status": word}


def end_void(network: Network, partner: Partner, payment_id: str, form: Form) -> dict[str, Any]:
    """Voids an announced payment; the body may give a reason."""
    code = form.maybe_text("code", 64)
    form.check()
    ended = payments.void(network, partner, payment_id, code)
    known = payments.find(network, partner, payment_id)
    if known is not None:
        logs.about(payment_id)
    if ended:
        return {"paymentId": payment_id, "status": "VOID"}
    return {"status": "REJECTED", "code": "UNKNOWN_PAYMENT" if known is None else f"ALREADY_{known['status']}"}


def listed(network: Network, partner: Partner, reference: str | None, limit: int) -> list[dict[str, Any]]:
    """Lists one item or the newest, with payments and returns, oldest first."""
    rows = network.store.newest("item", limit, partner=partner.name, reference=reference)
    return [items.shown(network, partner, row) | {"payments": _payments(network, partner, row["reference"])} for row in rows]


def paid(network: Network, partners: Iterable[Partner], payment_id: str) -> dict[str, Any] | None:
    """Returns one payment for the phone; None for an unknown one."""
    for partner in partners:
        known = payments.find(network, partner, payment_id)
        if known is not None:
            return _told(partner, known) | {"returns": _returns(network, partner, payment_id)}
    return None


def recent(network: Network, partners: Iterable[Partner], limit: int) -> list[dict[str, Any]]:
    """Lists all these partners' newest payments, oldest first, for the phone."""
    by_name = {partner.name: partner for partner in partners}
    return [_told(by_name[row["partner"]], row) for row in network.store.newest("item_payment", limit)]


def _told(partner: Partner, known: Row) -> dict[str, Any]:
    return {
        "paymentId": known["payment_id"],
        "reference": known["reference"],
        "partner": partner.name,
        "currency": partner.currency,
        "amount": amounts.printed(known["amount"]),
        "status": known["status"],
        "paidAt": printed_or_none(known["taken_at"]),
        "settledAt": printed_or_none(known["settled_at"]),
    } | ({} if known["code"] is None else {"code": known["code"]})


def _payments(network: Network, partner: Partner, reference: str) -> list[dict[str, Any]]:
    return [
        payments.shown(partner, row) | {"returns": _returns(network, partner, row["payment_id"])}
        for row in network.store.every("item_payment", partner=partner.name, reference=reference)
    ]


def _returns(network: Network, partner: Partner, payment_id: str) -> list[dict[str, Any]]:
    return [returns.shown(partner, one) for one in returns.of_payment(network, partner, payment_id)]


def _problem(network: Network, partner: Partner, known: Row) -> str | None:
    """Returns the reason why an item may not be paid now."""
    problem = PROBLEMS.get(items.status(network, partner, known))
    if problem == "ALREADY_PAID" and partner.takes_again:
        problem = "CHARGE_REMOVED" if items.is_closed(network, partner, known["reference"]) else None
    return problem


def refused(network: Network, code: str) -> dict[str, Any]:
    """Returns a partner's refusal, with an id of this try alone."""
    return {"paymentId": network.chance.uuid(), "status": "REJECTED", "code": code}
