"""Tools that ask customers for money: an order, a subscription."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from lastro.core.declined import CommandFailed
from lastro_tools.mcp.api import Refused
from lastro_tools.mcp.arguments import AMOUNT, CODE, DAY, ID, Arguments, Key, key_of
from lastro_tools.mcp.results import Done
from lastro_tools.mcp.tool import Tool

if TYPE_CHECKING:
    from lastro_tools.mcp.api import Api

_ABOUT = "SUBSCRIPTION.ACCEPTED"


class Person(Arguments, frozen=True, kw_only=True):
    """A customer, with a CPF or CNPJ."""

    name: Annotated[str, Meta(min_length=1, max_length=140, description="The whole name.")]
    document_type: Annotated[Literal["CPF", "CNPJ"], Meta(description="CPF of a person, CNPJ of an organization.")]
    document_number: Annotated[str, Meta(pattern="^[0-9A-Z]{11,14}$", description="The document, without punctuation.")]


class CreateOrder(Arguments, frozen=True, kw_only=True):
    """Arguments of create_order."""

    external_id: Annotated[str, CODE, Meta(description="The order's code in the shop; one open or paid order has it.")]
    account_id: Annotated[str, ID, Meta(description="The account that is credited; list_accounts shows them.")]
    amount: Annotated[str, AMOUNT, Meta(description="What is to be paid in BRL: decimal text with two decimals.")]
    description: Annotated[str, Meta(min_length=1, max_length=140, description="What is paid; the payer reads it.")]
    payer: (
        Annotated[Person, Meta(description="The customer; needed unless a route of the company takes it from who pays.")]
        | UnsetType
    ) = UNSET
    expiration: (
        Annotated[int, Meta(ge=60, le=2_592_000, description="Seconds until it can no longer be paid; 86400 left out.")]
        | UnsetType
    ) = UNSET
    idempotency_key: Key | UnsetType = UNSET


class CreateSubscription(Arguments, frozen=True, kw_only=True):
    """Arguments of create_subscription."""

    external_id: Annotated[str, CODE, Meta(description="The subscription's code in the shop.")]
    account_id: Annotated[str, ID, Meta(description="The account that is credited; its holder is an organization.")]
    frequency: Annotated[
        Literal["WEEKLY", "MONTHLY", "QUARTERLY", "SEMIANNUAL", "ANNUAL"], Meta(description="How often it is charged.")
    ]
    start_date: Annotated[str, DAY, Meta(description="The first day of the first cycle, in Brasilia today or later.")]
    end_date: Annotated[str, DAY, Meta(description="The last day on which a charge may be due.")] | UnsetType = UNSET
    amount: (
        Annotated[str, AMOUNT, Meta(description="Each charge in BRL: decimal text. Left out, each charge has its own.")]
        | UnsetType
    ) = UNSET
    description: Annotated[str, Meta(min_length=1, max_length=140, description="What is paid for; the payer reads it.")]
    debtor: Annotated[Person, Meta(description="The contract's debtor.")]
    retries_unpaid: (
        Annotated[bool, Meta(description="Whether an unpaid charge may be tried again within seven days; false left out.")]
        | UnsetType
    ) = UNSET
    idempotency_key: Key | UnsetType = UNSET


async def _order(api: Api, wanted: CreateOrder) -> Done:
    """Creates an order without a notification URL: no agent names a receiver of events."""
    body: dict[str, Any] = {
        "externalId": wanted.external_id, "accountId": wanted.account_id, "paymentMethod": "PIX",
        "amount": {"currency": "BRL", "value": wanted.amount}, "description": wanted.description,
    }  # fmt: skip
    body |= {} if wanted.payer is UNSET else {"payer": _person(wanted.payer)}
    body |= {} if wanted.expiration is UNSET else {"expiration": wanted.expiration}
    made, number = await api.call(
        "create_order_payin", body=body, key=key_of("create_order", wanted, wanted.idempotency_key)
    )
    try:
        whole, _ = await api.call("read_order", own=made["id"])
    except Refused:  # a client that may create and not read: it is told what the create answers
        return Done(made, number)
    more = {name: whole[name] for name in ("checkoutUrl", "amount", "fees", "externalId") if name in whole}
    return Done(made | more, number)


async def _subscription(api: Api, wanted: CreateSubscription) -> Done:
    """Creates a subscription whose events go to the company's own URL."""
    set_up, _ = await api.call("read_webhook")
    url = next((one.get("url") for one in set_up.get("events", ()) if one.get("event") == _ABOUT), None)
    if not url:
        raise CommandFailed(
            f"create_subscription was not called: the company has no URL for {_ABOUT}."
            " Have its people set one in the console or by PUT /order/v1/webhook."
        )
    body: dict[str, Any] = {
        "externalId": wanted.external_id, "accountId": wanted.account_id, "type": "AUTHORIZATION_QRCODE",
        "frequencyType": wanted.frequency, "startDate": wanted.start_date, "debtor": _person(wanted.debtor),
        "description": wanted.description, "webhookUrl": url, "allowAdjustToBusinessDay": True,
        "allowChargeAfterDueDate": wanted.retries_unpaid is True,
    }  # fmt: skip
    body |= {} if wanted.amount is UNSET else {"fixedAmount": {"currency": "BRL", "value": wanted.amount}}
    body |= {} if wanted.end_date is UNSET else {"endDate": wanted.end_date}
    key = key_of("create_subscription", wanted, wanted.idempotency_key)
    return Done(*await api.call("create_subscription", body=body, key=key))


def _person(person: Person) -> dict[str, Any]:
    return {"name": person.name, "document": {"type": person.document_type, "number": person.document_number}}


TOOLS = (
    Tool(
        "create_order", "Create an order",
        "Asks a customer to pay once by Pix: answers the QR code's text (qrcodeData, to be given on byte for byte) and the"
        " payment page (checkoutUrl). Creating is free; the company's fee for a Pix is due when it is paid. An equal call"
        " answers the same order. Events go where the company has them sent.",
        CreateOrder, ("create_order_payin", "read_order"), _order,
        "The order: id, status, qrcodeData, expireDateTime, and checkoutUrl where the client may read orders.",
        reads_only=False,
    ),
    Tool(
        "create_subscription", "Create a subscription",
        "Makes a QR code by which a payer authorizes recurring charges (Pix Automático) in the app of a bank. Nothing is"
        " charged by it. Creating is free; the company's fee is due for each charge that is paid. An equal call answers the"
        " same subscription. Events go where the company has SUBSCRIPTION.ACCEPTED sent.",
        CreateSubscription, ("read_webhook", "create_subscription"), _subscription,
        "The subscription: id, status and qrcodeData.", reads_only=False,
    ),
)  # fmt: skip
