"""Tools that read one object, its story, balances and statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from lastro.core.declined import CommandFailed
from lastro_tools.mcp.api import Refused
from lastro_tools.mcp.arguments import DAY, ID, Arguments, Cursor, Limit, given
from lastro_tools.mcp.results import Done
from lastro_tools.mcp.tool import Tool

if TYPE_CHECKING:
    from lastro_tools.mcp.api import Api

Kind = Literal[
    "order", "payout", "subscription", "refund", "payout_plan", "account", "event", "dispute", "static_qrcode",
    "account_request", "account_close", "foreign_payment",
]  # fmt: skip
_READS = {
    "order": "read_order",
    "payout": "read_payout",
    "subscription": "read_subscription",
    "refund": "read_refund",
    "payout_plan": "read_payout_plan",
    "account": "read_account",
    "event": "read_webhook_event",
    "dispute": "read_med",
    "static_qrcode": "read_static_qrcode",
    "account_request": "read_account_request",
    "account_close": "read_account_close",
    "foreign_payment": "read_foreign_payment",
}
_STORIES = {
    "order": "read_order_story", "payout": "read_payout_story", "subscription": "read_subscription_story",
    "account": "read_account_story",
}  # fmt: skip


class ReadObject(Arguments, frozen=True, kw_only=True):
    """Arguments of read_object."""

    id: Annotated[str, ID, Meta(description="The object's id; of a dispute its referenceId.")]
    kind: Annotated[Kind, Meta(description="The kind of the object; left out, each kind is tried in turn.")] | UnsetType = (
        UNSET
    )


class ReadStory(Arguments, frozen=True, kw_only=True):
    """Arguments of read_story."""

    id: Annotated[str, ID, Meta(description="The id of the order, payout, subscription or account.")]
    kind: Annotated[Literal["order", "payout", "subscription", "account"], Meta(description="The kind of the object.")]


class ReadBalances(Arguments, frozen=True, kw_only=True):
    """Arguments of read_balances."""

    account_id: (
        Annotated[str, ID, Meta(description="One account; left out, the company's total and each account.")] | UnsetType
    ) = UNSET
    as_of: Annotated[str, Meta(description="A moment in the past, ISO 8601; left out, now.")] | UnsetType = UNSET
    currency: Annotated[Literal["BRL", "MXN"], Meta(description="The currency; BRL where nothing is said.")] | UnsetType = (
        UNSET
    )


class ReadStatement(Arguments, frozen=True, kw_only=True):
    """Arguments of read_statement."""

    account_id: Annotated[str, ID, Meta(description="The account; list_accounts shows them.")]
    start_date: Annotated[str, DAY, Meta(description="The first day, in Brasilia. A period has at most 366 days.")]
    end_date: Annotated[str, DAY, Meta(description="The last day, in Brasilia, with all of it.")]
    operation: (
        Annotated[Literal["in", "out"], Meta(description="What came in, or what went out; left out, both.")] | UnsetType
    ) = UNSET
    end_to_end_id: (
        Annotated[str, Meta(max_length=64, description="What this Pix, its refunds and returns moved.")] | UnsetType
    ) = UNSET
    limit: Limit | UnsetType = UNSET
    cursor: Cursor | UnsetType = UNSET


async def _object(api: Api, wanted: ReadObject) -> Done:
    if wanted.kind is not UNSET:
        return Done(*await api.call(_READS[wanted.kind], own=wanted.id))
    forbidden = []
    for kind, operation in _READS.items():
        try:
            answer, number = await api.call(operation, own=wanted.id)
        except Refused as refused:
            if refused.status not in (403, 404):
                raise
            forbidden += [kind] if refused.status == 403 else []
        else:
            return Done({"kind": kind, **answer}, number)
    unread = f" This client may not read: {', '.join(forbidden)}." if forbidden else ""
    raise CommandFailed(f"This client's company has no object {wanted.id} of a kind that it may read.{unread}")


async def _story(api: Api, wanted: ReadStory) -> Done:
    return Done(*await api.call(_STORIES[wanted.kind], own=wanted.id))


async def _balances(api: Api, wanted: ReadBalances) -> Done:
    return Done(*await api.call("read_balance", given(wanted)))


async def _statement(api: Api, wanted: ReadStatement) -> Done:
    query = given(wanted)
    return Done(*await api.call("read_statement", query, own=query.pop("accountId")))


TOOLS = (
    Tool(
        "read_object", "Read an object",
        "Reads one object of the company by its id: an order, payout, subscription, refund, payout plan, account, webhook"
        " event, dispute, static QR code, request for an account or to close one, or a payment that no order asked for."
        " Free; one request, and without a kind up to twelve.",
        ReadObject, tuple(_READS.values()), _object,
        "The object as the API shows it now; with its kind where none was given.",
    ),
    Tool(
        "read_story", "Read an object's story",
        "Reads everything that happened to an order, payout, subscription or account, oldest first: states and why, money"
        " that moved, messages to and from networks, events and each attempt to deliver them. Use it to explain why"
        " something is as it is. Free; one request.",
        ReadStory, tuple(_STORIES.values()), _story,
        "The story: entries of kind state, transfer, message, event or attempt; isWhole tells whether that is all.",
    ),
    Tool(
        "read_balances", "Read balances",
        "Reads what accounts have: available, held and blocked, as decimal text. Free; one request.",
        ReadBalances, ("read_balance",), _balances, "The balances of one account, or the company's total and each account.",
    ),
    Tool(
        "read_statement", "Read an account's statement",
        "Reads what moved an account in a period of days, newest first, each entry with the balance after it."
        " Free; one request a page.",
        ReadStatement, ("read_statement",), _statement, "A page of the statement.", is_list=True,
    ),
)  # fmt: skip
