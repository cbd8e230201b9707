"""The interface of Pix Automático charges: receiver's side and payer's bank.

Codes are raw. An instruction (pain.013) asks the payer's bank to collect on a day; it schedules, and gives the endToEndId
with which the money will come, or refuses (pain.014). On the day the money comes as any Pix does: `pix.ask` with
PixArrival.charging, then `pix.final`. A charge that is not collected on its day is refused with a code after the last
window. Each instruction is one attempt. The answer to a question about an instruction is one of these, and for a
collected one `pix.settled`: the payment whole.
"""

from __future__ import annotations

from datetime import date, datetime  # noqa: TC003 msgspec reads the annotations when it runs
from typing import TYPE_CHECKING, Literal, Self

import msgspec

from lastro.core.money import Money  # noqa: TC001
from lastro.core.write import Message
from lastro.rails.port.codec import decoder, encode
from lastro.rails.port.facts import Facts  # noqa: TC001
from lastro.rails.port.pix import PIX
from lastro.rails.port.recurrence import bank_order_name, order_name

if TYPE_CHECKING:
    from uuid import UUID

# Inbox kinds.
CHARGE_SCHEDULED = "charge.scheduled"  # ChargeScheduled
CHARGE_REFUSED = "charge.refused"  # ChargeRefused: never scheduled, or not collected on its day
CHARGE_CANCELED = "charge.canceled"  # ChargeCanceled: by the payer's side
CHARGE_CANCEL_FINAL = "charge-cancel.final"  # ChargeCancelFinal

# Outbox kinds.
CHARGE_SEND = "charge.send"  # ChargeInstruction
CHARGE_CANCEL_SEND = "charge-cancel.send"  # ChargeCancelOrder

# First scheduling; a new try after the due date; sent again after a failure (domain.md §3.5).
InstructionKind = Literal["AGND", "NTAG", "RIFL"]
# FAILED: the network would not take what we asked, so that the payer's bank has decided nothing.
ChargeCancelOutcome = Literal["CONFIRMED", "REFUSED", "FAILED"]


class Collector(msgspec.Struct, frozen=True):
    """The creditor of a charge. document: of the holder, digits."""

    name: str
    document: str
    branch: str
    account: str


class ChargeInstruction(msgspec.Struct, frozen=True):
    """One attempt to collect. message_id: its only name in the network until it is scheduled. txid: of the charge.

    payer_ispb: of the bank that is asked. due_on: as agreed, by which the bank knows the cycle. collect_on: the day of this
    attempt, in Brasilia.
    """

    message_id: str
    recurrence_id: str
    txid: str
    kind: InstructionKind
    amount: Money
    due_on: date
    collect_on: date
    payer_ispb: str | None
    payer_document: str
    collector: Collector
    details: str | None = None  # text for the payer, up to 140 characters
    adjusts: bool = False  # whether a due date that is no business day may be collected on the next one
    created_at: datetime | None = None  # set by charge_message, so that every send says the same

    @staticmethod
    def new_message_id(ispb: str, recurrence_id: str, entropy: bytes) -> str:
        """Returns a name for a new instruction. ispb: ours. entropy: 24 random bytes or more."""
        return order_name(ispb, recurrence_id, entropy)

    @staticmethod
    def bank_name(txid: str, kind: InstructionKind, collect_on: date) -> str:
        """Returns an attempt's name at a connection's bank: of a charge's first one, or of another by its day."""
        return f"{txid}.{kind}" if kind == "AGND" else f"{txid}.{kind}.{collect_on.isoformat()}"


class ChargeScheduled(msgspec.Struct, frozen=True):
    """The payer's bank will collect on the day, under this endToEndId. message_id: our instruction's; of: its facts."""

    message_id: str
    recurrence_id: str
    txid: str
    end_to_end_id: str
    scheduled_at: datetime
    of: Facts | None = None


class ChargeRefused(msgspec.Struct, frozen=True):
    """An attempt has ended without money. message_id: that of our instruction. code: why, in the network's words."""

    message_id: str
    recurrence_id: str
    txid: str
    code: str
    decided_at: datetime | None = None  # None: the network would not take the instruction at all
    of: Facts | None = None


class ChargeCanceled(msgspec.Struct, frozen=True):
    """The payer's side has cancelled what it had scheduled. original_message_id: that of our instruction.

    message_id: of the message, empty where the network was asked for the status. code: SLBD by the payer, SLCR
    by us (told only to who asks), CCLD since the authorization was cancelled, ACCT, BLCK, FAIL, OTHR (domain.md §3.6).
    """

    message_id: str
    original_message_id: str
    recurrence_id: str
    txid: str
    code: str
    canceled_at: datetime
    of: Facts | None = None


class ChargeCancelOrder(msgspec.Struct, frozen=True):
    """The receiver's order to drop an instructed charge (camt.055). code: SLCR."""

    message_id: str
    original_message_id: str
    recurrence_id: str
    txid: str
    code: str
    created_at: datetime | None = None  # set by charge_cancel_message, so that every send says the same

    @classmethod
    def new(
        cls, ispb: str, of: str, recurrence_id: str, txid: str, code: str, entropy: bytes, rail: str = PIX
    ) -> Self:  # fmt: skip
        """Returns a cancellation under a new message id.

        of: the instruction's message id. entropy: 24 random bytes or more.
        """
        name = order_name(ispb, recurrence_id, entropy) if rail == PIX else bank_order_name(txid, entropy)
        return cls(name, of, recurrence_id, txid, code)


class ChargeCancelFinal(msgspec.Struct, frozen=True):
    """The end of a cancellation that we asked for (camt.029).

    message_id: that of our order. code: the reason of a refusal. recurrence_id: of the charge. of: its facts, by the
    network; None: it does not say it.
    """

    message_id: str
    original_message_id: str
    outcome: ChargeCancelOutcome
    code: str | None = None
    decided_at: datetime | None = None
    recurrence_id: str | None = None
    of: Facts | None = None


charge_scheduled = decoder(ChargeScheduled)
charge_refused = decoder(ChargeRefused)
charge_canceled = decoder(ChargeCanceled)
charge_cancel_final = decoder(ChargeCancelFinal)
charge_instruction = decoder(ChargeInstruction)
charge_cancel_order = decoder(ChargeCancelOrder)


def charge_message(
    instruction: ChargeInstruction, reference_id: UUID, row_id: UUID, at: datetime, rail: str = PIX
) -> Message:
    """Returns the outbox message that instructs the payer's bank; by a connection, ours.

    reference_id: the attempt's id. row_id: the message's own id.
    """
    body = encode(msgspec.structs.replace(instruction, created_at=at))
    return Message(row_id, rail, CHARGE_SEND, instruction.message_id, reference_id, body, at)


def charge_cancel_message(
    order: ChargeCancelOrder, reference_id: UUID, row_id: UUID, at: datetime, rail: str = PIX
) -> Message:
    """Returns the outbox message that asks for a charge to be dropped.

    reference_id: the payment's id. row_id: its own id here.
    """
    body = encode(msgspec.structs.replace(order, created_at=at))
    return Message(row_id, rail, CHARGE_CANCEL_SEND, order.message_id, reference_id, body, at)
