"""A scheduled Pix whose account is short: tried at midnight and in the evening, a second before and after each hour."""

from datetime import date, datetime, timedelta
from typing import Any

from lastro.standards.calendar import instant

from .play import Play, cents
from .test_payouts import PATH, becomes, create, place, shown

A_SECOND = timedelta(seconds=1)


def hour(day: date, at: int) -> datetime:
    """An hour of a day by Brasilia's clock."""
    return instant(day, datetime.min.time()) + timedelta(hours=at)


async def go(play: Play, to: datetime) -> None:
    """The clock shows this, or is past it already."""
    now = await play.books.fetchval("SELECT business_now()")
    if now < to:
        await play.advance(now=to.isoformat())


async def told(play: Play, payout: dict[str, Any]) -> list[str]:
    sql = "SELECT type FROM events WHERE reference_id = $1::text::uuid ORDER BY created_at, id"
    return [row["type"].removeprefix("ORDER-PAYOUT.") for row in await play.books.fetch(sql, payout["id"])]


async def test_money_that_comes_by_evening_sends_it_and_after_21_it_fails(play: Play) -> None:
    today = await play.books.fetchval("SELECT (business_now() AT TIME ZONE 'America/Sao_Paulo')::date")
    day = today + timedelta(days=1)
    has = await play.balance()
    lacks = f"{(has + 1000) // 100}.00"
    first = await create(play, lacks, scheduledDate=day.isoformat(), allowDuplicate=True, **place())
    never = await create(play, f"{9 * has // 100}.00", scheduledDate=day.isoformat(), **place())
    await go(play, hour(day, 0) - timedelta(seconds=30))
    assert (await shown(play, first)).get("nextTryAt") is None, "its day has not begun"
    await go(play, hour(day, 0) + A_SECOND)
    for one in (first, never):
        read = await shown(play, one)
        assert (read["status"], read["waitsFor"]) == ("PENDING", "INSUFFICIENT_FUNDS")
        assert datetime.fromisoformat(read["nextTryAt"]) == hour(day, 18)
        assert await told(play, one) == ["RETRY_SCHEDULED"]
    assert await play.balance() == has, "nothing is held"
    order = await play.order("100.00")
    await play.pay(order)
    await play.becomes(order, "PAID")
    for at in (hour(day, 8) - A_SECOND, hour(day, 8) + A_SECOND, hour(day, 18) - timedelta(minutes=1)):
        await go(play, at)
        assert (await shown(play, first))["status"] == "PENDING", "between 08:00 and 18:00 nothing is tried"
    await go(play, hour(day, 18) + A_SECOND)
    await becomes(play, first, "PAID")
    assert await told(play, first) == ["RETRY_SCHEDULED", "PAID"]
    assert await play.balance() == has + 10_000 - cents(lacks)
    back = await play.order(lacks)  # other journeys pay from this account too
    await play.pay(back)
    await play.becomes(back, "PAID")
    await go(play, hour(day, 21) - timedelta(seconds=90))
    assert (await shown(play, never))["status"] == "PENDING"
    await go(play, hour(day, 21) + A_SECOND)
    ended = await becomes(play, never, "ERROR")
    assert (ended["errorCode"], ended.get("nextTryAt")) == ("INSUFFICIENT_FUNDS", None)
    assert await told(play, never) == ["RETRY_SCHEDULED", "ERROR"]
    assert (await play.call("POST", f"{PATH}/{never['id']}/cancel", {})).problem == (409, "status", "CONFLICT")
