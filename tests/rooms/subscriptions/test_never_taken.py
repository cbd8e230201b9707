"""What the network would not process, or never knew of, ends by itself, unless a copy of it may still be taken."""

import os
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from structlog.testing import capture_logs
from tests.cast import INSTITUTION, Cast
from tests.rooms.lanes import FakeRail, Lanes

from lastro.core.db import Database
from lastro.core.runner import Reply
from lastro.rails import port
from lastro.rails.port import Transient
from lastro.rails.spi import wire
from lastro.standards.calendar import day_bounds

from .charging import Bank, day
from .desk import Desk

CANCEL, CALL_OFF = "cancel_subscription", "cancel_subscription_payment"
A_MINUTE, A_DAY = timedelta(minutes=1), timedelta(days=1)
A_SECOND, HALF_A_DAY = timedelta(seconds=1), timedelta(hours=12)
TAKEN = """
UPDATE outbox SET due_at = business_now(), done_at = NULL, outcome = NULL, lease_token = id,
       leased_until = machine_now() + interval '1 hour' WHERE kind = 'cancellation.send' RETURNING 1
"""
PUT_DOWN = """
UPDATE outbox SET due_at = NULL, done_at = business_now(), outcome = 'sent', lease_token = NULL, leased_until = NULL
 WHERE kind = 'cancellation.send' RETURNING 1
"""


@dataclass
class Network(FakeRail):
    """The SPI as the worker sees it. does: what becomes of each order that it is sent, one after the other; then it is taken.

    `refuse`: admi.002. `lose`: 201, and nothing. `hang`: no answer, and nothing. `keep`: no answer, and taken. `away`: it
    cannot be reached.
    """

    does: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    tells: list[port.NetworkMessage] = field(default_factory=list)

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        del company_id
        if kind == port.AUTHORIZATION_ANSWER:
            return
        self.sent.append(network_id)
        act = self.does.pop(0) if self.does else "take"
        if act in ("take", "keep"):
            self.taken.append(network_id)
        if act == "refuse":
            name = msgspec.json.decode(wire.written(kind, body))["msgId"]
            word = {"msgId": "M" + os.urandom(15).hex(), "type": "admi.002", "relatedMsgId": name, "reason": "no"}
            self.tells.append(wire.read(msgspec.json.encode(word), INSTITUTION.ispb))
        if act in ("hang", "keep", "away"):
            raise Transient("no answer", is_on_its_way=act != "away")


class World(Lanes):
    """Ana's subscriptions and a worker for Pix, which does what is due when it is asked to."""

    rail: Network

    def __init__(self, desk: Desk, work: Database) -> None:
        super().__init__(desk.cast, work, port.PIX, Network())
        self.desk, self.bank = desk, Bank(desk)

    async def goes_on(self, by: timedelta = A_MINUTE) -> None:
        """Time passes; then all that is due is sent, heard and asked about."""
        await self.later(by)
        await self.send()
        await self.hears()
        await self.poll()

    async def hears(self) -> None:
        """What the network has told is stored and handled."""
        told, self.rail.tells = self.rail.tells, []
        await self.inbox.keep(told)
        await self.handle()

    async def outcomes(self, kind: str) -> list[tuple[str | None, int, bool]]:
        """How the messages of this kind ended, how often each was taken in hand, and whether it is due."""
        rows = await self.desk.column(
            "SELECT (outcome, sends, due_at IS NOT NULL) FROM outbox WHERE company_id = tenant() AND kind = $1 ORDER BY id",
            kind,
        )
        return [tuple(row) for row in rows]

    async def cancels(self) -> tuple[str, dict[str, Any]]:
        """A subscription of which Ana's client asks for the end; its id, and the record."""
        of = await self.bank.accepted()
        return of, await self.desk.done(CANCEL, {}, id=of)

    async def record(self, of: str) -> dict[str, Any]:
        found: dict[str, Any] = (await self.desk.read(of))["cancellations"][-1]
        return found

    async def scheduled(self, days: int) -> dict[str, Any]:
        """A charge that its bank will collect in so many days."""
        payment = await self.bank.charge(await self.bank.accepted(), day(days))
        (now,) = await self.desk.column("SELECT business_now()")
        await self.bank.schedules(payment, now)
        return payment

    async def calls_off(self, payment: dict[str, Any]) -> Any:
        return await self.desk.ask(CALL_OFF, {}, id=payment["subscriptionId"], paymentId=payment["id"])


@pytest.fixture
async def world(own_cast: Cast, own_work: Database) -> World:
    return World(Desk.open(own_cast, await own_cast.ana()), own_work)


async def test_a_refused_cancellation_ends_and_may_be_asked_for_anew(world: World) -> None:
    world.rail.does = ["refuse"]
    of, asked = await world.cancels()
    with capture_logs() as logs:
        await world.goes_on()
    alarms = [line["event"] for line in logs if line["log_level"] == "critical"]
    assert alarms == ["inbox.look_at_this"], "what we sent may have to be put right"
    record = await world.record(of)
    assert (record["id"], record["status"], record["errorCode"]) == (asked["id"], "ERROR", "admi.002")
    assert record["errorMessage"] == "admi.002: the network would not process it"
    assert (await world.desk.read(of))["status"] == "ACCEPTED"
    assert await world.outcomes(port.CANCELLATION_SEND) == [("withdrawn", 1, False)]
    assert await world.desk.column("SELECT outcome FROM inbox WHERE kind = 'order.doubted'") == ["handled"]
    await world.desk.done(CANCEL, {}, id=of)
    for _ in range(3):
        await world.goes_on()
    assert (await world.record(of))["status"] == "PENDING"
    assert len(world.rail.sent) == len(set(world.rail.sent)) == 2, "each was sent once"


async def test_a_refusal_is_no_end_where_the_network_knows_another_copy(world: World) -> None:
    world.rail.does = ["keep", "refuse"]
    of, _ = await world.cancels()
    await world.goes_on()
    name = world.rail.sent[0]
    await world.rail.send(port.CANCELLATION_SEND, name, await body_of(world, name), world.desk.ana.company_id)
    for _ in range(3):
        await world.goes_on()
    await world.goes_on(2 * A_DAY)
    assert (await world.record(of))["status"] == "PENDING"


async def test_of_two_copies_one_may_be_on_its_way_until_its_time_is_over(world: World) -> None:
    world.rail.does = ["hang", "refuse"]
    of, _ = await world.cancels()
    for _ in range(4):
        await world.goes_on()
    assert (await world.record(of))["status"] == "PENDING", "who knows where the first copy is"
    assert await world.outcomes(port.CANCELLATION_SEND) == [("sent", 2, False)]
    await world.goes_on(A_DAY / 2)
    assert len(world.rail.sent) == 2, "nothing is sent again after a refusal"
    await world.goes_on(A_DAY / 2)
    assert ((await world.record(of))["status"], (await world.record(of))["errorCode"]) == ("ERROR", "admi.002")
    assert await world.outcomes(port.CANCELLATION_SEND) == [("withdrawn", 2, False)]


async def test_two_refused_copies_are_both_refused(world: World) -> None:
    """The refusals come so late that the message was sent once more."""
    world.rail.does = ["refuse", "refuse"]
    of, _ = await world.cancels()
    await world.send()
    late, world.rail.tells = world.rail.tells, []
    await world.goes_on()
    await world.send()
    world.rail.tells += late[:1]
    assert (await world.record(of))["status"] == "PENDING"
    await world.goes_on()
    assert (await world.record(of))["status"] == "ERROR"
    assert await world.outcomes(port.CANCELLATION_SEND) == [("withdrawn", 2, False)]


async def test_a_cancellation_that_the_network_never_knows_is_given_up_after_a_day(world: World) -> None:
    world.rail.does = ["lose"] * 100
    of, _ = await world.cancels()
    for _ in range(3):
        await world.goes_on()
    ((outcome, sends, is_due),) = await world.outcomes(port.CANCELLATION_SEND)
    assert (outcome, is_due) == (None, True), "it is sent again while there is time"
    assert (await world.record(of))["status"] == "PENDING"
    with capture_logs() as logs:
        await world.goes_on(A_DAY)
    record = await world.record(of)
    assert (record["status"], record["errorCode"]) == ("ERROR", "NOT_TAKEN")
    assert record["errorMessage"] == "NOT_TAKEN: the network did not take it within a day"
    assert "critical" not in {line["log_level"] for line in logs}, "it has ended, and nobody has to look"
    ((outcome, last, is_due),) = await world.outcomes(port.CANCELLATION_SEND)
    assert (outcome, is_due) == ("withdrawn", False)
    assert last > sends
    await world.goes_on(A_DAY)
    assert await world.outcomes(port.CANCELLATION_SEND) == [("withdrawn", last, False)], "nobody sends it any more"


async def test_a_cancellation_that_is_not_answered_alarms_after_twelve_hours(world: World) -> None:
    of, _ = await world.cancels()
    created = datetime.fromisoformat((await world.record(of))["createdAt"])
    await world.goes_on()
    for at, alarms in ((HALF_A_DAY - 1 * A_SECOND, []), (HALF_A_DAY, ["network.undecided"])):
        await world.desk.column("UPDATE subscription_cancellations SET ask_at = created_at RETURNING 1")
        with capture_logs() as logs:
            await world.goes_on_to(created + at)
        assert [line["event"] for line in logs if line["log_level"] == "critical"] == alarms, at
    assert (await world.record(of))["status"] == "PENDING", "it is asked on, and nothing is given up that the bank has"


async def test_what_somebody_has_in_hand_is_not_given_up(world: World) -> None:
    world.rail.does = ["refuse"]
    of, _ = await world.cancels()
    await world.send()
    await world.hears()
    await world.desk.column(TAKEN)
    await world.goes_on()
    assert (await world.record(of))["status"] == "PENDING"
    await world.desk.column(PUT_DOWN)
    await world.goes_on()
    assert (await world.record(of))["status"] == "ERROR"


async def test_a_refused_instruction_is_followed_by_another(world: World) -> None:
    of = await world.bank.accepted()
    world.rail.does = ["refuse"]
    payment = await world.bank.charge(of, day(5))
    await world.goes_on()
    read = await world.bank.read(payment)
    assert (read["status"], [one["status"] for one in read["attempts"]]) == ("SCHEDULED", ["REJECTED", "REQUESTED"])
    assert read["attempts"][0]["errorCode"] == "admi.002"
    await world.goes_on(timedelta(hours=2))
    await world.goes_on()
    assert len(world.rail.sent) == len(set(world.rail.sent)) == 2
    assert world.rail.taken == [world.rail.sent[1]]
    assert [one["status"] for one in (await world.bank.read(payment))["attempts"]] == ["REJECTED", "REQUESTED"]


async def test_an_instruction_that_the_network_never_knows_is_given_up_when_its_day_is_over(world: World) -> None:
    of = await world.bank.accepted()
    world.rail.does = ["lose"] * 1000
    payment = await world.bank.charge(of, day(4))
    await world.goes_on()
    over = day_bounds(day(4))[1]
    await world.goes_on_to(over - A_MINUTE)
    read = await world.bank.read(payment)
    attempts = [one["status"] for one in read["attempts"]]
    assert (read["status"], attempts) == ("SCHEDULED", ["REQUESTED"]), "nothing is guessed"
    await world.goes_on_to(over + timedelta(minutes=15))
    read = await world.bank.read(payment)
    assert (read["status"], read["errorCode"]) == ("ERROR", "NOT_TAKEN")
    assert [(one["status"], one["errorCode"]) for one in read["attempts"]] == [("REJECTED", "NOT_TAKEN")]
    assert [body["data"]["errorCode"] for body in await world.bank.told("SUBSCRIPTION-PAYMENT.ERROR")] == ["NOT_TAKEN"]
    assert (await world.outcomes(port.CHARGE_SEND))[0][0] == "withdrawn"
    (now,) = await world.desk.column("SELECT business_now()")
    assert (await world.bank.charge(of, day(9), now))["status"] == "SCHEDULED", "its cycle is free"


async def test_a_refused_cancellation_of_a_charge_ends_and_may_be_asked_for_anew(world: World) -> None:
    payment = await world.scheduled(5)
    world.rail.does = ["refuse"]
    assert isinstance(await world.calls_off(payment), Reply)
    await world.goes_on()
    read = await world.bank.read(payment)
    assert (read["status"], read["cancelErrorCode"]) == ("SCHEDULED", "admi.002")
    assert "cancelRequestedAt" not in read
    assert await world.outcomes(port.CHARGE_CANCEL_SEND) == [("withdrawn", 1, False)]
    assert isinstance(await world.calls_off(payment), Reply)
    await world.goes_on()
    assert "cancelErrorCode" not in await world.bank.read(payment)
    assert len(world.rail.sent) == len(set(world.rail.sent)) == 2


@pytest.mark.parametrize("is_near", [False, True])
async def test_a_cancellation_of_a_charge_that_the_network_never_knows_is_given_up(world: World, is_near: bool) -> None:
    """After a day, or when the day of the charge has come: then it begins."""
    payment = await world.scheduled(5)
    begins = day_bounds(day(5))[0]
    world.rail.does = ["lose"] * 1000
    if is_near:
        await world.goes_on_to(begins - timedelta(hours=3))
    assert isinstance(await world.calls_off(payment), Reply)
    await world.goes_on()
    assert "cancelRequestedAt" in await world.bank.read(payment)
    await world.goes_on(timedelta(hours=3, minutes=15) if is_near else A_DAY)
    read = await world.bank.read(payment)
    assert (read["status"], read["cancelErrorCode"]) == ("SCHEDULED", "NOT_TAKEN")
    assert read["cancelErrorMessage"] == "NOT_TAKEN: the network did not take it in time"
    assert await world.desk.column("SELECT due_at FROM subscription_payments") == [begins]


async def body_of(world: World, name: str) -> bytes:
    (body,) = await world.desk.column("SELECT body FROM outbox WHERE network_id = $1", name)
    return bytes(body)
