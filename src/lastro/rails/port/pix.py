"""The interface of Pix that comes in and goes back. Codes are raw."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 msgspec reads the annotations when it runs
from typing import TYPE_CHECKING, Self

import msgspec

from lastro.core.money import Money  # noqa: TC001
from lastro.core.write import Message
from lastro.rails.port.codec import decoder, encode
from lastro.rails.port.facts import Facts  # noqa: TC001
from lastro.standards import pix_ids

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.rails.port.payments import PaymentFinal

PIX = "pix"
BOOK = "book"  # from one account here to another: the same messages, carried by ourselves

# Inbox kinds.
PIX_ASK = "pix.ask"  # PixArrival, settled_at None: the network waits for our yes or no
PIX_SETTLED = "pix.settled"  # PixArrival, settled_at set: the money is in without a question
PIX_FINAL = "pix.final"  # PixFinal of a Pix that comes to us
RETURN_FINAL = "return.final"  # ReturnFinal
RETURN_NEVER = "return.never"  # PaymentNever, of a return of ours
RETURN_DOUBTED = "return.doubted"  # PaymentDoubted, likewise

# Outbox kinds.
PIX_ANSWER = "pix.answer"  # PixAnswer
RETURN_SEND = "return.send"  # ReturnOrder


class Payer(msgspec.Struct, frozen=True):
    """The payer of a Pix. document_type: CPF or CNPJ. account_type: the network's word (CACC, SVGS, TRAN, SLRY)."""

    name: str
    document_type: str
    document_number: str
    ispb: str
    branch: str
    account: str
    account_type: str
    ibge_code: str | None = None


class Receiver(msgspec.Struct, frozen=True):
    """The payee of a payment, and its account.

    account_type: the interface's word (CHECKING_ACCOUNT …). branch: None where none is told.
    """

    name: str
    document_type: str
    document_number: str
    ispb: str
    branch: str | None
    account: str
    account_type: str


class Authorizing(msgspec.Struct, frozen=True):
    """The recurrence that a first payment authorizes (journey 3 of Pix Automático).

    recurrence_id: its idRec. maximum: the most that the payer lets one charge be, None where he sets none.
    """

    recurrence_id: str
    maximum: Money | None = None


# IPRT: by a bank whose customer had a victim's money, after the first one. REFU: of a charge of Pix Automático at fault.
IPRT, REFU = GIVING_BACK = ("IPRT", "REFU")


class PixArrival(msgspec.Struct, frozen=True):
    """A Pix to one of our accounts. settled_at None: the network asks before it settles; else the money is already in.

    instrument: how it was initiated (DICT, QRDN, QRES, MANU, INIC). accepted_at: when the network took it from the payer.
    authorizing: what its payer authorizes with it, both or neither: a yes, and its settlement, are of both. charging: the
    recurrence of which it is a charge, scheduled under this endToEndId (instrument AUTO). purpose: the network's (IPAY where
    nothing is said). location_token: of the charge, where a message about a dynamic QR has no txid but its location or text.
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
    authorizing: Authorizing | None = None
    charging: str | None = None
    purpose: str | None = None
    location_token: str | None = None

    @property
    def gives_back(self) -> str | None:
        """The purpose of a payment that gives lost money back; else None.

        A bank pays somebody anew what he has lost (domain.md §3.8, §6.4): it is no sale.
        """
        return self.purpose if self.purpose in GIVING_BACK else None


class PixFinal(msgspec.Struct, frozen=True):
    """The end of a Pix. settled: with settled_at; else with the code of the refusal. of: its facts, by the network."""

    end_to_end_id: str
    settled: bool
    code: str | None = None
    settled_at: datetime | None = None
    of: Facts | None = None


class ReturnFinal(msgspec.Struct, frozen=True):
    """The end of a return of ours. end_to_end_id: of the Pix that it returns. amount: how much, as the network says."""

    return_id: str
    end_to_end_id: str
    settled: bool
    code: str | None = None
    settled_at: datetime | None = None
    amount: Money | None = None


class PixAnswer(msgspec.Struct, frozen=True):
    """Our yes or no to a Pix that the network asked about. code: the reason, in the network's words; None is yes."""

    message_id: str
    original_message_id: str
    end_to_end_id: str
    accept: bool
    code: str | None = None
    created_at: datetime | None = None  # set by answer_message, so that every send says the same

    @classmethod
    def new(cls, ispb: str, to: PixArrival, code: str | None, entropy: bytes) -> Self:
        """Returns our answer, under a message id of its own. ispb: ours. entropy: 24 random bytes or more."""
        return cls(pix_ids.message_id(ispb, entropy), to.message_id, to.end_to_end_id, code is None, code)


class Anew(msgspec.Struct, frozen=True):
    """Payer and receiver of a compensating pacs.008 (IPRT or REFU)."""

    payer: Payer
    receiver: Receiver


class ReturnOrder(msgspec.Struct, frozen=True):
    """Money to be given back. reason: MD06, SL02, BE08, FR01 (SPI message catalogue, pacs.004).

    anew: where it goes to somebody else than its payer, by a payment of its own (pacs.008): return_id is then an endToEndId,
    E…, and reason its purpose, IPRT or REFU.
    """

    return_id: str
    end_to_end_id: str
    amount: Money
    reason: str
    details: str | None = None  # free text, up to 140 characters
    created_at: datetime | None = None  # set by return_message, so that every send says the same
    anew: Anew | None = None


def as_return(name: str, end: PixFinal | PaymentFinal) -> ReturnFinal:
    """Returns the end of a return that is its own payment. No word about it repeats the payment that it gives back."""
    amount = None if end.of is None else end.of.amount
    return ReturnFinal(name, "", end.settled, end.code, end.settled_at, amount)


arrival = decoder(PixArrival)
pix_final = decoder(PixFinal)
return_final = decoder(ReturnFinal)
pix_answer = decoder(PixAnswer)
return_order = decoder(ReturnOrder)


def answer_message(answer: PixAnswer, reference_id: UUID, row_id: UUID, at: datetime, *, rail: str = PIX) -> Message:
    """Returns the outbox message that tells an answer.

    reference_id: the payment's id here. row_id: the message's own id here.
    """
    body = encode(msgspec.structs.replace(answer, created_at=at))
    return Message(row_id, rail, PIX_ANSWER, answer.message_id, reference_id, body, at)


def return_message(order: ReturnOrder, reference_id: UUID, row_id: UUID, at: datetime, *, rail: str = PIX) -> Message:
    """Returns the outbox message that gives money back.

    reference_id: the refund's id here. row_id: the message's own id here.
    """
    body = encode(msgspec.structs.replace(order, created_at=at))
    return Message(row_id, rail, RETURN_SEND, order.return_id, reference_id, body, at)
