"""What must be true of two years, whatever happened in them. It reads the tables and the bank's own record, and no code of ours."""

from __future__ import annotations

import calendar
from collections import Counter, defaultdict
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    import asyncpg

    from .payers_bank import PayersBank

BRASILIA = ZoneInfo("America/Sao_Paulo")
_MONTHS = {"MONTHLY": 1, "QUARTERLY": 3, "SEMIANNUAL": 6, "ANNUAL": 12}
Rows = list[dict[str, Any]]


async def read(books: asyncpg.Connection[asyncpg.Record]) -> dict[str, Rows]:
    """Every table that this judges."""
    queries = {
        "subscriptions": "SELECT * FROM subscriptions",
        "payments": "SELECT * FROM subscription_payments ORDER BY created_at",
        "attempts": "SELECT * FROM payment_attempts ORDER BY payment_id, number",
        "orders": "SELECT * FROM orders",
        "history": "SELECT * FROM history ORDER BY created_at, version",
        "events": "SELECT * FROM events ORDER BY created_at, id",
        "credits": "SELECT * FROM transfers WHERE type = 'PIX_IN'",
    }
    return {name: [dict(r) for r in await books.fetch(sql)] for name, sql in queries.items()}


def first_day(starts: date, frequency: str, number: int) -> date:
    """The first day of a cycle: months by the calendar, the 31st being the last of a shorter one."""
    if frequency == "WEEKLY":
        return starts + timedelta(weeks=number)
    months = starts.year * 12 + starts.month - 1 + _MONTHS[frequency] * number
    year, month = divmod(months, 12)
    return date(year, month + 1, min(starts.day, calendar.monthrange(year, month + 1)[1]))


def cycle_of(starts: date, frequency: str, day: date) -> int:
    """The number of the cycle that a day is in."""
    number = 0
    while first_day(starts, frequency, number + 1) <= day:
        number += 1
    return number


def judge(rows: dict[str, Rows], bank: PayersBank) -> None:
    """AssertionError: something is not as it must be."""
    subscriptions = {s["id"]: s for s in rows["subscriptions"]}
    payments = {p["id"]: p for p in rows["payments"]}
    attempts: dict[Any, Rows] = defaultdict(list)
    for attempt in rows["attempts"]:
        attempts[attempt["payment_id"]].append(attempt)
    orders = {o["id"]: o for o in rows["orders"]}
    _one_charge_a_cycle(rows["payments"], subscriptions)
    ended = {
        h["reference_id"]: h["created_at"]
        for h in rows["history"]
        if h["machine"] == "subscriptions" and h["to_state"] == "CANCELED"
    }
    for payment in rows["payments"]:
        _within_its_subscription(payment, attempts[payment["id"]], subscriptions[payment["subscription_id"]], ended)
        _paid_once(payment, attempts[payment["id"]], orders[payment["order_id"]], bank, rows["credits"])
    _the_bank_agrees(rows["attempts"], payments, bank)
    _told_in_order(rows, payments, subscriptions)


def _one_charge_a_cycle(payments: Rows, subscriptions: dict[Any, Any]) -> None:
    taken: Counter[tuple[Any, int]] = Counter()
    for p in payments:
        s = subscriptions[p["subscription_id"]]
        assert p["cycle"] == cycle_of(s["starts_on"], s["frequency"], p["due_on"]), p
        if p["status"] not in ("CANCELED", "ERROR"):
            taken[p["subscription_id"], p["cycle"]] += 1
    assert not [key for key, count in taken.items() if count > 1]


def _within_its_subscription(payment: Any, attempts: Rows, s: Any, ended: dict[Any, datetime]) -> None:
    assert s["accepted_at"] is not None
    assert s["starts_on"] <= payment["due_on"]
    assert s["ends_on"] is None or payment["due_on"] <= s["ends_on"]
    assert s["fixed_minor"] is None or payment["amount_minor"] == s["fixed_minor"]
    assert payment["created_at"] >= s["accepted_at"]
    over = ended.get(s["id"])
    retries = [a for a in attempts if a["kind"] == "NTAG"]
    assert len(retries) <= (3 if s["charges_after_due"] else 0)
    assert len({a["collects_on"] for a in retries}) == len(retries)
    for a in attempts:
        assert a["created_at"] >= s["accepted_at"]
        assert over is None or a["created_at"] <= over
        assert a["collects_on"] >= payment["settles_on"]
        days = {payment["settles_on"], *(r["collects_on"] for r in retries if r["number"] < a["number"])}
        assert a["kind"] == "NTAG" or a["collects_on"] in days
        assert a["kind"] != "NTAG" or a["collects_on"] <= payment["due_on"] + timedelta(days=7)
        assert a["kind"] != "NTAG" or a["collects_on"] < payment["next_cycle_starts_on"]
        assert a["kind"] != "AGND" or a["number"] == 1 or _by_2259_of_its_last_day(a)
    opened = [a for a in attempts if a["status"] in ("REQUESTED", "SCHEDULED")]
    assert len(opened) <= 1


def _is_told(attempt: Any) -> bool:
    """Whether its bank ended it, which its client hears; what client or payer called off has another event."""
    ended_by_bank = attempt["code"] not in ("CCLD", "SLBD", "SLCR")
    return attempt["status"] in ("REJECTED", "EXPIRED") or (attempt["status"] == "CANCELED" and ended_by_bank)


def _by_2259_of_its_last_day(attempt: dict[str, Any]) -> bool:
    """Whether it was made in time to be sent again."""
    created: datetime = attempt["created_at"]
    return created <= datetime.combine(attempt["collects_on"] - timedelta(days=2), time(22, 59), BRASILIA)


def _paid_once(payment: Any, attempts: Rows, order: Any, bank: PayersBank, credits_: Rows) -> None:
    paid = [a for a in attempts if a["status"] == "PAID"]
    credited = [c for c in credits_ if c["reference_id"] == order["id"]]
    assert order["status"] == {"SCHEDULED": "INITIAL"}.get(payment["status"], payment["status"]), (payment, order)
    if payment["status"] != "PAID":
        assert not paid
        assert not credited
        return
    (attempt,), (credit,) = paid, credited
    assert credit["amount_minor"] <= payment["amount_minor"]
    money = bank.paid[attempt["end_to_end_id"]]
    assert (money.amount.minor, money.txid) == (payment["amount_minor"], order["txid"])
    assert order["end_to_end_id"] == attempt["end_to_end_id"]
    assert money.settled_at is not None
    at = money.settled_at.astimezone(BRASILIA)
    known = bank.authorizations[money.charging or ""]
    assert known.maximum is None or known.maximum.minor >= money.amount.minor
    assert at.date() >= attempt["collects_on"]


def _the_bank_agrees(attempts: Rows, payments: dict[Any, Any], bank: PayersBank) -> None:
    """What was sent is there once; what was settled is paid, or was given back."""
    assert {a["message_id"] for a in attempts} >= bank.charges.keys()
    ours = {a["end_to_end_id"] for a in attempts if a["status"] == "PAID"}
    theirs = {name for name, arrival in bank.paid.items() if arrival.charging is not None}
    back = sum(m.minor for m in bank.returned.values())
    stray = theirs - ours
    assert ours <= theirs
    assert sum(bank.paid[name].amount.minor for name in stray) <= back
    by_txid = Counter(bank.paid[name].txid for name in ours)
    assert not [txid for txid, count in by_txid.items() if count > 1]
    assert payments or not attempts


def _told_in_order(rows: dict[str, Rows], payments: dict[Any, Any], subscriptions: dict[Any, Any]) -> None:
    told: dict[Any, list[str]] = defaultdict(list)
    for event in rows["events"]:
        told[event["reference_id"]].append(event["type"])
    failed = Counter(a["payment_id"] for a in rows["attempts"] if _is_told(a))
    for payment_id, payment in payments.items():
        wanted = ["SUBSCRIPTION-PAYMENT.SCHEDULED", *["SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED"] * failed[payment_id]]
        if payment["status"] in ("CANCELED", "EXPIRED", "ERROR"):
            wanted.append(f"SUBSCRIPTION-PAYMENT.{payment['status']}")
        assert told[payment_id] == wanted, (payment, told[payment_id])
        assert told[payment["order_id"]] == (["ORDER-PAYIN.PAID"] if payment["status"] == "PAID" else [])
    for subscription_id, s in subscriptions.items():
        wanted = ["SUBSCRIPTION.ACCEPTED"] if s["accepted_at"] is not None else []
        if s["status"] in ("REJECTED", "CANCELED", "ERROR"):
            wanted.append(f"SUBSCRIPTION.{s['status']}")
        assert told[subscription_id] == wanted, (s["status"], told[subscription_id])


def every_cycle_was_charged(rows: dict[str, Rows], now: datetime, *, slept: list[tuple[datetime, datetime]]) -> int:
    """Each cycle of an automatic subscription has its one charge, where it was awake, ACCEPTED and in time. How many."""
    ended = {
        h["reference_id"]: h["created_at"]
        for h in rows["history"]
        if h["machine"] == "subscriptions" and h["to_state"] == "CANCELED"
    }
    seen = 0
    for s in rows["subscriptions"]:
        if not s["auto_schedule"] or s["accepted_at"] is None:
            continue
        of_it = [p for p in rows["payments"] if p["subscription_id"] == s["id"]]
        until = min(ended.get(s["id"], now), now)
        number = 0
        while (day := first_day(s["starts_on"], s["frequency"], number)) <= (s["ends_on"] or date.max):
            made_at = datetime.combine(day - timedelta(days=9), datetime.min.time(), BRASILIA)
            if made_at >= until:
                break
            in_time = s["accepted_at"].astimezone(BRASILIA).date() <= day - timedelta(
                days=4
            )  # the yes may arrive hours late
            asleep = any(a <= made_at + timedelta(days=7) and made_at <= b for a, b in slept)
            if in_time and not asleep:
                assert [p for p in of_it if p["cycle"] == number], (s, day, [p["cycle"] for p in of_it])
                seen += 1
            automatic = [p for p in of_it if p["cycle"] == number and p["external_id"].startswith("auto-")]
            assert len(automatic) <= 1
            number += 1
    return seen
