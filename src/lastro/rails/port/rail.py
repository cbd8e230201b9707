"""The interface of a network for worker and rooms; it names none. An inbox row carries a network's message to a verb."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from lastro.core.runner import Done
from lastro.core.work_queue import longest_waiting
from lastro.core.write import Finished, Row, Write
from lastro.rails.port.codec import decoder

if TYPE_CHECKING:
    import asyncio
    from uuid import UUID

    from lastro.core.due_work import DueWork
    from lastro.core.runner import RequestContext, Verb

# Inbox kinds.
REFUSED = "refused"  # MessageRefused
UNKNOWN = "unknown"  # the network's bytes, as they came

# The rail of what rooms put into the inbox themselves: no network has said it.
OWN = "own"

# The outcome of a message that contradicts our books, or that we cannot read: people must look at it.
ALARMED = "alarmed"

FIRST_ASK = timedelta(seconds=10)  # a room sets ask_at so much after it has told the network something
ASKED = "asked:"  # begins the name of a word that answers a question of ours
LONGEST_PAUSE_SECONDS = 3_600  # a network that asks for a longer pause is asked again all the same
ASK_AGAIN = (timedelta(seconds=30), timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15))


class MessageRefused(msgspec.Struct, frozen=True):
    """The network would not process a message of ours.

    The subject of the message has not ended by this: the network is asked about it all the same. return_id: the return it
    was about, where it was one.
    """

    related_message_id: str
    return_id: str | None = None
    code: str | None = None
    description: str | None = None


def proof(row_id: UUID, kind: str, name: str, body: bytes, at: datetime, word: str = "proof") -> Row:
    """Returns the inbox row of a movement that a statement has proved.

    It is kept beside the network's words, and handled. word: by which its id begins, so that a movement that was proved
    not to have left may be proved to have.
    """
    row = {
        "id": row_id, "rail": OWN, "kind": kind, "network_id": f"{word}:{name}", "subject": name, "body": body,
        "received_at": at, "due_at": None, "done_at": at, "outcome": "handled",
    }  # fmt: skip
    return Row("inbox", row)


refused = decoder(MessageRefused)


@dataclass(frozen=True, slots=True)
class Pending:
    """The network knows it and has not ended it."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The network does not know it: it never arrived there."""


class Transient(Exception):  # noqa: N818 it says how the network is, not that somebody erred
    """It may or may not have arrived; try the same again later. retry_after_seconds: where the network says when.

    is_on_its_way: a copy may still arrive. False: it never left, or the network itself has answered it, so that what the
    network does not know after that is not to come.
    """

    def __init__(self, reason: str, retry_after_seconds: int | None = None, *, is_on_its_way: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after_seconds = retry_after_seconds
        self.is_on_its_way = is_on_its_way

    @property
    def pause_seconds(self) -> float:
        """The pause that the network asks for, an hour at most; 0: it asks for none."""
        return float(min(max(self.retry_after_seconds or 0, 0), LONGEST_PAUSE_SECONDS))


class Closed(Exception):  # noqa: N818
    """The network takes nothing at this hour, and has not taken this. seconds: until it is worth trying again."""

    def __init__(self, reason: str, seconds: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.seconds = seconds


class Permanent(Exception):  # noqa: N818
    """The network will never take this. code: its word, raw."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason


@dataclass(frozen=True, slots=True)
class NetworkMessage:
    """A message from a network, on its way into the inbox.

    network_id: the message's id there, by which a second copy is dropped. subject: the endToEndId, return id or control
    number it is about. account: number of the account of ours that it names; company_number: of the company of ours that an
    id in it names; instrument: the reference of one of ours, where no such number is in it; key: a Pix key of ours, or what
    was one when its subject was told of first. They say whose message it is. is_received: it concerns who has received the
    payment, although the payment's id may be one that we made. rail: of which network it is, where another's stream has
    carried it.
    """

    kind: str
    network_id: str
    subject: str
    body: bytes
    txid: str | None = None
    account: str | None = None
    company_number: int | None = None
    rail: str | None = None
    instrument: str | None = None
    key: str | None = None
    is_received: bool = False


class Keep(Protocol):
    """Stores messages; when it has returned, the network may hear that we have them."""

    async def __call__(self, messages: list[NetworkMessage], /) -> None:
        """Stores each once. None at all: the network says that there is nothing new, and so that it is there."""


class Rail(Protocol):
    """A network. Every call to it has a hard time-out of 10 s.

    Each question raises Transient when it is not known whether it took effect, Permanent when the network refuses for
    good.
    """

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Hands over what the network tells, until stop. The network hears that we have it only after keep has returned."""

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Tells the network what an outbox row of this company says; the same row again changes nothing there.

        Closed: it has not taken it, for certain.
        """

    async def status_of(self, kind: str, network_id: str) -> NetworkMessage | Pending | Unknown:
        """Returns the status of an order or of an inbox kind's subject. It is as it would be told, with no network_id."""

    async def close(self) -> None:
        """Ends its connections."""


class Stream(Protocol):
    """The stream of a partner that collects."""

    async def catch_up(self, keep: Keep) -> None:
        """Stores everything that was told so far. Transient: some of it may be missing."""


class StreamsRead(Protocol):
    """The instants up to which partners' streams are in the inbox."""

    def covers(self, rail: str, at: datetime) -> bool:
        """Tells whether the inbox has everything the partner told until `at`."""

    async def read(self, rail: str, at: datetime, now: datetime) -> bool:
        """Reads the partner's stream to now, and tells whether it covers `at`."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Objects of a room that a network has to end: polled at ask_at.

    kind: the outbox kind that ordered it, or the inbox kind of its status. due: where they are. name: the column of their
    id in the network. only: which of them are this rail's. over: says of a row that a message that never arrived is not
    sent again. late: says of a row that people must look at it, while it is asked about all the same. sends: of a row,
    how often its message was taken in hand; NULL where somebody has it in hand now, or there is none. doubts: of a row,
    how many copies of its message the network has said that it would not process. again: how long after each question the
    next one comes.
    """

    kind: str
    due: DueWork
    name: str
    only: str = "true"
    over: str = "false"
    late: str = "false"
    sends: str = "NULL::integer"
    doubts: str = "0"
    again: tuple[timedelta, ...] = ASK_AGAIN

    @property
    def due_sql(self) -> str:
        """The SQL of the rows to poll: company_id and ask_at, in no order."""
        return f"SELECT company_id, ask_at FROM {self.due.table} WHERE {self.due.is_due()} AND {self.only}"  # noqa: S608 names of our own code

    @property
    def first_sql(self) -> str:
        """The SQL of the rows to poll first, at most $1."""
        return f"{self.due_sql} ORDER BY ask_at LIMIT $1"

    @property
    def find_sql(self) -> str:
        """Companies with something to ask, longest waiting first."""
        return longest_waiting(self.due_sql, "ask_at")

    @property
    def claim_sql(self) -> str:
        """The SQL that counts a question and sets the next, before asking. The object's version stays as it is."""
        return (
            f"UPDATE {self.due.table} SET asked = asked + 1,"  # noqa: S608
            " ask_at = (SELECT business_now()) + ($3::interval[])[least(asked + 1, cardinality($3::interval[]))]"
            f" WHERE company_id = $1 AND id = ANY (ARRAY(SELECT id FROM {self.due.table} WHERE company_id = $1"
            f" AND {self.due.is_due()} AND {self.only}"
            f" ORDER BY ask_at LIMIT $2 FOR UPDATE SKIP LOCKED))"
            f" RETURNING company_id, id, asked, {self.name} AS name, {self.over} AS is_over, {self.late} AS is_late,"
            f" {self.sends} AS sends, {self.doubts} AS doubts"
        )


@dataclass(frozen=True, slots=True)
class Claimed:
    """An inbox row under this worker's lease; a verb settles it in its own Write."""

    row_id: UUID
    lease_token: UUID

    def finished(self, outcome: str, at: datetime) -> Finished:
        """Returns the part of the Write that settles the row. Stale at commit when another worker has taken it over."""
        return Finished("inbox", self.row_id, self.lease_token, outcome, at)

    def settled(self, outcome: str, context: RequestContext) -> Write:
        """Settles the row, as `finished` says."""
        return Write(context.company_id, finished=(self.finished(outcome, context.now),))

    def done(self, outcome: str, context: RequestContext, write: Write | None = None) -> Done:
        """Settles the row and answers; with what else the verb writes."""
        settled = self.settled(outcome, context)
        return Done(settled if write is None else settled + write, b"")


@dataclass(frozen=True, slots=True)
class InboxRow:
    """A message to be handled, and the lease under which it is. sends: how often it was taken in hand, with this time."""

    claimed: Claimed
    company_id: UUID
    rail: str
    kind: str
    network_id: str
    subject: str
    txid: str | None
    body: bytes
    received_at: datetime
    sends: int


class InboxVerb(Protocol):
    """Makes the verb that a message of a kind calls for."""

    def __call__(self, row: InboxRow, /) -> Verb[Any]:
        """Returns the verb for this message."""
