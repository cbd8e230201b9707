"""Which accounts move, for each fact of an order. X→Y is one transfer: debit X, credit Y."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro import ledger
from lastro.base.write import Transfer
from lastro.rails.port import BOOK, PIX

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.base.money import Money
    from lastro.base.run import Door


def paid(door: Door, account_id: UUID, order_id: UUID, credit: Money, fee: Money, rail: str) -> tuple[Transfer, ...]:
    """NET→CUST what the account gets, NET→FEE what we keep; never the whole in and the fee out again.

    From another account here it comes out of TRANSIT.
    """
    net, came, kept = ledger.clearing(door.company_id, PIX, credit.currency), "PIX_IN", "FEE"
    if rail == BOOK:
        net, came, kept = ledger.transit(door.company_id, credit.currency), "BOOK_IN", "BOOK_FEE"
    parts = []
    if credit.minor:
        customer = ledger.customer(door.company_id, account_id, credit.currency)
        parts.append(_moved(door, net, customer, credit, came, order_id))
    if fee.minor:
        parts.append(_moved(door, net, ledger.fees(door.company_id, fee.currency), fee, kept, order_id))
    return tuple(parts)


def unfit(door: Door, payment_id: UUID, amount: Money) -> Transfer:
    """NET→SUSP: money that is in and fits nothing."""
    net = ledger.clearing(door.company_id, PIX, amount.currency)
    return _moved(door, net, ledger.suspense(door.company_id, amount.currency), amount, "PIX_UNFIT", payment_id)


def giving_back(door: Door, refund_id: UUID, amount: Money) -> Transfer:
    """SUSP→NET held: a return that is on its way."""
    return _return(door, "held", refund_id, amount, None)


def given_back(door: Door, refund_id: UUID, amount: Money, hold_id: UUID) -> Transfer:
    """Posts it: the network has returned the money."""
    return _return(door, "posted", refund_id, amount, hold_id)


def kept(door: Door, refund_id: UUID, amount: Money, hold_id: UUID) -> Transfer:
    """Voids it: the network refused the return, the money stays in suspense."""
    return _return(door, "voided", refund_id, amount, hold_id)


def _return(door: Door, kind: str, refund_id: UUID, amount: Money, hold_id: UUID | None) -> Transfer:
    return Transfer(
        id=door.chance.uuid(door.now),
        kind=kind,
        debit=ledger.suspense(door.company_id, amount.currency),
        credit=ledger.clearing(door.company_id, PIX, amount.currency),
        amount=amount,
        type="PIX_RETURN",
        reference_id=refund_id,
        at=door.now,
        pending_id=hold_id,
    )


def _moved(
    door: Door, debit: ledger.LedgerAccount, credit: ledger.LedgerAccount, amount: Money, entry: str, reference_id: UUID
) -> Transfer:
    return Transfer(door.chance.uuid(door.now), "moved", debit, credit, amount, entry, reference_id, door.now)
