"""The ledger postings of a payout. X→Y is one transfer: debit X, credit Y."""

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
    """Holds CUST→NET(rail), or CUST→TRANSIT for a receiver here."""
    return _transfer(context, "held", account_id, _way_out(context, rail, amount), amount, _OUT[rail], payout_id)


def hold_fee(context: RequestContext, account_id: UUID, payout_id: UUID, fee: Money) -> Transfer:
    """Holds CUST→FEE."""
    fees = ledger.fees(context.company_id, fee.currency)
    return _transfer(context, "held", account_id, fees, fee, "PAYOUT_FEE", payout_id)


def end_hold(context: RequestContext, payout: Payout, kind: str) -> tuple[Transfer, ...]:
    """Posts or voids the amount's hold, if any."""
    if payout.hold_id is None:
        return ()
    way = _way_out(context, payout.rail, payout.amount)
    return (_transfer(context, kind, payout.account_id, way, payout.amount, _OUT[payout.rail], payout.id, payout.hold_id),)


def end_fee(context: RequestContext, payout: Payout, kind: str) -> tuple[Transfer, ...]:
    """Posts or voids the fee's hold, if any."""
    if payout.fee_hold_id is None:
        return ()
    fees = ledger.fees(context.company_id, payout.fee.currency)
    return (_transfer(context, kind, payout.account_id, fees, payout.fee, "PAYOUT_FEE", payout.id, payout.fee_hold_id),)


def returned(context: RequestContext, payout: Payout, amount: Money, *, is_unfit: bool) -> Transfer:
    """Books NET→CUST, or NET→SUSP if unfit: too much, or its account closed; out of TRANSIT for an account here."""
    net = _way_out(context, payout.rail, amount)
    to = ledger.customer(context.company_id, payout.account_id, amount.currency)
    if is_unfit:
        to = ledger.suspense(context.company_id, amount.currency)
    word = f"{payout.rail.upper()}_RETURN{'_UNFIT' if is_unfit else 'ED'}"
    return Transfer(context.chance.uuid(context.now), "moved", net, to, amount, word, payout.id, context.now)


def return_credited(context: RequestContext, account_id: UUID, payout: Payout, amount: Money) -> Transfer:
    """Books SUSP→CUST: people credit an unfit return to this account. No fee is taken of it."""
    suspense = ledger.suspense(context.company_id, amount.currency)
    to = ledger.customer(context.company_id, account_id, amount.currency)
    return Transfer(
        context.chance.uuid(context.now), "moved", suspense, to, amount, "RETURN_CREDITED", payout.id, context.now
    )


def return_paid_out(context: RequestContext, payout: Payout, amount: Money) -> Transfer:
    """Books SUSP→NET of its rail: people had the unfit return paid out of our position there, by another way."""
    suspense = ledger.suspense(context.company_id, amount.currency)
    net, word = ledger.clearing(context.company_id, payout.rail, amount.currency), f"{payout.rail.upper()}_RETURN_PAID_OUT"
    return Transfer(context.chance.uuid(context.now), "moved", suspense, net, amount, word, payout.id, context.now)


def proved(context: RequestContext, payout: Payout, available: Money) -> tuple[Transfer, ...]:
    """Books CUST→NET up to the balance, LOSS→NET for the rest. The payment had been taken for failed, and has left."""
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
