"""Tools that only a sandbox has: its clock, and a customer who pays. Elsewhere they are neither listed nor run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from lastro_tools.mcp.arguments import ID, Arguments
from lastro_tools.mcp.results import Done
from lastro_tools.mcp.tool import Tool

if TYPE_CHECKING:
    from lastro_tools.mcp.api import Api


class ReadClock(Arguments, frozen=True, kw_only=True):
    """Arguments of read_sandbox_clock: nothing."""


class AdvanceClock(Arguments, frozen=True, kw_only=True):
    """Arguments of advance_sandbox_clock."""

    advance: Annotated[
        str,
        Meta(
            pattern="^P([0-9]+D)?(T([0-9]+H)?([0-9]+M)?([0-9]+S)?)?$", examples=["P1DT2H"],
            description="How far, an ISO 8601 duration of days, hours, minutes and seconds.",
        ),
    ]  # fmt: skip


class PayOrder(Arguments, frozen=True, kw_only=True):
    """Arguments of pay_sandbox_order."""

    order_id: Annotated[str, ID, Meta(description="The order that the simulated customer pays.")]


async def _clock(api: Api, _: ReadClock) -> Done:
    return Done(*await api.call("read_clock"))


async def _advanced(api: Api, wanted: AdvanceClock) -> Done:
    return Done(*await api.call("step_clock", body={"advance": wanted.advance}, is_once=True))


async def _paid(api: Api, wanted: PayOrder) -> Done:
    order, _ = await api.call("read_order", own=wanted.order_id)  # of a payout the operation would do something else
    return Done(*await api.call("play_order", body={"id": order["id"], "status": "PAID"}, is_once=True))


TOOLS = (
    Tool(
        "read_sandbox_clock", "Read the sandbox's clock",
        "Reads business time, and how much is due and not done. Sandboxes alone. Free.",
        ReadClock, ("read_clock",), _clock, "The clock: now, pending.", in_sandbox_alone=True,
    ),
    Tool(
        "advance_sandbox_clock", "Advance the sandbox's clock",
        "Walks business time forward for every company of the sandbox; all that falls due on the way is done: orders expire,"
        " webhooks are retried, scheduled payouts are sent. It never goes back. Sandboxes alone. Free; up to 15 seconds.",
        AdvanceClock, ("step_clock",), _advanced, "The clock: now, pending.",
        reads_only=False, is_idempotent=False, is_destructive=True, in_sandbox_alone=True,
    ),
    Tool(
        "pay_sandbox_order", "Pay an order in the sandbox",
        "Lets a simulated customer pay an order with simulated money, through the simulated network. Sandboxes alone. Free;"
        " the company's fee is booked as it would be.",
        PayOrder, ("read_order", "play_order"), _paid, "The order as it is now.",
        reads_only=False, is_idempotent=False, in_sandbox_alone=True,
    ),
)  # fmt: skip
