"""Notifications reach a receiver that fails, by plan, and again when they are asked for."""

from datetime import datetime, timedelta
from typing import Any

from tests.in_one import in_one_test

from .play import Play
from .stage import until

PLAN = [timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6)]
SLACK = timedelta(seconds=20)  # of real time that goes by meanwhile
EVENTS = "/order/v1/webhook/events"


async def listed(play: Play, event_id: str) -> dict[str, Any] | None:
    data = (await play.call("GET", f"{EVENTS}?limit=1000")).json["data"]
    return next((e for e in data if e["id"] == event_id), None)


async def test_a_receiver_that_fails_is_tried_by_plan_and_then_by_hand(play: Play) -> None:
    await play.act("/merchant/behaviour", {"status": 500, "body": "out of order", "times": 5})
    order = await play.order()
    await play.tool(order, "CANCELED")
    first = await until(lambda: play.webhooks(order), "the first attempt")
    event = first[0]["eventId"]
    waiting = await until(lambda: listed(play, event), "RETRYING") or {}
    assert (waiting["status"], waiting["referenceId"], len(waiting["history"])) == ("RETRYING", order["id"], 1)
    await play.advance(advance="PT8H")
    failed = await listed(play, event)
    assert failed is not None
    assert failed["status"] == "FAILED"
    assert [(h["statusCode"], h["message"]) for h in failed["history"]] == [(500, "out of order")] * 5
    times = [datetime.fromisoformat(h["requestTime"]) for h in failed["history"]]
    for interval, before, after in zip(PLAN, times[:-1], times[1:], strict=True):
        assert interval * 0.9 <= after - before <= interval + SLACK
    assert [w["attempt"] for w in await play.webhooks(order)] == [1, 2, 3, 4, 5]

    answer = await play.call("POST", f"{EVENTS}/{event}/resend", {})
    assert (answer.status, answer.json) == (202, {"id": event, "status": "PENDING"})
    came = await until(lambda: attempts(play, order, 6), "the resend")
    assert {w["eventId"] for w in came} == {event}
    assert {w["sequence"] for w in came} == {came[0]["sequence"]}
    assert all(w["signatureValid"] is True for w in came)
    assert len({str(w["body"]) for w in came}) == 1
    await until(lambda: is_off_the_list(play, event), "DELIVERED")

    assert (await play.call("POST", f"{EVENTS}/{event}/resend", {})).status == 202  # what was delivered may be sent again
    assert [w["attempt"] for w in await until(lambda: attempts(play, order, 7), "the second resend")] == [
        1,
        2,
        3,
        4,
        5,
        6,
        7,
    ]


async def attempts(play: Play, order: dict[str, Any], count: int) -> list[dict[str, Any]]:
    came = await play.webhooks(order)
    return came if len(came) >= count else []


async def is_off_the_list(play: Play, event_id: str) -> bool:
    return await listed(play, event_id) is None


@in_one_test(
    ("answer", "said"),
    [
        ({"status": 200, "body": {"returnCode": "FAILURE"}}, (200, '{"returnCode":"FAILURE"}')),
        ({"status": 201}, (201, '{"returnCode":"SUCCESS"}')),
        ({"status": 302}, (302, "REDIRECT")),
        ({"status": 200, "body": "x" * 70_000}, (200, "TOO_LARGE")),
    ],
)
async def test_only_a_success_that_is_said_is_one(play: Play, answer: dict[str, Any], said: tuple[int, str]) -> None:
    await play.act("/merchant/behaviour", answer)
    order = await play.order()
    await play.tool(order, "CANCELED")
    first = await until(lambda: play.webhooks(order), "the first attempt")
    waiting = await until(lambda: listed(play, first[0]["eventId"]), "RETRYING") or {}
    assert [(h["statusCode"], h["message"]) for h in waiting["history"]] == [said]
    await play.advance(advance="PT1M")
    await until(lambda: is_off_the_list(play, first[0]["eventId"]), "DELIVERED")


async def test_nobody_listens(play: Play) -> None:
    order = await play.order(notificationUrl="http://127.0.0.1:9/nobody")
    await play.tool(order, "CANCELED")
    sql = "SELECT id::text FROM deliveries WHERE reference_id = $1::text::uuid AND status = 'RETRYING'"
    event = await until(lambda: play.books.fetchval(sql, order["id"]), "RETRYING")
    waiting = await listed(play, event)
    assert waiting is not None
    assert [(h["statusCode"], h["message"]) for h in waiting["history"]] == [(0, "CONNECTION_REFUSED")]
    await play.advance(advance="PT8H")
    failed = await listed(play, event)
    assert failed is not None
    assert (failed["status"], len(failed["history"])) == ("FAILED", 5)
