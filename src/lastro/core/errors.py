"""Refusals are values, with every problem in a fixed order; bugs and outages are exceptions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from lastro.core.write import Write


def one_of(words: Iterable[str]) -> str:
    """Words the refusal of a value that an enumeration lacks."""
    return f"must be one of {', '.join(words)}"


class Kind(Enum):
    """The kind of a refusal; the web app alone maps it to an HTTP status."""

    INVALID = "INVALID"  # a value of the request is at fault
    CONFLICT = "CONFLICT"  # the state of something is
    UNAUTHORIZED = "UNAUTHORIZED"
    FORBIDDEN = "FORBIDDEN"
    NOT_FOUND = "NOT_FOUND"
    TOO_LARGE = "TOO_LARGE"
    UNSUPPORTED_TYPE = "UNSUPPORTED_TYPE"
    METHOD_NOT_ALLOWED = "METHOD_NOT_ALLOWED"
    NOT_ACCEPTABLE = "NOT_ACCEPTABLE"  # the answer is not had as what the client takes
    TOO_MANY = "TOO_MANY"
    UNAVAILABLE = "UNAVAILABLE"  # the database, or a network that has to be asked, is away


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong. field: JSON path, header or query name. issue: a word of the interface. description: for people."""

    field: str
    issue: str
    description: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The answer "no". write: what is written all the same, for a refusal that counts (a wrong one-time code)."""

    kind: Kind
    problems: tuple[Problem, ...] = ()
    write: Write | None = None
    retry_after_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A no that an operation can give, declared once: the API raises it, and the documentation is made of it.

    field: as in the answer's details; "" where there are none. cause, cure: for the documentation; "" where no operation of
    the API can give it, but a command or a page of the console. description: as the answer says it, with `{names}` for
    values; "" where the types of a form or a shared reader say it.
    """

    kind: Kind
    field: str
    issue: str
    cause: str = ""
    cure: str = ""
    description: str = ""

    def problem(self, at: str | None = None, /, **values: object) -> Problem:
        """Returns a problem for an answer, with its description's values. at: the field, if it is another than declared."""
        assert self.description, "raised by a form or a shared reader"
        return Problem(self.field if at is None else at, self.issue, self.description.format(**values))

    def of(self, *fields: str) -> tuple[Refusal, ...]:
        """Returns this refusal of each of these fields, for the documentation."""
        return tuple(replace(self, field=field) for field in fields)

    def refused(self, at: str | None = None, /, **values: object) -> Refused:
        """Returns the whole refusal, if this is the only problem."""
        return Refused(self.kind, (self.problem(at, **values),))


def invalid(field: str, issue: str, description: str, cause: str = "", cure: str = "") -> Refusal:
    """Declares that a value of the request is at fault."""
    return Refusal(Kind.INVALID, field, issue, cause, cure, description)


def conflict(field: str, issue: str, description: str, cause: str = "", cure: str = "") -> Refusal:
    """Declares that the state of something is at fault."""
    return Refusal(Kind.CONFLICT, field, issue, cause, cure, description)


def misread(field: str, issue: str, cause: str, cure: str) -> Refusal:
    """Declares what the types of a form, or a shared reader, refuse."""
    return Refusal(Kind.INVALID, field, issue, cause, cure)


def not_found(
    cause: str, cure: str = "Take the `id` that the create answered, from a client of the same company."
) -> Refusal:
    """Declares that an object is not there for this company."""
    return Refusal(Kind.NOT_FOUND, "", "", cause, cure)


class Stale(Exception):  # noqa: N818 it says what happened to the world, not that somebody erred
    """A row that a Write relied on has changed: decide again."""


class NoMove(KeyError):  # noqa: N818
    """A move that an object's table lacks: our mistake, or statements that read several moments (core.retry)."""


class NotYet(Exception):  # noqa: N818
    """The answer is available in so many seconds: ask again then. Raised while reading, with nothing written."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Wait(Exception):  # noqa: N818
    """The answer may be available after `pause`: ask again then.

    No connection is held meanwhile. Raised while reading, as often as its raiser is willing to wait.
    """

    def __init__(self, pause: Callable[[], Awaitable[None]]) -> None:
        super().__init__()
        self.pause = pause


class Taken(Exception):  # noqa: N818
    """A unique constraint was hit that says something about the world; `constraint` is its name."""

    def __init__(self, constraint: str) -> None:
        super().__init__(constraint)
        self.constraint = constraint


class KeyTaken(Exception):  # noqa: N818
    """Another request has committed an answer under this idempotency key."""


class KeyBusy(Exception):  # noqa: N818
    """Another request holds this idempotency key and has not committed in time."""


class InsufficientFunds(Exception):  # noqa: N818
    """A draw would bring a ledger account below its floor; nothing was written."""

    problem = Problem("amount", "INSUFFICIENT_FUNDS", "the account's available balance is too low")  # the clients' error


class InDebt(InsufficientFunds):
    """A draw from an account that owes more than it has; nothing was written."""

    problem = Problem("accountId", "NOT_ALLOWED", "the account owes: nothing goes out before its next credits have paid it")


class OverQuota(InsufficientFunds):
    """A limit has too little left; nothing was written. kind: of the limit, as the room calls it."""

    def __init__(self, kind: str, left_minor: int) -> None:
        super().__init__(f"{kind}: {left_minor} left")
        self.kind = kind
        self.left_minor = left_minor


class DatabaseAway(Exception):  # noqa: N818
    """The database cannot be reached, or did not answer; nothing is known to have been written."""


class LoginRefused(DatabaseAway):
    """The server refuses this login or address; waiting alone changes nothing."""
