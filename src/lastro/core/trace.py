"""Carries the request id that the present task works for.

Every line it logs has it, and a network gets it as x-request-id. The task itself carries it, so that no function between has
to pass it on. Nothing is ever decided by it. If traces are on, the task carries a TaskTrace too, made by observability: what
it does becomes spans.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, Self, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from uuid import UUID

Kind: TypeAlias = Literal["internal", "server", "client", "producer", "consumer"]
Attributes: TypeAlias = "Mapping[str, str | int | bool]"
TRACEPARENT = "traceparent"  # W3C Trace Context §3.2: the header that leads to the next process


class Step(Protocol):
    """A span of a task, for the length of a `with`."""

    @property
    def traceparent(self) -> str:
        """The traceparent for a system that does this part for us."""

    def add(self, name: str, value: str | int | bool) -> None:
        """Says more of it."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None: ...


class TaskTrace(Protocol):
    """The trace of one task, recorded as it runs."""

    @property
    def trace(self) -> bytes:
        """The id of its trace, if known: 16 bytes."""

    @property
    def is_over(self) -> bool:
        """True once nothing can be added."""

    def bind(self, object_id: UUID) -> None:
        """Notes that the task is about this object."""

    def step(self, name: str, kind: Kind, attributes: Attributes) -> Step:
        """Begins a span."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The work that a task is done for.

    request_id: a client's x-request-id, or the id of the row that is worked on. company_id: the company that it is for.
    trail: its recorded trace; None if traces are off.
    """

    request_id: str
    company_id: UUID | None = None
    trail: TaskTrace | None = None


_present: ContextVar[Trace | None] = ContextVar("lastro_trace", default=None)
_make: list[Callable[[str | None], TaskTrace]] = []  # none, or the one that observability has given


def record(make: Callable[[str | None], TaskTrace] | None) -> None:
    """Sets the function that makes a task's trace of the caller's traceparent. None: tasks record none from here on."""
    _make[:] = [] if make is None else [make]


def take_up(request_id: str, company_id: UUID | None = None, caller: str | None = None) -> None:
    """Sets the request of the present task. caller: the traceparent of its sender."""
    _present.set(Trace(request_id, company_id, _make[0](caller) if _make else None))


def carry(trace: Trace) -> None:
    """Sets the trace of the present task and of those it starts."""
    _present.set(trace)


def present() -> Trace | None:
    """Returns the trace of the present task; None: it has none."""
    return _present.get()


def trail() -> TaskTrace | None:
    """Returns the present task's trace until it is over; None: none."""
    found = _present.get()
    return None if found is None or found.trail is None or found.trail.is_over else found.trail


def about(object_id: UUID) -> None:
    """Notes that the present task is about this object."""
    if (left := trail()) is not None:
        left.bind(object_id)
