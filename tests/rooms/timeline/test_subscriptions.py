"""Stories of subscriptions on real rows: its first charge and its cancellations are part of it, and any of its ids leads there."""

from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import Cast, Seller
from tests.rooms.subscriptions import charging
from tests.rooms.subscriptions.bank import Bank
from tests.rooms.subscriptions.desk import JOURNEY_2, JOURNEY_3, Desk

from lastro.api_kit.routes import Incoming
from lastro.core.db import Database
from lastro.core.errors import Refused
from lastro.core.runner import Reply
from lastro.timeline import by_id, reading

from .test_payouts import short

ROUTE = reading.routes()[2]


@pytest.fixture
async def desk(cast: Cast, ana: Seller) -> Desk:
    return Desk.open(cast, ana)


async def read(desk: Desk, subscription_id: str, seller: Seller | None = None) -> Any:
    seller = seller or desk.ana
    parsed = ROUTE.parse(Incoming(seller.company_id, {"id": subscription_id}, {}, b"", {}, None))
    assert not isinstance(parsed, Refused)
    reply = await desk.cast.run(seller.client, parsed, operation=ROUTE.operation, permission=ROUTE.permission)
    return msgspec.json.decode(reply.body) if isinstance(reply, Reply) else reply


async def test_one_that_is_authorized_and_ended_by_its_receiver(desk: Desk) -> None:
    bank, made = Bank(desk), await desk.make(JOURNEY_2)
    await bank.authorizes(made)
    await desk.done("cancel_subscription", {}, id=made["id"])
    await bank.decides(made, "CONFIRMED")
    told = await read(desk, made["id"])
    assert (told["id"], told["object"], told["isWhole"]) == (made["id"], "subscription", True)
    assert [short(e) for e in told["entries"][:6]] == [
        ("subscription", "create", "INITIAL"), ("subscription", "register", "PENDING_AUTHORIZATION"),
        ("in", "pix", "authorization.ask"), ("subscription", "authorize", "ACCEPTED"), ("out", "pix", "authorization.answer"),
        ("event", "SUBSCRIPTION.ACCEPTED"),
    ]  # fmt: skip
    rest = [short(e) for e in told["entries"][6:]]
    assert sorted(rest[:2]) == [("cancellation", "ask", "PENDING"), ("subscription", "ask to cancel", "ACCEPTED")]
    assert rest[2:4] == [("out", "pix", "cancellation.send"), ("in", "pix", "cancellation.final")]
    assert sorted(rest[4:6]) == [("cancellation", "confirm", "ACCEPTED"), ("subscription", "cancel", "CANCELED")]
    assert rest[6:] == [("event", "SUBSCRIPTION.CANCELED")]


async def test_its_first_charge_is_part_of_it(desk: Desk) -> None:
    bank, made = Bank(desk), await desk.make(JOURNEY_3)
    await bank.pays(made)
    steps = [short(e) for e in (await read(desk, made["id"]))["entries"]]
    for step in (
        ("order", "create", "INITIAL"), ("payment", "accept", "ACCEPTED"), ("order", "pay", "PAID"),
        ("subscription", "pay", "ACCEPTED"), ("event", "ORDER-PAYIN.PAID"), ("event", "SUBSCRIPTION.ACCEPTED"),
        ("in", "pix", "pix.ask"), ("PIX_IN", "moved", "NET", "CUST", "29.90"),
    ):  # fmt: skip
        assert steps.count(step) == 1, step


async def test_its_charges_and_their_attempts_are_part_of_it(desk: Desk, audit: Database) -> None:
    bank, at = charging.Bank(desk), charging.at
    of = await bank.accepted()
    made = await bank.charge(of, charging.day(20))
    assert await bank.time(made, at(11))
    await bank.refuses(made, "AB10", at(11, 1))
    name = await bank.schedules(made, at(11, 3))
    assert await bank.time(made, at(20))
    assert await bank.pays(made, name, at(20, 4)) is None
    told = await read(desk, of)
    steps = [short(e) for e in told["entries"]]
    for step, times in (
        (("scheduledPayment", "schedule", "SCHEDULED"), 1), (("subscription", "charge", "ACCEPTED"), 1),
        (("chargeAttempt", "request", "REQUESTED"), 2), (("out", "pix", "charge.send"), 2),
        (("in", "pix", "charge.refused"), 1), (("in", "pix", "charge.scheduled"), 1),
        (("chargeAttempt", "settle", "PAID"), 1), (("scheduledPayment", "settle", "PAID"), 1),
        (("event", "SUBSCRIPTION-PAYMENT.SCHEDULED"), 1), (("event", "ORDER-PAYIN.PAID"), 0), (("order", "pay", "PAID"), 0),
    ):  # fmt: skip
        assert steps.count(step) == times, step
    refused = steps.index(("in", "pix", "charge.refused"))
    assert steps[refused + 1 : refused + 5] == [
        ("chargeAttempt", "reject", "REJECTED"), ("scheduledPayment", "send again", "SCHEDULED"),
        ("chargeAttempt", "request", "REQUESTED"), ("out", "pix", "charge.send"),
    ]  # fmt: skip
    root = (desk.ana.company_id, reading.Root("subscription", UUID(of)))
    attempts = {e["id"] for e in told["entries"] if e.get("object") == "chargeAttempt"}
    sent = {e["id"] for e in told["entries"] if e["kind"] == "message" and e["message"] == "charge.send"}
    assert (len(attempts), len(sent)) == (2, 2)
    for text in (made["id"], *attempts, *sent):
        assert await by_id.find(audit, text) == [root], text
    order = [(desk.ana.company_id, reading.Root("order", UUID(made["orderId"])))]
    assert await by_id.find(audit, made["orderId"]) == order
    assert await by_id.find(audit, name) == order


async def test_that_its_bank_would_not_drop_a_charge_is_told(desk: Desk) -> None:
    bank, at = charging.Bank(desk), charging.at
    of = await bank.accepted()
    made = await bank.charge(of, charging.day(20))
    assert await bank.time(made, at(11))
    await bank.schedules(made, at(11, 1))
    await bank.asked("cancel_subscription_payment", at(12), {}, id=of, paymentId=made["id"])
    assert await bank.answers(made, "REFUSED", at(12, 1), "OTHR") == "handled"
    entries = (await read(desk, of))["entries"]
    kept = [e for e in entries if e.get("trigger") == "keep"]
    assert [(e["object"], e["to"], e["reason"]) for e in kept] == [("scheduledPayment", "SCHEDULED", "OTHR")]


async def test_any_of_its_ids_leads_to_it(desk: Desk, audit: Database) -> None:
    made = await desk.make(JOURNEY_3, externalId="contract-story")
    record = await desk.done("cancel_subscription", {}, id=made["id"])
    root = reading.Root("subscription", UUID(made["id"]))
    for text in (made["id"], record["id"], made["providerId"], "contract-story"):
        assert await by_id.find(audit, text) == [(desk.ana.company_id, root)], text
    order_id = UUID(made["initialCharge"]["orderId"])
    assert await by_id.find(audit, str(order_id)) == [(desk.ana.company_id, reading.Root("order", order_id))]
