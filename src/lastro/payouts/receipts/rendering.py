"""A receipt as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.api_kit.rendering import Bank, EndToEndId, Id, PixKey, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.payouts.batches import Decimal  # noqa: TC001 msgspec reads it
from lastro.payouts.model import CURRENCIES, METHODS, STATUSES
from lastro.payouts.receipts.model import HAS_LEFT, names_of, shown_key, shown_number

if TYPE_CHECKING:
    from lastro.payouts.model import Payout
    from lastro.payouts.receipts.model import Receipt, ReceivedReturn

_ControlNumber = Annotated[str, msgspec.Meta(description="Of a TED, the STR's; to an account here ours.")]


class ReceiptDocument(Answer, frozen=True, kw_only=True):
    """The CPF or CNPJ of a party, as receipts show it."""

    type: Annotated[str, words("CPF", "CNPJ")]
    number: Annotated[
        str,
        msgspec.Meta(
            description="Of a CPF the six digits in its middle; a CNPJ whole, without punctuation.",
            examples=["***.813.579-**"],
        ),
    ]


class ReceiptParty(Answer, frozen=True, kw_only=True):
    """The payer or the receiver."""

    name: str
    document: ReceiptDocument
    bank: Annotated[
        Bank,
        msgspec.Meta(description="Branch and account, or the Pix key that was paid to; of a key that is a CPF six digits."),
    ]


class ReceiptTransfer(Answer, frozen=True, kw_only=True):
    """One transfer of a batch, paid or not."""

    id: Id
    sequence: Annotated[int, msgspec.Meta(description="Its place in the batch, from 1.", ge=1)]
    status: Annotated[str, words(*STATUSES)]
    amount: Decimal
    returned_amount: Decimal | None = None
    end_to_end_id: EndToEndId | None = None
    control_number: _ControlNumber | None = None
    paid_at: Annotated[Timestamp | None, msgspec.Meta(description="Left out where it was not paid.")] = None


class ReceiptReturn(Answer, frozen=True, kw_only=True):
    """A return of money by the receiver."""

    return_id: Annotated[
        str, msgspec.Meta(description="The network's id: of a return by Pix `D…`, of a TED that came back its STR number.")
    ]
    payout_id: Annotated[Id, msgspec.Meta(description="The payout, or the transfer of the batch, that it is of.")]
    amount: Decimal
    returned_at: Annotated[Timestamp, msgspec.Meta(description="When the network settled it.")]


class Issuer(Answer, frozen=True, kw_only=True):
    """The institution that gives the receipt, and that paid."""

    name: str
    ispb: Annotated[str, msgspec.Meta(description="Its id of 8 characters.", examples=["99999010"])]


class PayoutReceipt(Answer, frozen=True, kw_only=True):
    """Proof of a payout whose money has left."""

    id: Id
    external_id: str
    status: Annotated[str, words(*sorted(HAS_LEFT))]
    payment_method: Annotated[str, words(*METHODS)]
    amount: Annotated[Decimal, msgspec.Meta(description="What was to be paid.")]
    paid_amount: Annotated[
        Decimal, msgspec.Meta(description="What has left: less than `amount` where transfers of a batch failed.")
    ]
    fee: Annotated[Decimal | None, msgspec.Meta(description="What the payout cost its payer; left out where nothing.")] = (
        None
    )
    returned_amount: Annotated[Decimal | None, msgspec.Meta(description="What has come back of it so far.")] = None
    currency: Annotated[str, msgspec.Meta(description="ISO 4217 code.", examples=["BRL"]), words(*CURRENCIES)]
    description: str
    paid_at: Annotated[Timestamp, msgspec.Meta(description="When the network settled it, of a batch the last of it.")]
    end_to_end_id: Annotated[
        EndToEndId | None,
        msgspec.Meta(description="Of a Pix; in a batch each transfer has its own."),
    ] = None
    control_number: _ControlNumber | None = None
    txid: Annotated[str | None, msgspec.Meta(description="Of the QR that was paid.")] = None
    payer: ReceiptParty
    receiver: ReceiptParty
    transfers: Annotated[list[ReceiptTransfer] | None, msgspec.Meta(description="Of a batch, in order.")] = None
    returns: Annotated[list[ReceiptReturn] | None, msgspec.Meta(description="What came back, oldest first.")] = None
    issuer: Issuer
    issued_at: Annotated[
        Timestamp,
        msgspec.Meta(description="When the last thing happened that the receipt tells; the same each time it is read."),
    ]
    authentication_code: Annotated[
        str,
        msgspec.Meta(
            description="Made of what the receipt tells: the same for the same facts, for others another.",
            examples=["6F1C0A9D3B7E4258A1D0C3F2E5B49876"],
            pattern="^[0-9A-F]{32}$",
        ),
    ]


def shown(receipt: Receipt) -> PayoutReceipt:
    """Renders the receipt."""
    p = receipt.payout
    end_to_end_id, control_number = names_of(p)
    return PayoutReceipt(
        id=str(p.id),
        external_id=p.external_id or "",
        status=p.state,
        payment_method=p.method,
        amount=str(p.amount),
        paid_amount=str(receipt.paid),
        fee=str(p.fee) if p.fee.minor else None,
        returned_amount=str(receipt.returned) if receipt.returns else None,
        currency=p.amount.currency,
        description=p.description,
        paid_at=stamp(receipt.paid_at),
        end_to_end_id=end_to_end_id,
        control_number=control_number,
        txid=p.txid,
        payer=_payer(receipt),
        receiver=_receiver(p),
        transfers=[_transfer(t) for t in receipt.transfers] or None,
        returns=[_return(r) for r in receipt.returns] or None,
        issuer=Issuer(name=receipt.institution.name, ispb=receipt.institution.ispb),
        issued_at=stamp(receipt.issued_at),
        authentication_code=receipt.code,
    )


def _payer(receipt: Receipt) -> ReceiptParty:
    account, ours = receipt.payout.account, receipt.institution
    holder = account.holder
    bank = Bank(
        ispb=ours.ispb, name=ours.name, branch=account.branch, account=account.number, account_type="PAYMENT_ACCOUNT",
        code=ours.compe,
    )  # fmt: skip
    return ReceiptParty(name=holder.full_name, document=_document(holder.document_type, holder.document_number), bank=bank)


def _receiver(payout: Payout) -> ReceiptParty:
    """Returns the receiver as events name him (notifications.py). A receiver paid by a key is not shown with his account."""
    r, key = payout.receiver, shown_key(payout)
    if key is not None and payout.key_type is not None:
        bank = Bank(ispb=r.ispb, name=payout.bank_name, code=payout.bank_code, pix=PixKey(type=payout.key_type, key=key))
    else:
        bank = Bank(
            ispb=r.ispb, name=payout.bank_name, branch=r.branch, account=r.account, account_type=r.account_type,
            code=payout.bank_code,
        )  # fmt: skip
    return ReceiptParty(name=r.name, document=_document(r.document_type, r.document_number), bank=bank)


def _document(kind: str, number: str) -> ReceiptDocument:
    return ReceiptDocument(type=kind, number=shown_number(kind, number))


def _transfer(transfer: Payout) -> ReceiptTransfer:
    end_to_end_id, control_number = names_of(transfer)
    return ReceiptTransfer(
        id=str(transfer.id),
        sequence=transfer.sequence or 1,
        status=transfer.state,
        amount=str(transfer.amount),
        returned_amount=str(transfer.returned) if transfer.returned.minor else None,
        end_to_end_id=end_to_end_id,
        control_number=control_number,
        paid_at=None if transfer.paid_at is None else stamp(transfer.paid_at),
    )


def _return(one: ReceivedReturn) -> ReceiptReturn:
    return ReceiptReturn(
        return_id=one.name, payout_id=str(one.payout_id), amount=str(one.amount), returned_at=stamp(one.settled_at)
    )
