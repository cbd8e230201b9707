"""A subscription that nobody has authorized ends: its client cancels it, or its window is over. On real rows."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.cast import PLACE
from tests.in_one import in_one_test
from tests.rooms.orders.test_arrivals import arrives, claimed

from lastro.core.errors import Kind, Refused
from lastro.core.money import Money
from lastro.core.runner import Done, Reply
from lastro.orders import Ask, Expire, Fail
from lastro.orders.store import order_by_id

from .desk import HOOK, JOURNEY_2, JOURNEY_3, Desk, brl

CANCEL = "cancel_subscription"
AN_HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


async def test_its_client_cancels_it_at_once(desk: Desk) -> None:
    made = await desk.make(externalId="contract-1")
    record = await desk.done(CANCEL, {}, key="stop", id=made["id"])
    assert (record["idempotencyKey"], record["status"], record["reason"]) == ("stop", "ACCEPTED", "REQUESTED_BY_RECEIVER")
    assert [one["status"] for one in record["statusHistory"]] == ["PENDING", "ACCEPTED"]
    assert record["requestedBy"] == {"document": {"type": "CNPJ", "number": "11222333000181"}}
    read = await desk.read(made["id"])
    assert (read["status"], read["cancellations"], read["nextActions"]) == ("CANCELED", [record], [])
    assert [one["status"] for one in read["statusHistory"]] == ["INITIAL", "PENDING_AUTHORIZATION", "CANCELED"]
    data = {"id": made["id"], "externalId": "contract-1", "status": "CANCELED", "reason": "REQUESTED_BY_RECEIVER"}
    occurred = {"event": "SUBSCRIPTION.CANCELED", "occurredAt": read["updatedAt"], "data": data}
    assert await desk.events() == [("SUBSCRIPTION.CANCELED", occurred, HOOK)]


async def test_its_first_charge_ends_with_it(desk: Desk) -> None:
    made = await desk.make(JOURNEY_3, externalId="contract-3")
    order_id = made["initialCharge"]["orderId"]
    await desk.done(CANCEL, {"reason": "FRAUD_SUSPECTED"}, id=made["id"])
    assert (await desk.done("read_order", id=order_id))["status"] == "CANCELED"
    (of_order, order, order_url), (of_subscription, told, url) = await desk.events()
    assert (of_order, of_subscription) == ("ORDER-PAYIN.CANCELED", "SUBSCRIPTION.CANCELED")
    assert order_url == url == HOOK
    assert (order["id"], order["code"]) == (order_id, "contract-3")
    assert order["subscription"] == {"id": made["id"], "code": "contract-3"}
    assert told["data"]["initialCharge"] == {"id": order_id, "amount": brl("29.90")}
    assert told["data"]["reason"] == "FRAUD_SUSPECTED"


async def test_without_a_key_the_record_names_itself(desk: Desk) -> None:
    made = await desk.make()
    record = await desk.done(CANCEL, {"reason": "OTHER"}, id=made["id"])
    assert record["idempotencyKey"] == record["id"]


async def test_the_same_cancellation_again_is_answered_and_another_refused(desk: Desk) -> None:
    made = await desk.make()
    first, again = [await desk.ask(CANCEL, {}, key="stop", id=made["id"]) for _ in range(2)]
    assert isinstance(first, Reply)
    assert isinstance(again, Reply)
    assert (first.status, again.body, again.replayed) == (202, first.body, True)
    outcome = await desk.ask(CANCEL, {}, key="another", id=made["id"])
    assert isinstance(outcome, Refused)
    assert (outcome.kind, outcome.problems[0].field) == (Kind.CONFLICT, "status")
    assert len((await desk.read(made["id"]))["cancellations"]) == 1


@in_one_test("reason", ["REQUESTED_BY_PAYER", "ACCOUNT_CLOSED", "AUTHORIZATION_EXPIRED", "", 1])
async def test_reasons_that_are_not_a_clients_are_refused(desk: Desk, reason: Any) -> None:
    made = await desk.make()
    assert await desk.refused(CANCEL, {"reason": reason}, id=made["id"]) == [("reason", "INVALID")]


async def test_another_companys_is_as_if_it_were_not_there(desk: Desk) -> None:
    made, dora = await desk.make(), await desk.cast.dora()
    for one in (made["id"], made["id"].upper(), "x"):
        assert await desk.ask(CANCEL, {}, client=dora.client, id=one) == Refused(Kind.NOT_FOUND)
    assert (await desk.read(made["id"]))["status"] == "PENDING_AUTHORIZATION"


async def test_who_may_not_write_may_not_cancel(desk: Desk) -> None:
    made, caio = await desk.make(), await desk.cast.caio(desk.ana)
    assert await desk.ask(CANCEL, {}, client=caio, id=made["id"]) == Refused(Kind.FORBIDDEN)


async def test_while_its_first_charge_is_being_paid_it_cannot_end(desk: Desk) -> None:
    made = await desk.make(JOURNEY_3)
    company = desk.ana.company_id
    async with desk.cast.database.session(company) as session:
        order = await order_by_id(session, company, UUID(made["initialCharge"]["orderId"]))
    assert order is not None
    arrival = await arrives(desk.cast, desk.ana, txid=order.txid, amount=Money(2990, "BRL"))
    await claimed(desk.cast, desk.ana, arrival)  # told by the network, and not handled yet
    await desk.column("UPDATE inbox SET txid = $1 WHERE company_id = tenant() RETURNING 1", order.txid)
    assert await desk.refused(CANCEL, {}, id=made["id"]) == [("status", "CONFLICT")]
    assert not await desk.sweep(made["id"], datetime.now(UTC) + 24 * AN_HOUR + 2 * MINUTE)
    assert (await desk.read(made["id"]))["status"] == "PENDING_AUTHORIZATION"


async def test_its_window_is_over(desk: Desk) -> None:
    made = await desk.make(JOURNEY_3)
    read = await desk.read(made["id"])
    ends = datetime.fromisoformat(read["createdAt"]) + timedelta(hours=24)
    assert [(one["action"], one["by"]) for one in read["nextActions"]] == [("AUTHORIZE", "PAYER")]
    assert datetime.fromisoformat(read["nextActions"][0]["until"]) == ends
    # A message of the network may be late by a minute.
    assert not await desk.sweep(made["id"], ends + MINUTE - timedelta(seconds=1))


@pytest.mark.parametrize("journey", [JOURNEY_2, JOURNEY_3])
async def test_what_was_not_authorized_in_time_is_canceled(desk: Desk, journey: str) -> None:
    ends = {"startDate": desk.day(-31), "endDate": desk.day(-1)} if journey == JOURNEY_2 else {}
    made = await desk.make_at(datetime.now(UTC) - timedelta(days=31), journey, **ends)
    assert await desk.sweep(made["id"], datetime.now(UTC))
    assert not await desk.sweep(made["id"], datetime.now(UTC))
    read = await desk.read(made["id"])
    (record,) = read["cancellations"]
    assert (read["status"], record["status"], record["reason"]) == ("CANCELED", "ACCEPTED", "AUTHORIZATION_EXPIRED")
    assert record["idempotencyKey"] == record["id"]
    assert record["requestedBy"]["document"]["number"] == "11222333000181"
    told = await desk.events()
    assert [one[0] for one in told] == ["ORDER-PAYIN.EXPIRED", "SUBSCRIPTION.CANCELED"][journey == JOURNEY_2 :]
    assert told[-1][1]["data"]["reason"] == "AUTHORIZATION_EXPIRED"


async def test_a_first_charge_does_not_end_alone(desk: Desk) -> None:
    made = await desk.make(JOURNEY_3)
    order_id, company = UUID(made["initialCharge"]["orderId"]), desk.ana.company_id
    assert await desk.refused("cancel_order", id=str(order_id)) == [("status", "CONFLICT")]
    failed = await desk.cast.runner.act(company, Fail(order_id, "no", PLACE))
    assert isinstance(failed, Refused)
    expired = await desk.cast.runner.act(company, Expire(order_id, PLACE, before_its_time=True))
    assert isinstance(expired, Done)
    assert expired.write is None
    assert (await desk.done("read_order", id=str(order_id)))["status"] == "INITIAL"


async def test_a_payment_alone_does_not_pay_the_first_charge(desk: Desk) -> None:
    """Both or neither: what pays without authorizing is refused."""
    made = await desk.make(JOURNEY_3)
    arrival = await arrives(
        desk.cast, desk.ana, txid=made["initialCharge"]["conciliationId"], amount=Money(2990, "BRL"),
        receiver_branch=PLACE.institution.branch,
    )  # fmt: skip
    row = await claimed(desk.cast, desk.ana, arrival)
    assert isinstance(await desk.cast.runner.act(desk.ana.company_id, Ask(arrival, row, PLACE)), Done)
    assert await desk.column("SELECT (state, code) FROM pix_payments WHERE company_id = tenant()") == [("REFUSED", "BE17")]
    assert (await desk.done("read_order", id=made["initialCharge"]["orderId"]))["status"] == "INITIAL"


async def test_of_many_that_cancel_at_once_one_is_taken(desk: Desk) -> None:
    made = await desk.make(JOURNEY_3)
    outcomes = await asyncio.gather(*(desk.ask(CANCEL, {}, key=str(n), id=made["id"]) for n in range(5)))
    assert sum(isinstance(one, Reply) for one in outcomes) == 1
    assert len((await desk.read(made["id"]))["cancellations"]) == 1
