"""The rules of a dispute: pure decisions."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Final
from uuid import UUID, uuid5

from lastro.core.errors import Problem, one_of
from lastro.core.machine import NOT_THERE
from lastro.core.money import Money
from lastro.med import problems as refusals
from lastro.med.model import ACCOUNT_TYPES, AUTOMATIC, FRAUDS, LONGEST_DETAILS, SITUATIONS, UNKNOWN, UNTOLD, VERDICTS
from lastro.med.states import NOTICE, PAYER, RECEIVER, RECOVERY, REQUEST, STATUSES, UNDECIDED, way_between
from lastro.orders import may_help_later
from lastro.rails.port import BOOK, PIX
from lastro.standards.documents import is_cnpj

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.errors import Refused
    from lastro.med.forms import ContestForm
    from lastro.med.model import ContestWish, DisputeTerms, Gone, MedObject, Reimbursement
    from lastro.orders import Party
    from lastro.rails.port import MedNews

# A transaction is contested once, ever (DICT API 2.12, FundsRecovery), so what we ask by is made of it.
_REQUESTS: Final = UUID("5d0a9b54-6a86-5c3e-9f5c-2f6a0b1c7d3e")
# The reason of a return in pacs.004 (domain.md §4.5): the institution's fault, else fraud.
# A faulty Pix Automático goes back otherwise: by a pacs.008 to the payer's institution (REFU).
_RETURN_REASONS: Final = {"OPERATIONAL_FLAW": "BE08"}
_BRANCH = re.compile(r"[0-9]{1,4}")
_ACCOUNT = re.compile(r"[0-9A-Z]{1,20}")
_AGAIN: Final = timedelta(minutes=15)  # the polling interval of a silent network
_SETTLED: Final = ("PAID", "PARTIAL_REFUNDED")


def request_id_of(wish: ContestWish) -> UUID:
    """Returns the request id of a recovery.

    It is the same for the same wish under the same key, so that it is opened once. Another key is another wish, to which the
    directory says that the transaction has its recovery.
    """
    if wish.key is None:
        return uuid5(_REQUESTS, wish.end_to_end_id)
    said = (wish.end_to_end_id, str(wish.account_id), wish.situation, wish.details or "", wish.key)
    return uuid5(_REQUESTS, "\n".join(said))


def verdict_words_problem(verdict: str, fraud: str | None, details: str | None) -> Problem | None:
    """Returns the problem with a verdict and its words; None: none."""
    if verdict not in VERDICTS:
        return refusals.VERDICT_INVALID.problem()
    if fraud is not None and fraud not in FRAUDS:
        return refusals.FRAUD_INVALID.problem()
    if verdict != "AGREED" and (fraud is not None or details is not None):
        return refusals.FRAUD_NOT_ALLOWED.problem("fraud" if fraud else "details")
    if verdict == "AGREED" and fraud is None:
        return refusals.FRAUD_REQUIRED.problem()
    if fraud == "OTHER" and details is None:
        return refusals.DETAILS_REQUIRED.problem(why="must say in words what an OTHER fraud was")
    return details_problem(details)


def details_problem(details: str | None) -> Problem | None:
    """Returns the problem with words for the directory; None: none, or no words."""
    if details is not None and not (details.strip() and details.isprintable() and len(details) <= LONGEST_DETAILS):
        return refusals.DETAILS_INVALID.problem(longest_details=LONGEST_DETAILS)
    return None


def next_look(own: MedObject, lacks: bool, now: datetime, terms: DisputeTerms) -> datetime:
    """Returns the next due time of a notice. It is its deadline, before it a reminder, or a look for what is lacking."""
    looks = [own.deadline]
    if lacks and terms.top_up:
        looks.append(now + terms.top_up)
    remind_at = reminder_at(own, terms)
    if remind_at is not None and remind_at > now:
        looks.append(remind_at)
    return min(looks)


def reminder_at(own: MedObject, terms: DisputeTerms) -> datetime | None:
    """Returns when to remind the holder of a notice's account; None: never. The time for a defense is nearly over then.

    Once, and only while nothing was said. If that time is shorter than the reminder's lead, the notice has just told it.
    """
    is_heard = own.has_defense or own.reminded_at is not None
    if not terms.reminder or own.defense_due_at is None or is_heard or own.state not in UNDECIDED:
        return None
    at = own.defense_due_at - terms.reminder
    return at if at > own.created_at else None


def is_to_remind(own: MedObject, now: datetime, terms: DisputeTerms) -> bool:
    """Tells whether to remind the holder now. A defense can still be given, and its time is nearly over."""
    at = reminder_at(own, terms)
    return at is not None and own.defense_due_at is not None and at <= now <= own.defense_due_at


def return_reason(reason: str | None) -> str:
    """Returns the reason of the return that answers a refund request."""
    return _RETURN_REASONS.get(reason or "", "FR01")


def is_later(own: MedObject, payer: Party | None, victim: Party | None) -> bool:
    """Tells whether a request is about a payment after the victim's own.

    The victim is paid anew then, not the payer of this one. DICT 2.12.1, errors TransactionTypeInvalid and
    RefundTransactionInvalid (IPRT). Its ExtendedRefund does not name the victim's transaction; if it is told, it decides.
    Else the first payment is known by the account that it left, which is the victim's (RefundAccount, inferred): money that
    he has moved himself, from where it was stolen to, is a later one.
    """
    if victim is None:
        return False
    if own.root_id is not None:
        return own.root_id != own.end_to_end_id
    return payer is not None and _place(payer) != _place(victim)


def _place(one: Party) -> tuple[str, str]:
    """Returns an account without leading zeros; of a person without account, the document."""
    if one.bank is None or "account" not in one.bank:
        return "", one.document_number or ""
    return one.bank["ispb"], one.bank["account"].lstrip("0")


def after_refusal(own: MedObject, code: str, now: datetime) -> datetime | None:
    """Returns when a refused payment anew is retried, or decided again; None: it is given up.

    A reimbursement of Pix Automático is for people, who have named the account.
    """
    if own.reason == AUTOMATIC:
        return now
    return now + _AGAIN if may_help_later(code) and now < own.deadline else None


def reimbursement_problems(known: MedObject | None, wish: Reimbursement | None) -> list[Problem]:
    """Returns the problems of deciding a refund request of Pix Automático. wish: None of a no."""
    if known is None:
        return [refusals.UNKNOWN_OBJECT.problem()]
    if known.object_type != REQUEST or known.role != RECEIVER or known.reason != AUTOMATIC:
        return [refusals.NO_REFUND_REQUEST.problem()]
    if not known.awaits_decision:
        return [refusals.REQUEST_DECIDED.problem(state=known.state)]
    problems: list[Problem] = []
    if wish is None:
        return problems
    if not 0 < wish.amount.minor <= min(known.blocked.minor, known.amount.minor):
        problems.append(refusals.MORE_THAN_BLOCKED.problem(blocked=known.blocked))
    if not (is_cnpj(wish.document) and wish.document[:8] == known.requester):
        # An institution's ISPB is the root of its CNPJ: any other document is a customer's, who is not to be paid twice.
        problems.append(refusals.DOCUMENT_INVALID.problem(ispb=known.requester))
    if _BRANCH.fullmatch(wish.branch) is None:
        problems.append(refusals.BRANCH_INVALID.problem())
    if _ACCOUNT.fullmatch(wish.account) is None:
        problems.append(refusals.ACCOUNT_INVALID.problem())
    if wish.account_type not in ACCOUNT_TYPES:
        problems.append(refusals.ACCOUNT_TYPE_INVALID.problem())
    return problems


def contest_problems(form: ContestForm) -> list[Problem]:
    """Returns the problems of a contest that need no look-up. The form of single fields is not checked here."""
    problems: list[Problem] = []
    if form.situation_type is not None and form.situation_type not in (*SITUATIONS, UNKNOWN):
        problems.append(refusals.SITUATION_TYPE_INVALID.problem(why=one_of((*SITUATIONS, UNKNOWN))))
    if form.situation_type == "OTHERS" and form.details is None:
        problems.append(refusals.DETAILS_REQUIRED.problem(why="must say what happened, where no situationType does"))
    return problems


def situation_of(form: ContestForm) -> tuple[str, str | None]:
    """Returns the situation and its details as the directory knows them. form: without problems."""
    if form.situation_type == UNKNOWN:
        return "OTHERS", form.details or UNTOLD
    return form.situation_type, form.details


def sent_problems(sent: Gone | None, account_id: UUID, now: datetime, terms: DisputeTerms) -> list[Problem]:
    """Returns the problems of contesting a transaction of this account. sent: what we know of it as money sent."""
    if sent is None or sent.account_id != account_id:
        return [refusals.END_TO_END_ID_INVALID.problem()]
    if sent.state == "REFUNDED":
        return [refusals.END_TO_END_ID_NOT_ALLOWED.problem(why="all of it has come back already")]
    if sent.closed_flaw:
        # DICT 2.12.1, FundsRecoveryTransactionNotEligible: it has closed a refund "com o motivo FALHA OPERACIONAL".
        return [refusals.END_TO_END_ID_NOT_ALLOWED.problem(why="closed a refund of an operational flaw: that is final")]
    if sent.state not in _SETTLED or sent.at is None:
        return [refusals.END_TO_END_ID_NOT_ALLOWED.problem(why=f"is {sent.state}: only what has settled can be contested")]
    if sent.rail not in (PIX, BOOK):
        return [refusals.END_TO_END_ID_NOT_SUPPORTED.problem()]
    if now > sent.at + terms.contest:
        return [refusals.END_TO_END_ID_EXPIRED.problem(days=terms.contest.days)]
    return []


def deadline_of(object_type: str, at: datetime, terms: DisputeTerms) -> datetime:
    """By when an object that began then has to have ended."""
    return at + {RECOVERY: terms.whole, NOTICE: terms.analysis, REQUEST: terms.answer}[object_type]


def to_block(asked: Money, has: Money, already: Money, free: Money) -> Money:
    """Returns how much more an object blocks of the available balance. already: what it blocks.

    free: as `free_of`: more than that is not blocked.
    """
    return max(min(asked - already, has, free - already), Money(0, asked.currency))


def free_of(left: Money, elsewhere: Money, asked: Money, paid: Money) -> Money:
    """Returns the most that an object can block. It is of its Pix and of what came beside it.

    left: what of the Pix can still be given back; elsewhere: blocked by others. asked, paid: what is asked for above the Pix
    itself came by other payments: an InfractionAmount is "sempre menor ou igual à soma dos valores das transações de entrada
    no período", and an amount "a ser bloqueado na conta" (DICT 2.12.1, ExtendedInfractionReport).
    """
    nothing = Money(0, left.currency)
    return max(left - elsewhere, nothing) + max(asked - paid, nothing)


def most_anew(asked: Money, left: Money, paid: Money) -> Money:
    """Returns how much a later layer can give back.

    It is what is left of its payment, and what of the request came beside it. "Devolução dos recursos bloqueados à conta da
    vítima" (DICT 2.12.1, tag FundsRecovery): what is paid anew is no return of that payment, so that it may be more.
    """
    return free_of(left, left - left, asked, paid)


def moved_by(known: MedObject, news: MedNews) -> tuple[str, ...]:
    """Returns the triggers of a directory message for a known object; empty: nothing new.

    As PAYER we follow the decisions of others, so that a message that was missed or could not be read is made up for: the
    object goes through every status up to the one that is told. As RECEIVER each is a step of our own, and none is left out.
    """
    way = way_of(known.object_type, known.state, news, news.result or known.result)
    return way if known.role == PAYER or len(way) == 1 else ()


def way_of(object_type: str, state: str, news: MedNews, result: str | None = None) -> tuple[str, ...]:
    """Returns the triggers up to the told status. They pass through TRACED if the message has a path, else not."""
    was_traced = object_type == RECOVERY and news.path and state in (NOT_THERE, "CREATED") and news.status != "CREATED"
    if not was_traced:
        return way_between(object_type, state, news.status, result)
    traced = way_between(object_type, state, "TRACED")
    onward = () if news.status == "TRACED" else way_between(object_type, "TRACED", news.status, result)
    return (*traced, *onward) if onward or news.status == "TRACED" else ()


def way_to_its_money(recovery: MedObject) -> tuple[str, ...]:
    """Returns the triggers by which a recovery gets returned money. Its refunds are ordered, told or not.

    A recovery that was canceled meanwhile has what was given back for it before.
    """
    if recovery.state in ("WAITING_REFUND", "COMPLETED", "CANCELLED"):
        return ("recovery credit",)
    way = way_between(RECOVERY, recovery.state, "WAITING_REFUND", "AGREED")
    return (*way, "recovery credit") if way else ()


def is_old(known: MedObject, news: MedNews) -> bool:
    """Tells whether a message's status is past: late or repeated."""
    if known.has_ended and known.object_type == NOTICE:
        return known.state == "CANCELLED" or news.status != "CANCELLED"
    if known.has_ended:
        # Our decision before its opener canceled it ends so here all the same.
        return known.state == news.status or news.status != "COMPLETED"
    line = STATUSES[known.object_type]
    return line.index(news.status) <= line.index(known.state)


def answer_of(asked: Money, returned: Money) -> str:
    """Returns the final status of a refund request by the amount returned."""
    if not returned.minor:
        return "REJECTED"
    return "TOTALLY_ACCEPTED" if returned >= asked else "PARTIALLY_ACCEPTED"


def is_of_another(known: MedObject, news: MedNews) -> bool:
    """Tells whether a message is about another object under the same id. Something that never changes of an object differs.

    A field that the message leaves out is no difference.
    """
    pairs = (
        (known.object_type, news.object_type), (known.role, news.role), (known.end_to_end_id, news.end_to_end_id),
        (known.recovery_id, news.recovery_id), (known.amount, news.amount), (known.directory_id, news.directory_id),
    )  # fmt: skip
    return any(None not in pair and pair[0] != pair[1] for pair in pairs)


def fits_role(news: MedNews) -> bool:
    """Tells whether we can have such an object in this role. A recovery is its opener's alone."""
    return news.object_type != RECOVERY or news.role != RECEIVER


def defense_problem(known: MedObject, now: datetime) -> Refused | None:
    """Refuses a defense now; None: it is taken."""
    if known.object_type != NOTICE or known.role != RECEIVER:
        return refusals.NO_NOTICE.refused()
    if known.state not in UNDECIDED:
        return refusals.NOTICE_DECIDED.refused(state=known.state)
    if known.defense_due_at is None or now > known.defense_due_at:
        return refusals.DEFENSE_EXPIRED.refused()
    return None


def verdict_problem(known: MedObject | None) -> Problem | None:
    """Returns the reason that nobody can decide now; None: somebody can."""
    if known is None:
        return refusals.UNKNOWN_OBJECT.problem()
    if known.object_type != NOTICE or known.role != RECEIVER:
        return refusals.NOT_DECIDED_HERE.problem()
    if known.state != "RECEIVED":
        return refusals.NOT_RECEIVED.problem(state=known.state)
    return None
