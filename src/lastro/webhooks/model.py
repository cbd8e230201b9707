"""What the room speaks of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime, timedelta
    from uuid import UUID

    from lastro.webhooks.rules import EventStatus


@dataclass(frozen=True, slots=True)
class Destination:
    """Where one company has deliveries due. endpoint: the number that stands for scheme, host and port."""

    company_id: UUID
    endpoint: int


@dataclass(frozen=True, slots=True)
class Claimed:
    """A delivery in our hands until its lease ends, as it was when it was claimed.

    attempts: made so far, ever; plan_attempts: of the present plan. claimed_at: business time.
    """

    company_id: UUID
    id: UUID
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


@dataclass(frozen=True, slots=True)
class Attempted:
    """How one attempt ended and what follows. wait: from the end of the attempt to the next one, None when none follows."""

    claimed: Claimed
    status: EventStatus
    status_code: int
    message: str
    duration_ms: int
    wait: timedelta | None


@dataclass(frozen=True, slots=True)
class WebhookSecrets:
    """A company's sealed secrets as stored. previous_until: machine time until which the previous one signs too."""

    current: bytes
    previous: bytes | None
    previous_until: datetime | None


class PastAttempt(NamedTuple):
    """An attempt as a client is shown it. status_code 0: no HTTP answer."""

    message: str
    status_code: int
    requested_at: datetime


@dataclass(frozen=True, slots=True)
class Undelivered:
    """An event whose delivery failed at least once and did not succeed since. history: oldest first."""

    id: UUID
    reference_id: UUID
    url: str
    status: EventStatus
    created_at: datetime
    updated_at: datetime | None
    history: tuple[PastAttempt, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """A page's rows, and one more if there is. body: what is answered, where it was rendered already."""

    events: list[Undelivered]
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Resendable:
    """An event that has a URL. status None: it has no number yet, and so is about to be sent anyway."""

    id: UUID
    status: EventStatus | None
    version: int
