"""Statements of a participant's day in pages, with mistakes that tests order.

They come from the network's own books. A fault strikes a movement when its day is first asked for, and stays: the same
statement says the same each time, until it is issued anew without its mistakes. Late lines stand in the statement of the
next day.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, TypeAlias

from litestar import Response, post
from litestar.di import NamedDependency

from lastro.standards import calendar
from lastro_sim import amounts, faults, queries
from lastro_sim.answers import Asked, answer
from lastro_sim.clock import counted, printed
from lastro_sim.network import Network
from lastro_sim.refusals import Problem, malformed, not_found

BEHAVIOURS = frozenset({"missing", "twice", "wrong-amount", "late", "other-reference"})
MOST_AT_ONCE = 5000
LARGEST_PLACE = 999_999_999
RESERVE = 100_000_000_000  # a participant's opening balance in cents
INWARD = frozenset({"IN", "RETURN_IN"})
TOO_MUCH = 100  # the error of a wrong amount in cents


@dataclass(frozen=True)
class Movement:
    """A line of a statement.

    Amount in cents. message: the network's message about it, sent or not. about: the fields that faults match.
    """

    kind: str
    network_id: str
    reference: str | None
    amount: int
    settled_at: int
    message: dict[str, Any]
    about: dict[str, str | None]
    copy: int = 1

    @property
    def line_id(self) -> str:
        """The network's own id of the line."""
        return f"{self.kind}-{self.network_id}-{self.copy}"


# The movements of a participant between two instants of business time, in their order.
Source: TypeAlias = Callable[[int, int], list[Movement]]


def page(request: Asked, network: Network, rail: str, source: Source) -> Response[bytes]:
    """Returns a page of a past day, with the day's totals. Not found: the day is not over."""
    found = queries.read(request, {"day", "limit", "after"})
    day = _day(found.get("day"))
    limit = queries.whole(found, "limit", MOST_AT_ONCE, 1, MOST_AT_ONCE)
    place = queries.whole(found, "after", 0, 0, LARGEST_PLACE)
    begin, end = _bounds(day)
    if network.clock.business() < end:
        raise not_found()
    lines = _issued(network, rail, day, source)
    came = sum(line.amount for line in lines if line.kind in INWARD)
    went = sum(line.amount for line in lines if line.kind not in INWARD)
    opening = RESERVE + sum(m.amount if m.kind in INWARD else -m.amount for m in source(0, begin))
    following = place + limit
    return answer(
        {
            "day": day.isoformat(),
            "lines": len(lines),
            "in": amounts.printed(came),
            "out": amounts.printed(went),
            "opening": amounts.printed(opening),
            "closing": amounts.printed(opening + came - went),
            "entries": [_entry(line) for line in lines[place:following]],
            "next": str(following) if following < len(lines) else None,
        }
    )


@post("/statements/reissue", status_code=200)
async def reissue(network: NamedDependency[Network]) -> Response[bytes]:
    """Issues every statement anew, without earlier mistakes."""
    return answer({"corrected": network.store.run("DELETE FROM statement_fault")})


def _issued(network: Network, rail: str, day: date, source: Source) -> list[Movement]:
    """Returns a day's lines with mistakes, and the day before's late ones."""
    own = source(*_bounds(day))
    with network.store.writing():
        if network.store.find("statement_issued", rail=rail, day=str(day)) is None:
            network.store.insert("statement_issued", rail=rail, day=str(day))
            for line in own:
                _strike(network, rail, day, line)
    before = day - timedelta(days=1)
    late = {name for name, behaviour in _mistakes(network, rail, before).items() if behaviour == "late"}
    lines = [line for line in source(*_bounds(before)) if (line.kind, line.network_id) in late] if late else []
    mistakes = _mistakes(network, rail, day)
    for line in own:
        lines += _mistaken(line, mistakes.get((line.kind, line.network_id)))
    return lines


def _strike(network: Network, rail: str, day: date, line: Movement) -> None:
    fault = faults.strike(network, "statement", line.about | {"amount": amounts.printed(line.amount)}, BEHAVIOURS)
    if fault is not None:
        named = {"rail": rail, "day": str(day), "kind": line.kind, "network_id": line.network_id}
        network.store.insert("statement_fault", **named, behaviour=fault.behaviour)


def _mistakes(network: Network, rail: str, day: date) -> dict[tuple[str, str], str]:
    rows = network.store.every("statement_fault", rail=rail, day=str(day))
    return {(row["kind"], row["network_id"]): row["behaviour"] for row in rows}


def _mistaken(line: Movement, behaviour: str | None) -> list[Movement]:
    """Returns the lines that replace one, by its mistake."""
    if behaviour in ("missing", "late"):
        return []
    if behaviour == "twice":
        return [line, replace(line, copy=2)]
    if behaviour == "wrong-amount":
        return [replace(line, amount=line.amount + TOO_MUCH)]
    if behaviour == "other-reference":
        return [replace(line, reference=f"OTHER{line.reference or ''}")]
    return [line]


def _entry(line: Movement) -> dict[str, Any]:
    return {
        "id": line.line_id,
        "kind": line.kind,
        "networkId": line.network_id,
        "reference": line.reference,
        "amount": amounts.printed(line.amount),
        "settledAt": printed(line.settled_at),
        "message": line.message,
    }


def _day(text: str | None) -> date:
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        raise malformed(Problem("day", "INVALID", "A day is expected, such as 2026-11-22")) from None


def _bounds(day: date) -> tuple[int, int]:
    begin, end = calendar.day_bounds(day)
    return counted(begin), counted(end)
