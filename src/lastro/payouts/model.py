"""Payouts, their receivers, and the limits of an account."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from lastro.payouts.due_work import TO_ASK
from lastro.rails.port import BOOK, OUT, PAYMENT_SEND, PIX, RETURN_IN, TED, TED_SEND, Booked, Need, Waiting

if TYPE_CHECKING:
    from datetime import date, datetime
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.companies import Fees
    from lastro.core.money import Money
    from lastro.rails.port import Receiver

STATUSES = (
    "INITIAL", "PENDING", "PAID", "EXPIRED", "ANALYSIS", "REFUNDED", "PARTIAL_REFUNDED", "PARTIALLY_PAID", "CANCELED",
    "ERROR",
)  # fmt: skip
METHODS = ("PIX", "TED")
# The currencies of a payout's answer (interface.md); reais alone are paid out today.
CURRENCIES = ("BRL", "USD", "ARS", "EUR", "CLP", "COP", "MXN", "PEN", "BUSD", "USDT")
# A payment that never arrived is not sent again once its time is over, or after the network would not process it.
_OVER = "(send_until <= business_now() OR error_code IS NOT NULL)"
# The network has said neither yes nor no for another day: people look at it.
_LATE = "send_until + interval '24 hours' <= (SELECT business_now())"
# The network refuses a payment whose id is dated too long ago (rules.ID_HOLDS): its message is not sent, but renewed.
_TOO_EARLY = (
    "substr({name}, 10, 12) < to_char(((SELECT business_now()) - interval '11 hours') AT TIME ZONE 'UTC', 'YYYYMMDDHH24MI')"
)
# The send attempts of its message, unless a worker has leased it now.
_SENDS = (
    "(SELECT o.sends FROM outbox o"
    " WHERE o.company_id = payouts.company_id AND o.id = payouts.message_id AND o.lease_token IS NULL)"
)
WAITING = {
    rail: (Waiting(kind, TO_ASK, name, f"rail = '{rail}'", over, _LATE, sends=_SENDS),)
    for rail, kind, name, over in (
        (PIX, PAYMENT_SEND, "end_to_end_id", f"({_OVER} OR {_TOO_EARLY.format(name='end_to_end_id')})"),
        (TED, TED_SEND, "control_number", _OVER),
        (BOOK, PAYMENT_SEND, "coalesce(control_number, end_to_end_id)", _OVER),
    )
}
# The payments of ours that a line of each rail's statements may be.
_PAID = ("PAID", "REFUNDED", "PARTIAL_REFUNDED")
_OF_PAYOUT = "FROM payouts p WHERE p.company_id = x.company_id AND p.id = x.payout_id"
ON_STATEMENTS = {
    rail: (
        Booked(
            OUT, "payouts", name, "paid_at", _PAID, ("PENDING",), state="x.status", reference=reference,
            only=f"x.rail = '{rail}' AND x.children = 0",
        ),
        Booked(
            RETURN_IN, "payout_returns", "return_id", "settled_at", ("BOOKED",), state="'BOOKED'",
            reference=f"(SELECT p.{name} {_OF_PAYOUT})", only=f"EXISTS (SELECT 1 {_OF_PAYOUT} AND p.rail = '{rail}')",
        ),
    )
    for rail, name, reference in ((PIX, "end_to_end_id", "x.txid"), (TED, "control_number", "x.str_control_number"))
}  # fmt: skip
# An outbox row is held back if its account may not pay now (states.md 8), or its id is too old. It waits until it may, is
# renewed, or its time is over; to an account here it is not carried then, so that a payment not carried by then ends. One
# that has ended was sent: its message waits for nothing.
HELD_BACK = (
    "EXISTS (SELECT 1 FROM payouts p JOIN accounts a ON a.company_id = p.company_id AND a.id = p.account_id"  # noqa: S608 ours
    " WHERE p.company_id = outbox.company_id AND p.id = outbox.reference_id"
    f" AND p.status IN ('PENDING', 'ANALYSIS') AND (a.status <> 'ACTIVE'"
    f" OR (p.rail = '{BOOK}' AND p.send_until <= (SELECT business_now()))"
    f" OR (p.rail = '{PIX}' AND p.status = 'PENDING' AND {_TOO_EARLY.format(name='p.end_to_end_id')})))"
)
# No copy is sent of a payment that has ended by its network's result or by proof.
_ENDED = Need.until("payouts", "x.status NOT IN ('INITIAL', 'PENDING', 'ANALYSIS')")
NEEDS = {PAYMENT_SEND: _ENDED, TED_SEND: _ENDED}
MOST_CHILDREN = 100
# contract.md §10, for an account that has no limits of its own.
DEFAULT_TRANSACTION_MINOR = 1_500_000
DEFAULT_DAY_MINOR = 100_000_000
# A natural person's Pix in a night, since October 2021 (the press on the Central Bank's rule; domain.md §4.6).
PERSONS_NIGHT_MINOR = 100_000
PERSON = "INDIVIDUAL"


@dataclass(frozen=True, slots=True)
class Raise:
    """A higher limit, in force from `at` on. limit: None for none."""

    limit: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Limits:
    """An account's limits by one method, in minor units; None: no limit.

    transaction: above it a payout is split. day_raise, night_raise: pending raises, each with its time.
    """

    transaction: int = DEFAULT_TRANSACTION_MINOR
    day: int | None = DEFAULT_DAY_MINOR
    night: int | None = None
    day_raise: Raise | None = None
    night_raise: Raise | None = None

    def at(self, now: datetime) -> Limits:
        """Returns the limits in force at a moment, with later raises pending."""
        held = self
        if held.day_raise is not None and held.day_raise.at <= now:
            held = replace(held, day=held.day_raise.limit, day_raise=None)
        if held.night_raise is not None and held.night_raise.at <= now:
            held = replace(held, night=held.night_raise.limit, night_raise=None)
        return held


def usual_limits(holder_type: str | None, method: str) -> Limits:
    """Returns the default limits: a person's Pix is limited at night, a firm's is not."""
    return Limits(night=PERSONS_NIGHT_MINOR) if (holder_type, method) == (PERSON, "PIX") else Limits()


@dataclass(frozen=True, slots=True)
class OwnLimits:
    """The limits of one method of an account.

    version: of their row, None: the defaults. is_persons: no firm's. account: their account, where they are to be changed.
    """

    limits: Limits
    version: int | None
    is_persons: bool = False
    account: Account | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """A company's settings for creating a payout, at the versions read.

    number: part of its network ids. review_above: payouts above it are reviewed before they are sent; None: none is.
    """

    number: int
    version: int
    fees_version: int
    fees: Fees
    review_above: Money | None


@dataclass(frozen=True, slots=True)
class BankAccount:
    """An account at a bank, as a client names it: its bank by one of ispb and compe. account_type: the interface's word."""

    ispb: str | None
    compe: str | None
    account_type: str
    branch: str
    account: str


@dataclass(frozen=True, slots=True)
class PayeePerson:
    """The receiver as the client names it."""

    name: str
    document_type: str
    document_number: str


@dataclass(frozen=True, slots=True)
class PayoutWish:
    """A payout as requested. Exactly one of key, qr, place names its destination."""

    external_id: str
    account_id: UUID
    method: str
    amount: Money
    description: str
    person: PayeePerson | None = None
    key: str | None = None
    qr: str | None = None
    place: BankAccount | None = None
    scheduled_on: date | None = None
    allows_duplicate: bool = False


@dataclass(frozen=True, slots=True)
class Destination:
    """A payout's destination. key_type: CPF, CNPJ, EMAIL, PHONE, RANDOM.

    is_charge: a charge or a printed price asks for the whole amount: a part would be refused, or be all that is ever taken.
    """

    receiver: Receiver
    initiation: str
    key: str | None = None
    key_type: str | None = None
    txid: str | None = None
    is_charge: bool = False


@dataclass(frozen=True, slots=True)
class Likeness:
    """The likeness of payouts: same account, receiver and amount, however the receiver was named.

    document, ispb, account: the receiver's, account without leading zeros. is_charge: it pays a dynamic QR; two of those are
    two charges, each paid once by its own bank.
    """

    account_id: UUID
    method: str
    amount: Money
    document: str
    ispb: str
    account: str
    is_charge: bool

    @property
    def number(self) -> int:
        """The hash by which equal payouts are found: 64 bits, signed. The parts are compared as well."""
        told = "\n".join((self.account_id.hex, self.method, str(self.amount.minor), self.document, self.ispb, self.account))
        return int.from_bytes(sha256(told.encode()).digest()[:8], signed=True)


@dataclass(frozen=True, slots=True)
class Payout:
    """A payout, a batch, or a child of one, as read.

    state: the status of the interface. batch_id, sequence: of a child. children: of a batch, their number. qr: the dynamic
    QR that a scheduled one pays. sends: send attempts of its message; None: it has none. closed: that message is settled;
    is_in_hand: a worker has it now. fee_is_charged: of a batch. short_of: the reason why a scheduled Pix did not begin at
    its last try.
    """

    id: UUID
    state: str
    version: int
    batch_id: UUID | None
    sequence: int | None
    children: int
    account_id: UUID
    external_id: str | None
    idempotency_key: str
    method: str
    rail: str
    initiation: str
    amount: Money
    fee: Money
    returned: Money
    description: str
    receiver: Receiver
    bank_name: str | None
    bank_code: str | None
    key: str | None
    key_type: str | None
    txid: str | None
    end_to_end_id: str | None
    control_number: str | None
    str_control_number: str | None
    message_id: UUID | None
    hold_id: UUID | None
    fee_hold_id: UUID | None
    quota_period: str | None
    is_at_night: bool
    scheduled_on: date | None
    start_at: datetime | None
    send_until: datetime | None
    error_code: str | None
    error_message: str | None
    ask_at: datetime | None
    paid_at: datetime | None
    created_at: datetime
    updated_at: datetime
    account: Account
    qr: str | None = None
    sends: int | None = None
    closed: bool = True
    is_in_hand: bool = False
    fee_is_charged: bool = False
    short_of: str | None = None

    @property
    def network_id(self) -> str | None:
        """Its id in its network."""
        return self.control_number or self.end_to_end_id

    @property
    def told_number(self) -> str | None:
        """The control number for clients: the STR's once known; where no STR carries it, ours."""
        return self.control_number if self.rail == BOOK else self.str_control_number

    @property
    def is_batch(self) -> bool:
        """True for the parent of several transfers."""
        return self.children > 0


@dataclass(frozen=True, slots=True)
class Counters:
    """The children of a batch by outcome, in number and gross amount."""

    paid: int
    failed: int
    pending: int
    paid_amount: Money
    pending_amount: Money


@dataclass(frozen=True, slots=True)
class PayoutFilter:
    """The filters of a list of payouts; None: no filter."""

    status: str | None = None
    external_id: str | None = None
    account_id: UUID | None = None
    end_to_end_id: str | None = None
