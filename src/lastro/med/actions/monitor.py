"""The watch of an account after a return that gave too little. Later credits are blocked, and given back.

A refund asks for it by MonitorAccount (DICT 2.12.1, ExtendedRefund: "se a conta deve ser monitorada para bloqueios").
Section 17 of a manual says how, but is not public as text. So the time, and that each block is given back at once, are ours
(docs/decisions/med.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from lastro import ledger
from lastro.core.runner import Act, Done
from lastro.core.write import Touch, Watch, Write
from lastro.med import postings, rules, store
from lastro.med.actions.writing import freed, moved
from lastro.med.states import MED_OBJECTS, RECEIVER, REQUEST
from lastro.orders import anew_for, call_off, disputed, given_for, party_by_id
from lastro.rails.port import IPRT

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds
    from lastro.core.money import Money
    from lastro.core.runner import RequestContext
    from lastro.med.model import DisputeTerms, MedObject, Stand
    from lastro.orders import Disputed, Party, Returning

TRY_AGAIN = timedelta(days=1)  # after a return of later credits that the network did not take


@dataclass(frozen=True, slots=True)
class MonitorContext:
    """The context of an answered request.

    kept: the credits that came in for its watch; elsewhere: blocked by others. victim: of a recovery's request, whom a later
    layer pays. is_given_up: the directory has canceled the dispute.
    """

    own: MedObject
    disputed: Disputed | None
    kept: Money
    elsewhere: Money
    victim: Party | None = None
    is_given_up: bool = False


async def known_of(session: Session, company_id: UUID, own: MedObject) -> MonitorContext:
    """Reads the current context of an answered request."""
    one = await disputed(session, company_id, own.end_to_end_id)
    (balance,) = await ledger.balances_of(session, company_id, [own.account_id], own.amount.currency)
    elsewhere = await store.blocked_elsewhere(session, company_id, own.end_to_end_id, own.id)
    victim = None if own.receiver_id is None else await party_by_id(session, company_id, own.receiver_id)
    is_given_up = own.called_off_at is not None or await store.is_given_up(session, company_id, own)
    return MonitorContext(own, one, balance.kept, elsewhere, victim, is_given_up)


@dataclass(frozen=True)
class BlockLater(Act["MonitorContext | None"]):
    """Something has come to an account that a request watches."""

    object_id: UUID
    stand: Stand

    async def read(self, session: Session, context: RequestContext) -> MonitorContext | None:
        """Reads the request and its new credits."""
        own = await store.found(session, context.company_id, self.object_id)
        is_watching = own is not None and own.role == RECEIVER and own.object_type == REQUEST and own.lacking.minor > 0
        return await known_of(session, context.company_id, own) if own is not None and is_watching else None

    def decide(self, known: MonitorContext | None, context: RequestContext) -> Done:
        """Blocks (CUST→BLOCK) as much as it can. Nothing while a return of money blocked before is on its way."""
        if known is None or known.own.later_refund_id is not None:
            return Done(None, b"")
        return Done(blocked(known, context), b"")

    def on_insufficient_funds(self, short: InsufficientFunds) -> BlockLater:
        """Retries with the money that is left. Another watch was quicker."""
        del short
        return self


def due(known: MonitorContext, stand: Stand, context: RequestContext) -> Write:
    """Applies the due step of an answered request: begins to watch, returns, or ends. It returns what it has blocked."""
    own = known.own
    if own.watched_until is None:
        return begun(known, stand.terms, context)
    if context.now >= own.watched_until or known.disputed is None or known.disputed.account.status == "CLOSED":
        return over(own, context)
    if own.later_refund_id is None and own.blocked.minor:
        return given_back(known, known.disputed, stand.institution.ispb, context)
    return Write(context.company_id, touches=(Touch(MED_OBJECTS.name, own.id, own.version, {"due_at": own.watched_until}),))


def begun(known: MonitorContext, terms: DisputeTerms, context: RequestContext) -> Write:
    """Begins to watch for the lacking amount; else nothing. It is at most what can still be given back of the payment."""
    own, one = known.own, known.disputed
    untouched = Write(context.company_id, touches=(Touch(MED_OBJECTS.name, own.id, own.version, {"due_at": None}),))
    if one is None or one.account.status == "CLOSED" or known.is_given_up:
        return untouched
    lacking = min(own.amount - own.returned, rules.free_of(one.left, known.elsewhere, own.amount, _stands_for(known, one)))
    until = one.payment.settled_at + terms.monitor if one.payment.settled_at is not None else context.now
    if lacking.minor <= 0 or until <= context.now:
        return untouched
    _, write = moved(
        own, "request watch", context, lacking=lacking, watched_since=context.now, watched_until=until, due_at=until
    )  # fmt: skip
    return write + _watched(own, lacking.minor, context)


def blocked(known: MonitorContext, context: RequestContext) -> Write | None:
    """Blocks (CUST→BLOCK) the kept credits that this request lacks. If nothing is left to give back, the watch is over."""
    own, one = known.own, known.disputed
    if one is None:
        return over(own, context)
    most = rules.free_of(one.left, known.elsewhere, own.amount, _stands_for(known, one)) - own.blocked
    if most.minor <= 0:
        return over(own, context)
    more = min(known.kept, own.lacking, most)
    if not more.minor:
        return None
    _, write = moved(
        own, "request block later", context, blocked=own.blocked + more, lacking=own.lacking - more, due_at=context.now
    )
    write += Write(context.company_id, transfers=postings.blocked(context, own.account_id, own.id, more))
    return write + one.as_read(known.elsewhere + own.blocked, context) + _watched(own, -more.minor, context)


def given_back(known: MonitorContext, one: Disputed, ispb: str, context: RequestContext) -> Write:
    """Returns the blocked money, and releases what cannot be given back."""
    own = known.own
    amount = min(own.blocked, rules.most_anew(own.amount, one.left, _stands_for(known, one)))
    if amount.minor <= 0:
        return over(own, context)
    if known.victim is not None and _is_later(known, one):
        refund_id, write = anew_for(one, own.id, amount, IPRT, known.victim, ispb, context)
    else:
        refund_id, write = given_for(one, own.id, amount, rules.return_reason(own.reason), ispb, context)
    _, sent = moved(own, "request return later", context, blocked=amount, later_refund_id=refund_id, due_at=None)
    return write + sent + freed(own, own.blocked - amount, context)


def returned(own: MedObject, amount: Money, settled: bool, context: RequestContext) -> Write:
    """Books the end of a return of later credits. Ends the watch if its time is over; else retries a failed return."""
    assert own.watched_until is not None
    is_over = context.now >= own.watched_until
    if settled:
        lacking = own.lacking - own.lacking if is_over else own.lacking
        _, write = moved(
            own, "request returned later", context, blocked=own.blocked - amount, later=own.later + amount, lacking=lacking,
            later_refund_id=None, due_at=own.watched_until if lacking.minor else None,
        )  # fmt: skip
        return write + _watched(own, (lacking - own.lacking).minor, context)
    if is_over:
        nothing = own.blocked - own.blocked
        _, write = moved(
            own, "request return later failed", context, later_refund_id=None, blocked=nothing, lacking=nothing, due_at=None
        )
        return write + freed(own, own.blocked, context) + _watched(own, -own.lacking.minor, context)
    again = min(context.now + TRY_AGAIN, own.watched_until)
    return moved(own, "request return later failed", context, later_refund_id=None, due_at=again)[1]


def given_up(
    own: MedObject, context: RequestContext, back: Returning | None, called_off_at: datetime | None = None
) -> Write:
    """Ends the watch of a request whose dispute the directory canceled. Or it does not begin.

    back: its pending return of later credits. called_off_at: if the directory cancels the request itself. An open request is
    only touched, so that a concurrent answer decides again.
    """
    if own.lacking.minor or (own.watched_since is not None and own.blocked.minor):
        return over(own, context, back, called_off_at)
    changes: dict[str, Any] = {"due_at": own.due_at if own.state == "OPEN" else None}
    if called_off_at is not None:
        changes["called_off_at"] = called_off_at
    return Write(context.company_id, touches=(Touch(MED_OBJECTS.name, own.id, own.version, changes),))


def over(
    own: MedObject, context: RequestContext, back: Returning | None = None, called_off_at: datetime | None = None
) -> Write:  # fmt: skip
    """Ends the watch. It releases the blocked money unless its return may have reached the network.

    back: that return, if the dispute was canceled.
    """
    write, is_free = Write(context.company_id), own.later_refund_id is None
    if back is not None:
        is_free, called_off = call_off(back, context)
        write += called_off
    nothing = own.amount - own.amount
    until = own.watched_until if own.watched_until is None else min(own.watched_until, context.now)
    kept = nothing if is_free else own.blocked
    refund_id = None if is_free else own.later_refund_id
    _, ended = moved(
        own, "request watch over", context, lacking=nothing, blocked=kept, watched_until=until, later_refund_id=refund_id,
        due_at=None, called_off_at=called_off_at or own.called_off_at,
    )  # fmt: skip
    return write + ended + freed(own, own.blocked - kept, context) + _watched(own, -own.lacking.minor, context)


def _is_later(known: MonitorContext, one: Disputed) -> bool:
    """Tells whether the victim is paid anew: its request is of a later layer."""
    return known.victim is not None and rules.is_later(known.own, one.payer, known.victim)


def _stands_for(known: MonitorContext, one: Disputed) -> Money:
    """Returns how much of the request its one payment stands for. It is all of it, since no return is more than its payment.

    A later layer is paid anew, so that what is asked above the payment came beside it.
    """
    return one.payment.amount if _is_later(known, one) else known.own.amount


def _watched(own: MedObject, minor: int, context: RequestContext) -> Write:
    account = ledger.customer(context.company_id, own.account_id, own.amount.currency)
    return Write(context.company_id, watches=(Watch(account, minor),) if minor else ())
