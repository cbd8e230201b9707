"""A client contests a Pix that its account sent, or withdraws that. The directory is asked before anything is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from lastro.accounts import account_by_id
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.errors import Kind, Refused
from lastro.core.machine import NOT_THERE
from lastro.core.runner import Act, Done
from lastro.core.write import Write
from lastro.med import problems as refusals
from lastro.med import rules, store
from lastro.med.actions.directory_messages import ordered
from lastro.med.actions.writing import born, moved
from lastro.med.model import Case, Changed, Gone, MedObject
from lastro.med.rendering import in_full
from lastro.med.states import MED_OBJECTS, PAYER, RECOVERY
from lastro.orders import given_back
from lastro.payouts import by_network_id
from lastro.rails.port import BOOK, MedContest, Permanent, Transient

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.med.model import ContestWish, Stand
    from lastro.rails.port import Disputes, MedNews

_SILENT = Refused(Kind.UNAVAILABLE, retry_after_seconds=5)
_ONCE = refusals.END_TO_END_ID_DUPLICATE.problem()
_AGAIN = Refused(Kind.CONFLICT, (_ONCE,))
# Every recovery names its opener's contact (DICT 2.12.1, FundsRecovery): the institution's, which no client can give.
_NO_CONTACT = refusals.ACCOUNT_ID_NOT_SUPPORTED.refused()


@dataclass(frozen=True, slots=True)
class ContestContext:
    """The context of a contest.

    has_account: of this company. sent: the transaction. before, news: its recovery here, there.
    """

    has_account: bool
    sent: Gone | None
    before: Case | None
    news: MedNews | None = None


async def gone(session: Session, company_id: UUID, name: str) -> Gone | None:
    """Money that an account here has sent by this id: a payout's, or that of a return (D…)."""
    if not name.startswith("D"):
        sent = await by_network_id(session, company_id, name)
        return None if sent is None else Gone(
            sent.account_id, sent.state, sent.rail, sent.amount, sent.returned, sent.paid_at
        )  # fmt: skip
    found = await given_back(session, company_id, name)
    if found is None:
        return None
    refund, account_id = found
    request = await store.by_refund(session, company_id, refund.id)
    nothing = refund.amount - refund.amount
    is_flaw = request is not None and request.reason == "OPERATIONAL_FLAW"
    return Gone(account_id, refund.state, refund.payment.rail, refund.amount, nothing, refund.paid_at, is_flaw)


@dataclass(frozen=True)
class Contest(Act[ContestContext]):
    """POST /order/v1/banking/med/accounts/{accountId}."""

    wish: ContestWish
    stand: Stand
    disputes: Disputes

    async def read(self, session: Session, context: RequestContext) -> ContestContext:
        """The account, the transaction, and whether it was contested before."""
        has_account = await account_by_id(session, context.company_id, self.wish.account_id) is not None
        sent = await gone(session, context.company_id, self.wish.end_to_end_id)
        return ContestContext(
            has_account, sent, await store.recovery_of(session, context.company_id, self.wish.end_to_end_id)
        )

    async def call_out(self, known: ContestContext, context: RequestContext) -> ContestContext | Refused:
        """Opens the recovery in the directory, under the wish's own id.

        So a retry after a crash opens no second one. For a recovery that is already here, the answer tells if this very
        request opened it and lost its answer.
        """
        refused = self._refusal(known, context)
        if refused is not None:
            return refused
        wish = self.wish
        within = known.sent.amount if known.sent is not None and known.sent.rail == BOOK else None
        contact = self.stand.terms.contact
        if contact is None:
            return _NO_CONTACT
        asked = MedContest(rules.request_id_of(wish), wish.end_to_end_id, wish.situation, wish.details, contact, within)
        try:
            return replace(known, news=await self.disputes.contest(asked))
        except Transient:
            return _SILENT
        except Permanent as no:
            return _said_no(no) if known.before is None else _AGAIN

    def decide(self, known: ContestContext, context: RequestContext) -> Done | Refused:
        """Creates the recovery with the directory's status. If the directory's message was first, it is that one."""
        assert known.news is not None
        if known.before is not None:
            if known.news.reference_id != known.before.subject.id:
                return _AGAIN
            shown = render(in_full(known.before))
            return Done(Write(context.company_id), shown, known.before.subject.id, keep="forever")
        assert known.sent is not None
        news, sent, nothing = known.news, known.sent, known.sent.amount - known.sent.amount
        way = rules.way_of(RECOVERY, NOT_THERE, news, news.result)
        one = MedObject(
            news.reference_id, news.status, len(way), RECOVERY, PAYER, sent.account_id, self.wish.end_to_end_id, None,
            self.wish.situation, None, sent.amount - sent.returned, nothing, nothing, news.result, None, news.path, None,
            rules.deadline_of(RECOVERY, context.now, self.stand.terms), None, context.now, context.now, news.at,
        )  # fmt: skip
        states = [""]
        for trigger in way:
            states.append(MED_OBJECTS.after(states[-1], trigger))
        history = tuple(Changed(b, a or None, context.now) for a, b in pairwise(states))
        write = born(one, way, context, news.at) + ordered(one, context)
        return Done(write, render(in_full(Case(one, history, ()))), one.id, keep="forever")

    def _refusal(self, known: ContestContext, context: RequestContext) -> Refused | None:
        if not known.has_account:
            return NOT_FOUND
        if known.before is not None:
            return _AGAIN if self.wish.key is None else None
        problems = rules.sent_problems(known.sent, self.wish.account_id, context.now, self.stand.terms)
        return Refused(Kind.INVALID, tuple(problems)) if problems else None


@dataclass(frozen=True, slots=True)
class Standing:
    """The recovery to cancel. is_told: a client was told that it is canceled. news: the directory's answer."""

    case: Case | None
    is_told: bool = False
    news: MedNews | None = None


@dataclass(frozen=True)
class CancelContest(Act[Standing]):
    """POST /order/v1/banking/med/{referenceId}/cancel."""

    object_id: UUID | None
    disputes: Disputes

    async def read(self, session: Session, context: RequestContext) -> Standing:
        """The recovery."""
        if self.object_id is None:
            return Standing(None)
        case = await store.whole(session, context.company_id, self.object_id)
        is_told = case is not None and await store.was_given_up_here(session, context.company_id, self.object_id)
        return Standing(case, is_told)

    async def call_out(self, known: Standing, context: RequestContext) -> Standing | Refused:
        """Cancels the recovery in the directory, with all its objects. A repeated call gets the same answer.

        If the directory's message came before an answer could be given, the lost answer is given now.
        """
        if known.case is None:
            return NOT_FOUND
        own = known.case.subject
        if own.object_type != RECOVERY:
            return refusals.NO_RECOVERY.refused()
        if own.state == "CANCELLED" and not known.is_told:
            return known
        if not MED_OBJECTS.allows(own.state, "recovery cancel"):
            return refusals.RECOVERY_ENDED.refused(state=own.state)
        try:
            return replace(known, news=await self.disputes.cancel(own.id))
        except Transient:
            return _SILENT
        except Permanent as no:
            return _said_no(no)

    def decide(self, known: Standing, context: RequestContext) -> Done | Refused:
        """Cancels the recovery here too. Its notices and requests follow by the directory's own messages."""
        assert known.case is not None
        own, news = known.case.subject, known.news
        if news is None:
            return Done(Write(context.company_id), render(in_full(known.case)), own.id)
        after, write = moved(own, "recovery cancel", context, news.at, why="CLIENT")
        history = (*known.case.history, Changed("CANCELLED", own.state, context.now))
        shown = in_full(Case(after, history, known.case.related))
        return Done(write, render(shown), own.id)


def _said_no(no: Permanent) -> Refused:
    """Returns the directory's refusal, with its code."""
    return refusals.DIRECTORY_REFUSES.refused(code=no.code)
