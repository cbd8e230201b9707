"""An object's timeline on a page: steps in order of time, with their details."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.timeline.shapes import AttemptEntry, EventEntry, MessageEntry, StateEntry, TransferEntry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lastro.console.terms import Terms
    from lastro.timeline.shapes import Entry

# The page of each object of a timeline; others have none of their own.
PLACES = {
    "order": "orders", "payment": "payments", "refund": "refunds", "payout": "payouts", "subscription": "subscriptions",
    "plan": "plans", "accountRequest": "requests", "dispute": "disputes", "key": "keys", "account": "accounts",
}  # fmt: skip
_LEAST_GOOD, _LEAST_BAD = 200, 300


@dataclass(frozen=True, slots=True)
class TimelineStep:
    """One step. kind: state, money, message, event or attempt. tone: as a status has it. facts: names of terms and texts.

    link: where its bytes are, or the object that it is of; None: there is no more of it.
    """

    at: str
    kind: str
    tone: str
    title: str
    facts: tuple[tuple[str, str], ...] = ()
    link: str | None = None


def steps(entries: Sequence[Entry], say: Terms, own: str) -> list[TimelineStep]:
    """Returns the steps of a timeline, oldest first.

    own: the id of the object whose page it is, to which nothing leads back.
    """
    return [_step(entry, say, own) for entry in entries]


def _step(entry: Entry, say: Terms, own: str) -> TimelineStep:
    match entry:
        case StateEntry():
            return _moved(entry, say, own)
        case TransferEntry():
            return _booked(entry, say)
        case MessageEntry():
            return _message_step(entry, say)
        case EventEntry():
            return _event(entry, say)
        case AttemptEntry():
            return _tried(entry, say)


def _moved(entry: StateEntry, say: Terms, own: str) -> TimelineStep:
    thing, of = say(f"thing.{entry.object}"), say.about(entry.object)
    if entry.from_state in (None, entry.to):
        title = f"{thing}: {of.state(entry.to)}"
    else:
        title = f"{thing}: {of.state(entry.from_state or '')} → {of.state(entry.to)}"
    facts = (
        ("step.trigger", of.trigger(entry.trigger)),
        ("field.tried", " ".join(filter(None, (say.word(entry.tried or ""), say.date(entry.day or ""))))),
        ("field.reason", say.word(entry.reason or "")),
        ("field.cure", entry.cure or ""),
        ("field.requestId", entry.request_id or ""),
    )
    place = PLACES.get(entry.object)
    link = f"/console/{place}/{entry.id}" if place is not None and entry.id != own else None
    return TimelineStep(entry.at, "state", say.tone(entry.to), title, _there(facts), link)


def moved(at: str, before: str, after: str, trigger: str, reason: str | None, say: Terms) -> TimelineStep:
    """Returns the step of a move of an object without a timeline. at: as stamps are written; before: empty at its birth."""
    title = say.state(after) if before in ("", after) else f"{say.state(before)} → {say.state(after)}"
    return TimelineStep(
        at, "state", say.tone(after), title, _there((("step.trigger", say.trigger(trigger)), ("field.reason", reason or "")))
    )


def _booked(entry: TransferEntry, say: Terms) -> TimelineStep:
    amount = say.paid(entry.amount.value, entry.amount.currency)
    title = f"{say(f'step.{entry.movement}')}: {amount}, {say.word(entry.entry)}"
    facts = tuple(
        (f"field.{side}", say(f"ledger.{code}")) for side, code in (("debit", entry.debit), ("credit", entry.credit))
    )
    tone = "waiting" if entry.movement == "held" else "calm"
    return TimelineStep(entry.at, "money", tone, title, facts, f"/console/ledger/transfers/{entry.id}")


def _message_step(entry: MessageEntry, say: Terms) -> TimelineStep:
    way = say("step.from-network" if entry.direction == "in" else "step.to-network", network=say.word(entry.network))
    sends = "" if entry.sends == 1 else str(entry.sends)
    facts = (
        ("step.outcome", say.outcome(entry.outcome) if entry.outcome else say("step.on-its-way")), ("step.sends", sends),
        ("step.subject", entry.subject or ""), ("field.networkId", entry.network_id),
    )  # fmt: skip
    tone = "waiting" if entry.outcome is None else "calm"
    return TimelineStep(
        entry.at,
        "message",
        tone,
        f"{way}: {say.message(entry.message)}",
        _there(facts),
        f"/console/messages/{entry.direction}/{entry.id}",
    )


def _event(entry: EventEntry, say: Terms) -> TimelineStep:
    delivery = entry.delivery
    status = None if delivery is None else delivery.status
    facts = (
        ("field.sequence", "" if entry.sequence is None else say.number(entry.sequence)),
        ("field.status", "" if status is None else say.state(status)),
        ("field.nextAttemptAt", "" if delivery is None else say.moment(delivery.next_attempt_at)),
    )
    tone = "calm" if status is None else say.tone(status)
    return TimelineStep(
        entry.at, "event", tone, f"{say('step.event')}: {say.word(entry.type)}", _there(facts), f"/console/events/{entry.id}"
    )


def _tried(entry: AttemptEntry, say: Terms) -> TimelineStep:
    went_well = _LEAST_GOOD <= entry.status_code < _LEAST_BAD
    answered = str(entry.status_code) if entry.status_code else say("step.no-answer")
    facts = (("field.durationMs", say.span(entry.duration_ms)), ("step.said", entry.message))
    title = f"{say('step.attempt', number=entry.number)}: {answered}"
    return TimelineStep(
        entry.at, "attempt", "good" if went_well else "bad", title, _there(facts), f"/console/events/{entry.event_id}"
    )


def _there(facts: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, text) for name, text in facts if text)
