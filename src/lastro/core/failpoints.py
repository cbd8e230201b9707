"""Counted crash points between two things that must survive a kill -9. Each has a name and passes here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# Each name is a place where a process may die; docs/reliability.md and the crash test take the list from here.
GAPS = (
    "run.decided",  # the answer is rendered, nothing is written
    "commit.sent",  # committed, nobody knows yet
    "inbox.stored",  # a network's message is stored, the network does not know that we have it
    "lane.claimed",  # counted and leased, nothing done
    "outbox.sent",  # the network has it, the row says it is open
    "delivery.sent",  # the receiver has it, the row says it is due
    "events.numbered",  # numbered, nothing sent
)

_on_failpoint: Callable[[str], None] | None = None


def failpoint(name: str) -> None:
    """Says that this process is between two steps. Does nothing unless a crash test has asked to hear it."""
    if _on_failpoint is not None:
        _on_failpoint(name)


def listen(on_gap: Callable[[str], None] | None) -> None:
    """Sets the listener of the failpoints. The processes of a crash test alone call it."""
    global _on_failpoint  # noqa: PLW0603 one process, one listener, set before anything runs
    _on_failpoint = on_gap
