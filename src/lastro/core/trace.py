"""For whom the present task works: every line it logs says so, and a network is told it as x-request-id.

It is carried by the task itself, because who logs deep inside is not handed it by everybody in between. Nothing is ever
decided by it. Where traces are on, the task carries a trail too, made by observability: what it does becomes spans.
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
    """A part of what a task does, for the length of a `with`."""

    @property
    def traceparent(self) -> str:
        """What whoever does this part for us is told."""

    def add(self, name: str, value: str | int | bool) -> None:
        """Says more of it."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None: ...


class TaskTrace(Protocol):
    """What one task does, as it goes."""

    @property
    def trace(self) -> bytes:
        """The id of the trace that it is part of, as far as that is known: 16 bytes."""

    @property
    def is_over(self) -> bool:
        """Whether nothing is added any more."""

    def bind(self, object_id: UUID) -> None:
        """The task is about this object."""

    def step(self, name: str, kind: Kind, attributes: Attributes) -> Step:
        """A part of it begins."""


@dataclass(frozen=True, slots=True)
class Trace:
    """request_id: a client's x-request-id, or the id of the row that is worked on. company_id: whose work it is.

    trail: what becomes of it in traces; None where they are off.
    """

    request_id: str
    company_id: UUID | None = None
    trail: TaskTrace | None = None


_present: ContextVar[Trace | None] = ContextVar("lastro_trace", default=None)
_make: list[Callable[[str | None], TaskTrace]] = []  # none, or the one that observability has given


def record(make: Callable[[str | None], TaskTrace] | None) -> None:
    """From here on the tasks of this process leave trails, made by `make` of the caller's traceparent; None: no more."""
    _make[:] = [] if make is None else [make]


def take_up(request_id: str, company_id: UUID | None = None, caller: str | None = None) -> None:
    """The present task works for this from here on. caller: the traceparent of whoever asked for it."""
    _present.set(Trace(request_id, company_id, _make[0](caller) if _make else None))


def carry(trace: Trace) -> None:
    """What the present task does from here on, and what it starts, is done for this."""
    _present.set(trace)


def present() -> Trace | None:
    """For whom the present task works; None: for nobody in particular."""
    return _present.get()


def trail() -> TaskTrace | None:
    """What the present task leaves, as long as it does; None: nothing."""
    found = _present.get()
    return None if found is None or found.trail is None or found.trail.is_over else found.trail


def about(object_id: UUID) -> None:
    """The present task is about this object."""
    if (left := trail()) is not None:
        left.bind(object_id)
