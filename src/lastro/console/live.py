"""Pages that ask for news by themselves, for ten minutes: a page that asks keeps its session in use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lastro.console.shell import PageRequest, User

SECONDS: Final = 600
# By kind of object: the statuses that soon become others by themselves.
MOVING: Final = {
    "orders": frozenset({"INITIAL"}),
    "payouts": frozenset({"INITIAL", "PENDING"}),
    "plans": frozenset({"VALIDATING", "APPLYING"}),
}


@dataclass(frozen=True, slots=True)
class Live:
    """The news of a page. ends: until when it asks for them, in seconds of the machine's clock. asks: whether it does."""

    ends: int
    asks: bool


def until(user: User, request: PageRequest) -> Live:
    """Returns until when a page asks: ten minutes from its first reading, which its own requests repeat."""
    now = int(user.console_context.entrance.machine_now().timestamp())
    ends = now + SECONDS if not request.is_fragment else min(number_of(request, "ends") or 0, now + SECONDS)
    return Live(ends, now < ends)


def of_object(kind: str, status: str, user: User, request: PageRequest) -> Live:
    """Returns the same for an object's page. It asks while the status is soon to change."""
    found = until(user, request)
    return Live(found.ends, found.asks and status in MOVING.get(kind, ()))


def number_of(request: PageRequest, name: str) -> int | None:
    """Returns a whole number of the query; None where it is none."""
    text = request.query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
