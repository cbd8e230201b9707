"""Every code of a charge (domain.md §3.6), said of each instruction or of each try on its day: each ends as its row says."""

from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from tests.cast import BENTO
from tests.conftest import Database
from tests.laws import breaches, connected

from lastro.base.money import Money
from lastro.base.run import Reply

from .desk import brl
from .years.judged import BRASILIA, Rows, judge, read
from .years.walk import Walk

DUE = timedelta(days=4)  # ahead: the bank is told at once
# The Central Bank's list of codes that reject the charge (API Pix 2.9.0); what failed (IN BCB 614/2025); what cannot heal.
REJECTS = ("AC05", "AM09", "DENC", "DS27", "DTED", "MIDI", "MSUC", "NITX", "RC09")
FAILED = ("AB03", "AB09", "AB10", "AB11", "ED05")
FOR_GOOD = ("AG12", "AM02", "CRNC", "DTNT", "IRNT", "NIPA", "QUNT", "UDEI")
TOO_LATE = ("FCD2",)
MAY_PASS = ("AC06", "EXPR", "FBRD", "FCD1", "GRER", "NIEC", "ZZ99")
EVERY = (*REJECTS, *FAILED, *FOR_GOOD, *TOO_LATE, *MAY_PASS)


def wanted(when: str, code: str) -> tuple[str, list[str]]:
    """The status of the payment, and the kinds of its tries; of what failed, each kind once."""
    if when == "at scheduling":
        if code in FAILED:
            return "ERROR", ["AGND", "RIFL"]
        return "ERROR", ["AGND"] * (3 if code in MAY_PASS else 1)
    if code in REJECTS:
        return "ERROR", ["AGND"]
    if code in FAILED:
        return "PAID", ["AGND", "RIFL", "NTAG"]
    return "EXPIRED", ["AGND"] if code in FOR_GOOD else ["AGND", "NTAG", "NTAG", "NTAG"]


async def _asked(walk: Walk, operation: str, body: Any, **path: Any) -> dict[str, Any]:
    outcome = await walk.desk.ask(operation, body, **path)
    assert isinstance(outcome, Reply), outcome
    found: dict[str, Any] = msgspec.json.decode(outcome.body)
    return found


async def _charged(walk: Walk, of: dict[str, Any], due: date, code: str) -> UUID:
    body = {"externalId": code, "dueDate": due.isoformat(), "amount": brl("10.00")}
    return UUID((await _asked(walk, "create_subscription_payment", body, id=of["id"]))["id"])


async def test_each_code_ends_as_its_row_says(own_database: Database) -> None:
    walk = await Walk.begin(own_database, 1)
    walk.bank.calm, walk.bank.fails_on_due_date_alone = True, True
    try:
        rows, payments, anew, due = await _walked(walk, own_database)
        by_id = {p["id"]: p for p in rows["payments"]}
        tries: dict[Any, Rows] = defaultdict(list)
        for attempt in rows["attempts"]:
            tries[attempt["payment_id"]].append(attempt)
        for (when, code), payment_id in payments.items():
            kinds = [a["kind"] for a in tries[payment_id]]
            kinds = sorted(set(kinds), key=kinds.index) if code in FAILED else kinds
            assert (by_id[payment_id]["status"], kinds) == wanted(when, code), (when, code)
            assert {a["code"] for a in tries[payment_id]} == {code, *([None] if wanted(when, code)[0] == "PAID" else [])}
        assert {by_id[one]["status"] for one in anew} == {"PAID"}
        _failures_had_every_window(payments, tries, due)
        _each_is_told_with_its_cure(rows, tries)
        judge(rows, walk.bank)
        assert await breaches(own_database.audit, at_rest=False) == {}
    finally:
        await walk.close()


async def _walked(walk: Walk, database: Database) -> tuple[dict[str, Rows], dict[tuple[str, str], UUID], list[UUID], date]:
    """All codes in the same days; what ended ERROR is charged anew in the same cycle, and the bank says yes."""
    today = await walk.today()
    due, made, payments = today + DUE, {}, {}
    for when, theirs in (("at scheduling", walk.bank.at_scheduling), ("on its day", walk.bank.on_its_day)):
        for code in EVERY:
            wish = walk.desk.body(startDate=today.isoformat(), frequencyType="MONTHLY", allowChargeAfterDueDate=True)
            of = made[when, code] = await _asked(walk, "create_subscription", wish)
            walk.bank.now = await walk.now()
            walk.bank.authorize(of["providerId"], BENTO, Money(99999, "BRL"))
            theirs[of["providerId"]] = code
    await walk.rest()
    for (when, code), of in made.items():
        payments[when, code] = await _charged(walk, of, due, code)
    await walk.pass_until(datetime.combine(due + timedelta(days=8), datetime.min.time(), BRASILIA))
    walk.bank.at_scheduling.clear()
    walk.bank.on_its_day.clear()
    anew = []
    for (when, code), of in made.items():
        if wanted(when, code)[0] == "ERROR":
            anew.append(await _charged(walk, of, due + timedelta(days=12), f"{code} anew"))
    await walk.pass_until(datetime.combine(due + timedelta(days=13), datetime.min.time(), BRASILIA))
    books = await connected(database.audit)
    try:
        return await read(books), payments, anew, due
    finally:
        await books.close()


def _failures_had_every_window(payments: dict[tuple[str, str], UUID], tries: dict[Any, Rows], due: date) -> None:
    """What failed all day was tried in the morning and in the evening, and then no sooner than 21:00 on another day."""
    for code in FAILED:
        of_day = [a for a in tries[payments["on its day", code]] if a["collects_on"] == due]
        ended = [a["updated_at"].astimezone(BRASILIA) for a in of_day]
        assert {one.date() for one in ended} == {due}
        assert {one.hour < 8 for one in ended} == {True, False}
        assert all(one.hour < 9 or one.hour >= 18 for one in ended)
        (after,) = [a for a in tries[payments["on its day", code]] if a["kind"] == "NTAG"]
        assert after["created_at"].astimezone(BRASILIA).hour >= 21
        assert after["collects_on"] == due + timedelta(days=1)


def _each_is_told_with_its_cure(rows: dict[str, Rows], tries: dict[Any, Rows]) -> None:
    told = Counter(e["reference_id"] for e in rows["events"] if e["type"].endswith("ATTEMPT_FAILED"))
    assert told == Counter(
        {one: sum(a["code"] is not None for a in of) for one, of in tries.items() if any(a["code"] for a in of)}
    )
    for event in rows["events"]:
        if event["type"].endswith("ATTEMPT_FAILED"):
            attempt = msgspec.json.decode(event["body"])["data"]["attempt"]
            assert attempt["errorMessage"].startswith(attempt["errorCode"])
            assert attempt["errorCure"].endswith(".")
