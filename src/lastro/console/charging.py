"""A new charge: a Pix order with its code and its payment link, made by a person."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lastro.console import choosing, company_page, shell, typed
from lastro.console.form_problems import elements, placed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.api_kit.http import Response
    from lastro.console.choosing import Accounts
    from lastro.console.shell import PageRequest, User

HERE: Final = "/console/charge"
EXPIRATIONS: Final = ("3600", "86400", "604800", "2592000")  # seconds; nothing chosen: what the API does then
_ORDERS: Final = "/order/v2/transparent"
_PAID: Final = "ORDER-PAYIN.PAID"
_FIELDS: Final = ("accountId", "description", "name", "document", "email", "notificationUrl")
_FEWEST_FAILED: Final = 300
_INPUTS: Final = {
    "accountId": "f-accountId",
    **elements("c-", "amount", "description", "name", "document", "email", "expiration", "externalId", "notificationUrl"),
}


async def new(user: User, request: PageRequest) -> Response:
    """GET /console/charge: the form. Events go where the company's paid orders are told, if that is set."""
    _, now = await user.call("GET", "/order/v1/webhook")
    told = next((one.get("url", "") for one in now["events"] if one["event"] == _PAID), "")
    given = {"accountId": request.query.get("accountId", ""), "notificationUrl": told}
    return _form(user, given, await choosing.accounts(user, given))


async def add(user: User, request: PageRequest) -> Response:
    """POST /console/charge: makes the order and shows its page; or the form again with every problem."""
    form = {name: text.strip() for name, text in request.form.items()}
    accounts = await choosing.accounts(user, form)
    form["accountId"] = accounts.own
    if problems := _lacking(form):
        return _form(user, form, accounts, status=400, problems=problems)
    body = body_of(form, str(user.act_id))
    told = typed.told("orders.charge", body["order"].get("amount"))
    status, said = await replace(user, told=told).call("PUT", _ORDERS, body=body)
    if status < _FEWEST_FAILED:
        return shell.go(f"/console/orders/{said['id']}?done=charge")
    return _form(user, form, accounts, status=status, problems=company_page.why(said))


def body_of(form: Mapping[str, str], own: str) -> dict[str, Any]:
    """Returns the API's body of a form. own: the form's id."""
    document = typed.document(form["document"])
    order: dict[str, Any] = {
        "externalId": form.get("externalId") or f"console-{own}", "paymentMethod": "PIX", "accountId": form["accountId"],
        "description": form["description"], "notificationUrl": form["notificationUrl"],
    }  # fmt: skip
    if form.get("amount"):
        order["amount"] = typed.reais(form["amount"])
    if form.get("expiration") in EXPIRATIONS:
        order["expiration"] = int(form["expiration"])
    customer = {
        "name": form["name"], "email": form["email"], "document": document,
        "entityType": "INDIVIDUAL" if document["type"] == "CPF" else "ORGANIZATION",
    }  # fmt: skip
    return {"order": order, "customer": customer}


def is_to_pay(kind: str, answer: Mapping[str, Any]) -> bool:
    """Tells whether an object is an order that waits for its payer. Its page shows how to pay it."""
    return kind == "orders" and answer.get("status") == "INITIAL" and answer.get("leadsHere", True)


def _lacking(form: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Returns the fields that lack. The payer chooses an amount only where the person says so."""
    problems = [(name, "REQUIRED", "is required") for name in _FIELDS if not form.get(name)]
    if not form.get("amount") and "isOpen" not in form:
        problems.insert(0, ("amount", "REQUIRED", "is required"))
    if form.get("amount") and "isOpen" in form:
        problems.insert(0, ("amount", "NOT_ALLOWED", "is not allowed where the payer chooses it"))
    return problems


def _form(user: User, form: Mapping[str, str], accounts: Accounts, *, status: int = 200, problems: Any = ()) -> Response:
    return company_page.render(
        user,
        "charge.html",
        HERE,
        status=status,
        form=form,
        accounts=accounts.with_hits(),
        problems=placed(problems, _INPUTS),
        expirations=EXPIRATIONS,
    )
