"""A client contests a Pix that its account has sent, or gives that up; the directory is asked before anything is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from lastro.accounts import accounts_of
from lastro.base.api import NOT_FOUND, render
from lastro.base.errors import Kind, Problem, Refused
from lastro.base.run import Act, Done
from lastro.med import rules, store
from lastro.med.actions.writing import born, moved
from lastro.med.model import Case, Changed, MedObject
from lastro.med.rendering import in_full
from lastro.med.states import MED_OBJECTS, PAYER, RECOVERY, way_to
from lastro.payouts import by_network_id
from lastro.rails.port import MedContest, Permanent, Transient

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.base.db import Session
    from lastro.base.run import Door
    from lastro.med.model import Stand
    from lastro.payouts import Payout
    from lastro.rails.port import Disputes, MedNews

_SILENT = Refused(Kind.UNAVAILABLE, retry_after_seconds=5)
_ONCE = Problem("endToEndId", "DUPLICATE", "was contested before: a transaction has one recovery, ever")


@dataclass(frozen=True, slots=True)
class Known:
    """has_account: of this company. sent: the transaction. before: its recovery. news: what the directory has opened."""

    has_account: bool
    sent: Payout | None
    before: MedObject | None
    news: MedNews | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """A contest as a client asks for it."""

    account_id: UUID
    end_to_end_id: str
    situation: str
    details: str | None


@dataclass(frozen=True)
class Contest(Act[Known]):
    """POST /order/v1/banking/med/accounts/{accountId}."""

    wish: Wish
    stand: Stand
    disputes: Disputes

    async def read(self, session: Session, door: Door) -> Known:
        """The account, the transaction, and whether it was contested before."""
        has_account = bool(await accounts_of(session, door.company_id, [self.wish.account_id]))
        sent = await by_network_id(session, door.company_id, self.wish.end_to_end_id)
        return Known(has_account, sent, await store.recovery_of(session, door.company_id, self.wish.end_to_end_id))

    async def look_up(self, known: Known, door: Door) -> Known | Refused:
        """The directory opens it, under an id made of the transaction: asked again after a crash it opens no second one."""
        refused = self._refusal(known, door)
        if refused is not None:
            return refused
        wish = self.wish
        asked = MedContest(rules.request_id_of(wish.end_to_end_id), wish.end_to_end_id, wish.situation, wish.details)
        try:
            return replace(known, news=await self.disputes.contest(asked))
        except Transient:
            return _SILENT
        except Permanent as no:
            return _said_no(no)

    def decide(self, known: Known, door: Door) -> Done | Refused:
        """CREATED here as it is there; where the directory has told of it meanwhile, that is the one."""
        assert known.news is not None
        assert known.sent is not None
        news, sent, nothing = known.news, known.sent, known.sent.amount - known.sent.amount
        way = way_to(RECOVERY, news.status)
        one = MedObject(
            news.reference_id, news.status, len(way), RECOVERY, PAYER, sent.account_id, self.wish.end_to_end_id, None,
            self.wish.situation, None, sent.amount - sent.returned, nothing, nothing, news.result, None, news.path, None,
            rules.deadline_of(RECOVERY, door.now, self.stand.terms), None, door.now, door.now,
        )  # fmt: skip
        states = [""]
        for trigger in way:
            states.append(MED_OBJECTS.moves[states[-1], trigger])
        history = tuple(Changed(b, a or None, door.now) for a, b in pairwise(states))
        return Done(born(one, way, door, news.at), render(in_full(Case(one, history, ()))), one.id, keep="forever")

    def taken(self, constraint: str) -> Refused | None:
        """Another request, or the directory's own word, was quicker."""
        return Refused(Kind.CONFLICT, (_ONCE,)) if constraint.startswith("med_objects") else None

    def _refusal(self, known: Known, door: Door) -> Refused | None:
        if not known.has_account:
            return NOT_FOUND
        if known.before is not None:
            return Refused(Kind.CONFLICT, (_ONCE,))
        problems = rules.sent_problems(known.sent, self.wish.account_id, door.now, self.stand.terms)
        return Refused(Kind.INVALID, tuple(problems)) if problems else None


@dataclass(frozen=True)
class Cancel(Act["tuple[MedObject | None, MedNews | None]"]):
    """POST /order/v1/banking/med/{referenceId}/cancel."""

    object_id: UUID | None
    disputes: Disputes

    async def read(self, session: Session, door: Door) -> tuple[MedObject | None, MedNews | None]:
        """The recovery."""
        if self.object_id is None:
            return None, None
        return await store.found(session, door.company_id, self.object_id), None

    async def look_up(
        self, known: tuple[MedObject | None, MedNews | None], door: Door
    ) -> tuple[MedObject | None, MedNews | None] | Refused:
        """The directory ends it, with everything that belongs to it; asked again it says the same."""
        own, _ = known
        if own is None:
            return NOT_FOUND
        if own.object_type != RECOVERY:
            text = "is no recovery value: what belongs to one ends with it"
            return Refused(Kind.CONFLICT, (Problem("referenceId", "CONFLICT", text),))
        if not MED_OBJECTS.allows(own.state, "recovery cancel"):
            return Refused(Kind.CONFLICT, (Problem("status", "CONFLICT", f"is {own.state}: it cannot be canceled now"),))
        try:
            return own, await self.disputes.cancel(own.id)
        except Transient:
            return _SILENT
        except Permanent as no:
            return _said_no(no)

    def decide(self, known: tuple[MedObject | None, MedNews | None], door: Door) -> Done | Refused:
        """CANCELLED here as it is there; its notices and requests follow by the directory's own word on each."""
        own, news = known
        assert own is not None
        assert news is not None
        after, write = moved(own, "recovery cancel", door, news.at)
        shown = in_full(Case(after, (Changed("CANCELLED", own.state, door.now),), ()))
        return Done(write, render(shown), own.id)


def _said_no(no: Permanent) -> Refused:
    """The directory's own no, with its word."""
    return Refused(Kind.CONFLICT, (Problem("endToEndId", "CONFLICT", f"the directory refuses it: {no.code}"),))
