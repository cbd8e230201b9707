"""The values of the room."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from lastro.core.work_queue import Worked
from lastro.webhooks.arrivals import Arrivals
from lastro.webhooks.circuit import Circuit
from lastro.webhooks.rules import EventStatus

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta
    from uuid import UUID

    from lastro.core.secrets import KeyRing
    from lastro.webhooks.catalogue import EventType
    from lastro.webhooks.rules import FailureKind

_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
UNDELIVERED = (EventStatus.RETRYING.value, EventStatus.FAILED.value)  # the list's default
NONE = "NONE"  # the status of an event of the feed alone (states.md 11)


@dataclass(frozen=True, slots=True)
class WebhookPlace:
    """The installation, as the room's operations need it.

    own_ports: of this machine, that no client's URL may reach. machine: machine time. notices: the kinds of events that
    have examples. arrivals: says when the feed has something new.
    """

    is_sandbox: bool
    own_ports: frozenset[int]
    key_ring: KeyRing
    machine: Callable[[], datetime]
    notices: tuple[EventType, ...] = ()
    arrivals: Arrivals = field(default_factory=Arrivals)


@dataclass(frozen=True, slots=True)
class Destination:
    """An endpoint for which a company has deliveries due.

    endpoint: the number that stands for scheme, host and port. circuit: its state when this was found. is_probe: it is
    time that one delivery tries the endpoint.
    """

    company_id: UUID
    endpoint: int
    circuit: Circuit = Circuit.CLOSED
    is_probe: bool = False

    @property
    def key(self) -> tuple[UUID, int]:
        """The same at every look."""
        return self.company_id, self.endpoint


@dataclass(frozen=True, slots=True)
class Probe:
    """The one delivery that tries an endpoint. version: of its circuit, fences its end. failed_probes: before it."""

    version: int
    failed_probes: int


@dataclass(frozen=True, slots=True)
class Troubled:
    """An endpoint whose circuit is not closed. origin: scheme, host and port. failure: of the last attempt that counted."""

    origin: str
    state: Circuit
    opened_at: datetime
    failure: str
    probe_at: datetime


@dataclass(frozen=True, slots=True)
class Depth:
    """The queue for an endpoint of one company.

    open: deliveries that have not ended; due: those that are due. oldest: for how many seconds the first of them has been
    due, below zero where it is not yet. is_held: by its circuit.
    """

    endpoint: int
    open: int
    due: int
    oldest: float
    is_held: bool


@dataclass(frozen=True, slots=True)
class WebhookSecrets:
    """A company's sealed secrets as stored. previous_until: machine time until which the previous one signs too."""

    current: bytes
    previous: bytes | None
    previous_until: datetime | None


@dataclass(frozen=True, slots=True)
class Claimed:
    """A delivery under our lease, as it was when claimed.

    reference_id: of the object it tells of. attempts: made so far, ever; plan_attempts: of the present plan. claimed_at:
    business time. secrets: what its company signs with.
    """

    company_id: UUID
    id: UUID
    reference_id: UUID
    endpoint: int
    sequence: int
    url: str
    type: str
    body: bytes
    status: EventStatus
    attempts: int
    plan_attempts: int
    version: int
    lease_token: UUID
    claimed_at: datetime
    secrets: WebhookSecrets


@dataclass(frozen=True, slots=True)
class Attempted:
    """The result of one attempt. wait: from the end of the attempt to the next one, None when none follows."""

    claimed: Claimed
    status: EventStatus
    status_code: int
    message: str
    duration_ms: int
    wait: timedelta | None
    failure: FailureKind | None = None


@dataclass(frozen=True, slots=True)
class Attempt(Worked):
    """An attempt that has ended, for metrics beside those of any work.

    place: host, and port where one is named. failure: None when it was acknowledged.
    """

    endpoint: int = 0
    place: str = ""
    failure: FailureKind | None = None


class PastAttempt(NamedTuple):
    """An attempt as a client is shown it. status_code 0: no HTTP answer. failure None: it was acknowledged."""

    message: str
    status_code: int
    requested_at: datetime
    number: int = 0
    duration_ms: int = 0
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class DeliveryFilter:
    """A filter of deliveries. statuses: one, or UNDELIVERED. since, until: the first and last createdAt, in UTC."""

    statuses: tuple[str, ...] = UNDELIVERED
    event: str | None = None
    reference_id: UUID | None = None
    url: str | None = None
    since: datetime = _FIRST
    until: datetime = _LAST

    @property
    def given(self) -> dict[str, Any]:
        """The filters that are set beside status and time, in fixed order."""
        every = {"event": self.event, "reference_id": self.reference_id, "url": self.url}
        return {name: value for name, value in every.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Undelivered:
    """An event sent to a URL, as the list shows it. history: oldest first."""

    id: UUID
    reference_id: UUID
    url: str
    status: EventStatus
    created_at: datetime
    updated_at: datetime | None
    history: tuple[PastAttempt, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """A page's rows, and one more if there is. walked_to: createdAt of the last row that was looked at, where it was not
    the end. body: the answer, where it was rendered already.
    """

    events: list[Undelivered]
    walked_to: datetime | None = None
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Resendable:
    """An event that is sent to a URL, or can be. status None: it has no number yet, and so is about to be sent anyway.

    now_url: the company's present URL, where the event has none of its own. unsent: what its delivery is made of, where it
    went nowhere when it got its number.
    """

    id: UUID
    status: EventStatus | None
    version: int
    is_forgotten: bool = False
    now_url: str | None = None
    unsent: Unsent | None = None


@dataclass(frozen=True, slots=True)
class Unsent:
    """A numbered event without a delivery. created_at: the number's."""

    sequence: int
    reference_id: UUID
    type: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ResendBatch:
    """The events to be sent again, oldest first.

    goes_on: createdAt of the last that was looked at, where there may be more.
    """

    events: tuple[Resendable, ...]
    goes_on: datetime | None


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One event. body None: forgotten. sequence None: not numbered yet. url None: it is told in the feed alone.

    status: an EventStatus or NONE. created_at: the number's, once there is one. due_at: of the next attempt, None when none
    is.
    """

    id: UUID
    type: str
    reference_id: UUID
    body: bytes | None
    sequence: int | None
    created_at: datetime
    url: str | None
    status: str
    updated_at: datetime | None
    due_at: datetime | None
    history: tuple[PastAttempt, ...]


@dataclass(frozen=True, slots=True)
class Numbered:
    """An event as the feed tells it."""

    sequence: int
    id: UUID
    type: str
    reference_id: UUID
    created_at: datetime
    body: bytes


@dataclass(frozen=True, slots=True)
class BegunEra:
    """The numbers that a company's feed left out as an era began."""

    version: int
    era: datetime
    last_before: int
    first_sequence: int
    lost_from: datetime  # machine time


@dataclass(frozen=True, slots=True)
class FeedPart:
    """Events in the order of their numbers, with one more if any. The one more is not shown."""

    begins: int  # the first number that is kept
    last: int  # the last number, given or left out
    era: datetime | None  # the present one; None: the company has no feed yet
    left_out: tuple[tuple[int, int], ...]  # as each era began: the last number of before, and its first
    events: list[Numbered]
    body: bytes | None = None  # the answer, if it was rendered already

    def lost_behind(self, after: int) -> int | None:
        """Returns the last number known, where a lost era hides this one. None: this number can be known."""
        for before, first in self.left_out:
            if before < after < first - 1:
                return before
        return self.last if after > self.last else None

    def before(self, number: int) -> int | None:
        """Returns the number before this one, where it is not one less."""
        return next((before for before, first in self.left_out if first == number), None)


@dataclass(frozen=True, slots=True)
class Setting:
    """The URL for a company's events of a type, and its switch."""

    url: str | None
    active: bool
    version: int
    updated_at: datetime
