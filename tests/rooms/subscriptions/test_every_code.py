"""A year of subscriptions in which every code of a charge is said at every moment at which it can: each ends as its row says."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID

import msgspec
from tests.cast import BENTO
from tests.databases import Database
from tests.laws import breaches, connected

from lastro.core.money import Money
from lastro.core.runner import Reply
from lastro.rails import port

from .desk import brl
from .years.codes import ENDS, ROWS, Moment, Row
from .years.judged import BRASILIA, Rows, first_day, judge, read
from .years.walk import Walk

CYCLES = 12
DUE, OVER, ANEW, NEXT = (timedelta(days=days) for days in (4, 12, 16, 17))  # of a cycle's first day


@dataclass(eq=False)
class Cell:
    """One charge: the code that its bank says, and when; what became of it. anew: another charge of the same cycle."""

    row: Row
    moment: Moment
    due: date = date.min
    payment_id: UUID | None = None
    anew: UUID | None = None
    refused: object = None  # why the other one was not taken
    said: int = 0  # how often the bank has said its code

    @property
    def name(self) -> str:
        return f"{self.row.code}.{self.moment}"

    @property
    def end(self) -> tuple[str, tuple[str, ...]]:
        return ENDS[self.row.kind, self.moment]

    def says(self, told: port.ChargeInstruction, acting: str) -> str | None:
        """The code that falls on this, or on what leads to it; None: the bank schedules, or collects."""
        is_retry = told.collect_on > self.due
        now = {"instructed": "SR", "collecting": "DT"}[acting][is_retry]
        if now == self.moment:
            self.said += 1
            passes = self.row.kind == "fails" and is_retry and self.said > 1
            return None if passes else self.row.code
        if now == "D" and self.moment in "RT":
            return "EXPR"  # which leads to a retry
        return self.row.code if (now, self.moment, self.row.kind) == ("T", "D", "may pass") else None


def cells() -> list[Cell]:
    """Every code at every moment; the one after which no subscription lives comes last."""
    made = [Cell(row, moment) for moment in ("S", "X", "D", "R", "T") for row in ROWS if moment in row.moments]
    return sorted(made, key=lambda one: one.row.code == "CCLD")


async def test_a_year_with_every_code_ends_each_as_its_row_says(own_database: Database) -> None:
    walk = await Walk.begin(own_database, 1)
    walk.bank.calm = True
    try:
        walked = await _walked(walk)
        books = await connected(own_database.audit)
        try:
            rows = await read(books)
        finally:
            await books.close()
        amiss = _amiss(walked, rows)
        assert not amiss, "\n".join(amiss)
        judge(rows, walk.bank)
        assert await breaches(own_database.audit, at_rest=False) == {}
    finally:
        await walk.close()


async def _walked(walk: Walk) -> list[Cell]:
    """Twelve monthly cycles: each has a charge of every subscription, and another where the first was ended for good."""
    walked, starts = cells(), await walk.today()
    made = [await _subscribed(walk, starts) for _ in range(-(-len(walked) // CYCLES))]
    walk.bank.now = await walk.now()
    for one in made:
        walk.bank.authorize(one["providerId"], BENTO, Money(99999, "BRL"))
    await walk.rest()
    for cycle in range(CYCLES):
        first = first_day(starts, "MONTHLY", cycle)
        saying = dict(zip((one["providerId"] for one in made), walked[cycle * len(made) :], strict=False))
        ids = {one["providerId"]: one["id"] for one in made}
        walk.bank.refusing = lambda told, acting, _, of=saying: of[told.recurrence_id].says(told, acting) if of else None
        await walk.pass_until(datetime.combine(first, time(12), BRASILIA))
        for recurrence, cell in saying.items():
            cell.due = first + DUE
            cell.payment_id = await _charged(walk, ids[recurrence], cell.due, cell.name)
        await walk.pass_until(datetime.combine(first + DUE - timedelta(days=2), time(12), BRASILIA))
        for recurrence, cell in saying.items():
            if cell.moment == "X":
                await _end_what_is_scheduled(walk, cell, recurrence, ids[recurrence])
        await walk.pass_until(datetime.combine(first + OVER, time(12), BRASILIA))
        ended = {one: cell for one, cell in saying.items() if cell.end[0] in ("ERROR", "CANCELED")}
        saying.clear()
        for recurrence, cell in ended.items():
            if cell.row.code != "CCLD":
                await _charge_anew(walk, cell, ids[recurrence], first + ANEW)
        await walk.pass_until(datetime.combine(first + NEXT, time(12), BRASILIA))
    return walked


async def _asked(walk: Walk, operation: str, body: Any, **path: Any) -> dict[str, Any]:
    outcome = await walk.desk.ask(operation, body, **path)
    assert isinstance(outcome, Reply), outcome
    found: dict[str, Any] = msgspec.json.decode(outcome.body)
    return found


async def _subscribed(walk: Walk, starts: date) -> dict[str, Any]:
    wish = walk.desk.body(startDate=starts.isoformat(), frequencyType="MONTHLY", allowChargeAfterDueDate=True)
    return await _asked(walk, "create_subscription", wish)


async def _charged(walk: Walk, subscription: str, due: date, name: str) -> UUID:
    body = {"externalId": name, "dueDate": due.isoformat(), "amount": brl("10.00")}
    return UUID((await _asked(walk, "create_subscription_payment", body, id=subscription))["id"])


async def _charge_anew(walk: Walk, cell: Cell, subscription: str, due: date) -> None:
    body = {"externalId": f"{cell.name} anew", "dueDate": due.isoformat(), "amount": brl("10.00")}
    outcome = await walk.desk.ask("create_subscription_payment", body, id=subscription)
    if isinstance(outcome, Reply):
        cell.anew = UUID(msgspec.json.decode(outcome.body)["id"])
    else:
        cell.refused = outcome


async def _end_what_is_scheduled(walk: Walk, cell: Cell, recurrence: str, subscription: str) -> None:
    """By its bank, its payer or its receiver, as the code has it."""
    walk.bank.now = await walk.now()
    (charge,) = [c for c in walk.bank.charges.values() if c.order.recurrence_id == recurrence and c.status == "SCHEDULED"]
    if cell.row.code == "SLCR":
        await _asked(walk, "cancel_subscription_payment", {}, id=subscription, paymentId=str(cell.payment_id))
    elif cell.row.code == "CCLD":
        assert walk.bank.cancel(recurrence)
    elif cell.row.code == "SLBD":
        assert walk.bank.cancel_charge(charge)
    else:
        walk.bank.drop(charge, cell.row.code)


def _amiss(walked: list[Cell], rows: dict[str, Rows]) -> list[str]:
    """What has not ended as its row says, or was not told so; all of it."""
    payments = {p["id"]: p for p in rows["payments"]}
    tries: dict[Any, Rows] = defaultdict(list)
    told: dict[Any, list[Any]] = defaultdict(list)
    for attempt in rows["attempts"]:
        tries[attempt["payment_id"]].append(attempt)
    for event in rows["events"]:
        if event["type"].endswith("ATTEMPT_FAILED"):
            told[event["reference_id"]].append(msgspec.json.decode(event["body"])["data"])
    amiss: list[str] = []
    for cell in walked:
        assert cell.payment_id is not None
        of, heard = tries[cell.payment_id], told[cell.payment_id]
        failed = [] if cell.row.kind == "called off" else [a["code"] for a in of if a["code"] is not None]
        found = {
            f"ended {_end(cell, payments, of)}, not {cell.end}": _end(cell, payments, of) == cell.end,
            "its code was never kept": cell.row.code in {a["code"] for a in of},
            f"its cycle was not charged anew: {cell.refused}": cell.refused is None,
            "what was charged anew in its cycle is not PAID": cell.anew is None or payments[cell.anew]["status"] == "PAID",
            "a window of its day was left out": (cell.row.kind, cell.moment) != ("fails", "D") or _all_day(of, cell.due),
            f"{failed} was told as {heard}": [one["attempt"]["errorCode"] for one in heard] == failed,
            f"{heard} has no cure": all(_has_cure(one["attempt"]) for one in heard),
            "nothing says that its cycle is free": cell.end[0] != "ERROR" or _is_free(heard),
        }
        amiss += [f"{cell.name}: {what}" for what, holds in found.items() if not holds]
    return amiss


def _end(cell: Cell, payments: dict[Any, Any], of: Rows) -> tuple[str, tuple[str, ...]]:
    kinds = [a["kind"] for a in of]
    kinds = sorted(set(kinds), key=kinds.index) if cell.row.kind == "fails" else kinds
    return payments[cell.payment_id]["status"], tuple(kinds)


def _is_free(heard: list[Any]) -> bool:
    return bool(heard) and "SCHEDULE_PAYMENT" in {one["action"] for one in heard[-1]["nextActions"]}


def _all_day(of: Rows, due: date) -> bool:
    """Whether what failed all day was tried in the morning and in the evening, and then no sooner than 21:00 on another day."""
    ended = [a["updated_at"].astimezone(BRASILIA) for a in of if a["collects_on"] == due]
    (after,) = [a for a in of if a["kind"] == "NTAG"]
    made = after["created_at"].astimezone(BRASILIA)
    return (
        {one.date() for one in ended} == {due}
        and {one.hour < 8 for one in ended} == {True, False}
        and all(one.hour < 9 or one.hour >= 18 for one in ended)
        and (made.hour >= 21, after["collects_on"]) == (True, due + timedelta(days=1))
    )


def _has_cure(attempt: dict[str, str]) -> bool:
    return attempt["errorMessage"].startswith(attempt["errorCode"]) and attempt["errorCure"].endswith(".")
