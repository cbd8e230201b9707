"""A payout begins, at creation or when its day has come: its money is held, its limits are used and its network is told.

Where somebody has to approve it first, its network is told then.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypedDict

from lastro.base.errors import OverQuota
from lastro.base.run import Act, Done
from lastro.base.write import Relied, Write
from lastro.payouts import postings, rules, store
from lastro.payouts.actions.end import ended
from lastro.payouts.states import PAYOUTS
from lastro.rails.port import (
    BOOK,
    FIRST_ASK,
    PIX,
    TED,
    Payer,
    PaymentOrder,
    TedOrder,
    payment_message,
    ted_message,
)
from lastro.standards.calendar import add_business_days, brasilia_day, day_bounds, ted_opens_at

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.accounts import Account, Institution
    from lastro.base.db import Session
    from lastro.base.errors import InsufficientFunds, Refused
    from lastro.base.run import Door
    from lastro.base.write import Message, Transfer
    from lastro.payouts.model import Limits, Payout

_INSTRUMENTS = {"KEY": "DICT", "STATIC_QR": "QRES", "DYNAMIC_QR": "QRDN", "MANUAL": "MANU"}
_PIX_UNSENT = timedelta(hours=24)  # states.md 5: what is proven unsent expires
_TED_UNSENT_DAYS = 5  # business days
_OURS = "TRAN"  # the network's word for a payment account


class Ids(TypedDict, total=False):
    """What a transfer is known by in its network, fixed before anything is sent."""

    end_to_end_id: str
    control_number: str


def begun(payouts: list[Payout], limits: Limits, institution: Institution, door: Door) -> tuple[list[Payout], Write]:
    """The payouts as they are once they have begun, and the holds, limits and messages of that.

    payouts: one, or a batch with its children behind it.
    """
    made, holds = held(payouts, limits, door)
    made, messages = sent(made, institution, door)
    return made, holds + messages


def held(payouts: list[Payout], limits: Limits, door: Door) -> tuple[list[Payout], Write]:
    """The same payouts, their money held and their limits used, with nobody told. The fee is held once, by the first."""
    day, is_night = rules.quota_period(door.now)
    made: list[Payout] = []
    transfers: list[Transfer] = []
    for p in payouts:
        sets: dict[str, Any] = {"start_at": None}
        if not p.is_batch:
            hold = postings.hold(door, p.account_id, p.id, p.amount, p.rail)
            transfers.append(hold)
            sets |= {"hold_id": hold.id, "quota_period": day, "is_at_night": is_night}
        if p.fee.minor:
            fee = postings.hold_fee(door, p.account_id, p.id, p.fee)
            transfers.append(fee)
            sets["fee_hold_id"] = fee.id
        made.append(replace(p, **sets))
    first = payouts[0]
    quotas = rules.quotas(first.account_id, first.method, (day, is_night), first.amount.minor, limits)
    return made, Write(door.company_id, transfers=tuple(transfers), quotas=quotas)


def sent(payouts: list[Payout], institution: Institution, door: Door) -> tuple[list[Payout], Write]:
    """The same payouts with the messages to their networks; the time that these have counts from now."""
    made: list[Payout] = []
    messages: list[Message] = []
    for p in payouts:
        if p.is_batch:
            made.append(p)
            continue
        message = _message(p, institution, door)
        due = message.due or door.now
        messages.append(message)
        ask_at = None if p.rail == BOOK else due + FIRST_ASK
        made.append(replace(p, message_id=message.id, ask_at=ask_at, send_until=_send_until(p, due)))
    return made, Write(door.company_id, messages=tuple(messages))


def _send_until(p: Payout, due: datetime) -> datetime | None:
    if p.rail == PIX:
        return due + _PIX_UNSENT
    if p.rail == TED:
        return day_bounds(add_business_days(brasilia_day(due), _TED_UNSENT_DAYS))[1]
    return None


def _message(p: Payout, institution: Institution, door: Door) -> Message:
    payer, row_id = payer_of(p.account, institution), door.chance.uuid(door.now)
    if p.rail == TED:
        assert p.control_number is not None
        ted = TedOrder(p.control_number, p.amount, payer, p.receiver, door.now, history=p.description)
        message = ted_message(ted, p.id, row_id, door.now)
        return replace(message, due=ted_opens_at(door.now))
    assert p.end_to_end_id is not None
    order = PaymentOrder(
        p.end_to_end_id, p.amount, payer, p.receiver, _INSTRUMENTS[p.initiation], door.now, p.key, p.txid, p.description
    )
    return payment_message(order, p.rail, p.id, row_id, door.now)


def payer_of(account: Account, institution: Institution) -> Payer:
    """Our account as networks are told who pays."""
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


@dataclass(frozen=True, slots=True)
class Known:
    """A payout whose day may have come, its children, what its account may send, and above what the company has a review."""

    payouts: list[Payout]
    limits: Limits
    line: store.ReviewLine


@dataclass(frozen=True)
class Begin(Act["Known | None"]):
    """The day of a scheduled payout has come. lacks: it was tried, and the account had too little of what it names."""

    payout_id: UUID
    institution: Institution
    lacks: InsufficientFunds | None = None

    async def read(self, session: Session, door: Door) -> Known | None:
        """The payout with its children, the account's limits, and the company's line of review."""
        found = await store.whole(session, door.company_id, self.payout_id)
        if not found:
            return None
        period = rules.quota_period(door.now)[0]
        limits = await store.limits_of(session, door.company_id, found[0].account_id, period)
        return Known(found, limits[found[0].method][0], await store.review_line(session, door.company_id))

    def decide(self, known: Known | None, door: Door) -> Done:
        """Held and sent, or held and reviewed; refused where there is too little, or the account is closed.

        The message of a blocked account waits in the outbox like that of any unsent payout (states.md 8).
        """
        if known is None:
            return Done(None, b"")
        waiting = [p for p in known.payouts if p.state == "PENDING" and p.start_at is not None]
        if len(waiting) < len(known.payouts) or waiting[0].start_at is None or waiting[0].start_at > door.now:
            return Done(None, b"")
        account = waiting[0].account
        code = "AC07" if account.status == "CLOSED" else None
        if self.lacks is not None:
            code = "LIMIT_EXCEEDED" if isinstance(self.lacks, OverQuota) else "INSUFFICIENT_FUNDS"
        if code is not None:
            return Done(_never_begun(waiting, code, self.institution, door), b"")
        if rules.is_reviewed(waiting[0].amount, known.line.above):
            trigger, (made, write) = "review", held(waiting, known.limits, door)
        else:
            trigger, (made, write) = "begin", begun(waiting, known.limits, self.institution, door)
        moves = tuple(
            PAYOUTS.move(p, trigger, door.now, **_begun_columns(one)) for p, one in zip(waiting, made, strict=True)
        )
        relied = (
            Relied("accounts", account.id, account.version),
            Relied("companies", door.company_id, known.line.version),
        )
        return Done(Write(door.company_id, relies=relied, moves=moves) + write, b"")

    def insufficient(self, short: InsufficientFunds) -> Refused | Begin:
        """Decided again, now as what the account cannot pay."""
        return replace(self, lacks=short)


def _begun_columns(one: Payout) -> dict[str, Any]:
    return {
        "start_at": None, "message_id": one.message_id, "hold_id": one.hold_id, "fee_hold_id": one.fee_hold_id,
        "quota_period": one.quota_period, "is_at_night": one.is_at_night, "ask_at": one.ask_at, "send_until": one.send_until,
    }  # fmt: skip


def _never_begun(payouts: list[Payout], code: str, institution: Institution, door: Door) -> Write:
    """ERROR for the payout, or for a batch and all of its children, of which nothing was held."""
    write = Write(door.company_id)
    for p in payouts:
        write += ended(p, "none paid" if p.is_batch else "refuse", institution, door, code=code)
    return write
