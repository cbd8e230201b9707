"""The due steps of an object. A notice is decided, its blocked money is released, or a request is answered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro import ledger
from lastro.core.money import Money
from lastro.core.runner import Act, Done
from lastro.core.write import Touch, Write
from lastro.med import postings, rules, store
from lastro.med.actions import monitor
from lastro.med.actions.directory_messages import decided
from lastro.med.actions.writing import freed, let_go, moved
from lastro.med.model import AUTOMATIC
from lastro.med.rendering import reminded_of
from lastro.med.states import MED_OBJECTS, NOTICE, RECEIVER, REQUEST
from lastro.orders import anew_for, disputed, given_for, party_by_id
from lastro.rails.port import IPRT, MED_ANSWER, MED_VERDICT, MedTask, med_message

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds
    from lastro.core.runner import RequestContext
    from lastro.med.model import MedObject, Stand
    from lastro.orders import Disputed, Party

NO_CHARGE = "A transação não foi cobrada por Pix Automático."
_UNDECIDED = timedelta(days=1)  # until a notice or request that nobody has decided is looked at again


@dataclass(frozen=True, slots=True)
class DeadlineContext:
    """The object and the contested money, which may no longer be ours.

    available: what the account has, of a notice that takes later credits; elsewhere: what other objects block of the Pix.
    watch: of a request that is answered. victim: of a recovery's request, whom a later layer pays.
    """

    own: MedObject
    disputed: Disputed | None = None
    available: Money | None = None
    elsewhere: Money | None = None
    watch: monitor.MonitorContext | None = None
    victim: Party | None = None


@dataclass(frozen=True)
class Fall(Act["DeadlineContext | None"]):
    """The sweep found an object whose time has come."""

    object_id: UUID
    stand: Stand

    async def read(self, session: Session, context: RequestContext) -> DeadlineContext | None:
        """Reads the object and its context."""
        own = await store.found(session, context.company_id, self.object_id)
        if own is None or own.role != RECEIVER:
            return None if own is None else DeadlineContext(own)
        if own.object_type == REQUEST and own.state == "ANALYSED":
            return DeadlineContext(own, watch=await monitor.known_of(session, context.company_id, own))
        contested = await disputed(session, context.company_id, own.end_to_end_id)
        if own.object_type == REQUEST:
            victim = None if own.receiver_id is None else await party_by_id(session, context.company_id, own.receiver_id)
            return DeadlineContext(own, contested, victim=victim)
        elsewhere = await store.blocked_elsewhere(session, context.company_id, own.end_to_end_id, own.id)
        return DeadlineContext(own, contested, await self._available(session, context.company_id, own), elsewhere)

    def decide(self, known: DeadlineContext | None, context: RequestContext) -> Done:
        """Applies the step that is due, if it still is."""
        if known is None or known.own.due_at is None or known.own.due_at > context.now or known.own.role != RECEIVER:
            return Done(None, b"")
        own = known.own
        if known.watch is not None:
            return Done(monitor.due(known.watch, self.stand, context), b"")
        # Money that it blocks beside a payment that was given back is disputed all the same.
        is_given_back = known.disputed is not None and known.disputed.is_given_back and not own.blocked.minor
        if not is_given_back and rules.is_to_remind(own, context.now, self.stand.terms):
            return Done(_reminded(own, context), b"")
        if own.object_type == NOTICE and own.state != "ANALYSED" and context.now < own.deadline and not is_given_back:
            return Done(self._topped_up(known, context), b"")
        if own.object_type == NOTICE:
            # The account has done what would be asked of it: nobody is marked for fraud by a default.
            return Done(self._noticed(own, "DISAGREED" if is_given_back else self.stand.terms.by_default, context), b"")
        return Done(self._answered(own, known.disputed, known.victim, context), b"")

    def on_insufficient_funds(self, short: InsufficientFunds) -> Fall:
        """Retries with the money that is left. A client has asked some of it back meanwhile."""
        return self

    async def _available(self, session: Session, company_id: UUID, own: MedObject) -> Money | None:
        if not self.stand.terms.top_up or own.blocked >= own.amount:
            return None
        (balance,) = await ledger.balances_of(session, company_id, [own.account_id], own.amount.currency)
        return balance.available

    def _topped_up(self, known: DeadlineContext, context: RequestContext) -> Write:
        """Blocks (CUST→BLOCK) the lacking amount that the account has by now. The verdict waits for its deadline."""
        own, nothing = known.own, known.own.amount - known.own.amount
        most = nothing
        if known.disputed is not None and known.elsewhere is not None:
            paid = known.disputed.payment.amount
            most = min(own.amount, rules.free_of(known.disputed.left, known.elsewhere, own.amount, paid))
        more = nothing if known.available is None else rules.to_block(own.amount, known.available, own.blocked, most)
        blocked = own.blocked + more
        due = rules.next_look(own, blocked < most, context.now, self.stand.terms)
        if not more.minor:
            return Write(context.company_id, touches=(Touch(MED_OBJECTS.name, own.id, own.version, {"due_at": due}),))
        _, write = moved(own, "notice top up", context, blocked=blocked, due_at=due)
        assert known.disputed is not None
        assert known.elsewhere is not None
        write += known.disputed.as_read(known.elsewhere + own.blocked, context)
        return write + Write(context.company_id, transfers=postings.blocked(context, own.account_id, own.id, more))

    def _noticed(self, own: MedObject, verdict: str | None, context: RequestContext) -> Write:
        if own.state == "ANALYSED":
            return let_go(own, "notice release", context)
        if own.state == "OPEN":
            own, write = moved(own, "notice acknowledge", context)
            # One Write moves a row once: the verdict follows as the next thing that is due.
            return write
        if verdict is None:
            # People must decide: it is alarmed (docs/runbooks.md), and what it blocks stays blocked.
            remind_at = rules.reminder_at(own, self.stand.terms)
            later = context.now + _UNDECIDED
            due = {"due_at": later if remind_at is None or remind_at < context.now else min(later, remind_at)}
            return Write(context.company_id, touches=(Touch(MED_OBJECTS.name, own.id, own.version, due),))
        terms = self.stand.terms
        agreed = (terms.fraud, terms.details) if verdict == "AGREED" else (None, None)
        return said(own, verdict, self.stand, context, *agreed)

    def _answered(self, own: MedObject, one: Disputed | None, victim: Party | None, context: RequestContext) -> Write:
        """Returns the blocked money, up to what is left of the payment; else rejects.

        It goes to the payer of the payment; of a later layer to the victim, anew. People decide about what Pix Automático
        has collected.
        """
        nothing = own.amount - own.amount
        if one is None or one.account.status == "CLOSED":
            return rejected(own, "ACCOUNT_CLOSURE", context)
        if own.reason == AUTOMATIC and one.is_charge:
            return self._left_to_people(own, context)
        if own.reason == AUTOMATIC:
            # INVALID_REQUEST is of OPERATIONAL_FLAW alone (DICT 2.12.1, CloseRefundRequest).
            return rejected(own, "OTHER", context, NO_CHARGE)
        is_later = victim is not None and rules.is_later(own, one.payer, victim)
        most = rules.most_anew(own.amount, one.left, one.payment.amount) if is_later else one.left
        amount = min(own.blocked, own.amount, most)
        if amount <= nothing:
            # The account may be watched from now on: the next check sees how much it lacks.
            due_at = context.now if own.monitor and self.stand.terms.monitor else None
            return rejected(own, "NO_BALANCE", context, due_at=due_at)
        ispb = self.stand.institution.ispb
        if victim is not None and is_later:
            refund_id, write = anew_for(one, own.id, amount, IPRT, victim, ispb, context)
        else:
            refund_id, write = given_for(one, own.id, amount, rules.return_reason(own.reason), ispb, context)
        _, back = moved(own, "request return", context, blocked=amount, refund_id=refund_id, due_at=None)
        return write + back + freed(own, own.blocked - amount, context)

    def _left_to_people(self, own: MedObject, context: RequestContext) -> Write:
        """Nothing is presumed: it waits, and comes up again at its deadline and each day after it."""
        due = own.deadline if context.now < own.deadline else context.now + _UNDECIDED
        return Write(context.company_id, touches=(Touch(MED_OBJECTS.name, own.id, own.version, {"due_at": due}),))


def _reminded(own: MedObject, context: RequestContext) -> Write:
    """Reminds the holder that the defense is due soon. The next due step follows at once."""
    _, write = moved(own, "notice remind", context, reminded_at=context.now, due_at=context.now)
    return write + Write(context.company_id, events=(reminded_of(context, own),))


def said(
    own: MedObject, verdict: str, stand: Stand, context: RequestContext, fraud: str | None = None,
    details: str | None = None, note: str | None = None,
) -> Write:  # fmt: skip
    """Writes our verdict on a notice and tells the directory.

    AGREED goes with the kind of fraud. note: by whom and why, kept in its history.
    """
    task = MedTask(reference_id=own.id, directory_id=own.directory_id, result=verdict, fraud=fraud, details=details)
    told = Write(context.company_id, messages=(med_message(MED_VERDICT, task, context.chance, context.now),))
    return decided(own, verdict, stand.terms, context, why=note) + told


def rejected(
    own: MedObject, why: str, context: RequestContext, details: str | None = None, note: str | None = None,
    due_at: datetime | None = None,
) -> Write:  # fmt: skip
    """Ends a request without a return, and tells the directory the reason.

    Its blocked money is released. details: in words, for the directory. note: by whom and why, kept in its history.
    """
    task = MedTask(
        reference_id=own.id, directory_id=own.directory_id, result="REJECTED", rejection=why,
        returned=Money(0, own.amount.currency), details=details, recovery_id=own.recovery_id,
    )  # fmt: skip
    told = Write(context.company_id, messages=(med_message(MED_ANSWER, task, context.chance, context.now),))
    return let_go(own, "request reject", context, why=note, due_at=due_at, result="REJECTED", rejection=why) + told
