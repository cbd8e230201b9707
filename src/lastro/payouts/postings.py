"""Which accounts move, for each fact of a payout. X→Y is one transfer: debit X, credit Y."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro import ledger
from lastro.core.write import Transfer
from lastro.rails.port import BOOK

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.money import Money
    from lastro.core.runner import RequestContext
    from lastro.ledger import LedgerAccount
    from lastro.payouts.model import Payout

_OUT = {"pix": "PIX_OUT", "ted": "TED_OUT", "book": "BOOK_OUT"}


def hold(door: RequestContext, account_id: UUID, payout_id: UUID, amount: Money, rail: str) -> Transfer:
    """CUST→NET(rail) held, or CUST→TRANSIT where the receiver is here."""
    return _transfer(door, "held", account_id, _way_out(door, rail, amount), amount, _OUT[rail], payout_id)


def hold_fee(door: RequestContext, account_id: UUID, payout_id: UUID, fee: Money) -> Transfer:
    """CUST→FEE held."""
    fees = ledger.fees(door.company_id, fee.currency)
    return _transfer(door, "held", account_id, fees, fee, "PAYOUT_FEE", payout_id)


def end_hold(door: RequestContext, payout: Payout, kind: str) -> tuple[Transfer, ...]:
    """The amount's hold, posted or voided; nothing where it is not held."""
    if payout.hold_id is None:
        return ()
    way = _way_out(door, payout.rail, payout.amount)
    return (_transfer(door, kind, payout.account_id, way, payout.amount, _OUT[payout.rail], payout.id, payout.hold_id),)


def end_fee(door: RequestContext, payout: Payout, kind: str) -> tuple[Transfer, ...]:
    """The fee's hold, posted or voided; nothing where none is held."""
    if payout.fee_hold_id is None:
        return ()
    fees = ledger.fees(door.company_id, payout.fee.currency)
    return (_transfer(door, kind, payout.account_id, fees, payout.fee, "PAYOUT_FEE", payout.id, payout.fee_hold_id),)


def returned(door: RequestContext, payout: Payout, amount: Money, *, is_unfit: bool) -> Transfer:
    """NET→CUST what came back, or NET→SUSP where it is more than was left to return; of an account here out of TRANSIT."""
    net = _way_out(door, payout.rail, amount)
    to = ledger.customer(door.company_id, payout.account_id, amount.currency)
    if is_unfit:
        to = ledger.suspense(door.company_id, amount.currency)
    word = f"{payout.rail.upper()}_RETURN{'_UNFIT' if is_unfit else 'ED'}"
    return Transfer(door.chance.uuid(door.now), "moved", net, to, amount, word, payout.id, door.now)


def return_credited(door: RequestContext, account_id: UUID, payout: Payout, amount: Money) -> Transfer:
    """SUSP→CUST: people have decided that what came back and fitted nothing is this account's. No fee is taken of it."""
    suspense = ledger.suspense(door.company_id, amount.currency)
    to = ledger.customer(door.company_id, account_id, amount.currency)
    return Transfer(door.chance.uuid(door.now), "moved", suspense, to, amount, "RETURN_CREDITED", payout.id, door.now)


def return_paid_out(door: RequestContext, payout: Payout, amount: Money) -> Transfer:
    """SUSP→NET of its rail: people have had it paid out of our position there, by another way than this payout."""
    suspense = ledger.suspense(door.company_id, amount.currency)
    net, word = ledger.clearing(door.company_id, payout.rail, amount.currency), f"{payout.rail.upper()}_RETURN_PAID_OUT"
    return Transfer(door.chance.uuid(door.now), "moved", suspense, net, amount, word, payout.id, door.now)


def proved(door: RequestContext, payout: Payout, available: Money) -> tuple[Transfer, ...]:
    """CUST→NET what the account has of it, LOSS→NET what it lacks: a payment that had been taken for failed has left."""
    word = payout.rail.upper()
    net = ledger.clearing(door.company_id, payout.rail, payout.amount.currency)
    taken = min(available, payout.amount)
    lack = payout.amount - taken
    parts = []
    if taken.minor:
        parts.append(_transfer(door, "moved", payout.account_id, net, taken, f"{word}_PROVED", payout.id))
    if lack.minor:
        owed = ledger.loss(door.company_id, payout.account_id, lack.currency)
        parts.append(Transfer(door.chance.uuid(door.now), "moved", owed, net, lack, f"{word}_LACK", payout.id, door.now))
    return tuple(parts)


def _way_out(door: RequestContext, rail: str, amount: Money) -> LedgerAccount:
    if rail == BOOK:
        return ledger.transit(door.company_id, amount.currency)
    return ledger.clearing(door.company_id, rail, amount.currency)


def _transfer(
    door: RequestContext, kind: str, account_id: UUID, credit: LedgerAccount, amount: Money, entry: str, payout_id: UUID,
    pending_id: UUID | None = None,
) -> Transfer:  # fmt: skip
    debit = ledger.customer(door.company_id, account_id, amount.currency)
    return Transfer(door.chance.uuid(door.now), kind, debit, credit, amount, entry, payout_id, door.now, pending_id)
