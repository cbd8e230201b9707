"""One request under one key is one act, however often and however much at once it is sent."""

import asyncio
import secrets

from .play import ORDERS, Play


async def test_the_same_request_is_answered_with_the_same_bytes(play: Play) -> None:
    key, asked = secrets.token_hex(8), play.asking()
    first = await play.call("PUT", ORDERS, asked, key=key)
    assert (first.status, first.headers.get("idempotent-replayed")) == (200, None)
    play.made.append(first.json)
    again = await play.call("PUT", ORDERS, dict(reversed(asked.items())), key=key)
    assert (again.status, again.body, again.headers["idempotent-replayed"]) == (200, first.body, "true")
    assert (await play.pay(first.json))["status"] == "SETTLED"
    await play.becomes(first.json, "PAID")
    later = await play.call("PUT", ORDERS, asked, key=key)
    assert later.body == first.body  # the first answer, though the order has moved on
    await play.stage.restart("api")
    assert (await play.call("PUT", ORDERS, asked, key=key)).body == first.body


async def test_another_request_under_the_same_key_is_a_conflict(play: Play) -> None:
    key = secrets.token_hex(8)
    play.made.append((await play.call("PUT", ORDERS, play.asking("1.00"), key=key)).json)
    other = await play.call("PUT", ORDERS, play.asking("1.01"), key=key)
    assert other.problem == (409, "idempotency-key", "CONFLICT")
    longer = await play.call("PUT", ORDERS, play.asking(), key="k" * 65)
    assert longer.problem == (400, "idempotency-key", "TOO_LONG")


async def test_a_refusal_is_not_kept(play: Play) -> None:
    key = secrets.token_hex(8)
    assert (await play.call("PUT", ORDERS, play.asking("0.00"), key=key)).status == 400
    made = await play.call("PUT", ORDERS, play.asking("1.00"), key=key)
    assert made.status == 200
    play.made.append(made.json)


async def test_fifty_at_once_under_one_key_make_one_order(play: Play) -> None:
    key, asked = secrets.token_hex(8), play.asking("4.00")
    answers = await asyncio.gather(*(play.call("PUT", ORDERS, asked, key=key) for _ in range(50)))
    play.made.append(answers[0].json)
    assert {a.status for a in answers} == {200}
    assert len({a.body for a in answers}) == 1
    assert sum(a.headers.get("idempotent-replayed") == "true" for a in answers) == 49
    sql = "SELECT count(*) FROM orders WHERE external_id = $1"
    assert await play.books.fetchval(sql, asked["order"]["externalId"]) == 1


async def test_fifty_at_once_without_a_key_make_one_order_of_a_code(play: Play) -> None:
    asked = play.asking("4.00")
    answers = await asyncio.gather(*(play.call("PUT", ORDERS, asked) for _ in range(50)))
    made = [a for a in answers if a.status == 200]
    assert len(made) == 1
    play.made.append(made[0].json)
    assert {a.problem for a in answers if a.status != 200} == {(409, "order.externalId", "DUPLICATE")}


async def test_a_cancel_is_replayed(play: Play) -> None:
    order = await play.order()
    path, key = f"{ORDERS}/{order['id']}/cancel", secrets.token_hex(8)
    first = await play.call("POST", path, {}, key=key)
    assert (first.status, first.json["status"]) == (200, "CANCELED")
    again = await play.call("POST", path, {}, key=key)
    assert (again.body, again.headers["idempotent-replayed"]) == (first.body, "true")
    await play.told(order, "ORDER-PAYIN.CANCELED")
