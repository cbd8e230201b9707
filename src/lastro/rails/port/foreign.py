"""The interface between a polled bank and its foreign payments.

A merchant's account at a bank is shared: other systems of the merchant take Pix there. A payment that no
order of ours asked for is foreign. It is kept, it moves no money here, and it is never given back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from lastro.core.money import Money


# Why a payment is foreign although an order has its txid. The order did not ask for just this payment: people must look.
OTHER_KEY = "OTHER_KEY"  # it came to another key than the order's
OTHER_AMOUNT = "OTHER_AMOUNT"  # somebody changed the charge at the bank
BEFORE_ORDER = "BEFORE_ORDER"  # it is older than its order: a clock is wrong
# Why a foreign payment can be claimed for no order, whatever txid it has.
REHEARSAL = "REHEARSAL"  # `lastro bank rehearse` took it, and gives it back
# What the bank said of it when a person claimed it. It is asked again at the next claim.
GIVEN_BACK = "GIVEN_BACK"  # wholly or in part, or a return is under way
DIFFERS_THERE = "DIFFERS_THERE"  # another amount, key or txid than the list has
UNKNOWN_THERE = "UNKNOWN_THERE"  # the bank does not know it
FOREIGN_REASONS = (OTHER_KEY, OTHER_AMOUNT, BEFORE_ORDER, REHEARSAL, GIVEN_BACK, DIFFERS_THERE, UNKNOWN_THERE)

REHEARSAL_NAME = "lastrorehearsal"  # a rehearsal's txid begins so
REHEARSAL_RANDOM = 15  # letters and digits after it: together 30, a length that no txid of an order has


def is_rehearsal(txid: str | None) -> bool:
    """Tells whether a payment was made for a rehearsal of ours."""
    return txid is not None and txid.startswith(REHEARSAL_NAME) and len(txid) == len(REHEARSAL_NAME) + REHEARSAL_RANDOM


@dataclass(frozen=True, slots=True)
class ForeignPayment:
    """A Pix at a connection that no order of ours asked for. rail: the connection's name.

    payment_id: its endToEndId. txid and pix_key: as the bank told them; None: it told none. paid_at: when the bank had it.
    reason: one of FOREIGN_REASONS; None: no order has its txid.
    """

    rail: str
    payment_id: str
    amount: Money
    paid_at: datetime
    txid: str | None = None
    pix_key: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class PaymentNow:
    """A Pix as its bank has it at this moment. txid, pix_key: None: it tells none.

    is_given_back: wholly or in part, or a return of it is under way, or cannot be read.
    """

    payment_id: str
    amount: Money
    txid: str | None = None
    pix_key: str | None = None
    is_given_back: bool = False


class Foreign(Protocol):
    """The list of foreign payments of one company."""

    async def keep(self, payments: Sequence[ForeignPayment]) -> None:
        """Stores the payments, each once; a second copy changes nothing.

        DatabaseAway, Stale: some of them may be stored, and the same payments may be given again.
        """

    async def claimed(self, rail: str, payment_ids: Collection[str]) -> frozenset[str]:
        """Returns the claimed ones of these payments.

        A person says that they pay an order: they are ours since, and lines of the day's statement. DatabaseAway: try
        again later.
        """

    async def unclaimed(self, rail: str, payment_ids: Collection[str]) -> frozenset[str]:
        """Returns those of these payments that are listed and not claimed: none of them is ours, whatever its txid.

        DatabaseAway: try again later.
        """


class AskedOf(NamedTuple):
    """The order behind a txid. key: the Pix key that it asked for; None: it has none.

    recurrence_id: the idRec that its payment authorizes, at a connection's bank; None: none, or that is known.
    """

    key: str | None
    recurrence_id: str | None = None


class KnownInstruments(Protocol):
    """Tells the payments of our orders from foreign ones. A row of `instruments` decides, and nothing else."""

    async def asked(self, rail: str, txids: Collection[str]) -> Mapping[str, AskedOf]:
        """Returns the order behind each txid. Its key is its own, whatever a file says by now.

        A txid without an instrument of this rail is left out. DatabaseAway: try again later.
        """
