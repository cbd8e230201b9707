"""Records a task as spans of its object's trace."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from lastro.standards import traces
from lastro.standards.traces import Context, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from uuid import UUID

    from lastro.core.trace import Attributes, Kind

_MOST_STEPS = 128  # of one task: whatever it does beside those is not told
_MOST_LINKS = 16


@dataclass(slots=True)
class TaskSpan:
    """The trace of one task.

    It is the trace of the first object that the task makes or moves, or is known to be about. An object's trace has the
    object's own id, and the span that made it has the last eight bytes of that id: every process finds both by itself. Until
    the object is known, the trace's id is random. clock: nanoseconds since 1970. one_in: of so many traces one is kept.
    caller: the traceparent that a client gave, which is linked to and never followed.
    """

    clock: Callable[[], int]
    random: Callable[[int], bytes]
    one_in: int
    caller: str | None = None
    is_over: bool = field(init=False, default=False)
    trace: bytes = field(init=False)
    span_id: bytes = field(init=False)
    _parent_id: bytes | None = field(init=False, default=None)
    _is_bound: bool = field(init=False, default=False)
    _began: int = field(init=False)
    _steps: list[TaskStep] = field(init=False, default_factory=list)
    _links: list[Context] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self._began = self.clock()
        drawn = self.random(24)
        self.trace, self.span_id = drawn[:16], drawn[16:]

    @property
    def is_sampled(self) -> bool:
        """True if its trace is kept."""
        return traces.is_sampled(self.trace, self.one_in)

    def bind(self, object_id: UUID, *, is_made: bool = False) -> None:
        """Binds the task to this object; a second one gets a link. is_made: this task makes it."""
        raw = object_id.bytes
        if self._is_bound:
            if raw != self.trace:
                self._link(Context(raw, raw[8:], traces.is_sampled(raw, self.one_in)))
            return
        if any(step.is_told for step in self._steps):  # somebody was told the id of before
            self._link(Context(self.trace, self.span_id, self.is_sampled))
        self.trace, self._is_bound = raw, True
        if is_made:
            self.span_id = raw[8:]
        else:
            self._parent_id = raw[8:]

    def wrote(self, made: Collection[UUID], moved: Collection[UUID]) -> None:
        """Notes objects that were made and moved. The oldest is the one the others are about: an id begins with its time."""
        for object_id in sorted({*made, *moved})[: _MOST_LINKS + 1]:
            self.bind(object_id, is_made=object_id in made)

    def step(self, name: str, kind: Kind, attributes: Attributes) -> TaskStep:
        """Begins a span that ends with its `with`."""
        made = TaskStep(self, name, kind, dict(attributes))
        if len(self._steps) < _MOST_STEPS:
            self._steps.append(made)
        return made

    def end(self, name: str, kind: Kind, attributes: Attributes, *, is_failed: bool = False) -> list[Span]:
        """Returns the task's spans, its own first; none if not kept. Nothing is added afterwards."""
        self.is_over = True
        if not self.is_sampled:
            return []
        if self.caller is not None and (called := traces.read(self.caller)) is not None:
            self._link(called)
        own = Span(
            name, kind, self.trace, self.span_id, self._parent_id, self._began, self.clock(), attributes, is_failed,
            self._links,
        )  # fmt: skip
        return [own, *(step.span() for step in self._steps if step.is_ended)]

    def _link(self, to: Context) -> None:
        if to not in self._links and len(self._links) < _MOST_LINKS:
            self._links.append(to)


class TaskStep:
    """A span of a task, for the length of a `with`."""

    __slots__ = ("_attributes", "_began", "_ended", "_is_failed", "_kind", "_name", "_span_id", "_trail", "is_told")

    def __init__(self, trail: TaskSpan, name: str, kind: Kind, attributes: dict[str, str | int | bool]) -> None:
        self._trail, self._name, self._kind, self._attributes = trail, name, kind, attributes
        self._is_failed = self.is_told = False
        self._span_id = trail.random(8)
        self._began, self._ended = trail.clock(), 0

    @property
    def is_ended(self) -> bool:
        """True once its `with` is over."""
        return self._ended > 0

    @property
    def traceparent(self) -> str:
        """The traceparent for a system that does this part for us."""
        self.is_told = True
        return traces.printed(Context(self._trail.trace, self._span_id, self._trail.is_sampled))

    def add(self, name: str, value: str | int | bool) -> None:
        """Says more of it."""
        self._attributes[name] = value

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._ended = self._trail.clock()
        if kind is not None:
            self._is_failed = True
            self._attributes["error.type"] = kind.__name__

    def span(self) -> Span:
        """Returns the OTLP span, below the task's own."""
        trail = self._trail
        return Span(
            self._name, self._kind, trail.trace, self._span_id, trail.span_id, self._began, self._ended, self._attributes,
            self._is_failed,
        )  # fmt: skip
