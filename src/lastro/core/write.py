"""A Write: everything that one act changes, as a value. commit makes it so, whole or not at all."""

from __future__ import annotations

from operator import add, attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime, timedelta
    from uuid import UUID

    from lastro.core.money import Money


class Relied(msgspec.Struct, frozen=True):
    """A row that was read and is not moved: it must still be at that version when the Write commits."""

    kind: str  # the table: one of those that door_commit knows
    id: UUID
    version: int


class Row(msgspec.Struct, frozen=True):
    """One INSERT; company_id is not among the values, it is the Write's."""

    table: str
    values: Mapping[str, Any]


class Move(msgspec.Struct, frozen=True):
    """Moves one object from a state to another, with a history row. It is guarded by the version that was read."""

    table: str
    state_column: str
    id: UUID
    version: int
    from_state: str
    to_state: str
    trigger: str
    reason: str | None
    at: datetime
    sets: Mapping[str, Any]


class Touch(msgspec.Struct, frozen=True):
    """Changes columns of an object, but not its state or version.

    The version guards it and stays, so that no history is due. It is only for what is not part of the object's meaning (how
    often a network was asked, when next). An object with a version and no states (a company, a client) names its next
    version in sets. key: the column that id stands in. also: further columns of its key, if id alone is not the row.
    """

    table: str
    id: UUID | str
    version: int
    sets: Mapping[str, Any]
    key: str = "id"
    also: Mapping[str, Any] = msgspec.field(default_factory=dict)


class TouchMany(msgspec.Struct, frozen=True):
    """A Touch of many rows at once, whose versions rise; what has moved since it was read, or is being moved, stays.

    For what is asked of rows as they were found, where one that went its own way meanwhile is no reason to ask again.
    sets: for each column the rows' values, in the order of ids and versions.
    """

    table: str
    ids: tuple[UUID, ...]
    versions: tuple[int, ...]
    sets: Mapping[str, Sequence[Any]]


class LedgerAccount(msgspec.Struct, frozen=True):
    """An account of the chart; its id is derived from the rest (ledger.chart). floor: debits of it are drawn.

    debtor: the account with a floor that owes what is debited here, until it is credited here.
    """

    id: UUID
    code: str
    currency: str
    floor: bool
    rail: str | None = None
    account_id: UUID | None = None
    debtor: UUID | None = None


class Transfer(msgspec.Struct, frozen=True):
    """A transfer: debits one account, credits another.

    kind: moved; held, then posted or voided, with the held as pending.
    """

    id: UUID
    kind: str
    debit: LedgerAccount
    credit: LedgerAccount
    amount: Money
    type: str
    reference_id: UUID
    at: datetime
    pending_id: UUID | None = None


class Watch(msgspec.Struct, frozen=True):
    """Raises or lowers the later credits that an account reserves for disputes.

    No other debit takes that amount. A debit in the same Write that takes no more than a watch gives up is its own.
    """

    account: LedgerAccount
    minor: int


class Event(msgspec.Struct, frozen=True):
    """An event: its body is bytes already and never changes. url None: it is in the feed alone."""

    id: UUID
    type: str
    reference_id: UUID
    url: str | None
    body: bytes
    at: datetime


class Message(msgspec.Struct, frozen=True):
    """A message to a network, sent after the commit.

    network_id: the message's id there, the same on every send. due: before then it is not sent; None: at once.
    """

    id: UUID
    rail: str
    kind: str
    network_id: str
    reference_id: UUID
    body: bytes
    at: datetime
    due: datetime | None = None


class Withdrawn(msgspec.Struct, frozen=True):
    """An outbox row that is not to be sent after all: stale where somebody has it in hand or has sent it meanwhile.

    sends: how often it was taken in hand when that was read. is_unsent: it still waits to be sent; False: or it was sent and
    must not be sent again, since the network never had it.
    """

    id: UUID
    sends: int
    at: datetime
    is_unsent: bool = True


class Quota(msgspec.Struct, frozen=True):
    """Uses part of a limit; gives it back if minor is negative.

    most: above it the Write is refused; None: never. If minor is 0, most bounds what others have used of it. kind: of limit,
    as the room calls it. period: the day or night it is counted in, as the room writes it.
    """

    owner_id: UUID
    kind: str
    period: str
    minor: int
    most: int | None = None


class Unrepeated(msgspec.Struct, frozen=True):
    """Requires that no payout like this one was made within that time. Otherwise the Write is stale."""

    id: UUID
    within: timedelta


class Freed(msgspec.Struct, frozen=True):
    """Deletes a reference table's row that leads to the company no longer. The row must have been there."""

    table: str
    values: Mapping[str, Any]


class Finished(msgspec.Struct, frozen=True):
    """The inbox or outbox row that this Write settles; the lease token fences off a worker that was taken over."""

    table: str
    id: UUID
    lease_token: UUID
    outcome: str
    at: datetime


class Stored(msgspec.Struct, frozen=True):
    """The answer kept under an idempotency key. keep: forever, month or week."""

    operation: str
    key: str
    fingerprint: bytes
    status: int
    body: bytes
    object_id: UUID
    keep: str
    at: datetime


class Write(msgspec.Struct, frozen=True):
    """The changes of one act of one company. Writes of one company add up; two moves of one row do not."""

    company_id: UUID
    relies: tuple[Relied, ...] = ()
    rows: tuple[Row, ...] = ()
    moves: tuple[Move, ...] = ()
    touches: tuple[Touch, ...] = ()
    many: tuple[TouchMany, ...] = ()
    transfers: tuple[Transfer, ...] = ()
    watches: tuple[Watch, ...] = ()
    events: tuple[Event, ...] = ()
    messages: tuple[Message, ...] = ()
    withdrawn: tuple[Withdrawn, ...] = ()
    quotas: tuple[Quota, ...] = ()
    unrepeated: tuple[Unrepeated, ...] = ()
    finished: tuple[Finished, ...] = ()
    freed: tuple[Freed, ...] = ()
    stored: tuple[Stored, ...] = ()

    def __post_init__(self) -> None:
        if len(self.moves) + len(self.touches) > 1 or self.many:
            moved = [(m.table, m.id) for m in self.moves] + [(t.table, t.id) for t in self.touches]
            moved += [(m.table, one) for m in self.many for one in m.ids]
            if len(set(moved)) != len(moved):
                raise ValueError("two moves of one row in one Write")
        if len(self.stored) > 1 and len({(s.operation, s.key) for s in self.stored}) != len(self.stored):
            raise ValueError("two answers under one key in one Write")

    def __add__(self, other: Write) -> Write:
        if other.company_id != self.company_id:
            raise ValueError("Writes of two companies do not add up: one transaction touches one company")
        return Write(self.company_id, *map(add, _parts(self), _parts(other)))

    @property
    def objects(self) -> tuple[UUID | str, ...]:
        """The objects that it makes, moves or touches, each once."""
        made = [row.values["reference_id"] for row in self.rows if row.table == "history"]
        return tuple(dict.fromkeys((*made, *(m.id for m in self.moves), *(t.id for t in self.touches))))

    @property
    def is_empty(self) -> bool:
        """True if it would change nothing."""
        return not any(_changes(self))


class Caller(msgspec.Struct, frozen=True):
    """The client version and clock version that a decision relies on.

    Both must still hold at the commit. request_id: of the client's call, kept with what it moved.
    """

    client_id: str | None = None
    client_version: int | None = None
    clock_version: int | None = None
    request_id: str | None = None


OURS = Caller()  # a task of ours


class Decided(msgspec.Struct, frozen=True):
    """A Write to be committed. caller: whose act it is. at: the business time it was decided with, at most a second ago."""

    write: Write
    caller: Caller = OURS
    at: datetime | None = None


_NAMES = tuple(name for name in Write.__struct_fields__ if name != "company_id")
_parts = attrgetter(*_NAMES)
_changes = attrgetter(*(name for name in _NAMES if name != "relies"))
