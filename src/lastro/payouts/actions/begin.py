"""Begins a payout, at creation or on its day.

Its money is held, its limits are used, and its message goes to the network. A payout in review gets that message once it is
approved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from lastro import ledger
from lastro.core.errors import OverQuota, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Touch, Write
from lastro.payouts import postings, rules, store
from lastro.payouts.actions.end import NOT_PAYABLE, RECEIVER_CHANGED, ended_whole, message_of
from lastro.payouts.actions.finding import Unasked, find
from lastro.payouts.actions.send import PIX_UNSENT, renewed, sent
from lastro.payouts.limits import limits_of
from lastro.payouts.model import Destination, PayoutWish
from lastro.payouts.notifications import falls_short
from lastro.payouts.states import PAYOUTS
from lastro.standards.calendar import day_bounds

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.accounts import Institution
    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds
    from lastro.core.runner import RequestContext
    from lastro.core.write import Transfer
    from lastro.payouts.actions.finding import Ways
    from lastro.payouts.model import Limits, Payout
    from lastro.standards.banks import BankList

_ASK_LATER = timedelta(minutes=5)  # after a failed look-up of a key or QR


def begun(
    payouts: list[Payout], limits: Limits, institution: Institution, context: RequestContext
) -> tuple[list[Payout], Write]:
    """Returns the payouts as begun, with holds, limits and messages.

    payouts: one, or a batch with its children behind it.
    """
    made, holds = held(payouts, limits, context)
    made, messages = sent(made, institution, context)
    return made, holds + messages


def held(payouts: list[Payout], limits: Limits, context: RequestContext) -> tuple[list[Payout], Write]:
    """Holds the payouts' money and uses their limits; sends no message. The fee is held once, by the first."""
    day, is_night = rules.counts_in(payouts[0], context.now)
    made: list[Payout] = []
    transfers: list[Transfer] = []
    for p in payouts:
        sets: dict[str, Any] = {"start_at": None}
        if not p.is_batch:
            hold = postings.hold(context, p.account_id, p.id, p.amount, p.rail)
            transfers.append(hold)
            sets |= {"hold_id": hold.id, "quota_period": day, "is_at_night": is_night}
        if p.fee.minor:
            fee = postings.hold_fee(context, p.account_id, p.id, p.fee)
            transfers.append(fee)
            sets["fee_hold_id"] = fee.id
        made.append(replace(p, **sets))
    first = payouts[0]
    quotas = rules.quotas(first.account_id, first.method, (day, is_night), first.amount.minor, limits.at(context.now))
    return made, Write(context.company_id, transfers=tuple(transfers), quotas=quotas)


@dataclass(frozen=True, slots=True)
class BeginPayoutContext:
    """A payout that may be due, its children, limits and review line.

    is_short: its account has less than it costs, so its destination is not looked up. found: the present destination of its
    key or QR, or the refusal; None: not looked up.
    """

    payouts: list[Payout]
    limits: Limits
    line: store.ReviewLine
    banks: BankList
    is_short: bool = False
    found: Destination | Refused | None = None


@dataclass(frozen=True)
class Begin(Act["BeginPayoutContext | None"]):
    """Begins a scheduled payout on its day. lacks: the lack of funds found by a first try."""

    payout_id: UUID
    ways: Ways
    lacks: InsufficientFunds | None = None

    async def read(self, session: Session, context: RequestContext) -> BeginPayoutContext | None:
        """Reads the payout with its children, the limits and the review line."""
        found = await store.whole(session, context.company_id, self.payout_id)
        if not found:
            return None
        period = rules.quota_period(context.now)[0]
        limits = await limits_of(session, context.company_id, found[0].account_id, period)
        line, banks = await store.review_line(session, context.company_id), await self.ways.banks.read(session)
        is_short = _is_due(found, context.now) and await _is_short(session, context, found[0])
        return BeginPayoutContext(found, limits[found[0].method][0], line, banks, is_short)

    async def call_out(self, known: BeginPayoutContext | None, context: RequestContext) -> BeginPayoutContext | None:
        """Asks where its key or QR leads, once more: to somebody else by now, or to a charge that is paid or over."""
        if known is None or self._lack(known, context) is not None or not _is_due(known.payouts, context.now):
            return known
        p = known.payouts[0]
        wish, name = _wish_of(p), rules.dated_now(known.payouts[-1 if not p.is_batch else 1], context.now)
        if wish is None or name is None or p.account.status == "CLOSED":
            return known
        return replace(known, found=await find(wish, p.account, known.banks, self.ways, context, name))

    def decide(self, known: BeginPayoutContext | None, context: RequestContext) -> Done:
        """Holds the money and sends or reviews the payout, or refuses it.

        Refused: its destination has changed, or its account is closed or has too little. A Pix whose account has too little
        is retried in the evening of its day, before it is refused. The message of a blocked account waits in the outbox like
        that of any unsent payout (states.md 8).
        """
        if known is None or not _is_due(known.payouts, context.now):
            return Done(None, b"")
        waiting, institution = known.payouts, self.ways.institution
        lack = self._lack(known, context)
        again = None if lack is None else rules.tried_again_at(waiting[0], context.now)
        if lack is not None and again is not None:
            return Done(_fallen_short(waiting, lack, again, institution, context), b"")
        if isinstance(known.found, Unasked):
            return Done(_asked_later(waiting, institution, context), b"")
        account, code = waiting[0].account, self._refusal(known, lack)
        if code is not None:
            return Done(_never_begun(waiting, code, institution, context), b"")
        if rules.is_reviewed(waiting[0].amount, known.line.above):
            trigger, (made, write) = "review", held(waiting, known.limits, context)
        else:
            trigger, (made, write) = "begin", begun(waiting, known.limits, institution, context)
        moves = tuple(
            PAYOUTS.move(p, trigger, context.now, reason=renewed(p, one), **_begun_columns(one))
            for p, one in zip(waiting, made, strict=True)
        )
        relied = (
            Relied("accounts", account.id, account.version),
            Relied("companies", context.company_id, known.line.version),
        )
        return Done(Write(context.company_id, relies=relied, moves=moves) + write, b"")

    def on_insufficient_funds(self, short: InsufficientFunds) -> Refused | Begin:
        """Retries as a payout that the account cannot pay."""
        return replace(self, lacks=short)

    def _lack(self, known: BeginPayoutContext, context: RequestContext) -> str | None:
        """Returns the error code of a lack of money or limit; None: nothing is known to be lacking.

        A payout that fell short before is not tried after the evening, even if the account has enough by then.
        """
        p = known.payouts[0]
        if p.account.status == "CLOSED":
            return None
        if self.lacks is not None:
            return "LIMIT_EXCEEDED" if isinstance(self.lacks, OverQuota) else "INSUFFICIENT_FUNDS"
        if p.short_of is not None and p.scheduled_on is not None and rules.short_ends_at(p.scheduled_on) <= context.now:
            return p.short_of
        return "INSUFFICIENT_FUNDS" if known.is_short else None

    def _refusal(self, known: BeginPayoutContext, lack: str | None) -> str | None:
        """Returns the error code of a refusal, or None."""
        p = known.payouts[0]
        if p.account.status == "CLOSED":
            return "AC07"
        if lack is not None:
            return lack
        if isinstance(known.found, Refused) or (p.is_batch and known.found is not None and known.found.is_charge):
            return NOT_PAYABLE  # a charge cannot be paid in part
        if known.found is not None and not rules.is_same_receiver(known.found.receiver, p.receiver):
            return RECEIVER_CHANGED
        return None


def _is_due(payouts: list[Payout], now: datetime) -> bool:
    """Tells whether all of them are pending and their day has come."""
    return all(p.state == "PENDING" and p.start_at is not None and p.start_at <= now for p in payouts)


async def _is_short(session: Session, context: RequestContext, p: Payout) -> bool:
    """Tells whether the account has less than the payout costs. A hint to save a look-up: the write decides."""
    (balance,) = await ledger.balances_of(session, context.company_id, [p.account_id], p.amount.currency)
    return balance.available < p.amount + p.fee


def _fallen_short(
    payouts: list[Payout], lack: str, again: datetime, institution: Institution, context: RequestContext
) -> Write:
    """Postpones a payout or a whole batch for lack of funds. Its owner is told once; its history has each try."""
    first = payouts[0]
    sets: dict[str, Any] = {"start_at": again, "short_of": lack}
    is_first = first.short_of is None
    move = PAYOUTS.move(first, "fall short" if is_first else "fall short again", context.now, reason=lack, **sets)
    touches = tuple(Touch("payouts", p.id, p.version, sets) for p in payouts[1:])
    after = [replace(p, **sets) for p in payouts]
    error = message_of(first, lack)
    events = (falls_short(context, after[0], institution, error, children=after[1:]),) if is_first else ()
    return Write(context.company_id, moves=(move,), touches=touches, events=events)


def _wish_of(p: Payout) -> PayoutWish | None:
    """Returns the wish to look up again. None: it names an account, always the same destination."""
    if p.key is None:
        return None
    return PayoutWish("", p.account_id, p.method, p.amount, p.description, key=None if p.qr else p.key, qr=p.qr)


def _begun_columns(one: Payout) -> dict[str, Any]:
    return {
        "start_at": None, "message_id": one.message_id, "hold_id": one.hold_id, "fee_hold_id": one.fee_hold_id,
        "quota_period": one.quota_period, "is_at_night": one.is_at_night, "ask_at": one.ask_at, "send_until": one.send_until,
        "end_to_end_id": one.end_to_end_id,
    }  # fmt: skip


def _asked_later(payouts: list[Payout], institution: Institution, context: RequestContext) -> Write:
    """Postpones the payout until its look-up answers; EXPIRED once it could not be sent for as long as any Pix."""
    day = payouts[0].scheduled_on
    assert day is not None
    if day_bounds(day)[0] + PIX_UNSENT <= context.now:
        return ended_whole(payouts, "expire", "all expired", institution, context)
    later = {"start_at": context.now + _ASK_LATER}
    return Write(context.company_id, touches=tuple(Touch("payouts", p.id, p.version, later) for p in payouts))


def _never_begun(payouts: list[Payout], code: str, institution: Institution, context: RequestContext) -> Write:
    """Ends a payout or whole batch as ERROR; nothing was held."""
    return ended_whole(payouts, "refuse", "none paid", institution, context, code=code)
