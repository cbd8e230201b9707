"""The receipt of a paid order: a page to print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lastro.api_kit.routes import as_id, stamp
from lastro.console import company_page, context, figures, shell
from lastro.console.lists import party, value_at
from lastro.console.terms import Terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.api_kit.http import Response
    from lastro.console.shell import PageRequest, User

PAID: Final = frozenset({"PAID", "PARTIAL_REFUNDED", "REFUNDED"})
_ORDER: Final = "/order/v2/transparent/{id}"
_ACCOUNT: Final = "/order/v1/banking/accounts/{id}"
_OK: Final = 200
# Of the order: the names under which a network and the company's own system know it.
_NAMES: Final = ("externalId", "endToEndId", "controlNumber", "id")


async def show(user: User, request: PageRequest) -> Response:
    """GET /console/orders/{id}/receipt: who paid whom how much, when and how."""
    own = as_id(request.values["id"])
    order: Any
    status, order = (404, None) if own is None else await user.call("GET", _ORDER.format(id=own))
    if status != _OK:
        return shell.refused(user, status, order)
    if order["status"] not in PAID or own is None:
        return shell.not_found(user)
    status, account = await user.call("GET", _ACCOUNT.format(id=order["accountId"]))
    whole = {**order, **(await context.of_orders(user, [order]))[0]}
    async with company_page.session_of(user) as session:
        now = await figures.business_now(session)
    return company_page.render(
        user, "receipt.html", "/console/orders", order=order, own=str(own), issued_at=stamp(now),
        sections=_sections(whole, account if status == _OK else {}, Terms(user.language)),
        institution=user.console_context.app_context.place.institution,
    )  # fmt: skip


def _sections(
    order: Mapping[str, Any], account: Mapping[str, Any], say: Terms
) -> list[tuple[str, list[tuple[str, str, tuple[str, ...]]]]]:
    """Returns the receipt's parts: a title's term, and rows of name, text and lines below it."""
    paid_by = party(order.get("payer"), say)
    payer = paid_by.text or str(order.get("customer") or say("nobody"))
    back = order.get("refundedAmount")
    payment: list[tuple[str, str, tuple[str, ...]]] = [
        (say.field("paidAt"), say.moment(order.get("paidAt")), ()),
        (say.field("paymentMethod"), say.word(order["paymentMethod"]), ()),
        *([(say.field("refundedAmount"), say.paid(back), ())] if back and back["value"] != "0.00" else []),
        (say.field("description"), str(order["description"]), ()),
    ]
    number = value_at(account, "bankAccountData.accountNumber")
    document = account.get("document")
    whose = f"{document['type']} {say.document(document['number'])}" if document else ""
    lines = (whose, say("receipt.account", number=number) if number else "")
    return [
        ("receipt.payment", payment),
        ("receipt.payer", [(say("receipt.name"), payer, paid_by.lines)]),
        ("receipt.receiver", [(say("receipt.name"), str(account.get("fullName") or ""), tuple(filter(None, lines)))]),
        ("receipt.names", [(say(f"receipt.{one}"), str(order[one]), ()) for one in _NAMES if order.get(one)]),
    ]
