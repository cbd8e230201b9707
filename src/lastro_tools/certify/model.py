"""The model of a certificate: requests, exchanges, findings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import TYPE_CHECKING

from lastro.webhooks import Delivered, judge

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lastro.http_client import Outcome
    from lastro_tools.certify.fixtures import Author


SLOW_SECONDS = 3.0
ACKNOWLEDGE = "acknowledge"  # the duty without which nothing else can be judged


class Verdict(StrEnum):
    """The verdict of a check.

    MEND: events or safety are lost. ADVICE: nothing is lost yet. SKIPPED: it could not be judged.
    """

    PASS = "PASS"  # noqa: S105 a verdict, not a password
    MEND = "MEND"
    ADVICE = "ADVICE"
    SKIPPED = "SKIPPED"


class Must(Enum):
    """The answer that a request requires. EITHER: it only sets the scene for the next one."""

    ACKNOWLEDGE = auto()
    REFUSE = auto()
    EITHER = auto()


class Pace(Enum):
    """The pace of a request's body. At once, a little at a time, or half of it before the connection ends."""

    WHOLE = auto()
    SLOW = auto()
    CUT = auto()


@dataclass(frozen=True, slots=True)
class Event:
    """An event, the same on every try. body: its bytes as signed."""

    id: str
    type: str
    sequence: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Request:
    """One attempt at an event. label: what is particular about it, for people."""

    event: Event
    headers: Mapping[str, str]
    body: bytes
    must: Must
    label: str
    pace: Pace


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer, judged as the delivery engine does."""

    request: Request
    answer: Outcome

    @property
    def is_acknowledged(self) -> bool:
        """True where a delivery would be done with this answer."""
        return isinstance(judge(self.answer), Delivered)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a run. together: events at once.

    slow_seconds: how long a slow body takes, 0 leaves it out. pause_seconds: how long a receiver has to notice that a
    connection was cut.
    """

    has_secret: bool
    advice_seconds: float = 2.0
    slow_seconds: float = SLOW_SECONDS
    together: int = 32
    pause_seconds: float = 0.5


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of a check. mend: one sentence on what to do, empty where there is nothing to do."""

    verdict: Verdict
    seen: str
    mend: str = ""


Round = list["Request"]  # requests sent at the same time


@dataclass(frozen=True, slots=True)
class Duty:
    """Something a receiver has to do. title: in words that follow "your receiver"; documented: a page and its heading.

    rounds: what is sent, one round after the other. judge: of all that was seen, in that order. needs: duties without which
    this one says nothing of its own.
    """

    name: str
    title: str
    sent: str
    documented: str
    rounds: Callable[[Author, Limits], Sequence[Round]]
    judge: Callable[[Sequence[Exchange], Limits], Judgement]
    needs: tuple[str, ...] = (ACKNOWLEDGE,)
    needs_secret: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A line of the certificate."""

    name: str
    title: str
    sent: str
    documented: str
    verdict: Verdict
    seen: str
    mend: str

    @classmethod
    def of(cls, duty: Duty, judgement: Judgement) -> Finding:
        """Returns the finding of a check."""
        return cls(
            duty.name, duty.title, duty.sent, duty.documented, judgement.verdict, judgement.seen, judgement.mend
        )  # fmt: skip


def exit_status(findings: Sequence[Finding]) -> int:
    """Returns the exit status.

    0: nothing to mend. 1: something is. 2: the receiver could not be judged, since it took no event at all.
    """
    verdicts = {finding.name: finding.verdict for finding in findings}
    if Verdict.MEND in verdicts.values():
        return 1
    return 2 if verdicts.get(ACKNOWLEDGE, Verdict.SKIPPED) is Verdict.SKIPPED else 0
