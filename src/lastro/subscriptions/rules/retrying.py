"""The next step after an unpaid attempt: another one, by whom and when, or the end of the payment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal

from lastro.standards.calendar import brasilia_day, day_bounds, instant
from lastro.subscriptions.model import TIMING
from lastro.subscriptions.payments.problems import DATE_OUT_OF_RANGE, NO_RETRY
from lastro.subscriptions.reasons import TOO_LATE, fails, heals, kills

if TYPE_CHECKING:
    from datetime import date

    from lastro.core.errors import Refused
    from lastro.subscriptions.model import AttemptKind, Payment, Plan, Subscription, SubscriptionTerms, Timing

# Codes that refuse another try. They tell the outcome of the tries before, and not the reason that they did not collect.
_NO_TRY: Final = ("DTNT", TOO_LATE, "IRNT", "QUNT")
_FINAL: Final = ("PAID", "CANCELED", "EXPIRED", "ERROR")


@dataclass(frozen=True, slots=True)
class NewAttempt:
    """An attempt to be made: its number, kind, the day on which it is to collect, and when it is to be sent; UTC."""

    number: int
    kind: AttemptKind
    day: date
    send_at: datetime


@dataclass(frozen=True, slots=True)
class RetryStep:
    """The effect of an unpaid attempt on its payment. trigger: of PAYMENT_MOVES; attempt: the next one, if any."""

    trigger: Literal["send again", "refuse", "retry", "leave to client", "expire", "subscription ends", "cancel"]
    attempt: NewAttempt | None = None


def first_attempt(payment: Payment, now: datetime, timing: Timing = TIMING) -> NewAttempt:
    """Returns a payment's first attempt, sent as soon as it may be."""
    return NewAttempt(len(payment.attempts) + 1, "AGND", payment.plan.settles_on, max(now, sends_at(payment.plan, timing)))


def sends_at(days: Plan, timing: Timing = TIMING) -> datetime:
    """Returns when the payer's bank is told of a charge; UTC. It is the beginning of the ninth day before."""
    return day_bounds(days.settles_on - timedelta(days=timing.send_days))[0]


def after_unpaid(
    payment: Payment, subscription: Subscription, code: str | None, now: datetime, timing: Timing = TIMING
) -> RetryStep:
    """Returns the next step when a payment's open attempt ends without money.

    code: the network's reason; None: its day is over and the network says that nothing was settled. payment: with that
    attempt still open. ValueError for a payment that has ended.
    """
    if payment.state not in ("SCHEDULED", "PENDING"):
        raise ValueError(f"a payment that is {payment.state} has no attempt to end")
    if subscription.state != "ACCEPTED":
        return RetryStep("subscription ends")
    # A connection's bank sends again by itself what may pass: its charge (cobr) can be tried again on another day alone.
    at_bank = subscription.is_at_bank
    send_at = None if at_bank else _failure_sent_again_at(payment, code, now, timing)
    if send_at is not None:
        return RetryStep("send again", _again(payment, "RIFL", send_at))
    if payment.state == "SCHEDULED":
        return RetryStep("refuse") if at_bank else _before_its_day(payment, code, now, timing)
    if code is not None and kills(code):
        return RetryStep("refuse")
    terms, today = subscription.terms, brasilia_day(now)
    if not payment.retries_alone:
        return RetryStep("leave to client" if _choices(payment, terms, today, timing) else "expire")
    days = retry_days(payment, terms, today, timing)
    if not days or (code is not None and code != TOO_LATE and not heals(code)):
        return RetryStep("expire")
    # Sent the day before, so that an hour in which the payer's bank takes nothing costs one try, and not all of them.
    return RetryStep("retry", _retry(payment, days[0], max(now, day_bounds(days[0] - timedelta(days=1))[0])))


def cause(payment: Payment, code: str | None) -> str | None:
    """Returns the network's reason for a payment's end without money.

    A code that says only that another try came too late counts where there is no other. code: of the attempt that ends with
    it; None: none is open. payment: with all attempts as they were before.
    """
    said = [one for one in (*(attempt.code for attempt in payment.attempts), code) if one is not None]
    return next((one for one in reversed(said) if one not in _NO_TRY), said[-1] if said else None)


def _before_its_day(payment: Payment, code: str | None, now: datetime, timing: Timing) -> RetryStep:
    """Once or twice again where the cause may pass: no other instruction is worth its message (domain.md §3.7)."""
    may_pass = code is None or (heals(code) and not kills(code) and not fails(code))
    send_at = _sent_again_by(payment, sends_until(payment.plan, timing), now, timing)
    if not may_pass or send_at is None or _resends_left(payment, timing) < 1:
        return RetryStep("refuse")
    return RetryStep("send again", _again(payment, "AGND", send_at))


def _resends_left(payment: Payment, timing: Timing) -> int:
    """Returns how often this day's instruction may still be resent. It counts all causes, before the day comes."""
    return timing.resends - sum(one.day == _day(payment) for one in payment.attempts) + 1


def _failure_sent_again_at(payment: Payment, code: str | None, now: datetime, timing: Timing) -> datetime | None:
    """Returns when to resend a charge after an operational failure; None: it is not.

    It is no retry, and needs a window of its day. Before its day it is resent as often as a refusal is (what IN BCB 614/2025
    exempts is sent again on the day): the last time in the last hour for it, so that a bank which is down for days costs no
    charge.
    """
    attempt = payment.open_attempt
    if attempt is None or code is None or not fails(code):
        return None
    if brasilia_day(now) >= attempt.day:
        return collected_again_at(attempt.day, now, timing)
    if payment.state == "SCHEDULED":
        return _failure_sent_again_by(payment, sends_until(payment.plan, timing), now, timing)
    eve = attempt.day - timedelta(days=1)
    by_then = _failure_sent_again_by(payment, instant(eve, timing.last_send_until), now, timing)
    return by_then or collected_again_at(attempt.day, now, timing)  # its day's first window is to come


def _failure_sent_again_by(payment: Payment, until: datetime, now: datetime, timing: Timing) -> datetime | None:
    """As _sent_again_by, while there are tries left before the day; the last one in the last hour for it."""
    left, soon = _resends_left(payment, timing), _sent_again_by(payment, until, now, timing)
    if left < 1 or soon is None:
        return None
    return soon if left > 1 else min(max(now + timing.shortest_pause, until - timing.pause), until)


def _sent_again_by(payment: Payment, until: datetime, now: datetime, timing: Timing) -> datetime | None:
    """Returns when this day's instruction is resent, with exponential back-off. The last ones go by `until`."""
    if now >= until:
        return None
    tries = sum(one.day == _day(payment) for one in payment.attempts)
    pause = min(timing.pause * (1 << min(max(tries - 1, 0), 16)), timing.longest_pause)
    return min(now + pause, max(now + timing.shortest_pause, until - timing.pause), until)


def collected_again_at(day: date, now: datetime, timing: Timing = TIMING) -> datetime | None:
    """Returns when to resend a charge that failed on its day. It goes in the open window, or when the evening's opens.

    Inside a window each pause is twice the time that the window has been open: a bank that is down all day costs few tries,
    and the last one is just before the window closes. None: the evening's has no time left for another try.
    """
    morning = (day_bounds(day)[0], instant(day, timing.morning_ends_at))
    evening = (instant(day, timing.evening_opens_at), instant(day, timing.day_ends_at))
    for opens, closes in (morning, evening):
        again = min(
            now + max(timing.pause, 2 * (now - opens)), max(now + timing.shortest_pause, closes - timing.shortest_pause)
        )
        at = opens if now < opens else again
        if at < closes:
            return at
    return None


def failure_waits_until(
    payment: Payment, code: str | None, now: datetime, timing: Timing = TIMING, *, is_at_bank: bool = False
) -> datetime | None:
    """Returns when the last window of a failed charge closes; None: no wait. The charge failed too late to be sent again.

    Nothing follows an operational failure before that. A connection's bank may be sending it again.
    """
    attempt = payment.open_attempt
    if attempt is None or code is None or not fails(code) or brasilia_day(now) != attempt.day:
        return None
    closes = instant(attempt.day, timing.day_ends_at)
    is_ours = not is_at_bank and collected_again_at(attempt.day, now, timing) is not None
    return closes if now < closes and not is_ours else None


def sends_until(days: Plan, timing: Timing = TIMING) -> datetime:
    """Until when the first instruction of a charge is sent again; UTC."""
    return instant(days.settles_on - timedelta(days=timing.last_send_days), timing.last_send_until)


def _again(payment: Payment, kind: AttemptKind, send_at: datetime) -> NewAttempt:
    """The same instruction once more, for the same day."""
    return NewAttempt(len(payment.attempts) + 1, kind, _day(payment), send_at)


def _day(payment: Payment) -> date:
    """Returns the open attempt's day, else the plan's settlement day."""
    return payment.plan.settles_on if payment.open_attempt is None else payment.open_attempt.day


def last_retry_day(days: Plan, timing: Timing = TIMING) -> date:
    """The last day on which a retry may collect: the seventh after the due date, and before the next cycle."""
    return min(retry_window_ends(days, timing), days.cycle.next_starts_on - timedelta(days=1))


def retry_window_ends(days: Plan, timing: Timing = TIMING) -> date:
    """Returns the last day for retries: D+7 of the due date. An adjusted settlement day does not count (DTNT from D+8)."""
    return days.due_on + timedelta(days=timing.retry_within_days)


def retry_days(payment: Payment, terms: SubscriptionTerms, today: date, timing: Timing = TIMING) -> tuple[date, ...]:
    """Returns the days of the service's own retries, should each fail. It is empty where none may be.

    They are counted from the due date, as the window is; one that the adjusted day has reached is left out.
    """
    if not terms.charges_after_due or payment.state in _FINAL:
        return ()
    days = payment.plan
    last, after = last_retry_day(days, timing), max(today, _last_tried(payment))
    wanted = (days.due_on + timedelta(days=count) for count in timing.retry_days)
    return tuple(day for day in wanted if after < day <= last)[: max(0, timing.retries - payment.retries_used)]


def retries_left(payment: Payment, terms: SubscriptionTerms, today: date, timing: Timing = TIMING) -> int:
    """Returns how many retries a payment may still have. Tries and days both limit it."""
    if payment.state in _FINAL:
        return 0
    if payment.retries_alone:
        return len(retry_days(payment, terms, today, timing))
    return _choices(payment, terms, today, timing)


def _choices(payment: Payment, terms: SubscriptionTerms, today: date, timing: Timing) -> int:
    """Returns how many retries a client may still ask for. Each has a day of its own."""
    if not terms.charges_after_due:
        return 0
    days = (last_retry_day(payment.plan, timing) - max(today, _last_scheduled(payment))).days
    return max(0, min(timing.retries - payment.retries_used, days))


def retry_refused(
    payment: Payment, subscription: Subscription, day: date, now: datetime, timing: Timing = TIMING
) -> Refused | None:
    """Returns the refusal of a client's retry on a day; None: he can have it (states.md 3)."""
    reason = _retry_conflict(payment, subscription, timing)
    if reason is not None:
        return NO_RETRY.refused(why=reason)
    today, last = brasilia_day(now), last_retry_day(payment.plan, timing)
    if not subscription.terms.charges_after_due or last <= payment.plan.settles_on:
        return DATE_OUT_OF_RANGE.refused(why="no day allows a retry")
    if not max(today, _last_scheduled(payment)) < day <= last:
        text = f"must be later than today and than the attempts that were scheduled, and not later than {last}"
        return DATE_OUT_OF_RANGE.refused(why=text)
    return None


def _retry_conflict(payment: Payment, subscription: Subscription, timing: Timing) -> str | None:
    if subscription.state != "ACCEPTED":
        return "the subscription is not ACCEPTED"
    if payment.state != "PENDING":
        return "only a PENDING payment can be tried again"
    if payment.retries_alone:
        return "its retries are made by the service"
    if payment.open_attempt is not None:
        return "an attempt is under way"
    return f"it was tried again {timing.retries} times already" if payment.retries_used >= timing.retries else None


def asked_retry(payment: Payment, day: date, now: datetime) -> NewAttempt:
    """Returns the attempt that a client asks for. retry_refused has nothing against it."""
    return _retry(payment, day, now)


def _retry(payment: Payment, day: date, send_at: datetime) -> NewAttempt:
    return NewAttempt(len(payment.attempts) + 1, "NTAG", day, send_at)


def _last_tried(payment: Payment) -> date:
    """Returns the last day tried, else the settlement day. No later attempt may be on either."""
    return max((one.day for one in payment.attempts), default=payment.plan.settles_on)


def _last_scheduled(payment: Payment) -> date:
    """Returns the last day accepted at the payer's bank. Else the settlement day; a refused attempt has no day."""
    taken = [one.day for one in payment.attempts if one.end_to_end_id is not None]
    return max((*taken, payment.plan.settles_on))
