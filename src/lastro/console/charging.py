"""A new charge by a person: the method is chosen, then what it needs; the form says what it will cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lastro import orders
from lastro.console import choosing, company_page, pricing, shell, typed
from lastro.console.form_problems import elements, placed
from lastro.console.terms import Terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.api_kit.http import Response
    from lastro.console.choosing import Accounts
    from lastro.console.shell import PageRequest, User

HERE: Final = "/console/charge"
EXPIRATIONS: Final = ("3600", "86400", "604800", "2592000")  # seconds; nothing chosen: what the API does then
_LIST: Final = "/console/orders"  # its place in the menu
METHOD: Final = "paymentMethod"
_ORDERS: Final = "/order/v2/transparent"
_PAID: Final = "ORDER-PAYIN.PAID"
_PIX, _DEPOSIT, _CARD = "PIX", "DEPOSIT", "CREDIT_CARD"
_FIRST: Final = (_PIX, "BOLETO", _DEPOSIT, "SPEI", "OXXO", "OXXOPAY", "PAYNET")  # crypto's brands stand behind them
_FIELDS: Final = ("accountId", "description", "name", "document", "email", "notificationUrl")
_ADDRESS: Final = ("postalCode", "street", "number", "neighborhood", "city", "state")
_DOCUMENTS: Final = {"MXN": ("RFC", "CURP", "OTHERS")}  # in reais the length of the number tells CPF from CNPJ
_RFC_OF_PERSON: Final = 13  # characters; a company's has one less
_FEWEST_FAILED: Final = 300
_INPUTS: Final = {
    "accountId": "f-accountId",
    **elements("c-", "amount", "description", "bank", "name", "documentType", "document", "email"),
    **{f"customer.address.{name}": f"c-{name}" for name in _ADDRESS}, "address": "c-postalCode",
    "document.type": "c-documentType",
    **elements("c-", "expiration", "externalId", "notificationUrl"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MethodForm:
    """The form of one method: what it asks for. banks: slug and name of those that take deposits."""

    method: orders.Method
    banks: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The method's word of the interface."""
        return self.method.name

    @property
    def is_pix(self) -> bool:
        """True for Pix: its amount may be open, its end chosen."""
        return self.method.rail is None

    @property
    def documents(self) -> tuple[str, ...]:
        """The types of documents to choose from; none where the number tells it."""
        return _DOCUMENTS.get(self.method.currency, ())

    @property
    def needed(self) -> tuple[str, ...]:
        """The fields without which nothing is asked of the API."""
        address = _ADDRESS if self.method.needs_address else ()
        return (*_FIELDS, *(("bank",) if self.banks else ()), *(("documentType",) if self.documents else ()), *address)


async def new(user: User, request: PageRequest) -> Response:
    """GET /console/charge: the form of a method. Events go where the company's paid orders are told, if that is set."""
    method = _method(user, request.query)
    if method is None:
        return shell.not_found(user)
    _, now = await user.call("GET", "/order/v1/webhook")
    told = next((one.get("url", "") for one in now["events"] if one["event"] == _PAID), "")
    given = {"accountId": request.query.get("accountId", ""), "notificationUrl": told}
    return await _form(user, method, given, await choosing.accounts(user, given))


async def price(user: User, request: PageRequest) -> Response:
    """GET /console/charge/price: what the typed amount costs by a method, as a part of the form."""
    method = _method(user, request.query)
    if method is None:
        return shell.not_found(user)
    said = await _price(user, method, request.query)
    return shell.render(user, "charge-price.html", prices=said)


async def add(user: User, request: PageRequest) -> Response:
    """POST /console/charge: makes the order and shows its page; or the form again with every problem."""
    form = {name: text.strip() for name, text in request.form.items()}
    method = _method(user, form)
    if method is None:
        return shell.not_found(user)
    accounts = await choosing.accounts(user, form)
    form["accountId"] = accounts.own
    if problems := _lacking(method, form):
        return await _form(user, method, form, accounts, status=400, problems=problems)
    body = body_of(method, form, str(user.act_id))
    told = typed.told("orders.charge", body["order"].get("amount"))
    status, said = await replace(user, told=told).call("PUT", _ORDERS, body=body)
    if status < _FEWEST_FAILED:
        return shell.go(f"/console/orders/{said['id']}?done=charge")
    return await _form(user, method, form, accounts, status=status, problems=company_page.why(said))


def methods_of(user: User) -> tuple[str, ...]:
    """Returns the methods that a person can charge by here. A card's payer proves itself before a browser of its own."""
    offered = user.console_context.app_context.place.methods - {_CARD}
    return (*(one for one in _FIRST if one in offered), *sorted(offered.difference(_FIRST)))


def _method(user: User, given: Mapping[str, str]) -> MethodForm | None:
    name = given.get(METHOD, "") or _PIX
    method = orders.method_of(name) if name in methods_of(user) else None
    if method is None:
        return None
    banks = user.console_context.app_context.place.transfers.banks if name == _DEPOSIT else ()
    return MethodForm(method, tuple((one.slug, one.name) for one in banks))


def body_of(method: MethodForm, form: Mapping[str, str], own: str) -> dict[str, Any]:
    """Returns the API's body of a form. own: the form's id."""
    order: dict[str, Any] = {
        "externalId": form.get("externalId") or f"console-{own}", METHOD: method.name, "accountId": form["accountId"],
        "description": form["description"], "notificationUrl": form["notificationUrl"],
        **(typed.given(form, "bank") if method.banks else {}),
    }  # fmt: skip
    if form.get("amount"):
        order["amount"] = typed.money(form["amount"], method.method.currency)
    if method.is_pix and form.get("expiration") in EXPIRATIONS:
        order["expiration"] = int(form["expiration"])
    document = typed.document(form["document"])
    if method.documents:
        document["type"] = form.get("documentType", "")
    customer = {"name": form["name"], "email": form["email"], "document": document, "entityType": _entity(document)}
    if method.method.needs_address:
        customer["address"] = typed.given(form, *_ADDRESS)
    return {"order": order, "customer": customer}


def _entity(document: Mapping[str, str]) -> str:
    """Returns the type of a customer, by its document."""
    of_company = document["type"] == "RFC" and len(document["number"]) < _RFC_OF_PERSON
    return "ORGANIZATION" if of_company or document["type"] == "CNPJ" else "INDIVIDUAL"


def is_to_pay(kind: str, answer: Mapping[str, Any]) -> bool:
    """Tells whether an object is an order that waits for its payer. Its page shows how to pay it."""
    return kind == "orders" and answer.get("status") == "INITIAL" and answer.get("leadsHere", True)


def _lacking(method: MethodForm, form: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Returns the fields that lack. The payer chooses an amount only where the person says so."""
    is_open = method.is_pix and "isOpen" in form
    problems = [(_path(name), "REQUIRED", "is required") for name in method.needed if not form.get(name)]
    if not form.get("amount") and not is_open:
        problems.append(("amount", "REQUIRED", "is required"))
    if form.get("amount") and is_open:
        problems.append(("amount", "NOT_ALLOWED", "is not allowed where the payer chooses it"))
    return problems


def _path(name: str) -> str:
    """Returns a field's path in the API's body: a house has a number, and a document too."""
    return f"customer.address.{name}" if name in _ADDRESS else name


async def _price(user: User, method: MethodForm, form: Mapping[str, str]) -> list[str]:
    """Returns what a form's charge costs, in sentences."""
    own, terms = method.method, Terms(user.language)
    found = await pricing.price_of(user, own.name, own.currency, takes_parts=own.takes_parts)
    return found.lines(typed.amount(form.get("amount", "")), terms, is_open=method.is_pix and "isOpen" in form)


async def _form(
    user: User, method: MethodForm, form: Mapping[str, str], accounts: Accounts, *, status: int = 200, problems: Any = ()
) -> Response:
    offered = user.console_context.app_context.place.methods
    return company_page.render(
        user, "charge.html", _LIST, status=status, form=form, accounts=accounts.with_hits(), method=method,
        problems=placed(problems, _INPUTS), expirations=EXPIRATIONS, methods=methods_of(user), address=_ADDRESS,
        has_card=_CARD in offered, prices=await _price(user, method, form),
    )  # fmt: skip
