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


def hold(context: RequestContext, account_id: UUID, payout_id: UUID, amount: Money, rail: str) -> Transfer:
    """CUST→NET(rail) held, or CUST→TRANSIT where the receiver is here."""
    return _transfer(context, "held", account_id, _way_out(context, rail, amount), amount, _OUT[rail], payout_id)


def hold_fee(context: RequestContext, account_id: UUID, payout_id: UUID, fee: Money) -> Transfer:
    """CUST→FEE held."""
    fees = ledger.fees(context.company_id, fee.currency)
    return _transfer(context, "held", account_id, fees, fee, "PAYOUT_FEE", payout_id)


def end_hold(context: RequestContext, payout: Payout, kind: str) -> tuple[Transfer, ...]:
    """The amount's hold, posted or voided; nothing where it is not held."""
    if payout.hold_id is None:
        return ()
    way = _way_out(context, payout.rail, payout.amount)
    return (_transfer(context, kind, payout.account_id, way, payout.amount, _OUT[payout.rail], payout.id, payout.hold_id),)


def end_fee(context: RequestContext, payout: Payout, kind: str) -> tuple[Transfer, ...]:
    """The fee's hold, posted or voided; nothing where none is held."""
    if payout.fee_hold_id is None:
        return ()
    fees = ledger.fees(context.company_id, payout.fee.currency)
    return (_transfer(context, kind, payout.account_id, fees, payout.fee, "PAYOUT_FEE", payout.id, payout.fee_hold_id),)


def returned(context: RequestContext, payout: Payout, amount: Money, *, is_unfit: bool) -> Transfer:
    """NET→CUST what came back, or NET→SUSP where it is more than was left to return; of an account here out of TRANSIT."""
    net = _way_out(context, payout.rail, amount)
    to = ledger.customer(context.company_id, payout.account_id, amount.currency)
    if is_unfit:
        to = ledger.suspense(context.company_id, amount.currency)
    word = f"{payout.rail.upper()}_RETURN{'_UNFIT' if is_unfit else 'ED'}"
    return Transfer(context.chance.uuid(context.now), "moved", net, to, amount, word, payout.id, context.now)


def return_credited(context: RequestContext, account_id: UUID, payout: Payout, amount: Money) -> Transfer:
    """SUSP→CUST: people have decided that what came back and fitted nothing is this account's. No fee is taken of it."""
    suspense = ledger.suspense(context.company_id, amount.currency)
    to = ledger.customer(context.company_id, account_id, amount.currency)
    return Transfer(
        context.chance.uuid(context.now), "moved", suspense, to, amount, "RETURN_CREDITED", payout.id, context.now
    )


def return_paid_out(context: RequestContext, payout: Payout, amount: Money) -> Transfer:
    """SUSP→NET of its rail: people have had it paid out of our position there, by another way than this payout."""
    suspense = ledger.suspense(context.company_id, amount.currency)
    net, word = ledger.clearing(context.company_id, payout.rail, amount.currency), f"{payout.rail.upper()}_RETURN_PAID_OUT"
    return Transfer(context.chance.uuid(context.now), "moved", suspense, net, amount, word, payout.id, context.now)


def proved(context: RequestContext, payout: Payout, available: Money) -> tuple[Transfer, ...]:
    """CUST→NET what the account has of it, LOSS→NET what it lacks: a payment that had been taken for failed has left."""
    word = payout.rail.upper()
    net = ledger.clearing(context.company_id, payout.rail, payout.amount.currency)
    taken = min(available, payout.amount)
    lack = payout.amount - taken
    parts = []
    if taken.minor:
        parts.append(_transfer(context, "moved", payout.account_id, net, taken, f"{word}_PROVED", payout.id))
    if lack.minor:
        owed = ledger.loss(context.company_id, payout.account_id, lack.currency)
        parts.append(
            Transfer(context.chance.uuid(context.now), "moved", owed, net, lack, f"{word}_LACK", payout.id, context.now)
        )
    return tuple(parts)


def _way_out(context: RequestContext, rail: str, amount: Money) -> LedgerAccount:
    if rail == BOOK:
        return ledger.transit(context.company_id, amount.currency)
    return ledger.clearing(context.company_id, rail, amount.currency)


def _transfer(
    context: RequestContext, kind: str, account_id: UUID, credit: LedgerAccount, amount: Money, entry: str, payout_id: UUID,
    pending_id: UUID | None = None,
) -> Transfer:  # fmt: skip
    debit = ledger.customer(context.company_id, account_id, amount.currency)
    return Transfer(context.chance.uuid(context.now), kind, debit, credit, amount, entry, payout_id, context.now, pending_id)
