"""Proves by statements that a payout was never taken. Its network gives the payout's id to another payment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro import payouts
from lastro.api_kit.routes import NOT_FOUND, render, stamp
from lastro.core.runner import Act, Done
from lastro.rails.port import BOOK, CLOCKS_DIFFER
from lastro.reconciliation import store
from lastro.reconciliation.problems import NOT_DISPROVED
from lastro.standards.calendar import brasilia_day

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from lastro.accounts import Institution
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.money import Money
    from lastro.core.runner import RequestContext
    from lastro.payouts import Payout, Word


# A line under our id can only be of before the payment where a clock of ours was fast when it was made: it may be ours then.
_FAST_CLOCK = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class DisproveContext:
    """The payout, the doubtful words under its id, and statements' payments.

    words: those that people were to look at. left: what statements say to have left under the id.
    """

    payout: Payout
    words: Sequence[Word]
    left: Sequence[tuple[Money, datetime]]


@dataclass(frozen=True)
class Disproved(Act["DisproveContext | None"]):
    """Fails a payment that its network never took (states.md 5).

    The network has another payment under that id. Only where no copy can be out: its message was never sent; or the time
    is over in which the network takes one, the network was asked after that, and the statements of all those days are
    whole and have no such payment. by, reason: the author and the reason, for the history. whole: the days whose
    statements lack nothing.
    """

    name: str
    by: str
    reason: str
    whole: frozenset[date]
    institution: Institution

    async def read(self, session: Session, context: RequestContext) -> DisproveContext | None:
        """Reads the payout, and its network's and statements' words under its id."""
        company = context.company_id
        found = await payouts.by_network_id(session, company, self.name)
        if found is None or found.rail == BOOK or found.message_id is None:
            return None
        words = await payouts.words_about(session, company, self.name)
        return DisproveContext(found, words, await store.left_under(session, company, found.rail, self.name))

    def decide(self, known: DisproveContext | None, context: RequestContext) -> Done | Refused:
        """Ends the payout as ERROR, or returns what the proof lacks.

        The held money is free, and the one who asked for the payout is told.
        """
        if known is None:
            return NOT_FOUND
        p, lack = known.payout, self._lack(known, context)
        if lack is not None:
            return NOT_DISPROVED.refused(lack=lack)
        write = payouts.disproved(p, self.by, self.reason, self.institution, context)
        said = {"id": str(p.id), "name": p.network_id, "status": "ERROR", "amount": str(p.amount)}
        return Done(write, render(said), p.id)

    def _lack(self, known: DisproveContext, context: RequestContext) -> str | None:
        """Returns the reason not to end it; None: there is none."""
        p = known.payout
        if p.state != "PENDING":
            return f"is {p.state}: only a payment that waits for its network is ended so"
        others = payouts.contradictions(known.words, p, self.institution, context)
        if not others:
            return "is PENDING, and nothing was said under its id that fits another payment: its network is asked about it"
        if p.is_in_hand or p.sends is None:
            return "is PENDING, and its message is being sent at this moment: try again"
        answered_at = max((word.heard_at for word in others if word.is_answer), default=None)
        return self._may_be_out(known, answered_at, context) if p.sends else None

    def _may_be_out(self, known: DisproveContext, answered_at: datetime | None, context: RequestContext) -> str | None:
        """Returns the reason why a copy may count as taken; None: none.

        A copy that was sent may have been taken, or still be. answered_at: the time of the network's last answer to us.
        """
        p = known.payout
        until = payouts.may_be_taken_until(p)
        if context.now <= until:
            return f"is PENDING, and a copy of its message may be taken until {stamp(until)}"
        if answered_at is None or answered_at <= until:
            return f"is PENDING, and its network has not answered since {stamp(until)}: it is asked every 15 minutes"
        first = p.created_at - CLOCKS_DIFFER
        lacking = [day for day in _days(brasilia_day(first), brasilia_day(until)) if day not in self.whole]
        if lacking:
            days = ", ".join(day.isoformat() for day in lacking)
            return f"is PENDING, and no statement of {p.rail} proves it: not taken, or with a gap, is that of {days}"
        if any(at >= first or (amount == p.amount and at >= first - _FAST_CLOCK) for amount, at in known.left):
            return "has left by its statement: ask the network, and book it with lastro payout prove"
        return None


def _days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]
