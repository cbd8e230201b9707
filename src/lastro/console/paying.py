"""A new payout by a person: a plan of one line, checked, signed by others and applied as every plan is."""

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

HERE: Final = "/console/pay"
METHODS: Final = ("PIX", "TED")
ACCOUNT_TYPES: Final = ("CHECKING_ACCOUNT", "SAVINGS_ACCOUNT", "PAYMENT_ACCOUNT", "WAGE_ACCOUNT")
_PAYOUTS: Final = "/order/v1/banking/order-payouts"
_PLANS: Final = "/order/v1/banking/payout-plans"
_NEEDED: Final = ("accountId", "amount", "description", "paymentMethod")
_OF_BANK: Final = ("bank", "branchNumber", "accountNumber", "accountType")
_FEWEST_FAILED: Final = 300
_ISPB_LENGTH: Final = 8
_INPUTS: Final = {
    "accountId": "f-accountId",
    **elements("p-", "amount", "description", "paymentMethod", "paymentData", "pixKey", "qrcodeData", "bank"),
    **elements("p-", "branchNumber", "accountNumber", "accountType", "receiver", "scheduledDate", "externalId"),
    "ispb": "p-bank", "bankNumber": "p-bank", "receiver.name": "p-receiverName", "receiver.document": "p-receiverDocument",
}  # fmt: skip


async def new(user: User, request: PageRequest) -> Response:
    """GET /console/pay: the form."""
    return _form(user, {}, await choosing.accounts(user, request.query))


async def add(user: User, request: PageRequest) -> Response:
    """POST /console/pay: makes the plan and shows its page; or the form again with every problem."""
    form = {name: text.strip() for name, text in request.form.items()}
    accounts = await choosing.accounts(user, form)
    form["accountId"] = accounts.own
    body = body_of(form, str(user.act_id))
    if problems := _lacking(form):
        return _form(user, form, accounts, status=400, problems=problems)
    answer = user.console_context.calls.problems(user, "POST", _PAYOUTS, body)
    if answer is None:
        told = typed.told("plans.pay", body["amount"])
        answer = await replace(user, told=told).call("POST", _PLANS, body={"payouts": [body]})
    status, said = answer
    if status < _FEWEST_FAILED:
        return shell.go(f"/console/plans/{said['id']}?done=payout")
    return _form(user, form, accounts, status=status, problems=company_page.why(said))


def body_of(form: Mapping[str, str], own: str) -> dict[str, Any]:
    """Returns the API's body of a form. own: the form's id. A bank of eight characters is an ISPB, else a number."""
    data: dict[str, Any] = typed.given(form, "pixKey", "qrcodeData")
    if any(form.get(name) for name in _OF_BANK):
        bank = form.get("bank", "").upper()
        data["bankAccount"] = typed.given(form, "branchNumber", "accountType") | {
            "accountNumber": typed.number(form.get("accountNumber", "")),
            **({"ispb" if len(bank) == _ISPB_LENGTH else "bankNumber": bank} if bank else {}),
        }
    body: dict[str, Any] = {
        "externalId": form.get("externalId") or f"console-{own}", "amount": typed.reais(form.get("amount", "")),
        "paymentData": data, **typed.given(form, "accountId", "paymentMethod", "description", "scheduledDate"),
    }  # fmt: skip
    if form.get("receiverName") or form.get("receiverDocument"):
        document = typed.document(form.get("receiverDocument", ""))
        body["receiver"] = {"name": form.get("receiverName", ""), "document": document}
    return body


def _lacking(form: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Returns the fields that lack. Of destinations there has to be one alone."""
    problems = [(name, "REQUIRED", "is required") for name in _NEEDED if not form.get(name)]
    ways = [bool(form.get("pixKey")), bool(form.get("qrcodeData")), any(form.get(name) for name in _OF_BANK)]
    if sum(ways) != 1:
        problems.append(("paymentData", "REQUIRED" if not any(ways) else "NOT_ALLOWED", "takes exactly one destination"))
    return problems


def _form(user: User, form: Mapping[str, str], accounts: Accounts, *, status: int = 200, problems: Any = ()) -> Response:
    return company_page.render(
        user, "pay.html", "/console/payouts", status=status, form=form, accounts=accounts.with_hits(), methods=METHODS,
        types=ACCOUNT_TYPES, problems=placed(problems, _INPUTS),
    )  # fmt: skip
