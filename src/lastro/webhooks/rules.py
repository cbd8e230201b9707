"""The rules of judging and retrying deliveries. Pure."""

from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

import msgspec

from lastro.http_client.answers import Failure, Outcome

RETRIES: Final = 4
MESSAGE_CHARACTERS: Final = 1000
LONGEST_WAIT: Final = timedelta(hours=6)

# Jitter only shortens. Receivers that failed together then come back apart, and nobody waits longer than the
# interval that was promised.
JITTER_SHARE: Final = 0.1
MOST_JITTER: Final = 0.5


class EventStatus(StrEnum):
    """The status of an event's delivery."""

    PENDING = "PENDING"
    RETRYING = "RETRYING"
    FAILED = "FAILED"
    DELIVERED = "DELIVERED"


class FailureKind(StrEnum):
    """The reason of a failed attempt (contract.md §7). The first eight are those of the outgoing client."""

    TIMEOUT = Failure.TIMEOUT.value
    DNS_FAILURE = Failure.DNS_FAILURE.value
    CONNECTION_REFUSED = Failure.CONNECTION_REFUSED.value
    CONNECTION_CLOSED = Failure.CONNECTION_CLOSED.value
    TLS_FAILURE = Failure.TLS_FAILURE.value
    ADDRESS_REFUSED = Failure.ADDRESS_REFUSED.value
    REDIRECT = Failure.REDIRECT.value
    TOO_LARGE = Failure.TOO_LARGE.value
    BAD_ACKNOWLEDGEMENT = "BAD_ACKNOWLEDGEMENT"  # HTTP 200, and no `returnCode: "SUCCESS"`
    BAD_STATUS = "BAD_STATUS"  # an answer of any other status


class Trigger(StrEnum):
    """The triggers of an event's delivery."""

    DELIVER = "deliver"
    RETRY = "retry"
    GIVE_UP = "give up"
    RESEND = "resend"


# Every allowed move. A resend of what is PENDING is answered and moves nothing, so it is not here.
MOVES: Final[Mapping[tuple[EventStatus, Trigger], EventStatus]] = MappingProxyType(
    {
        (EventStatus.PENDING, Trigger.DELIVER): EventStatus.DELIVERED,
        (EventStatus.PENDING, Trigger.RETRY): EventStatus.RETRYING,
        (EventStatus.PENDING, Trigger.GIVE_UP): EventStatus.FAILED,
        (EventStatus.RETRYING, Trigger.DELIVER): EventStatus.DELIVERED,
        (EventStatus.RETRYING, Trigger.RETRY): EventStatus.RETRYING,
        (EventStatus.RETRYING, Trigger.GIVE_UP): EventStatus.FAILED,
        (EventStatus.RETRYING, Trigger.RESEND): EventStatus.PENDING,
        (EventStatus.FAILED, Trigger.RESEND): EventStatus.PENDING,
        (EventStatus.DELIVERED, Trigger.RESEND): EventStatus.PENDING,
    }
)

# An event may be attempted once every earlier one of its reference and URL stands in one of these.
SETTLED: Final = frozenset({EventStatus.DELIVERED, EventStatus.FAILED})


@dataclass(frozen=True, slots=True)
class Plan:
    """A delivery plan: one attempt and exactly four retries.

    `intervals` are the waits between them. `jitter` is the share that chance takes off an interval at most: 0 to 0.5.
    """

    intervals: tuple[timedelta, ...] = (
        timedelta(minutes=1),
        timedelta(minutes=10),
        timedelta(hours=1),
        timedelta(hours=6),
    )
    jitter: float = JITTER_SHARE

    def __post_init__(self) -> None:
        """Checks the plan. ValueError unless there are four intervals, each above zero, and the jitter is a share."""
        if not 0 <= self.jitter <= MOST_JITTER:
            raise ValueError("the jitter of a delivery plan is from 0 to 0.5")
        if len(self.intervals) != RETRIES or any(interval <= timedelta(0) for interval in self.intervals):
            raise ValueError(f"a delivery plan has {RETRIES} intervals, each above zero")


DEFAULT_PLAN: Final = Plan()


@dataclass(frozen=True, slots=True)
class Delivered:
    """The receiver acknowledged. `message` is its text, for the history."""

    message: str
    status_code: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The receiver did not acknowledge. `status_code` is 0 when there was no HTTP answer."""

    message: str
    status_code: int
    kind: FailureKind


@dataclass(frozen=True, slots=True)
class RetryAt:
    """The plan goes on."""

    due: datetime


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The plan is used up."""


class _Acknowledgement(msgspec.Struct):
    return_code: str = msgspec.field(name="returnCode")


_acknowledgement = msgspec.json.Decoder(_Acknowledgement)


def judge(answer: Outcome) -> Delivered | Failed:
    """Judges an answer. It is acknowledged by HTTP 200 exactly, and a JSON object whose `returnCode` is `SUCCESS`."""
    if answer.failure is not None:
        return Failed(answer.failure.value, answer.status, FailureKind(answer.failure.value))
    message = safe_text(answer.body)
    if answer.status != 200:
        return Failed(message, answer.status, FailureKind.BAD_STATUS)
    if not _acknowledged(answer.body):
        return Failed(message, answer.status, FailureKind.BAD_ACKNOWLEDGEMENT)
    return Delivered(message, answer.status)


def _acknowledged(body: bytes) -> bool:
    try:
        return _acknowledgement.decode(body.removeprefix(BOM_UTF8)).return_code == "SUCCESS"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def safe_text(body: bytes) -> str:
    """Returns 1,000 characters of a stranger's bytes, safe to store and escape.

    Bytes that are not UTF-8, and characters that end a text column, move a terminal's cursor or turn the direction of
    writing, become U+FFFD; tabs and line ends stay.
    """
    # Four bytes are the most a character takes, so what is beyond them needs no decoding.
    text = body[: MESSAGE_CHARACTERS * 4].decode("utf-8", "replace")[:MESSAGE_CHARACTERS]
    return text.translate(_UNSAFE)


_CONTROLS: Final = (*(code for code in range(0x20) if chr(code) not in "\t\n\r"), *range(0x7F, 0xA0))
_DIRECTIONS: Final = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_HIDDEN_ENDS: Final = (0x2028, 0x2029, 0xFEFF)  # line ends and a mark that only some readers see
_UNSAFE: Final = dict.fromkeys((*_CONTROLS, *_DIRECTIONS, *_HIDDEN_ENDS), "\N{REPLACEMENT CHARACTER}")


def retry_after_seconds(value: str | None, now: datetime) -> int | None:
    """Returns the wait of a `Retry-After` header (RFC 9110 §10.2.3).

    It is in seconds from zero up; None if it is unreadable. `now` is machine time, aware: the header's date form was
    written by the receiver's clock, not by business time.
    """
    text = (value or "").strip()
    if not text.isascii() or not text:
        return None
    if text.isdigit():
        # Nine digits are thirty years; a longer number means the same and is not worth reading.
        return int(text) if len(text) <= 9 else 999_999_999
    try:
        when = parsedate_to_datetime(text)
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        return max(0, round((when - now).total_seconds()))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def after_failure(
    attempt_in_plan: int, now: datetime, retry_after: int | None, jitter: float, plan: Plan = DEFAULT_PLAN
) -> RetryAt | GiveUp:
    """Returns the next attempt's time after a failed one, or the end.

    attempt_in_plan: 1 to 5. `retry_after` is in seconds and may stretch the wait, up to six hours; it never shortens it.
    `jitter` is a fraction from 0 to 1: 0 keeps the interval, 1 takes the plan's whole share off. ValueError: the attempt
    or the jitter is outside its range.
    """
    if not 1 <= attempt_in_plan <= RETRIES + 1:
        raise ValueError("a plan has attempts 1 to 5")
    if not 0 <= jitter <= 1:
        raise ValueError("jitter is a fraction from 0 to 1")
    if attempt_in_plan > RETRIES:
        return GiveUp()
    wait = plan.intervals[attempt_in_plan - 1] * (1 - plan.jitter * jitter)
    if retry_after is not None and retry_after > 0:
        wait = max(wait, min(timedelta(seconds=min(retry_after, 999_999_999)), LONGEST_WAIT))
    return RetryAt(now + wait)
