"""The interface of outgoing money: Pix, TED, and receivers' returns."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 msgspec reads the annotations when it runs
from typing import TYPE_CHECKING

import msgspec

from lastro.core.money import Money  # noqa: TC001
from lastro.core.write import Message
from lastro.rails.port.codec import decoder, encode
from lastro.rails.port.facts import Facts  # noqa: TC001
from lastro.rails.port.pix import Payer, Receiver  # noqa: TC001

if TYPE_CHECKING:
    from uuid import UUID

TED = "ted"

# Inbox kinds.
PAYMENT_FINAL = "payment.final"  # PaymentFinal
PAYMENT_PENDING = "payment.pending"  # the network's bytes: it has a payment of ours, and says no end yet
PAYMENT_RETURNED = "payment.returned"  # PaymentReturned
PAYMENT_DOUBTED = "payment.doubted"  # PaymentDoubted
PAYMENT_NEVER = "payment.never"  # PaymentNever
ORDER_DOUBTED = "order.doubted"  # PaymentDoubted, of what has no other name in the network than its message

# Outbox kinds.
PAYMENT_SEND = "payment.send"  # PaymentOrder
TED_SEND = "ted.send"  # TedOrder


class PaymentOrder(msgspec.Struct, frozen=True):
    """A Pix of ours, or a TED between two accounts here.

    The end_to_end_id of such a TED is its control number. instrument: DICT, QRES, QRDN, MANU (SPI catalogue, pacs.008).
    remittance: up to 140 characters.
    """

    end_to_end_id: str
    amount: Money
    payer: Payer
    receiver: Receiver
    instrument: str
    accepted_at: datetime  # the same on every send
    key: str | None = None
    txid: str | None = None
    remittance: str | None = None


class TedOrder(msgspec.Struct, frozen=True):
    """A TED of ours. control_number: ours (NumCtrlIF). purpose: of the SFN's list, 10 is credit in account."""

    control_number: str
    amount: Money
    payer: Payer
    receiver: Receiver
    created_at: datetime
    purpose: str = "10"
    history: str | None = None


class PaymentFinal(msgspec.Struct, frozen=True):
    """The end of a payment of ours. subject: its endToEndId, or of a TED our control number. number: the STR's, of a TED.

    of: its facts, by the network.
    """

    subject: str
    settled: bool
    code: str | None = None
    settled_at: datetime | None = None
    number: str | None = None
    of: Facts | None = None


class PaymentReturned(msgspec.Struct, frozen=True):
    """Money that a receiver has given back, already in. subject: of the payment, as in PaymentFinal; of: what that was."""

    subject: str
    return_id: str
    amount: Money
    reason: str
    settled_at: datetime
    details: str | None = None
    of: Facts | None = None


class PaymentDoubted(msgspec.Struct, frozen=True):
    """The network would not process a message about a payment; an earlier copy of it may have arrived.

    subject: as in PaymentFinal; of a return its id, of any other order that of its message.
    """

    subject: str
    code: str


class PaymentNever(msgspec.Struct, frozen=True):
    """The network does not know an overdue payment, or rejected its message.

    sends: how often the message had been taken in hand before the network was asked: a message sent after that may
    arrive. None: somebody had it in hand then, and the answer says nothing.
    """

    subject: str
    sends: int | None = None


payment_order = decoder(PaymentOrder)
ted_order = decoder(TedOrder)
payment_final = decoder(PaymentFinal)
payment_returned = decoder(PaymentReturned)
payment_doubted = decoder(PaymentDoubted)
payment_never = decoder(PaymentNever)


def payment_message(order: PaymentOrder, rail: str, reference_id: UUID, row_id: UUID, at: datetime) -> Message:
    """Returns the outbox message that pays.

    rail: pix, or book. reference_id: the payout's id. row_id: the message's own id here.
    """
    return Message(row_id, rail, PAYMENT_SEND, order.end_to_end_id, reference_id, encode(order), at)


def ted_message(order: TedOrder, reference_id: UUID, row_id: UUID, at: datetime) -> Message:
    """Returns the outbox message that sends a TED."""
    return Message(row_id, TED, TED_SEND, order.control_number, reference_id, encode(order), at)
