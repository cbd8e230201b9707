"""Tools for money out: a plan that people approve, a refund that people give. Neither moves anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from lastro.core.declined import CommandFailed
from lastro.core.money import Money
from lastro_tools.mcp.arguments import AMOUNT, CODE, DAY, ID, Arguments, Key, key_of
from lastro_tools.mcp.results import Done
from lastro_tools.mcp.tool import Tool

if TYPE_CHECKING:
    from lastro_tools.mcp.api import Api

_LARGEST_PAGE = 100


class BankAccount(Arguments, frozen=True, kw_only=True):
    """An account at a bank, and whose it is."""

    ispb: Annotated[str, Meta(pattern="^[0-9A-Z]{8}$", description="The bank's ISPB, eight characters.")]
    branch_number: Annotated[str, Meta(pattern="^[0-9]{1,4}$", description="The branch, without check digit.")]
    account_number: Annotated[str, Meta(pattern="^[0-9A-Z]{1,20}$", description="The account with its check digit.")]
    account_type: Annotated[
        Literal["CHECKING_ACCOUNT", "SAVINGS_ACCOUNT", "PAYMENT_ACCOUNT", "WAGE_ACCOUNT"],
        Meta(description="The kind of account."),
    ]
    receiver_name: Annotated[str, Meta(min_length=1, max_length=140, description="The account's holder.")]
    receiver_document_type: Annotated[Literal["CPF", "CNPJ"], Meta(description="The kind of the holder's document.")]
    receiver_document: Annotated[str, Meta(pattern="^[0-9A-Z]{11,14}$", description="The document, without punctuation.")]


class PlannedPayout(Arguments, frozen=True, kw_only=True):
    """One line of a plan: exactly one of pixKey, qrcodeData and bankAccount says where it goes."""

    external_id: Annotated[str, CODE, Meta(description="The payout's code in the company's own system, used once.")]
    account_id: Annotated[str, ID, Meta(description="The account that pays; list_accounts shows them.")]
    amount: Annotated[str, AMOUNT, Meta(description="What is sent in BRL: decimal text with two decimals.")]
    description: Annotated[str, Meta(min_length=1, max_length=140, description="What is paid; the receiver reads it.")]
    payment_method: (
        Annotated[Literal["PIX", "TED"], Meta(description="PIX where nothing is said; TED needs a bankAccount.")] | UnsetType
    ) = UNSET
    pix_key: Annotated[str, Meta(min_length=1, max_length=77, description="The receiver's Pix key.")] | UnsetType = UNSET
    qrcode_data: (
        Annotated[str, Meta(min_length=1, max_length=1024, description="The text of a Pix QR code.")] | UnsetType
    ) = UNSET
    bank_account: Annotated[BankAccount, Meta(description="The receiver's account at a bank.")] | UnsetType = UNSET
    scheduled_date: Annotated[str, DAY, Meta(description="The day in Brasilia on which to send it.")] | UnsetType = UNSET


class PlanPayouts(Arguments, frozen=True, kw_only=True):
    """Arguments of plan_payouts."""

    payouts: Annotated[list[PlannedPayout], Meta(min_length=1, max_length=1000, description="The payouts, at most 1000.")]
    idempotency_key: Key | UnsetType = UNSET


class ProposeRefund(Arguments, frozen=True, kw_only=True):
    """Arguments of propose_refund."""

    order_id: Annotated[str, ID, Meta(description="The paid order.")]
    amount: (
        Annotated[str, AMOUNT, Meta(description="What to give back: decimal text; left out, all that is left.")] | UnsetType
    ) = UNSET
    reason: Annotated[str, Meta(min_length=1, max_length=140, description="Why, for those who decide.")] | UnsetType = UNSET


async def _planned(api: Api, wanted: PlanPayouts) -> Done:
    body = {"payouts": [_payout(number, one) for number, one in enumerate(wanted.payouts)]}
    key = key_of("plan_payouts", wanted, wanted.idempotency_key)
    answer, number = await api.call("create_payout_plan", body=body, key=key)
    people = {
        "url": f"{api.url}/console/plans/{answer['id']}",
        "what": "Nothing has moved, and nothing will by any tool: people look at the plan in the console, approve it there"
                " once it is READY, and apply it.",
    }  # fmt: skip
    return Done(answer, number, people)


def _payout(number: int, one: PlannedPayout) -> dict[str, Any]:
    """Returns a line as the API takes it. Declined: not exactly one destination is named."""
    if sum(way is not UNSET for way in (one.pix_key, one.qrcode_data, one.bank_account)) != 1:
        raise CommandFailed(
            f"plan_payouts was not called, and nothing was changed: payouts[{number}] needs exactly one of pixKey,"
            " qrcodeData and bankAccount."
        )
    body: dict[str, Any] = {
        "externalId": one.external_id, "accountId": one.account_id, "description": one.description,
        "paymentMethod": "PIX" if one.payment_method is UNSET else one.payment_method,
        "amount": {"currency": "BRL", "value": one.amount},
    }  # fmt: skip
    body |= {} if one.scheduled_date is UNSET else {"scheduledDate": one.scheduled_date}
    if one.bank_account is UNSET:
        return body | {"paymentData": _without_bank(one)}
    bank = one.bank_account
    return body | {
        "paymentData": {"bankAccount": {
            "ispb": bank.ispb, "branchNumber": bank.branch_number, "accountNumber": bank.account_number,
            "accountType": bank.account_type,
        }},
        "receiver": {
            "name": bank.receiver_name,
            "document": {"type": bank.receiver_document_type, "number": bank.receiver_document},
        },
    }  # fmt: skip


def _without_bank(one: PlannedPayout) -> dict[str, str]:
    return {"qrcodeData": one.qrcode_data} if one.pix_key is UNSET else {"pixKey": one.pix_key}  # type: ignore[dict-item]


async def _proposed(api: Api, wanted: ProposeRefund) -> Done:
    """Says what can be given back and where people give it. Declined: nothing can, or less than is wanted."""
    order, number = await api.call("read_order", own=wanted.order_id)
    if order.get("status") not in ("PAID", "PARTIAL_REFUNDED") or "paidAmount" not in order:
        raise CommandFailed(f"propose_refund: the order is {order.get('status')}, so that nothing of it can be given back.")
    left = await _left(api, order)
    amount = left if wanted.amount is UNSET else _read(wanted.amount, left.currency)
    if amount > left or not left.minor:
        raise CommandFailed(f"propose_refund: {left} {left.currency} of the order are left to be given back, not {amount}.")
    proposal = {
        "orderId": order["id"], "externalId": order.get("externalId", ""), "amount": amount.wire(), "left": left.wire(),
        "reason": "" if wanted.reason is UNSET else wanted.reason,
    }  # fmt: skip
    people = {
        "url": f"{api.url}/console/orders/{order['id']}/refund",
        "what": f"Nothing has moved, and no tool gives money back: a person of the company opens the page, types {amount},"
                " and confirms. read_object shows the order as PARTIAL_REFUNDED or REFUNDED then.",
    }  # fmt: skip
    return Done(proposal, number, people)


async def _left(api: Api, order: dict[str, Any]) -> Money:
    """Returns what of an order can be given back: what was paid, or asked for, without its refunds."""
    asked = order.get("amount", order["paidAmount"])
    left = Money.parse(asked["value"], asked["currency"])
    cursor, has_next = None, True
    while has_next:
        query = {"orderId": order["id"], "limit": _LARGEST_PAGE, "cursor": cursor}
        page, _ = await api.call("list_refunds", query)
        for refund in page["data"]:
            if refund["status"] in ("PAID", "PENDING"):
                left -= Money.parse(refund["amount"]["value"], refund["amount"]["currency"])
        cursor, has_next = page.get("nextCursor"), page["hasNext"]
    return left


def _read(text: str, currency: str) -> Money:
    try:
        return Money.parse(text, currency)
    except ValueError as error:
        raise CommandFailed(f"propose_refund: amount {error}.") from None


TOOLS = (
    Tool(
        "plan_payouts", "Plan payouts",
        "Sends a plan of payouts to the API, which checks every line and moves nothing. People approve it in the console and"
        " apply it there; no tool here can. Read the plan (read_object) until it is READY or INVALID, its lines by"
        " list_plan_lines. Planning is free; the company's fee is due for each payout that is made. An equal call answers"
        " the same plan.",
        PlanPayouts, ("create_payout_plan",), _planned, "The plan as it was taken in: id, status VALIDATING, lines.",
        reads_only=False,
    ),
    Tool(
        "propose_refund", "Propose a refund",
        "Works out what of a paid order can be given back, and names the page where a person gives it. It moves nothing and"
        " changes nothing; no tool gives money back. The fee of an order is not given back. Free; two requests.",
        ProposeRefund, ("read_order", "list_refunds"), _proposed, "The proposal: orderId, amount, left and reason.",
    ),
)  # fmt: skip
