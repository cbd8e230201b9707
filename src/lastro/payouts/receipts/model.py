"""Receipts, and the code by which two receipts are compared."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from lastro.api_kit.routes import stamp
from lastro.core.money import Money
from lastro.payouts import rules
from lastro.standards.documents import mask

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from uuid import UUID

    from lastro.accounts import Institution
    from lastro.payouts.model import Payout

# States after money has left, even if some came back.
HAS_LEFT = frozenset({"PAID", "PARTIALLY_PAID", "PARTIAL_REFUNDED", "REFUNDED"})
_FORM = "lastro receipt 1"  # changes with the facts in a code: old codes stay comparable
_CODE_BYTES = 16


@dataclass(frozen=True, slots=True)
class ReceivedReturn:
    """A return by the receiver.

    name: the network's, D… or the STR's number of the TED that brought it. settled_at: by the network; booked_at: here.
    """

    name: str
    payout_id: UUID
    amount: Money
    settled_at: datetime
    booked_at: datetime


@dataclass(frozen=True, slots=True)
class Receipt:
    """A payout whose money has left. transfers: of a batch, in order; returns: that counted, oldest first.

    institution: that pays and gives the receipt.
    """

    payout: Payout
    transfers: tuple[Payout, ...]
    returns: tuple[ReceivedReturn, ...]
    institution: Institution

    @property
    def paid_at(self) -> datetime:
        """The time of settlement by the network; of a batch, the last."""
        assert self.payout.paid_at is not None, "only what has left has a receipt"
        return self.payout.paid_at

    @property
    def paid(self) -> Money:
        """The amount that has left; less than a batch's where transfers failed."""
        amount = self.payout.amount
        return rules.counted(self.transfers, amount.currency).paid_amount if self.transfers else amount

    @property
    def returned(self) -> Money:
        """The amount that has come back, of all its transfers together."""
        return Money(sum(r.amount.minor for r in self.returns), self.payout.amount.currency)

    @property
    def issued_at(self) -> datetime:
        """The time of the last fact it shows; stable over repeated requests."""
        moved = (p.updated_at for p in (self.payout, *self.transfers))
        return max(*moved, self.payout.created_at, *(r.booked_at for r in self.returns))

    @property
    def code(self) -> str:
        """The receipt's code: 32 hexadecimal digits of SHA-256, equal for equal facts.

        It is made of the receipt's visible facts alone, so it reveals nothing that is masked. It needs no key: a doubted
        receipt is requested anew and compared, and a key would have to be kept for as long as receipts are.
        """
        told = msgspec.json.encode([_FORM, *self._facts()])
        return hashlib.sha256(told).digest()[:_CODE_BYTES].hex().upper()

    def _facts(self) -> Iterator[str | int | None]:
        p, ours = self.payout, self.institution
        holder, receiver = p.account.holder, p.receiver
        yield from (str(p.id), p.external_id, p.state, p.method, p.amount.currency, p.amount.minor, p.fee.minor)
        yield from (self.paid.minor, self.returned.minor, p.description, stamp(self.paid_at), *names_of(p), p.txid)
        yield from (holder.full_name, shown_number(holder.document_type, holder.document_number))
        yield from (ours.ispb, p.account.branch, p.account.number)
        yield from (receiver.name, shown_number(receiver.document_type, receiver.document_number), receiver.ispb)
        yield from (shown_key(p),) if p.key is not None else (receiver.branch, receiver.account, receiver.account_type)
        yield len(self.transfers)
        for t in self.transfers:
            yield from (str(t.id), t.state, t.amount.minor, t.returned.minor, *names_of(t))
            yield None if t.paid_at is None else stamp(t.paid_at)
        yield len(self.returns)
        for r in self.returns:
            yield from (r.name, str(r.payout_id), r.amount.minor, stamp(r.settled_at))


def names_of(payout: Payout) -> tuple[str | None, str | None]:
    """Its endToEndId, or of a TED its control number; of a batch neither.

    A TED to an account here goes through no STR: its number is ours, as both sides were told it. Older ones have an
    endToEndId.
    """
    if payout.is_batch:
        return None, None
    return payout.end_to_end_id, payout.told_number


def shown_number(kind: str, number: str) -> str:
    """Returns a document for receipts: the middle of a CPF, `***.456.789-**`; a CNPJ whole, which is public."""
    return mask(number) if kind == "CPF" else number


def shown_key(payout: Payout) -> str | None:
    """Returns the paid key for receipts; one that is a CPF is masked as CPFs are."""
    return None if payout.key is None else shown_number(payout.key_type or "", payout.key)
