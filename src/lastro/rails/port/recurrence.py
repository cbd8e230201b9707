"""The interface between rooms and payers' banks for Pix Automático authorizations.

Codes are raw. An authorization without a payment (journey 2) is asked of us as a Pix is: the payer's bank holds it for
confirmed once we have said yes. An authorization that pays its first charge (journey 3) rides in that payment
(PixArrival.authorizing), and our answer to the payment answers both. A cancellation by the payer has happened when we
hear of it; one by the receiver is asked of the payer's bank.

By a connection the receiver's own bank does all this, and tells what has become of it: an authorization has been made.
"""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 msgspec reads the annotations when it runs
from typing import TYPE_CHECKING, Literal, Protocol, Self

import msgspec

from lastro.core.money import Money  # noqa: TC001
from lastro.core.write import Message
from lastro.rails.port.codec import decoder, encode
from lastro.rails.port.pix import PIX, Payer
from lastro.standards import pix_ids, recurrence_ids

if TYPE_CHECKING:
    from uuid import UUID

# Inbox kinds.
AUTHORIZATION_ASK = "authorization.ask"  # Authorization: the payer's bank waits for our yes or no
AUTHORIZATION_MADE = "authorization.made"  # AuthorizationMade: a connection's bank has it already
AUTHORIZATION_DECLINED = "authorization.declined"  # AuthorizationDeclined
AUTHORIZATION_CANCELED = "authorization.canceled"  # AuthorizationCanceled
CANCELLATION_FINAL = "cancellation.final"  # CancellationFinal
RECURRENCE_REFUSED = "recurrence.refused"  # RecurrenceRefused

# Outbox kinds.
AUTHORIZATION_ANSWER = "authorization.answer"  # AuthorizationAnswer
CANCELLATION_SEND = "cancellation.send"  # CancellationOrder
RECURRENCE_CLOSE = "recurrence.close"  # RecurrenceClose: to a connection's bank, which still offers it to payers

# FAILED: the network would not take what we asked, so that the payer's bank has decided nothing.
CancellationOutcome = Literal["CONFIRMED", "REFUSED", "FAILED"]
_ORDER_DIGITS = 12
REGISTER_SECONDS = 2.0  # a client waits for its subscription meanwhile
BY_RECEIVER = "USUARIO_RECEBEDOR"
BY_RECEIVERS_BANK = "PSP_RECEBEDOR"
OVER_BY_TIME = "EXPIRED"  # code of a cancellation that nobody asked for: a connection's bank ends it with its last day


class Authorization(msgspec.Struct, frozen=True):
    """A payer has authorized a recurrence without paying anything (journey 2).

    recurrence_id: its idRec. maximum: the most he lets one charge be, None where he sets none. accepted_at: when his bank
    took his word, by the network's clock.
    """

    message_id: str
    recurrence_id: str
    payer: Payer
    accepted_at: datetime
    maximum: Money | None = None


class AuthorizationMade(msgspec.Struct, frozen=True):
    """A payer has authorized a recurrence at a connection's bank.

    document_type, document_number, ispb, ibge_code: of the payer, as far as the bank tells; API Pix tells neither name nor
    account. accepted_at: when, by the bank's clock.
    """

    recurrence_id: str
    accepted_at: datetime
    document_type: str | None = None
    document_number: str | None = None
    ispb: str | None = None
    ibge_code: str | None = None


class AuthorizationDeclined(msgspec.Struct, frozen=True):
    """A payer has said no to a recurrence. code: why, where his bank says it. payer None: a connection's bank tells none."""

    message_id: str
    recurrence_id: str
    payer: Payer | None
    declined_at: datetime
    code: str | None = None


class AuthorizationAnswer(msgspec.Struct, frozen=True):
    """Our yes or no to an authorization. code: the reason, in the network's words; None is yes."""

    message_id: str
    original_message_id: str
    recurrence_id: str
    accept: bool
    code: str | None = None
    created_at: datetime | None = None  # set by authorization_answer_message, so that every send says the same

    @classmethod
    def new(cls, ispb: str, to: Authorization, code: str | None, entropy: bytes) -> Self:
        """Returns our answer, under a message id of its own. ispb: ours. entropy: 24 random bytes or more."""
        return cls(pix_ids.message_id(ispb, entropy), to.message_id, to.recurrence_id, code is None, code)


class Requester(msgspec.Struct, frozen=True):
    """The requester of a cancellation.

    role: USUARIO_PAGADOR, PSP_PAGADOR, USUARIO_RECEBEDOR, PSP_RECEBEDOR (API Pix 2.9.0).
    """

    role: str
    document_type: str | None = None
    document_number: str | None = None
    name: str | None = None


class AuthorizationCanceled(msgspec.Struct, frozen=True):
    """The payer's side has cancelled an authorization: it is over there. code: SLDB, ACCL, DCSD, FRUD …"""

    message_id: str
    recurrence_id: str
    code: str
    requester: Requester
    canceled_at: datetime


class CancellationOrder(msgspec.Struct, frozen=True):
    """The receiver's side asks the payer's bank to cancel an authorization. message_id: its only name in the network."""

    message_id: str
    recurrence_id: str
    code: str
    requester: Requester
    created_at: datetime | None = None  # set by cancellation_message, so that every send says the same

    @classmethod
    def new(cls, ispb: str, recurrence_id: str, code: str, requester: Requester, entropy: bytes, rail: str = PIX) -> Self:
        """Returns a cancellation under a new message id. ispb: ours. entropy: 24 random bytes or more."""
        name = order_name(ispb, recurrence_id, entropy) if rail == PIX else bank_order_name(recurrence_id, entropy)
        return cls(name, recurrence_id, code, requester)


class RecurrenceClose(msgspec.Struct, frozen=True):
    """A recurrence that nobody may authorize any more."""

    recurrence_id: str


class CancellationFinal(msgspec.Struct, frozen=True):
    """The end of a cancellation that we asked for. message_id: that of our order. code: the reason of a refusal."""

    message_id: str
    recurrence_id: str
    outcome: CancellationOutcome
    code: str | None = None
    decided_at: datetime | None = None


class RecurrenceRefused(msgspec.Struct, frozen=True):
    """The network's late refusal of a recurrence that it had registered. code: its reason, in its words."""

    message_id: str
    recurrence_id: str
    code: str
    refused_at: datetime | None = None


def order_name(ispb: str, recurrence_id: str, entropy: bytes) -> str:
    """Returns a new message's id for an order about our recurrence.

    The id names its company as the recurrence's does. ispb: ours. entropy: 24 random bytes or more.
    """
    company_number = recurrence_ids.company_of_recurrence_id(recurrence_id)
    assert company_number is not None, "an idRec of ours names its company"
    return pix_ids.order_message_id(ispb, company_number, entropy)


def bank_order_name(name: str, entropy: bytes) -> str:
    """Returns our name of an order to a connection's bank.

    name: a recurrence's, or a charge's txid; `named_in` finds it again. entropy: 24 random bytes or more.
    """
    return f"{name}.{pix_ids.location_token(entropy)[:_ORDER_DIGITS]}"


def named_in(order_name: str) -> str:
    """Returns what an order to a connection's bank is about."""
    return order_name.partition(".")[0]


authorization = decoder(Authorization)
authorization_made = decoder(AuthorizationMade)
recurrence_close = decoder(RecurrenceClose)
authorization_declined = decoder(AuthorizationDeclined)
authorization_canceled = decoder(AuthorizationCanceled)
recurrence_refused = decoder(RecurrenceRefused)
authorization_answer = decoder(AuthorizationAnswer)
cancellation_order = decoder(CancellationOrder)
cancellation_final = decoder(CancellationFinal)


def authorization_answer_message(answer: AuthorizationAnswer, reference_id: UUID, row_id: UUID, at: datetime) -> Message:
    """Returns the outbox message that tells an answer.

    reference_id: the subscription's id. row_id: the message's own id here.
    """
    body = encode(msgspec.structs.replace(answer, created_at=at))
    return Message(row_id, PIX, AUTHORIZATION_ANSWER, answer.message_id, reference_id, body, at)


def cancellation_message(
    order: CancellationOrder, reference_id: UUID, row_id: UUID, at: datetime, rail: str = PIX
) -> Message:
    """Returns the outbox message that asks for a cancellation.

    reference_id: the cancellation's id. row_id: the message's own.
    """
    body = encode(msgspec.structs.replace(order, created_at=at))
    return Message(row_id, rail, CANCELLATION_SEND, order.message_id, reference_id, body, at)


def recurrence_close_message(rail: str, recurrence_id: str, reference_id: UUID, row_id: UUID, at: datetime) -> Message:
    """Returns the outbox message that ends a recurrence at a connection's bank.

    reference_id: the subscription's id. row_id: the message's own.
    """
    body = encode(RecurrenceClose(recurrence_id))
    return Message(row_id, rail, RECURRENCE_CLOSE, f"close:{recurrence_id}.{row_id.hex}", reference_id, body, at)


class Registrar(Protocol):
    """Asks a network about a recurrence before it is made. The receiver's own institution registers it, and asks nobody."""

    async def refusal(self, recurrence_id: str, debtor_document: str) -> str | None:
        """Returns the code of a final refusal.

        None: it is registered, as it is where the network is silent for REGISTER_SECONDS.
        """

    async def close(self) -> None:
        """Ends its connections."""
