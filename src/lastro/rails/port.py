"""What a rail and the rooms say to each other. No network is named here: an adapter turns its wire types into these.

Inwards a network's message becomes an inbox row of a kind below, whose body decodes to one of these values; outwards a room
writes an outbox message made by `answer_message` or `return_message`. Codes are the network's own, raw.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol, Self, TypeAlias, TypeVar
from uuid import UUID

import msgspec

from lastro.base.money import Money
from lastro.base.run import Verb
from lastro.base.write import Finished, Message
from lastro.standards import pix_ids

RAIL = "pix"

# Inbox kinds.
PIX_ASK = "pix.ask"  # PixArrival, settled_at None: the network waits for our yes or no
PIX_SETTLED = "pix.settled"  # PixArrival, settled_at set: the money is in, nobody asked
PIX_FINAL = "pix.final"  # PixFinal
RETURN_FINAL = "return.final"  # ReturnFinal
REFUSED = "refused"  # MessageRefused
UNKNOWN = "unknown"  # the network's bytes, as they came

# What a message is settled with that contradicts what we know, or that we cannot read: people must look at it.
ALARMED = "alarmed"

# Outbox kinds.
PIX_ANSWER = "pix.answer"  # PixAnswer
RETURN_SEND = "return.send"  # ReturnOrder

FIRST_ASK = timedelta(seconds=10)  # a room sets ask_at so much after it has told the network something
ASK_AGAIN = (timedelta(seconds=30), timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15))


class Payer(msgspec.Struct, frozen=True):
    """Who pays. document_type: CPF or CNPJ. account_type: the network's word (CACC, SVGS, TRAN, SLRY)."""

    name: str
    document_type: str
    document_number: str
    ispb: str
    branch: str
    account: str
    account_type: str
    ibge_code: str | None = None


class PixArrival(msgspec.Struct, frozen=True):
    """A Pix to one of our accounts. settled_at None: the network asks before it settles; else the money is already in.

    instrument: how it was initiated (DICT, QRDN, QRES, MANU, INIC). accepted_at: when the network took it from the payer.
    """

    message_id: str
    end_to_end_id: str
    txid: str | None
    amount: Money
    accepted_at: datetime
    payer: Payer
    receiver_branch: str
    receiver_account: str
    receiver_document: str | None
    key: str | None
    instrument: str
    remittance: str | None = None
    settled_at: datetime | None = None


class PixFinal(msgspec.Struct, frozen=True):
    """The end of a Pix. settled: with settled_at; else with the code of the refusal."""

    end_to_end_id: str
    settled: bool
    code: str | None = None
    settled_at: datetime | None = None


class ReturnFinal(msgspec.Struct, frozen=True):
    """The end of a return of ours. end_to_end_id: of the Pix that it returns."""

    return_id: str
    end_to_end_id: str
    settled: bool
    code: str | None = None
    settled_at: datetime | None = None


class MessageRefused(msgspec.Struct, frozen=True):
    """The network would not process a message of ours. return_id: the return it was about, where it was one.

    What the message was about has not ended by this: the network is asked about it all the same.
    """

    related_message_id: str
    return_id: str | None = None
    code: str | None = None
    description: str | None = None


class PixAnswer(msgspec.Struct, frozen=True):
    """Our yes or no to a Pix that the network asked about. code: why not, in the network's words; None is yes."""

    message_id: str
    original_message_id: str
    end_to_end_id: str
    accept: bool
    code: str | None = None
    created_at: datetime | None = None  # set by answer_message, so that every send says the same

    @classmethod
    def new(cls, ispb: str, to: PixArrival, code: str | None, entropy: bytes) -> Self:
        """Our answer to a question, under a message id of its own. ispb: ours. entropy: 24 random bytes or more."""
        return cls(pix_ids.message_id(ispb, entropy), to.message_id, to.end_to_end_id, code is None, code)


class ReturnOrder(msgspec.Struct, frozen=True):
    """Money to be given back. reason: MD06, SL02, BE08, FR01 (SPI message catalogue, pacs.004)."""

    return_id: str
    end_to_end_id: str
    amount: Money
    reason: str
    details: str | None = None  # free text, up to 140 characters
    created_at: datetime | None = None  # set by return_message, so that every send says the same


@dataclass(frozen=True, slots=True)
class Pending:
    """The network knows it and has not ended it."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The network does not know it: it never arrived there."""


class Transient(Exception):  # noqa: N818 it says how the network is, not that somebody erred
    """It may or may not have arrived; try the same again later."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Permanent(Exception):  # noqa: N818
    """The network will never take this. code: its word, raw."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason


@dataclass(frozen=True, slots=True)
class KeyOwner:
    """Whose key it is. document: CPF or CNPJ, digits alone."""

    name: str
    document: str


@dataclass(frozen=True, slots=True)
class KeyAccount:
    """The account of ours that a key leads to."""

    branch: str
    number: str
    opened_at: datetime


@dataclass(frozen=True, slots=True)
class Told:
    """A message from a network, on its way into the inbox.

    network_id: the message's id there, by which a second copy is dropped. subject: the endToEndId or return id it is about.
    account: number of the account of ours that it names, where it names one; it says whose message it is.
    """

    kind: str
    network_id: str
    subject: str
    body: bytes
    txid: str | None = None
    account: str | None = None


Keep: TypeAlias = Callable[[Sequence[Told]], Awaitable[None]]


class Rail(Protocol):
    """A network as the worker and the rooms see it. Whatever is asked of it has a hard time-out of 10 s.

    Each question raises Transient when it is not known whether it took effect, Permanent when the network refuses for good.
    """

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Hands over what the network tells, until stop. The network hears that we have it only after keep has returned."""

    async def send(self, kind: str, network_id: str, body: bytes) -> None:
        """Tells the network what an outbox row says; the same row again changes nothing there."""

    async def payment(self, end_to_end_id: str) -> PixFinal | Pending | Unknown:
        """What became of a Pix."""

    async def returned(self, return_id: str) -> ReturnFinal | Pending | Unknown:
        """What became of a return."""

    async def register_key(
        self, *, request_id: UUID, key_type: str, key: str | None, owner: KeyOwner, account: KeyAccount
    ) -> str:
        """The key as the directory has it. key_type: CPF, CNPJ, EMAIL, PHONE, RANDOM (then key is None: it is made there).

        The same request_id again gives the same key.
        """

    async def register_participant(self, *, name: str, jku: str, host: str) -> None:
        """Makes the institution's locations trusted. jku: where their keys are published. host: where they are served."""

    async def close(self) -> None:
        """Ends its connections."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """An inbox row under this worker's lease; a verb settles it in its own Write."""

    row_id: UUID
    lease_token: UUID

    def finished(self, outcome: str, at: datetime) -> Finished:
        """The part of the Write that settles the row. Stale at commit when another worker has taken it over."""
        return Finished("inbox", self.row_id, self.lease_token, outcome, at)


@dataclass(frozen=True, slots=True)
class InboxRow:
    """A message to be handled, and the lease under which it is. sends: how often it was taken in hand, with this time."""

    claimed: Claimed
    company_id: UUID
    kind: str
    network_id: str
    subject: str
    txid: str | None
    body: bytes
    received_at: datetime
    sends: int


InboxVerb: TypeAlias = Callable[[InboxRow], Verb[Any]]

T = TypeVar("T")


def encode(value: msgspec.Struct) -> bytes:
    """The bytes of a value of this file, for inbox.body and outbox.body. Money is its integer of minor units, exact."""
    return msgspec.json.encode(value)


def _decode(body: bytes, kind: type[T]) -> T:
    return msgspec.json.decode(body, type=kind)


def arrival(body: bytes) -> PixArrival:
    """The body of pix.ask and pix.settled. msgspec.ValidationError for other bytes, as for each of these."""
    return _decode(body, PixArrival)


def pix_final(body: bytes) -> PixFinal:
    """The body of pix.final."""
    return _decode(body, PixFinal)


def return_final(body: bytes) -> ReturnFinal:
    """The body of return.final."""
    return _decode(body, ReturnFinal)


def refused(body: bytes) -> MessageRefused:
    """The body of refused."""
    return _decode(body, MessageRefused)


def pix_answer(body: bytes) -> PixAnswer:
    """The body of pix.answer."""
    return _decode(body, PixAnswer)


def return_order(body: bytes) -> ReturnOrder:
    """The body of return.send."""
    return _decode(body, ReturnOrder)


def answer_message(answer: PixAnswer, reference_id: UUID, row_id: UUID, at: datetime, *, rail: str = RAIL) -> Message:
    """The outbox message that tells an answer. reference_id: the payment's id here. row_id: the message's own id here."""
    body = encode(msgspec.structs.replace(answer, created_at=at))
    return Message(row_id, rail, PIX_ANSWER, answer.message_id, reference_id, body, at)


def return_message(order: ReturnOrder, reference_id: UUID, row_id: UUID, at: datetime, *, rail: str = RAIL) -> Message:
    """The outbox message that gives money back. reference_id: the refund's id here. row_id: the message's own id here."""
    body = encode(msgspec.structs.replace(order, created_at=at))
    return Message(row_id, rail, RETURN_SEND, order.return_id, reference_id, body, at)
