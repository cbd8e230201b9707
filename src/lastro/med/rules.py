"""What a dispute allows and asks for: pure decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from uuid import UUID, uuid5

from lastro.base.errors import Problem
from lastro.base.money import Money
from lastro.med.model import SITUATIONS
from lastro.med.states import NOTICE, RECEIVER, RECOVERY, REQUEST, STATUSES, trigger_to
from lastro.rails.port import PIX

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.med.forms import ContestForm
    from lastro.med.model import MedObject, Terms
    from lastro.payouts import Payout
    from lastro.rails.port import MedNews

# A transaction is contested once, ever (DICT API 2.12, FundsRecovery), so what we ask by is made of it.
_REQUESTS: Final = UUID("5d0a9b54-6a86-5c3e-9f5c-2f6a0b1c7d3e")
# Why the money goes back, as pacs.004 says it (domain.md §4.5): the institution's fault, else fraud.
_RETURN_REASONS: Final = {"OPERATIONAL_FLAW": "BE08", "PIX_AUTOMATICO": "BE08"}
_SETTLED: Final = ("PAID", "PARTIAL_REFUNDED")


def request_id_of(end_to_end_id: str) -> UUID:
    """By which a recovery of this transaction is asked for; the same every time, so that none is opened twice."""
    return uuid5(_REQUESTS, end_to_end_id)


def return_reason(reason: str | None) -> str:
    """The reason of the return that answers a refund request of this reason."""
    return _RETURN_REASONS.get(reason or "", "FR01")


def contest_problems(form: ContestForm) -> list[Problem]:
    """What is wrong with a contest that can be known without a look-up, beyond the form of single fields."""
    problems: list[Problem] = []
    if form.situation_type not in SITUATIONS:
        problems.append(Problem("situationType", "INVALID", "is not one of the values the interface names"))
    if form.situation_type == "OTHERS" and form.details is None:
        problems.append(Problem("details", "REQUIRED", "must say what happened, where no situationType does"))
    return problems


def sent_problems(sent: Payout | None, account_id: UUID, now: datetime, terms: Terms) -> list[Problem]:
    """What stands in the way of contesting a transaction of this account. sent: what we know of it as money sent."""
    if sent is None or sent.account_id != account_id:
        return [Problem("endToEndId", "INVALID", "is no Pix that this account has sent")]
    if sent.state == "REFUNDED":
        return [Problem("endToEndId", "NOT_ALLOWED", "all of it has come back already")]
    if sent.state not in _SETTLED or sent.paid_at is None:
        return [Problem("endToEndId", "NOT_ALLOWED", f"is {sent.state}: only what has settled can be contested")]
    if sent.rail != PIX:
        return [Problem("endToEndId", "NOT_SUPPORTED", "was no Pix to another bank")]
    if now > sent.paid_at + terms.contest:
        return [Problem("endToEndId", "EXPIRED", f"settled more than {terms.contest.days} days ago")]
    return []


def deadline_of(object_type: str, at: datetime, terms: Terms) -> datetime:
    """By when an object that began then has to have ended."""
    return at + {RECOVERY: terms.whole, NOTICE: terms.analysis, REQUEST: terms.answer}[object_type]


def to_block(asked: Money, has: Money, already: Money) -> Money:
    """How much more an object takes of what the account has available. already: what it blocks."""
    return max(min(asked - already, has), Money(0, asked.currency))


def moved_by(known: MedObject, news: MedNews) -> str | None:
    """The trigger by which the directory's word moves an object that we know; None: it tells nothing new."""
    if news.object_type == REQUEST and news.status == "ANALYSED":
        trigger = "request reject" if news.result == "REJECTED" else "request accept"
        return trigger if known.state == "OPEN" else None
    return trigger_to(known.object_type, known.state, news.status)


def is_old(known: MedObject, news: MedNews) -> bool:
    """Whether we have been where the directory says that an object stands, so that the word is late or said twice."""
    if known.has_ended:
        # What we had decided when its opener gave it up ends so here all the same.
        return known.state == news.status or news.status != "COMPLETED"
    line = STATUSES[known.object_type]
    return line.index(news.status) <= line.index(known.state)


def answer_of(asked: Money, returned: Money) -> str:
    """How a refund request ends by which so much was returned."""
    if not returned.minor:
        return "REJECTED"
    return "TOTALLY_ACCEPTED" if returned >= asked else "PARTIALLY_ACCEPTED"


def fits_role(news: MedNews) -> bool:
    """Whether an object of this kind can be ours in this role: a recovery is its opener's alone."""
    return news.object_type != RECOVERY or news.role != RECEIVER


def verdict_problem(known: MedObject | None) -> Problem | None:
    """Why nobody can decide about this object now; None: somebody can."""
    if known is None:
        return Problem("referenceId", "INVALID", "is no object of a dispute of this company")
    if known.object_type != NOTICE or known.role != RECEIVER:
        return Problem(
            "referenceId", "NOT_ALLOWED", "only a notice about money that came to an account here is decided here"
        )
    if known.state != "RECEIVED":
        return Problem("referenceId", "CONFLICT", f"is {known.state}: only what is RECEIVED waits to be decided")
    return None
