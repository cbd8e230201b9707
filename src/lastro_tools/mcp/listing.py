"""Tools that list objects, with filters and pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from lastro_tools.mcp.arguments import CODE, ID, Arguments, Limit, Paged, Since, Until, given
from lastro_tools.mcp.results import Done
from lastro_tools.mcp.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lastro_tools.mcp.api import Api

_AccountId = Annotated[str, ID, Meta(description="Only those of this account.")]
_ExternalId = Annotated[str, CODE, Meta(description="The one of this code of the company's own, exactly.")]


class _Dated(Paged, frozen=True, kw_only=True):
    since: Since | UnsetType = msgspec.field(default=UNSET, name="from")
    until: Until | UnsetType = msgspec.field(default=UNSET, name="to")


class ListOrders(_Dated, frozen=True, kw_only=True):
    """Arguments of list_orders."""

    status: Annotated[
        Literal[
            "INITIAL", "PENDING", "AUTHENTICATING", "PAID", "EXPIRED", "CANCELED", "ERROR", "REFUNDED", "PARTIAL_REFUNDED",
        ],
        Meta(description="Only those of this status."),
    ] | UnsetType = UNSET  # fmt: skip
    external_id: _ExternalId | UnsetType = UNSET
    account_id: _AccountId | UnsetType = UNSET
    payment_method: (
        Annotated[str, Meta(max_length=24, description="Only those of this method, such as PIX or BOLETO.")] | UnsetType
    ) = UNSET


class ListPayouts(_Dated, frozen=True, kw_only=True):
    """Arguments of list_payouts."""

    status: Annotated[
        Literal[
            "INITIAL", "PENDING", "PAID", "EXPIRED", "ANALYSIS", "REFUNDED", "PARTIAL_REFUNDED", "PARTIALLY_PAID",
            "CANCELED", "ERROR",
        ],
        Meta(description="Only those of this status; ANALYSIS waits for a person of the institution."),
    ] | UnsetType = UNSET  # fmt: skip
    external_id: _ExternalId | UnsetType = UNSET
    account_id: _AccountId | UnsetType = UNSET
    end_to_end_id: Annotated[str, Meta(max_length=64, description="The one of this id in Pix.")] | UnsetType = UNSET


class ListSubscriptions(_Dated, frozen=True, kw_only=True):
    """Arguments of list_subscriptions."""

    status: Annotated[
        Literal["INITIAL", "PENDING_AUTHORIZATION", "ACCEPTED", "REJECTED", "CANCELED", "ERROR"],
        Meta(description="Only those of this status."),
    ] | UnsetType = UNSET  # fmt: skip
    external_id: _ExternalId | UnsetType = UNSET
    account_id: _AccountId | UnsetType = UNSET


class ListRefunds(_Dated, frozen=True, kw_only=True):
    """Arguments of list_refunds."""

    order_id: Annotated[str, ID, Meta(description="Only those of this order.")] | UnsetType = UNSET
    status: Annotated[Literal["PENDING", "PAID", "ERROR"], Meta(description="Only those of this status.")] | UnsetType = (
        UNSET
    )
    external_id: _ExternalId | UnsetType = UNSET


class ListPayoutPlans(_Dated, frozen=True, kw_only=True):
    """Arguments of list_payout_plans."""

    status: Annotated[
        Literal[
            "VALIDATING", "INVALID", "READY", "APPROVED", "APPLYING", "APPLIED", "PARTIALLY_APPLIED", "FAILED", "CANCELED",
            "EXPIRED",
        ],
        Meta(description="Only those of this status; READY waits for people to approve it."),
    ] | UnsetType = UNSET  # fmt: skip


class ListPlanLines(Paged, frozen=True, kw_only=True):
    """Arguments of list_plan_lines."""

    plan_id: Annotated[str, ID, Meta(description="The plan's id.")]
    status: (
        Annotated[
            Literal["VALID", "INVALID", "CREATED", "REFUSED"],
            Meta(description="Only lines of this status; INVALID and REFUSED say why."),
        ]
        | UnsetType
    ) = UNSET


class ListEvents(_Dated, frozen=True, kw_only=True):
    """Arguments of list_events."""

    status: (
        Annotated[
            Literal["PENDING", "RETRYING", "FAILED", "DELIVERED", "ALL"],
            Meta(description="Only those that stand so; left out, RETRYING and FAILED: what did not arrive."),
        ]
        | UnsetType
    ) = UNSET
    event: Annotated[str, CODE, Meta(description="Only those of this type, such as ORDER-PAYIN.PAID.")] | UnsetType = UNSET
    reference_id: Annotated[str, ID, Meta(description="Only those of this object.")] | UnsetType = UNSET


class ListDisputes(Arguments, frozen=True, kw_only=True):
    """Arguments of list_disputes."""

    account_id: _AccountId | UnsetType = UNSET
    only_pending: Annotated[bool, Meta(description="Whether to leave out those that have ended.")] | UnsetType = UNSET
    role: (
        Annotated[
            Literal["PAYER", "RECEIVER"], Meta(description="PAYER: the account was debited; RECEIVER: it was credited.")
        ]
        | UnsetType
    ) = UNSET
    limit: Limit | UnsetType = UNSET
    page: Annotated[int, Meta(ge=1, le=100_000, description="Which page; the first is 1.")] | UnsetType = UNSET


class ListAccounts(Paged, frozen=True, kw_only=True):
    """Arguments of list_accounts."""

    status: (
        Annotated[Literal["ACTIVE", "INACTIVE", "CLOSED"], Meta(description="Only those of this status.")] | UnsetType
    ) = UNSET


def _listed(operation: str) -> Callable[[Api, msgspec.Struct], Awaitable[Done]]:
    async def run(api: Api, wanted: msgspec.Struct) -> Done:
        return Done(*await api.call(operation, _query(wanted)))

    return run


async def _lines(api: Api, wanted: ListPlanLines) -> Done:
    query = _query(wanted)
    return Done(*await api.call("list_payout_plan_lines", query, own=str(query.pop("planId"))))


def _query(wanted: msgspec.Struct) -> dict[str, object]:
    """Returns the query of a list, as the API reads it."""
    return {name: str(one).lower() if isinstance(one, bool) else one for name, one in given(wanted).items()}


def _list(name: str, operation: str, takes: type[msgspec.Struct], things: str, more: str = "") -> Tool:
    return Tool(
        name, f"List {things}", f"Lists the company's {things}, newest first, page by page.{more} Free; one request a page.",
        takes, (operation,), _listed(operation), f"A page of {things}.", is_list=True,
    )  # fmt: skip


TOOLS = (
    _list("list_orders", "list_orders", ListOrders, "orders", " An order asks a customer to pay once."),
    _list("list_payouts", "list_payouts", ListPayouts, "payouts", " A payout is money that was sent, or is about to be."),
    _list("list_subscriptions", "list_subscriptions", ListSubscriptions, "subscriptions", " They are Pix Automático."),
    _list("list_refunds", "list_refunds", ListRefunds, "refunds"),
    _list("list_payout_plans", "list_payout_plans", ListPayoutPlans, "payout plans"),
    _list(
        "list_events", "list_webhook_events", ListEvents, "webhook events",
        " Each has its attempts and the receiver's answers; left out, a status means what did not arrive.",
    ),
    _list("list_disputes", "list_med", ListDisputes, "disputes", " They are contested Pix payments (MED)."),
    _list("list_accounts", "list_accounts", ListAccounts, "accounts", " Other tools take an account's id."),
    Tool(
        "list_plan_lines", "List the lines of a payout plan",
        "Lists the lines of a payout plan in their order: what each costs, where it goes, what is wrong with it, its payout."
        " Free; one request a page.",
        ListPlanLines, ("list_payout_plan_lines",), _lines, "A page of lines.", is_list=True,
    ),
)  # fmt: skip
