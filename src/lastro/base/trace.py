"""For whom the present task works: every line it logs says so, and a network is told it as x-request-id.

It is carried by the task itself, because who logs deep inside is not handed it by everybody in between. Nothing is ever
decided by it.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uuid import UUID


@dataclass(frozen=True, slots=True)
class Trace:
    """request_id: a client's x-request-id, or the id of the row that is worked on. company_id: whose work it is."""

    request_id: str
    company_id: UUID | None = None


_present: ContextVar[Trace | None] = ContextVar("lastro_trace", default=None)


def carry(trace: Trace) -> None:
    """What the present task does from here on, and what it starts, is done for this."""
    _present.set(trace)


def present() -> Trace | None:
    """For whom the present task works; None: for nobody in particular."""
    return _present.get()
