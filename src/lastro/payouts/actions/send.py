"""Makes the messages to a payout's network, with ids it still takes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec import structs

from lastro.core.write import Write
from lastro.payouts import rules
from lastro.rails.port import (
    BOOK,
    FIRST_ASK,
    TED,
    Facts,
    Payer,
    PaymentOrder,
    TedOrder,
    contradicts,
    is_before,
    payment_message,
    side_of,
    ted_message,
)
from lastro.standards.calendar import add_business_days, brasilia_day, day_bounds, ted_opens_at

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.accounts import Account, Institution
    from lastro.core.runner import RequestContext
    from lastro.core.write import Message
    from lastro.payouts.model import Payout

PIX_UNSENT = timedelta(hours=24)  # states.md 5: a payment proven unsent expires; also one to an account here
_INSTRUMENTS = {"KEY": "DICT", "STATIC_QR": "QRES", "DYNAMIC_QR": "QRDN", "MANUAL": "MANU"}
_TED_UNSENT_DAYS = 5  # business days
# A message leased in time may be carried for so long: the sender's hard time-out, and then a statement's.
_CARRIED_WITHIN = timedelta(minutes=1)
_OURS = "TRAN"  # the network's word for a payment account


def sent(payouts: list[Payout], institution: Institution, context: RequestContext) -> tuple[list[Payout], Write]:
    """Returns the payouts with messages to their networks; their time counts from now.

    An id that its network might find too old is replaced: nothing was sent yet.
    """
    made: list[Payout] = []
    messages: list[Message] = []
    for one in payouts:
        if one.is_batch:
            made.append(one)
            continue
        p = replace(one, end_to_end_id=rules.dated_now(one, context.now))
        message = _message(p, institution, context)
        due = message.due or context.now
        until = _send_until(p, due)
        messages.append(message)
        # Between two tables nothing is lost: whether it was carried is asked when that can no longer happen.
        ask_at = until + _CARRIED_WITHIN if p.rail == BOOK else due + FIRST_ASK
        made.append(replace(p, message_id=message.id, ask_at=ask_at, send_until=until))
    return made, Write(context.company_id, messages=tuple(messages))


def renewed(before: Payout, after: Payout) -> str | None:
    """Describes a changed id for the history. None: the id is the same."""
    return None if before.end_to_end_id == after.end_to_end_id else f"its endToEndId was {before.end_to_end_id}"


def _send_until(p: Payout, due: datetime) -> datetime:
    if p.rail == TED:
        return day_bounds(add_business_days(brasilia_day(due), _TED_UNSENT_DAYS))[1]
    return due + PIX_UNSENT


def _message(p: Payout, institution: Institution, context: RequestContext) -> Message:
    payer, row_id = payer_of(p.account, institution), context.chance.uuid(context.now)
    if p.rail == TED:
        assert p.control_number is not None
        ted = TedOrder(p.control_number, p.amount, payer, p.receiver, context.now, history=p.description)
        message = ted_message(ted, p.id, row_id, context.now)
        return structs.replace(message, due=ted_opens_at(context.now))
    assert p.network_id is not None
    order = PaymentOrder(
        p.network_id, p.amount, payer, p.receiver, _INSTRUMENTS[p.initiation], context.now, p.key, p.txid, p.description
    )
    return payment_message(order, p.rail, p.id, row_id, context.now)


def is_of_another(
    said: Facts | None, at: datetime | None, p: Payout, institution: Institution, context: RequestContext
) -> bool:  # fmt: skip
    """Tells whether a network's message is about another payment under this id. at: the time of the event."""
    return contradicts(said, facts_sent(p, institution)) or is_before(at, p.created_at, context)


def facts_sent(p: Payout, institution: Institution) -> Facts:
    """Returns the facts of a payment as its network knows them."""
    number = p.str_control_number if p.rail == TED else p.txid
    return Facts(p.amount, side_of(payer_of(p.account, institution)), side_of(p.receiver), number)


def payer_of(account: Account, institution: Institution) -> Payer:
    """Returns our account as the payer in networks' messages."""
    holder = account.holder
    return Payer(
        holder.full_name,
        holder.document_type,
        holder.document_number,
        institution.ispb,
        account.branch,
        account.number,
        _OURS,
    )
