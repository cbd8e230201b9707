"""The records of subscriptions, of their cancellations and charges."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time, timedelta
from typing import TYPE_CHECKING, Literal, get_args

from lastro.rails.port import PIX, is_connection

if TYPE_CHECKING:
    from datetime import date, datetime
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.money import Money
    from lastro.standards.recurrence_payload import Frequency

STATUSES = ("INITIAL", "PENDING_AUTHORIZATION", "ACCEPTED", "REJECTED", "CANCELED", "ERROR")
FINAL_STATUSES = ("REJECTED", "CANCELED", "ERROR")
TYPES = ("AUTHORIZATION_QRCODE", "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT")
FREQUENCIES = ("WEEKLY", "MONTHLY", "QUARTERLY", "SEMIANNUAL", "ANNUAL")
CANCELLATION_STATUSES = ("PENDING", "ACCEPTED", "REJECTED", "ERROR")
PAYMENT_STATUSES = ("SCHEDULED", "PENDING", "PAID", "CANCELED", "EXPIRED", "ERROR")
# A payment in one of these leaves its cycle free for another; every other one takes it (states.md 3).
CYCLE_IS_FREE = ("CANCELED", "ERROR")
ATTEMPT_STATUSES = ("REQUESTED", "SCHEDULED", "PAID", "REJECTED", "CANCELED", "EXPIRED")
OPEN_ATTEMPT = ("REQUESTED", "SCHEDULED")

# A client may send the first three; the others only we set (contract.md §3).
CancelReason = Literal[
    "REQUESTED_BY_RECEIVER", "FRAUD_SUSPECTED", "OTHER",
    "REQUESTED_BY_PAYER", "ACCOUNT_CLOSED", "AUTHORIZATION_EXPIRED", "RECURRENCE_ENDED",
]  # fmt: skip
# Of an attempt (API Pix 2.9.0): the first of a charge, one after the due date, the same again after a failure.
AttemptKind = Literal["AGND", "NTAG", "RIFL"]
ATTEMPT_KINDS: tuple[AttemptKind, ...] = get_args(AttemptKind)


@dataclass(frozen=True, slots=True)
class Timing:
    """The time limits of subscriptions, in calendar days from the settlement day.

    Retries count from the due date; by Brasilia's clock. Several of these are known from institutions that differ, not from
    the Central Bank (domain.md §3.7): they are values, not laws. window: how long journey 2 may be authorized, None: until
    endDate is over. send_days: how long before the day its first attempt is sent. last_send_days: the last day on which it
    may be sent. least_days: how near the day may be when a payment is made. receiver_cancels_until: an hour of the day
    before. day_ends_at: what is not settled then is not settled that day, which the payer's bank tells within `told_within`,
    or is asked. retries, retry_days, retry_within_days: after the due date. pause, longest_pause: before an instruction that
    was refused is sent again, doubled each time. shortest_pause: when its time runs out.
    """

    window: timedelta | None = None
    send_days: int = 9
    last_send_days: int = 2
    last_send_until: time = time(22, 59)
    """On the last day for it, nothing is sent again after this hour: the payer's bank has to schedule it that day still."""
    resends: int = 2
    """How often an instruction that was refused for a cause that may pass is sent again: a third no says that it stays."""
    least_days: int = 3
    farthest_days: int = 366
    receiver_cancels_until: time = time(22)
    morning_ends_at: time = time(8)
    """The payer's bank collects until then, and again from `evening_opens_at` until `day_ends_at`."""
    evening_opens_at: time = time(18)
    day_ends_at: time = time(21)
    told_within: timedelta = timedelta(minutes=15)
    retries: int = 3
    retry_days: tuple[int, ...] = (1, 3, 5)
    retry_within_days: int = 7
    pause: timedelta = timedelta(hours=1)
    longest_pause: timedelta = timedelta(hours=24)
    shortest_pause: timedelta = timedelta(minutes=10)


TIMING = Timing()


@dataclass(frozen=True, slots=True)
class NamedParty:
    """A person or organization as named by a client or payer's bank. name: None where nobody said it."""

    name: str | None
    document_type: str
    document_number: str


@dataclass(frozen=True, slots=True)
class AuthorizingPayer:
    """The payer who authorized, as the payer's bank says. ibge_code: of his city, seven digits.

    ispb, account: None where a connection's bank does not tell them.
    """

    person: NamedParty
    ispb: str | None
    account: str | None
    branch: str | None = None
    ibge_code: str | None = None


@dataclass(frozen=True, slots=True)
class SubscriptionTerms:
    """The agreed terms, which never change: all that decides dates and amounts of the charges.

    At most one of fixed and floor is given. floor: the least maximum that the payer may set. ends_on: the last day on which
    a charge may be due. is_automatic: the service itself schedules each cycle's charge.
    """

    frequency: Frequency
    starts_on: date
    ends_on: date | None = None
    fixed: Money | None = None
    floor: Money | None = None
    charges_after_due: bool = False
    adjusts: bool = False
    is_automatic: bool = False


@dataclass(frozen=True, slots=True)
class SubscriptionWish:
    """A subscription as it was asked for. charge, charge_key: the first charge of journey 3, and the key of its order."""

    external_id: str
    account_id: UUID
    type: str
    terms: SubscriptionTerms
    debtor: NamedParty
    webhook_url: str
    description: str | None = None
    payer: NamedParty | None = None
    charge: Money | None = None
    charge_key: str | None = None

    @property
    def is_paid_at_once(self) -> bool:
        """True for journey 3."""
        return self.type == TYPES[1]


@dataclass(frozen=True, slots=True)
class Subscription:
    """A subscription as it was read.

    state is the status of the interface. provider_id: its idRec. only_payer: the document that alone may pay its first
    charge. maximum: the payer's, if he set one. order_id, order_expires_at: of its first charge. lapses_at: when journey 2
    can no longer be authorized, as its creation decided; None: never. covered: the last cycle that the service has scheduled
    or passed over by itself, -1 for none. debtor_id: of the debtor's row. rail: who authorizes and collects: PIX, or a
    connection, whose bank has made the recurrence. bank_code: the code that it has made.
    """

    id: UUID
    state: str
    version: int
    type: str
    provider_id: str
    external_id: str
    account_id: UUID
    terms: SubscriptionTerms
    debtor: NamedParty
    description: str | None
    webhook_url: str
    created_at: datetime
    updated_at: datetime
    only_payer: str | None = None
    payer: AuthorizingPayer | None = None
    maximum: Money | None = None
    accepted_at: datetime | None = None
    order_id: UUID | None = None
    order_expires_at: datetime | None = None
    covered: int = -1
    debtor_id: UUID | None = None
    lapses_at: datetime | None = None
    rail: str = PIX
    bank_code: str | None = None

    @property
    def is_at_bank(self) -> bool:
        """True where a connection's bank has it."""
        return is_connection(self.rail)

    @property
    def is_paid_at_once(self) -> bool:
        """True for journey 3."""
        return self.type == TYPES[1]

    @property
    def is_final(self) -> bool:
        """True where nothing may happen to it any more."""
        return self.state in FINAL_STATUSES


@dataclass(frozen=True, slots=True)
class FirstCharge:
    """The order that is paid in the same act as the authorization. amount: as it was asked for, without fees."""

    order_id: UUID | None  # None: the recurrence was refused at once, and none was made
    amount: Money
    expires_at: datetime
    conciliation_id: str
    location_token: str | None  # None: a connection's bank has its location
    leads_here: bool = True  # as of its order


@dataclass(frozen=True, slots=True)
class SubscriptionShown:
    """A subscription with its receiver, its location and its first charge."""

    subscription: Subscription
    account: Account
    location_token: str | None
    first_charge: FirstCharge | None = None

    @property
    def code_leads_here(self) -> bool:
        """True while a payer can still use its code. False once the key of its first charge has left."""
        return self.first_charge is None or self.first_charge.leads_here


@dataclass(frozen=True, slots=True)
class Passed:
    """A status that an object took, and when."""

    status: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SubscriptionFilter:
    """The filters of a list of subscriptions; None: all. starts_on, ends_on: just this day."""

    status: str | None = None
    external_id: str | None = None
    account_id: UUID | None = None
    starts_on: date | None = None
    ends_on: date | None = None


@dataclass(frozen=True, slots=True)
class WantedPayments:
    """The filters of a list of payments; None: all of the subscription."""

    subscription_id: UUID
    status: str | None = None
    external_id: str | None = None


@dataclass(frozen=True, slots=True)
class Cancellation:
    """A cancellation of a subscription as it was read.

    raw_reason: the network's code, kept as it came, of the end or of the payer bank's refusal. message_id: of the message to
    that bank; None if it was not asked.
    """

    id: UUID
    state: str
    version: int
    subscription_id: UUID
    idempotency_key: str
    reason: CancelReason
    raw_reason: str | None
    requested_by: NamedParty
    created_at: datetime
    updated_at: datetime
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class Cycle:
    """Cycle `number` of a subscription: from its first day up to, and without, that of the next one."""

    number: int
    starts_on: date
    next_starts_on: date


@dataclass(frozen=True, slots=True)
class Attempt:
    """A try to collect a payment on one day, as read.

    number: 1 for the first. code: of its refusal. message_id: of its instruction, its name in the network.
    """

    id: UUID
    state: str
    version: int
    number: int
    kind: AttemptKind
    day: date
    end_to_end_id: str | None = None
    code: str | None = None
    message_id: str = ""

    @property
    def is_open(self) -> bool:
        """True while its outcome is not known."""
        return self.state in OPEN_ATTEMPT

    @property
    def is_retry(self) -> bool:
        """True for a try after the due date. A try that is sent again, or made at night, does not count."""
        return self.kind == "NTAG"


@dataclass(frozen=True, slots=True)
class Plan:
    """The days of one charge, as its creation decided them. due_on decides the cycle, settles_on the settlement."""

    due_on: date
    settles_on: date
    cycle: Cycle


@dataclass(frozen=True, slots=True)
class Payment:
    """A scheduled payment as it was read. attempts: in the order of their number. state is the status of the interface.

    retries_alone: the service retries by itself (autoRetry). cancel_asked_at: when the receiver asked the payer's bank to
    cancel it, which has not answered; cancel_message_id: of that message. cancel_refused_at, cancel_refusal: the time and
    code of that bank's last refusal. code: the network's reason for its end without money.
    """

    id: UUID
    state: str
    version: int
    subscription_id: UUID
    external_id: str
    order_id: UUID
    amount: Money
    plan: Plan
    created_at: datetime
    updated_at: datetime
    attempts: tuple[Attempt, ...] = ()
    retries_alone: bool = True
    cancel_asked_at: datetime | None = None
    description: str | None = None
    cancel_message_id: str | None = None
    code: str | None = None
    cancel_refused_at: datetime | None = None
    cancel_refusal: str | None = None

    @property
    def open_attempt(self) -> Attempt | None:
        """The attempt whose outcome is not known yet; there is one at most."""
        return next((one for one in self.attempts if one.is_open), None)

    @property
    def retries_used(self) -> int:
        """The number of attempts made after the due date."""
        return sum(one.is_retry for one in self.attempts)
