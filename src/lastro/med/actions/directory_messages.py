"""The directory's messages about its objects. An object is made or moves here, and money is blocked or released."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro import ledger
from lastro.core.machine import NOT_THERE
from lastro.core.money import Money
from lastro.core.runner import Act, Done
from lastro.core.write import Write
from lastro.med import postings, rules, store
from lastro.med.actions import monitor
from lastro.med.actions.writing import born, freed, let_go, moved, payee, walked
from lastro.med.model import AUTOMATIC, TERMS, Contested, MedObject
from lastro.med.states import NOTICE, PAYER, RECEIVER, RECOVERY, REQUEST
from lastro.orders import call_off, disputed, given_back, returning
from lastro.payouts import by_network_id
from lastro.rails.port import ALARMED, BOOK, MED_ACKNOWLEDGE, MED_ORDER, PIX, MedTask, med_message

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds
    from lastro.core.runner import RequestContext
    from lastro.med.model import DisputeTerms
    from lastro.orders import Returning
    from lastro.rails.port import Claimed, MedAccount, MedNews


@dataclass(frozen=True, slots=True)
class DisputeNewsContext:
    """The context of a directory message about an object.

    own: as it is here. root: the recovery that a request of ours belongs to. contested: our side of the money, of an object
    that is not here yet. blocking: notices whose money it takes over. is_over: its cancellation was told before this.
    returning: the return by which our side answers it; later: the one of later credits. watching: the requests that watch an
    account for a notice that is given up, or may begin to, each with its return on its way.
    """

    own: MedObject | None = None
    root: MedObject | None = None
    contested: Contested | None = None
    blocking: tuple[MedObject, ...] = ()
    is_over: bool = False
    returning: Returning | None = None
    later: Returning | None = None
    watching: tuple[tuple[MedObject, Returning | None], ...] = ()


@dataclass(frozen=True)
class Noted(Act[DisputeNewsContext]):
    """A directory message about a dispute. A late, repeated or out-of-order one changes nothing."""

    news: MedNews
    claimed: Claimed
    terms: DisputeTerms = TERMS

    async def read(self, session: Session, context: RequestContext) -> DisputeNewsContext:
        """Reads the object, and the context to make or move it. NotYet: the end of its Pix was not told yet."""
        news = self.news
        own = await store.found(session, context.company_id, news.reference_id)
        root = None
        if news.object_type == REQUEST and news.role == PAYER and news.recovery_id is not None:
            root = await store.found(session, context.company_id, news.recovery_id)
        if own is not None:
            back, later = await self._returning(session, own, context.company_id)
            watching = await self._watching(session, own, context.company_id)
            return DisputeNewsContext(own, root, returning=back, later=later, watching=watching)
        if news.role == PAYER:
            return DisputeNewsContext(None, root, await self._sent(session, context.company_id))
        blocking = await store.blocking(session, context.company_id, news) if news.object_type == REQUEST else ()
        is_over = await store.was_canceled(session, context.company_id, news)
        return DisputeNewsContext(None, root, await self._received(session, context.company_id), blocking, is_over)

    def decide(self, known: DisputeNewsContext, context: RequestContext) -> Done:
        """Makes or moves the object, or finds it known or for people."""
        if known.own is not None:
            outcome, write = self._moved(known.own, known, context)
        else:
            outcome, write = self._made(known, context)
        return self.claimed.done(outcome, context, write)

    def on_insufficient_funds(self, short: InsufficientFunds) -> Noted:
        """Retries with the present balance. The account has paid something meanwhile."""
        return self

    async def _returning(
        self, session: Session, own: MedObject, company_id: UUID
    ) -> tuple[Returning | None, Returning | None]:
        """Reads the pending returns of a request that its opener cancels. They are its own, and that of later credits."""
        names = (None if own.has_ended else own.refund_id, own.later_refund_id)
        if self.news.status != "CANCELLED":
            names = (None, None)
        back, later = [None if name is None else await returning(session, company_id, name) for name in names]
        return back, later

    async def _watching(
        self, session: Session, own: MedObject, company_id: UUID
    ) -> tuple[tuple[MedObject, Returning | None], ...]:
        """Reads the requests whose watch ends with our canceled notice."""
        if (own.object_type, own.role, self.news.status) != (NOTICE, RECEIVER, "CANCELLED"):
            return ()
        found = await store.watching_for(session, company_id, self.news)
        return tuple([
            (one, None if one.later_refund_id is None else await returning(session, company_id, one.later_refund_id))
            for one in found
        ])  # fmt: skip

    async def _sent(self, session: Session, company_id: UUID) -> Contested | None:
        name = self.news.root_id or self.news.end_to_end_id
        if name.startswith("D"):
            back = await given_back(session, company_id, name)
            is_ours = back is not None and back[0].payment.rail in (PIX, BOOK)  # else a bank's, which disputes its own Pix
            return Contested(back[1], back[0].amount) if back is not None and is_ours else None
        sent = await by_network_id(session, company_id, name)
        return None if sent is None or sent.rail not in (PIX, BOOK) else Contested(sent.account_id, sent.amount)

    async def _received(self, session: Session, company_id: UUID) -> Contested | None:
        one = await disputed(session, company_id, self.news.end_to_end_id)
        if one is None:
            return None
        currency = one.payment.amount.currency
        (balance,) = await ledger.balances_of(session, company_id, [one.account.id], currency)
        elsewhere = await store.blocked_elsewhere(session, company_id, self.news.end_to_end_id, self.news.reference_id)
        return Contested(one.account.id, one.payment.amount, one, balance.available, elsewhere)

    def _made(self, known: DisputeNewsContext, context: RequestContext) -> tuple[str, Write | None]:
        news, contested = self.news, known.contested
        if contested is None or not rules.fits_role(news):
            return ALARMED, None
        if news.role == PAYER:
            one = self._object(contested, context)
            write = born(one, rules.way_of(news.object_type, NOT_THERE, news, news.result), context, news.at)
            return "handled", write + self._credited(one, known.root, context) + ordered(one, context)
        if news.status != "OPEN":
            return ALARMED, None  # its beginning was never told: nothing of it is blocked
        if known.is_over:
            return "known", None
        return "handled", self._blocked(contested, known.blocking, context)

    def _object(self, contested: Contested, context: RequestContext) -> MedObject:
        news = self.news
        nothing = Money(0, contested.amount.currency)
        amount = contested.amount if news.amount is None else news.amount
        is_ours = (news.object_type, news.role) == (NOTICE, RECEIVER)
        return MedObject(
            news.reference_id, news.status, 1, news.object_type, news.role, contested.account_id, news.end_to_end_id,
            news.recovery_id, news.situation, news.reason, amount, nothing, news.returned or nothing, news.result,
            news.rejection, news.path, None, rules.deadline_of(news.object_type, context.now, self.terms), None, context.now,
            context.now, news.at, news.directory_id, root_id=news.root_id if news.object_type == REQUEST else None,
            requester=news.requester, details=news.details,
            # A reimbursement of Pix Automático is decided by people, and once.
            monitor=news.monitor and news.reason != AUTOMATIC,
            defense_due_at=context.now + self.terms.defense if is_ours else None,
        )  # fmt: skip

    def _blocked(self, contested: Contested, blocking: tuple[MedObject, ...], context: RequestContext) -> Write:
        """Blocks money (CUST→BLOCK), up to the balance and the payment.

        A request takes over what notices of it have blocked. A request may ask for less than its notices block: the rest
        goes BLOCK→CUST. If all was given back, nothing is waited for.
        """
        assert contested.available is not None
        assert contested.disputed is not None
        assert contested.blocked is not None
        one = self._object(contested, context)
        nothing = one.amount - one.amount
        taken_over = sum((b.blocked for b in blocking), nothing)
        left, paid = contested.disputed.left, contested.disputed.payment.amount
        free = rules.free_of(left, contested.blocked - taken_over, one.amount, paid)
        if one.reason == AUTOMATIC and not contested.disputed.is_charge:
            free = nothing  # Pix Automático has not collected it: it is answered by a no
        kept = min(taken_over, one.amount, free)
        more = rules.to_block(one.amount, contested.available, kept, free)
        is_notice = one.object_type == NOTICE
        lacks = kept + more < min(one.amount, free)
        due = rules.next_look(one, lacks, context.now, self.terms) if is_notice else context.now + self.terms.settle
        is_over = contested.disputed.is_given_back and not (kept + more).minor
        one = replace(one, blocked=kept + more, due_at=context.now if is_over else due)
        victim = Write(context.company_id)
        if self.news.account is not None:
            one, victim = _with_victim(one, self.news.account, context)
        write = victim + born(one, (f"{'notice' if is_notice else 'request'} open",), context, self.news.at)
        for b in blocking:
            write += moved(b, "notice hand over", context, blocked=nothing, due_at=None if b.has_ended else b.due_at)[1]
        if more.minor:
            write += contested.disputed.as_read(contested.blocked, context)
        write += Write(context.company_id, transfers=postings.blocked(context, one.account_id, one.id, more))
        write += freed(one, taken_over - kept, context)
        if is_notice:
            task = MedTask(reference_id=one.id, directory_id=one.directory_id)
            write += Write(context.company_id, messages=(med_message(MED_ACKNOWLEDGE, task, context.chance, context.now),))
        return write

    def _moved(self, own: MedObject, known: DisputeNewsContext, context: RequestContext) -> tuple[str, Write | None]:
        news = self.news
        if rules.is_of_another(own, news):
            return ALARMED, None  # of another object than the one that has this id here: people must look
        way = rules.moved_by(own, news)
        if not way:
            return self._unmoved(own, known.later, context)
        if own.role == RECEIVER:
            outcome, done = self._of_receiver(own, way[0], known.returning, context)
            for one, back in known.watching:
                ends = monitor.given_up(one, context, back)
                done = ends if done is None else done + ends
            return outcome, done
        after, write = walked(
            own, way, context, news.at, result=news.result or own.result, rejection=news.rejection or own.rejection,
            path=news.path or own.path, returned=news.returned or own.returned,
        )  # fmt: skip
        return "handled", write + self._credited(after, known.root, context) + ordered(after, context)

    def _unmoved(self, own: MedObject, later: Returning | None, context: RequestContext) -> tuple[str, Write | None]:
        """Handles the cancellation of an answered request. A refusal that still waits is not sent, and no watch goes on."""
        is_answered = (own.object_type, own.role, own.state) == (REQUEST, RECEIVER, "ANALYSED")
        if is_answered and own.called_off_at is None and self.news.status == "CANCELLED":
            return "known", monitor.given_up(own, context, later, called_off_at=context.now)
        return ("known" if rules.is_old(own, self.news) else ALARMED), None

    def _of_receiver(
        self, own: MedObject, trigger: str, back: Returning | None, context: RequestContext
    ) -> tuple[str, Write | None]:
        news = self.news
        if own.object_type == REQUEST:
            if trigger != "request cancel":
                return ALARMED, None  # somebody else ended a request that our side has to answer
            if back is not None and back.refund.called_off_at is not None:
                return "known", None
            is_ended, write = (True, Write(context.company_id)) if back is None else call_off(back, context)
            return "handled", write + let_go(own, trigger, context, news.at) if is_ended else write
        if trigger == "notice decide":
            if news.result is None:
                return ALARMED, None  # closed there, and nobody says how
            return "handled", decided(own, news.result, self.terms, context, news.at)
        if trigger == "notice cancel":
            # Of one that we have decided the verdict is not told any more, where it still waits.
            called_off_at = context.now if own.has_ended else None
            return "handled", let_go(own, trigger, context, news.at, called_off_at=called_off_at)
        return "handled", moved(own, trigger, context, news.at)[1]

    def _credited(self, request: MedObject, root: MedObject | None, context: RequestContext) -> Write:
        """Adds the money returned for our request to its recovery. The recovery's status here does not matter."""
        write = Write(context.company_id)
        if request.object_type != REQUEST or root is None or not request.returned.minor or not request.has_ended:
            return write
        way = rules.way_to_its_money(root)
        if not way:
            return write
        return write + walked(root, way, context, returned=root.returned + request.returned)[1]


def _with_victim(one: MedObject, account: MedAccount, context: RequestContext) -> tuple[MedObject, Write]:
    """A request with whom a later layer pays: the victim, as far as the directory names him."""
    kind = "CPF" if len(account.document) == 11 else "CNPJ"
    row = payee(account.document, (kind, account.document), account.ispb, account.branch, account.account,
                account.account_type, context)  # fmt: skip
    return replace(one, receiver_id=row.values["id"]), Write(context.company_id, rows=(row,))


def ordered(recovery: MedObject, context: RequestContext) -> Write:
    """Orders the refunds of a recovery at once. Only its opener orders them."""
    write = Write(context.company_id)
    if recovery.object_type != RECOVERY or recovery.state != "ANALYSED":
        return write
    task = MedTask(reference_id=recovery.id)
    return write + Write(context.company_id, messages=(med_message(MED_ORDER, task, context.chance, context.now),))


def decided(
    own: MedObject,
    verdict: str,
    terms: DisputeTerms,
    context: RequestContext,
    at: datetime | None = None,
    why: str | None = None,
) -> Write:
    """Moves a notice to ANALYSED.

    If agreed, its blocked money waits for its request; else it is released at once. why: kept in its history.
    """
    if verdict != "AGREED":
        return let_go(own, "notice decide", context, at, why, result=verdict)
    due = context.now + terms.refund if own.blocked.minor else None
    return moved(own, "notice decide", context, at, why, result=verdict, due_at=due)[1]
