"""The transfers of each event of an order. X→Y is one transfer: debit X, credit Y."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro import ledger
from lastro.core.money import Money
from lastro.core.write import Transfer
from lastro.rails.port import BOOK, CARD, PIX, entry_word, is_connection

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.runner import RequestContext
    from lastro.orders.model import Refund


def paid(
    context: RequestContext,
    account_id: UUID,
    order_id: UUID,
    credit: Money,
    fee: Money,
    rail: str,
    waited: Money | None = None,
) -> tuple[Transfer, ...]:
    """NET→CUST what the account gets, NET→FEE what we keep; never the whole in and the fee out again.

    From another account here it comes out of TRANSIT. waited: what came before in parts and lies in SUSP: the account gets
    of that first, and we keep of it what is above.
    """
    if rail == BOOK:
        net = ledger.transit(context.company_id, credit.currency)
    else:
        net = ledger.clearing(context.company_id, rail, credit.currency)
    word = entry_word(rail)
    came, kept = f"{word}_IN", "FEE" if rail == PIX or is_connection(rail) else f"{word}_FEE"
    customer, fees = (
        ledger.customer(context.company_id, account_id, credit.currency),
        ledger.fees(context.company_id, fee.currency),
    )
    waiting = waited or Money(0, credit.currency)
    credited = min(waiting, credit)
    charged = waiting - credited
    suspense = ledger.suspense(context.company_id, credit.currency)
    moved = (
        (suspense, customer, credited, "PART_IN"), (suspense, fees, charged, "PART_FEE"),
        (net, customer, credit - credited, came), (net, fees, fee - charged, kept),
    )  # fmt: skip
    return tuple(_moved(context, a, b, amount, entry, order_id) for a, b, amount, entry in moved if amount.minor)


def unfit(context: RequestContext, payment_id: UUID, amount: Money, rail: str = PIX) -> Transfer:
    """Books NET→SUSP: money that is in and fits nothing, or not yet."""
    net, suspense = (
        ledger.clearing(context.company_id, rail, amount.currency),
        ledger.suspense(context.company_id, amount.currency),
    )
    return _moved(context, net, suspense, amount, f"{entry_word(rail)}_UNFIT", payment_id)


def giving_back(context: RequestContext, refund_id: UUID, amount: Money, rail: str = PIX) -> Transfer:
    """Holds SUSP→NET: a return that is on its way."""
    return _return(context, "held", refund_id, amount, None, rail)


def given_back(context: RequestContext, refund_id: UUID, amount: Money, hold_id: UUID, rail: str = PIX) -> Transfer:
    """Posts it: the network has returned the money."""
    return _return(context, "posted", refund_id, amount, hold_id, rail)


def kept(context: RequestContext, refund_id: UUID, amount: Money, hold_id: UUID, rail: str = PIX) -> Transfer:
    """Voids it: the network refused the return, the money stays in suspense."""
    return _return(context, "voided", refund_id, amount, hold_id, rail)


def credited_after_all(context: RequestContext, account_id: UUID, refund_id: UUID, amount: Money) -> Transfer:
    """Books SUSP→CUST: people have decided that the money is the account's. No fee is taken of it."""
    suspense = ledger.suspense(context.company_id, amount.currency)
    customer = ledger.customer(context.company_id, account_id, amount.currency)
    return _moved(context, suspense, customer, amount, "STRANDED_IN", refund_id)


def paid_out(context: RequestContext, refund_id: UUID, amount: Money, rail: str) -> Transfer:
    """Books SUSP→NET: people have paid it out of our position at the partner, by another way than a return."""
    suspense = ledger.suspense(context.company_id, amount.currency)
    net = ledger.clearing(context.company_id, rail, amount.currency)
    return _moved(context, suspense, net, amount, f"{entry_word(rail)}_PAID_OUT", refund_id)


def refunding(context: RequestContext, account_id: UUID, refund_id: UUID, amount: Money, rail: str) -> Transfer:
    """Holds CUST→NET, or CUST→TRANSIT where the payer is here. A refund that a client asked for is on its way."""
    return _refund(context, "held", account_id, refund_id, amount, rail, None)


def refunded(context: RequestContext, account_id: UUID, refund: Refund, kind: str) -> Transfer:
    """Posts a refund that its network returned, or voids a refused one. Of a dispute it is out of BLOCK."""
    if refund.med_id is not None:
        return _returned(context, kind, account_id, refund.id, refund.amount, refund.rail, refund.hold_id)
    return _refund(context, kind, account_id, refund.id, refund.amount, refund.rail, refund.hold_id)


def returning_blocked(context: RequestContext, account_id: UUID, refund_id: UUID, amount: Money, rail: str) -> Transfer:
    """Holds BLOCK→NET, or BLOCK→TRANSIT where the payer is here. A return that a dispute wants is on its way."""
    return _returned(context, "held", account_id, refund_id, amount, rail, None)


def charged_back(
    context: RequestContext, account_id: UUID, order_id: UUID, amount: Money, available: Money, rail: str = CARD
) -> tuple[Transfer, ...]:
    """Books a chargeback: CUST→NET what the account has of it, LOSS→NET what it lacks."""
    net = ledger.clearing(context.company_id, rail, amount.currency)
    words = ("CARD_CHARGEBACK", "CARD_LACK") if rail == CARD else ("PIX_TAKEN", "PIX_TAKEN_LACK")
    return _left_already(context, account_id, net, amount, available, words, order_id)


def refund_proved(context: RequestContext, account_id: UUID, refund: Refund, available: Money) -> tuple[Transfer, ...]:
    """Books a refund proved after its failure: CUST→NET what the account has of it, LOSS→NET what it lacks."""
    net = ledger.clearing(context.company_id, PIX, refund.amount.currency)
    words = ("PIX_REFUND_PROVED", "PIX_REFUND_LACK")
    return _left_already(context, account_id, net, refund.amount, available, words, refund.id)


def _left_already(
    context: RequestContext, account_id: UUID, net: ledger.LedgerAccount, amount: Money, available: Money,
    words: tuple[str, str], reference_id: UUID,
) -> tuple[Transfer, ...]:  # fmt: skip
    """Books money that left a network before. words: for the account's part, and for its debt."""
    taken = min(max(available, Money(0, amount.currency)), amount)
    lack, parts = amount - taken, []
    if taken.minor:
        customer = ledger.customer(context.company_id, account_id, amount.currency)
        parts.append(_moved(context, customer, net, taken, words[0], reference_id))
    if lack.minor:
        owed = ledger.loss(context.company_id, account_id, amount.currency)
        parts.append(_moved(context, owed, net, lack, words[1], reference_id))
    return tuple(parts)


def _returned(
    context: RequestContext, kind: str, account_id: UUID, refund_id: UUID, amount: Money, rail: str, hold_id: UUID | None
) -> Transfer:
    blocked = ledger.blocked(context.company_id, account_id, amount.currency)
    out, entry = _way_back(context, amount, rail), "MED_BOOK_RETURN" if rail == BOOK else "MED_RETURN"
    return Transfer(context.chance.uuid(context.now), kind, blocked, out, amount, entry, refund_id, context.now, hold_id)


def _refund(
    context: RequestContext, kind: str, account_id: UUID, refund_id: UUID, amount: Money, rail: str, hold_id: UUID | None
) -> Transfer:
    out = _way_back(context, amount, rail)
    customer, entry = ledger.customer(context.company_id, account_id, amount.currency), f"{entry_word(rail)}_REFUND"
    return Transfer(context.chance.uuid(context.now), kind, customer, out, amount, entry, refund_id, context.now, hold_id)


def _way_back(context: RequestContext, amount: Money, rail: str) -> ledger.LedgerAccount:
    if rail == BOOK:
        return ledger.transit(context.company_id, amount.currency)
    return ledger.clearing(context.company_id, rail, amount.currency)


def _return(context: RequestContext, kind: str, refund_id: UUID, amount: Money, hold_id: UUID | None, rail: str) -> Transfer:
    return Transfer(
        id=context.chance.uuid(context.now),
        kind=kind,
        debit=ledger.suspense(context.company_id, amount.currency),
        credit=ledger.clearing(context.company_id, rail, amount.currency),
        amount=amount,
        type=f"{entry_word(rail)}_RETURN",
        reference_id=refund_id,
        at=context.now,
        pending_id=hold_id,
    )


def _moved(
    context: RequestContext,
    debit: ledger.LedgerAccount,
    credit: ledger.LedgerAccount,
    amount: Money,
    entry: str,
    reference_id: UUID,
) -> Transfer:
    return Transfer(context.chance.uuid(context.now), "moved", debit, credit, amount, entry, reference_id, context.now)
