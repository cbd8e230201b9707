"""The course of an order, read anew each time: milestones, timeline, webhook, bookings."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from lastro.console.timeline import steps
from lastro.timeline.shapes import AttemptEntry, EventEntry, MessageEntry, Timeline, TransferEntry
from lastro_sandbox.tutorial.acting import ORDERS, Away

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lastro.console.terms import Terms
    from lastro.console.timeline import TimelineStep
    from lastro.timeline.shapes import Entry
    from lastro_sandbox.calls import CallShown
    from lastro_sandbox.tutorial.acting import Made, TutorialHandlers

BALANCE: Final = "/order/v2/account/balance"
_OPEN: Final = ("INITIAL", "PENDING", "AUTHENTICATING")
_LEAST_GOOD, _LEAST_BAD = 200, 300


@dataclass(frozen=True, slots=True)
class Milestone:
    """One of the few things that happen to every paid order. name: of its words. at: when it happened; None: not yet."""

    name: str
    at: str | None


@dataclass(frozen=True)
class Travel:
    """An order's progress. is_over: nothing more will happen by itself.

    tag: another once anything has changed. hooks: the events that the simulated merchant received, as it tells of them.
    booked: debit, credit, amount and type of each transfer. calls: by which all this was read, by name.
    """

    status: str
    is_over: bool
    tag: str
    milestones: Sequence[Milestone]
    steps: Sequence[TimelineStep]
    hooks: Sequence[Mapping[str, Any]]
    booked: Sequence[tuple[str, str, str, str]]
    available: str
    calls: Mapping[str, CallShown]


async def travelled(handlers: TutorialHandlers, order: Mapping[str, Any], say: Terms) -> Travel:
    """Reads an order's progress, by four calls.

    order: as the API shows it. Away: one of the four was not answered as it should be.
    """
    told, came, balance = await asyncio.gather(
        handlers.api("GET", f"{ORDERS}/{order['id']}/story"),
        handlers.network("GET", f"/merchant/webhooks?path=/{order['externalId']}"),
        handlers.api("GET", BALANCE),
    )
    if not (told.is_good and came.is_good and balance.is_good):
        raise Away("the story, the webhooks or the balance could not be read")
    entries, hooks = msgspec.json.decode(told.told.body, type=Timeline).entries, came.json["data"]
    return Travel(
        order["status"], _is_over(order["status"], entries), _tag(order, told, len(hooks)), _milestones(entries),
        steps(entries, say, order["id"]), hooks[::-1],
        [_booked(one, say) for one in entries if isinstance(one, TransferEntry)], say.paid(balance.json["available"]),
        {"story": told.shown, "hooks": came.shown, "balance": balance.shown},
    )  # fmt: skip


def _is_over(status: str, entries: Sequence[Entry]) -> bool:
    events = [one for one in entries if isinstance(one, EventEntry)]
    told = all(one.delivery is not None and one.delivery.status in ("DELIVERED", "FAILED") for one in events)
    return status not in _OPEN and told


def _tag(order: Mapping[str, Any], told: Made, hooks: int) -> str:
    """Returns a tag of the page's state, without the balance: others move it, too."""
    return hashlib.sha256(order["status"].encode() + told.told.body + b"%d" % hooks).hexdigest()[:16]


def _milestones(entries: Sequence[Entry]) -> list[Milestone]:
    """Returns the milestones in order. entries: oldest first, so that the first that fits is when it happened."""
    wanted: tuple[tuple[str, Callable[[Entry], bool]], ...] = (
        ("asked", lambda one: isinstance(one, MessageEntry) and one.message == "pix.ask"),
        ("settled", lambda one: isinstance(one, MessageEntry) and one.message in ("pix.final", "pix.settled")),
        ("booked", lambda one: isinstance(one, TransferEntry)),
        ("numbered", lambda one: isinstance(one, EventEntry) and one.sequence is not None),
        ("delivered", lambda one: isinstance(one, AttemptEntry) and _LEAST_GOOD <= one.status_code < _LEAST_BAD),
    )
    return [Milestone(name, next((one.at for one in entries if fits(one)), None)) for name, fits in wanted]


def _booked(one: TransferEntry, say: Terms) -> tuple[str, str, str, str]:
    return one.debit, one.credit, say.paid(one.amount.value, one.amount.currency), one.entry
