"""A second before each deadline of the network's rules, and a second after it: one world, one walk of the clock.

Each row takes its deadline from the object's own field or from a document. Ten seconds before, all that is due has run; then
business time is suddenly a second before, and again a second after. Where the act is the worker's own, it sweeps within a
second of what falls due, so that the answer is waited for. An act that a busy machine has brought too late says nothing.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from lastro.core.db import Database
from lastro.observability import gauges
from lastro.standards.calendar import instant

from .play import JUMPED, Play
from .stage import until
from .test_authorizing import JOURNEY_2, authorize, brl, cancel, make
from .test_charging import accepted, charged, shown, today
from .test_disputes import MED, advance, becomes, case, of_type, paid
from .test_payouts import becomes as payout_becomes
from .test_payouts import create
from .test_teds import operator

A_SECOND, NEAR, MINUTE, DAY = timedelta(seconds=1), timedelta(seconds=10), timedelta(minutes=1), timedelta(days=1)
ALERTS = Path(__file__).parents[2] / "docs/monitoring/alerts.yml"
_TO = "UPDATE clock SET offset_us = offset_us + $1, version = version + 1"
Act = Callable[[], Awaitable[object]]


@dataclass
class Row:
    """A deadline, and what is said of an act on each side of it.

    ready: what is made for the acts ten seconds before. lead: how long before it the first act begins. leaps: nothing of
    another row is due on the way, so that the clock need not walk it.
    """

    name: str
    at: datetime
    before: tuple[Act, object]
    after: tuple[Act, object]
    ready: Act | None = None
    lead: timedelta = A_SECOND
    leaps: bool = False


async def jump(play: Play, to: datetime) -> None:
    """Business time is suddenly then, or later if it is later already."""
    pool = Database(play.stage.dsn("lastro_app"), size=1)
    try:
        async with pool.session() as session:
            ahead = max(to - await session.value("SELECT business_now()"), timedelta())
            await session.fetch(_TO, ahead // timedelta(microseconds=1))
            await session.fetch(JUMPED)
    finally:
        await pool.close()


async def now(play: Play) -> datetime:
    found: datetime = await play.books.fetchval("SELECT business_now()")
    return found


async def reach(play: Play, to: datetime) -> None:
    """The clock is walked there; on a slow machine it may be past it already, and goes on by a second."""
    await play.advance(now=max(to, await now(play) + A_SECOND).isoformat())


async def charge_of(play: Play, amount: str, days: int, *, retries: bool = True, **wish: Any) -> dict[str, Any]:
    return await charged(play, await accepted(play, allowChargeAfterDueDate=retries), days, amount=brl(amount), **wish)


def post(play: Play, payment: dict[str, Any], what: str, body: dict[str, Any]) -> Act:
    """The status and issue of an act on a scheduled payment."""

    async def act() -> object:
        path = f"/public/v1/banking/subscriptions/{payment['subscriptionId']}/payments/{payment['id']}/{what}"
        answer = await play.call("POST", path, body)
        return answer.status if answer.status < 400 else answer.problem

    return act


def state(play: Play, payment: dict[str, Any]) -> Act:
    """The payment's status, with how many tries it has had and what the last one is."""

    async def act() -> object:
        found = await shown(play, payment)
        return (found["status"], len(found["attempts"]), found["attempts"][-1]["kind"])

    return act


async def unanswered_cancellation(play: Play) -> Row:
    made = await make(play)
    await authorize(play, made)
    await accepted_now(play, made)
    await play.fault("cancellation", "late", delay=12 * 3_600 + 30, match={"idRec": made["providerId"]})
    asked = (await cancel(play, made)).json
    rule = re.search(r"lastro_unanswered_cancellations_oldest_seconds\) > (\d+)", ALERTS.read_text("utf-8"))
    assert rule is not None

    async def alarms() -> object:
        pool = Database(play.stage.dsn("lastro_work"), size=1)
        try:
            return (await gauges.read(pool)).waiting["unanswered"][1] > int(rule[1])
        finally:
            await pool.close()

    at = datetime.fromisoformat(asked["createdAt"]) + timedelta(hours=12)
    return Row("a cancellation that nobody answers alarms after 12 h", at, (alarms, False), (alarms, True), leaps=True)


async def accepted_now(play: Play, made: dict[str, Any]) -> None:
    await play.wait_for("SELECT true FROM subscriptions WHERE id = $1::text::uuid AND status = 'ACCEPTED'", made["id"])


async def end_of_journey_2(play: Play) -> Row:
    """The payer's bank is made to ask whatever it knows: the answer is ours."""
    last = await today(play) + DAY
    terms = {"startDate": (await today(play)).isoformat(), "endDate": last.isoformat()}
    codes = [await make(play, JOURNEY_2, **terms) for _ in range(2)]
    for made in codes:
        await play.act("/phone/read", {"qrcodeData": made["qrcodeData"]})

    def says(made: dict[str, Any]) -> Act:
        async def act() -> object:
            return (await authorize(play, made, force=True))["status"]

        return act

    at = instant(last + DAY, time())
    return Row(
        "a code of journey 2 until its endDate is over", at, (says(codes[0]), "AUTHORIZED"), (says(codes[1]), "REJECTED")
    )


async def last_sending(play: Play) -> Row:
    """Two instructions that are refused, as failures of the bank: the one just before, the other just after 22:59 of D-2."""
    at = instant(await today(play) + DAY, time(22, 59))
    payments = []
    for moment in (at - 3 * A_SECOND, at):
        subscription = await accepted(play)
        delay = int((moment - await now(play)).total_seconds()) + 1
        await play.fault("charge", "reject", delay=delay, match={"idRec": subscription["providerId"]})
        payments.append(await charged(play, subscription, 3, amount=brl("29.90")))

    async def after() -> object:
        return [(found["status"], len(found["attempts"])) for found in [await shown(play, one) for one in payments]]

    async def before() -> object:
        return (await shown(play, payments[1]))["status"]

    return Row(
        "an instruction again until 22:59 of D-2", at, (before, "SCHEDULED"), (after, [("SCHEDULED", 2), ("ERROR", 1)])
    )


async def call_off(play: Play) -> Row:
    payments = [await charge_of(play, "29.90", 5) for _ in range(2)]
    at = instant(date.fromisoformat(payments[0]["adjustedDueDate"]) - DAY, time(22))
    acts = [post(play, one, "cancel", {}) for one in payments]
    return Row(
        "a charge is called off until 22:00 of the day before", at, (acts[0], 202), (acts[1], (409, "status", "CONFLICT"))
    )


async def same_day(play: Play) -> list[Row]:
    """A failure on the day: four tries in the morning, three in the evening, and its charge ends only after them."""
    tried, alone = await charge_of(play, "7004.15", 5), await charge_of(play, "7004.15", 5, retries=False)
    day = date.fromisoformat(tried["adjustedDueDate"])
    looks, ends = state(play, tried), state(play, alone)
    return [
        Row(
            "nothing from 08:00 to 18:00",
            instant(day, time(8)),
            (looks, ("PENDING", 5, "RIFL")),
            (looks, ("PENDING", 5, "RIFL")),
        ),
        Row("again from 18:00", instant(day, time(18)), (looks, ("PENDING", 5, "RIFL")), (looks, ("PENDING", 6, "RIFL"))),
        Row(
            "a new try after 21:00", instant(day, time(21)), (looks, ("PENDING", 7, "RIFL")), (looks, ("PENDING", 8, "NTAG"))
        ),
        Row("an end after 21:00", instant(day, time(21)), (ends, ("PENDING", 7, "RIFL")), (ends, ("EXPIRED", 7, "RIFL"))),
    ]


async def window_of_retries(play: Play) -> list[Row]:
    """Of charges that nobody collects: a try on D+7 is asked for until that day begins, and the payment waits until it is over."""
    payments = [await charge_of(play, "7004.08", 5, autoRetry=False) for _ in range(2)]
    last = date.fromisoformat(payments[0]["lastRetryDate"])
    assert last == date.fromisoformat(payments[0]["dueDate"]) + 7 * DAY
    acts = [post(play, one, "retry", {"date": last.isoformat()}) for one in payments]
    waits = state(play, payments[1])
    return [
        Row("a try on D+7 is asked for until D+7", instant(last, time()), (acts[0], 200), (acts[1], (400, "date", "OUT_OF_RANGE"))),
        Row("a charge waits until D+7 is over", instant(last + DAY, time()),
            (waits, ("PENDING", 1, "AGND")), (waits, ("EXPIRED", 1, "AGND"))),
    ]  # fmt: skip


async def defense(play: Play) -> list[Row]:
    order = await paid(play, "25.00")
    begun = await play.act("/med", {"endToEndId": order["endToEndId"], "situationType": "SCAM"})
    notice = await becomes(play, begun["referenceId"], "RECEIVED")

    def says(text: str) -> Act:
        async def act() -> object:
            answer = await play.call("POST", f"{MED}/{notice['referenceId']}/defense", {"text": text})
            return answer.status if answer.status < 400 else answer.problem

        return act

    async def reminded() -> object:
        sql = "SELECT count(*) FROM events WHERE reference_id = $1::text::uuid AND type = 'MED.DEFENSE_DUE'"
        return await play.books.fetchval(sql, notice["referenceId"])

    at = datetime.fromisoformat(notice["defenseDueAt"])
    return [
        Row("a holder is reminded a day before his defense is due", at - DAY, (reminded, 0), (reminded, 1)),
        Row("a defense until it is due", at, (says("Sold"), 200), (says("Sold and sent"), (409, "status", "EXPIRED"))),
    ]


async def monitored(play: Play) -> Row:
    """An account that had spent most of what was contested: later credits are given back until the time is over."""
    opened = await operator(
        play, "account", "open", "1", "--holder-type", "individual", "--name", "Caio Lima", "--document", "529.982.247-25",
        "--email", "caio@example.com", "--phone", "+5511987650009",
    )  # fmt: skip
    await operator(play, "account", "add-key", opened["id"])
    order = await play.order("20.00", accountId=opened["id"])
    await play.pay(order)
    order = await play.becomes(order, "PAID")
    spent = await create(play, "15.00", accountId=opened["id"], paymentData={"pixKey": "fabio@fora.example"})
    await payout_becomes(play, spent, "PAID")
    begun = await play.act("/med", {"endToEndId": order["endToEndId"], "situationType": "SCAM"})
    await becomes(play, begun["referenceId"], "RECEIVED")
    await advance(play, begun["referenceId"], "ANALYSED", analysisResult="AGREED")
    name = (await of_type(play, begun["referenceId"], "REFUND_REQUEST"))["referenceId"]
    await becomes(play, name, "ANALYSED")
    await play.rest()
    at = datetime.fromisoformat((await case(play, name))["monitoredUntil"])
    orders: list[dict[str, Any]] = []

    async def made() -> object:
        orders.extend([await play.order("1.00", accountId=opened["id"]) for _ in range(2)])
        return None

    async def credit() -> object:
        await play.pay(orders.pop())

        async def has_come() -> bool:
            given_back = (await case(play, name))["laterReturnedAmount"] == "1.00"
            return given_back or await now(play) >= at

        await until(has_come, "what the account's next credit becomes")
        return (await case(play, name))["laterReturnedAmount"]

    async def free() -> object:
        order = orders.pop()
        await play.pay(order)
        await play.becomes(order, "PAID")
        await play.rest()
        return ((await case(play, name))["laterReturnedAmount"], await play.balance(opened))

    return Row("later credits while the account is watched", at, (credit, "1.00"), (free, ("1.00", 100)),
               ready=made, lead=5 * A_SECOND, leaps=True)  # fmt: skip


BEGINNINGS: Sequence[Callable[[Play], Awaitable[Row | list[Row]]]] = (
    unanswered_cancellation, end_of_journey_2, last_sending, call_off, same_day, window_of_retries, defense, monitored,
)  # fmt: skip


async def test_each_deadline_a_second_before_and_a_second_after(play: Play) -> None:
    rows: list[Row] = []
    for begun in await asyncio.gather(*(begin(play) for begin in BEGINNINGS)):
        rows += begun if isinstance(begun, list) else [begun]
    wrong: list[str] = []
    late: list[str] = []
    for at in sorted({row.at for row in rows}):
        these = [row for row in rows if row.at == at]
        if any(row.leaps for row in these):
            await jump(play, at - MINUTE)
        await reach(play, at - NEAR)
        for row in these:
            if row.ready is not None:
                await row.ready()
        await jump(play, at - max(row.lead for row in these))
        answers = await asyncio.gather(*(row.before[0]() for row in these))
        is_late = await now(play) >= at
        for row, answer in zip(these, answers, strict=True):
            if answer != row.before[1]:
                (late if is_late else wrong).append(f"{row.name}, before: {answer}, not {row.before[1]}")
        await reach(play, at + A_SECOND)
        for row, answer in zip(these, await asyncio.gather(*(row.after[0]() for row in these)), strict=True):
            if answer != row.after[1]:  # where the first act came too late, the second finds another world
                (late if is_late else wrong).append(f"{row.name}, after: {answer}, not {row.after[1]}")
    assert not wrong, "\n".join([*wrong, *late])
    assert len(late) < len(rows) / 2, "\n".join(late)
