"""States as data: one transition table per object gives the diagram, the law, the tests and the answer to "may I?"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from lastro.core.errors import NoMove
from lastro.core.write import Move, Row, Touch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from uuid import UUID

NOT_THERE = ""  # the state of an object before it is born


class Versioned(Protocol):
    """A row as it was read: the version guards the move."""

    @property
    def id(self) -> UUID:
        """The object's id."""

    @property
    def state(self) -> str:
        """The state it was read in."""

    @property
    def version(self) -> int:
        """The version it was read at."""


@dataclass(frozen=True)
class Machine:
    """The transition table of an object.

    name: of the object, and of its table. state_column: where the table keeps the state.

    moves: (from state, trigger) → to state; NOT_THERE is the state before birth. A pair that is not there is impossible.
    """

    name: str
    state_column: str
    moves: Mapping[tuple[str, str], str]

    def allows(self, state: str, trigger: str) -> bool:
        """Tells whether the table has this trigger in this state."""
        return (state, trigger) in self.moves

    def after(self, state: str, trigger: str) -> str:
        """Returns the state after a trigger. NoMove: the table lacks it."""
        to = self.moves.get((state, trigger))
        if to is None:
            raise NoMove(self.name, state, trigger)
        return to

    def move(self, row: Versioned, trigger: str, at: datetime, *, reason: str | None = None, **sets: Any) -> Move:
        """Returns the move of a row that was read; sets: other columns that change with it. NoMove: the table lacks it."""
        to = self.after(row.state, trigger)
        return Move(self.name, self.state_column, row.id, row.version, row.state, to, trigger, reason, at, sets)

    def way(self, state: str, to: str, fits: Callable[[str], bool] = lambda _: True) -> tuple[str, ...]:
        """Returns the shortest path of fitting triggers between two states; empty: none."""
        ways: list[tuple[str, tuple[str, ...]]] = [(state, ())]
        seen = {state}
        for at, way in ways:
            for (before, trigger), after in self.moves.items():
                if before != at or after in seen or not fits(trigger):
                    continue
                if after == to:
                    return (*way, trigger)
                seen.add(after)
                ways.append((after, (*way, trigger)))
        return ()

    def walk(
        self, row: Versioned, way: Sequence[str], at: datetime, *, reason: str | None = None, **sets: Any
    ) -> tuple[Touch, tuple[Row, ...]]:
        """Returns the Touch and history rows of several moves at once.

        sets: as in `move`. A row is written once in a Write: it is touched in the version that was read, and gets its last
        one.
        """
        state, histories = row.state, []
        for version, trigger in enumerate(way, start=row.version + 1):
            before, state = state, self.after(state, trigger)
            histories.append(history_row(self.name, row.id, version, before, state, trigger, reason, at))
        written = {self.state_column: state, "version": row.version + len(way), "updated_at": at}
        return Touch(self.name, row.id, row.version, {**written, **sets}), tuple(histories)

    def born(
        self, values: Mapping[str, Any], at: datetime, triggers: Sequence[str] = ("create",), *, reason: str | None = None
    ) -> tuple[Row, ...]:
        """Returns the rows of a new object: itself and its history. Its state is the last one that `triggers` lead to."""
        state, histories = NOT_THERE, []
        for version, trigger in enumerate(triggers, start=1):
            before, state = state, self.after(state, trigger)
            histories.append(history_row(self.name, values["id"], version, before, state, trigger, reason, at))
        return (Row(self.name, {**values, self.state_column: state, "version": len(triggers)}), *histories)

    def states(self) -> tuple[str, ...]:
        """Returns every state, in the order the table names them first."""
        seen = dict.fromkeys(s for (before, _), after in self.moves.items() for s in (before, after))
        return tuple(s for s in seen if s != NOT_THERE)

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Returns the table as (machine, from, trigger, to) rows."""
        return [(self.name, before, trigger, after) for (before, trigger), after in self.moves.items()]


def history_row(
    machine: str, reference_id: UUID, version: int, before: str, after: str, trigger: str, reason: str | None, at: datetime
) -> Row:
    """Returns one line of an object's history."""
    return Row(
        "history",
        {
            "reference_id": reference_id, "version": version, "machine": machine, "from_state": before,
            "to_state": after, "trigger": trigger, "reason": reason, "created_at": at,
        },
    )  # fmt: skip
