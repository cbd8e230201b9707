"""A return that its network never takes: it is given up after a day, unless a copy of it may still be on its way."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from structlog.testing import capture_logs
from tests.cast import INSTITUTION, PLACE, Cast
from tests.laws import breaches

from lastro import orders
from lastro.app import inbox_handlers
from lastro.core.db import Database
from lastro.orders.returns import RETURN_LATE, RETURN_SENT_WITHIN, RETURN_WITHIN
from lastro.rails import port
from lastro.rails.handling import Handler
from lastro.rails.inbox import Inbox
from lastro.rails.port import Pending, Permanent, Transient, Unknown
from lastro.rails.sending import Sender
from lastro.rails.status_poller import StatusPoller

from .collecting import make, settled
from .shop import Shop

A_MOMENT = timedelta(minutes=2)
NOT_TAKEN = "NOT_TAKEN: the network did not take the return within a day"


@dataclass
class Network:
    """As the worker sees it. says: what each sending meets, one after the other; then it is taken."""

    says: list[Exception] = field(default_factory=list)
    has_it: bool = False

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        del kind, network_id, body, company_id
        if self.says:
            raise self.says.pop(0)
        self.has_it = True

    async def listen(self, keep: port.Keep, stop: asyncio.Event) -> None:
        """It tells nothing of its own accord."""

    async def close(self) -> None:
        """It has no connections."""

    async def status_of(self, kind: str, network_id: str) -> Unknown | Pending:
        del kind, network_id
        return Pending() if self.has_it else Unknown()


class Lanes:
    """What a worker does for one rail, as it is asked to."""

    def __init__(self, shop: Shop, work: Database, rail: str) -> None:
        cast, self.network = shop.cast, Network()
        inbox = Inbox(cast.database, work, cast.chance, INSTITUTION.ispb, rail)
        held_back = orders.HELD_BACK
        self.sender = Sender(cast.database, work, cast.runner, cast.chance, rail, self.network, held_back=held_back)
        self.requester = StatusPoller(cast.database, work, inbox, rail, self.network, orders.WAITING[rail])
        self.handler = Handler(cast.database, work, cast.runner, cast.chance, inbox_handlers.inbox_verbs(PLACE))
        self._shop = shop

    async def goes_on(self, by: timedelta) -> None:
        """Time passes; then all that is due is sent, asked about and heard."""
        sql = "UPDATE clock SET offset_us = offset_us + $1, version = version + 1 RETURNING 1"
        await self._shop.rows(sql, by // timedelta(microseconds=1))
        await self.sender.queue.drain()
        await self.requester.round()
        await self.handler.queue.drain()

    async def stands(self) -> tuple[Any, ...]:
        """The refund, how its message ended, and whether that is due."""
        sql = (
            "SELECT r.state, r.error_message, m.outcome, m.due_at IS NOT NULL FROM refunds r"
            " JOIN outbox m ON m.network_id = r.return_id"
        )
        (row,) = await self._shop.rows(sql)
        return tuple(row)


@pytest.fixture
async def shop(own_database: Any) -> AsyncIterator[Shop]:
    cast = Cast.of(own_database.app)
    await cast.found("The institution", number=0)
    yield Shop(cast, await cast.ana())
    await cast.close()
    found = await breaches(own_database.audit)
    assert found.keys() <= {"law_nothing_is_overdue_at_rest"}, found  # nobody numbers events here


@pytest.fixture
async def work(own_database: Any) -> AsyncIterator[Database]:
    finds = Database(own_database.work, size=4)
    yield finds
    await finds.close()


def lost_and_refused() -> list[Exception]:
    """The first copy's answer is lost, and the network takes no later one: which of them says what, nobody knows."""
    return [Transient("no answer"), *(Permanent("AM09", "no") for _ in range(20))]


async def test_a_client_hears_that_its_refund_did_not_go(shop: Shop, work: Database) -> None:
    order = await shop.paid(1000)
    await shop.back(order, 400)
    lanes = Lanes(shop, work, port.PIX)
    lanes.network.says = lost_and_refused()
    for _ in range(3):
        await lanes.goes_on(A_MOMENT)
        assert await lanes.stands() == ("PENDING", None, None, True), "a later copy's refusal is a doubt"
    assert await shop.money() == (600, 400)
    await lanes.goes_on(RETURN_WITHIN)
    assert await lanes.stands() == ("ERROR", NOT_TAKEN, "withdrawn", False)
    assert (await shop.money(), await shop.stands(order)) == ((1000, 0), ("PAID", 0, ["ERROR"]))
    _, told = await shop.news(order)
    assert (told["event"], told["message"]) == ("ORDER-PAYIN.REFUND_ERROR", f"Refund failed: {NOT_TAKEN}")
    lanes.network.says = []
    await lanes.goes_on(timedelta(days=1))
    assert not lanes.network.has_it, "nobody sends it any more"
    assert (await shop.back(order, 1000))["status"] == "PENDING"


async def test_none_is_sent_in_the_hours_before_it_is_given_up(shop: Shop, work: Database) -> None:
    """A copy that leaves in the last minute might arrive behind the question by which it is given up."""
    await shop.back(await shop.paid(1000), 400)
    lanes = Lanes(shop, work, port.PIX)
    lanes.network.says = [Transient("no answer")]
    await lanes.goes_on(A_MOMENT)
    await lanes.goes_on(RETURN_SENT_WITHIN)
    for _ in range(3):
        await lanes.goes_on(timedelta(minutes=20))
    assert (await lanes.stands(), lanes.network.has_it) == (("PENDING", None, None, True), False)
    await lanes.goes_on(RETURN_WITHIN - RETURN_SENT_WITHIN)
    assert (await lanes.stands(), lanes.network.has_it) == (("ERROR", NOT_TAKEN, "withdrawn", False), False)


async def test_what_its_network_never_decides_is_for_people(shop: Shop, work: Database) -> None:
    """It is asked about on, and nothing is guessed."""
    await shop.back(await shop.paid(1000), 400)
    lanes = Lanes(shop, work, port.PIX)
    for by, alarms in ((A_MOMENT, []), (RETURN_WITHIN, []), (RETURN_LATE - RETURN_WITHIN, ["network.undecided"])):
        with capture_logs() as logs:
            await lanes.goes_on(by)
        assert [line["event"] for line in logs if line["log_level"] == "critical"] == alarms
    assert (await lanes.stands())[:2] == ("PENDING", None)


async def test_money_that_fitted_nothing_waits_for_people(shop: Shop, work: Database) -> None:
    """At a partner, too, a later copy's refusal says nothing of the first."""
    made, lanes = await make(shop, "PAYNET"), Lanes(shop, work, "paynet")
    await lanes.sender.queue.drain()
    for name in ("P1", "P2"):
        await settled(shop, made, name)
    lanes.network.says, lanes.network.has_it = lost_and_refused(), False
    for _ in range(2):
        await lanes.goes_on(A_MOMENT)
    assert await lanes.stands() == ("PENDING", None, None, True)
    await lanes.goes_on(RETURN_WITHIN)
    assert await lanes.stands() == ("ERROR", NOT_TAKEN, "withdrawn", False)
    assert await shop.column("SELECT state FROM pix_payments WHERE order_id IS NULL") == ["STRANDED"]


async def test_what_its_network_has_is_not_given_up(shop: Shop, work: Database) -> None:
    await shop.back(await shop.paid(1000), 400)
    lanes = Lanes(shop, work, port.PIX)
    lanes.network.says, lanes.network.has_it = lost_and_refused(), True
    for by in (A_MOMENT, A_MOMENT, 2 * RETURN_WITHIN, A_MOMENT):
        await lanes.goes_on(by)
    assert await lanes.stands() == ("PENDING", None, "sent", False)


@pytest.mark.parametrize("is_in_hand", [False, True])
async def test_what_may_have_been_sent_since_it_was_asked_about_is_asked_about_again(
    shop: Shop, work: Database, is_in_hand: bool
) -> None:
    """A worker takes it in hand between the question and what is decided by its answer, and may still have it."""
    refund = await shop.back(await shop.paid(1000), 400)
    lanes = Lanes(shop, work, port.PIX)
    lanes.network.says = lost_and_refused()
    await lanes.goes_on(A_MOMENT)
    (sends,) = await shop.column("SELECT sends FROM outbox WHERE kind = 'return.send'")
    if is_in_hand:
        await shop.rows("UPDATE outbox SET lease_token = id WHERE kind = 'return.send' RETURNING 1")
    never = port.PaymentNever(refund["returnId"], sends if is_in_hand else sends - 1)
    assert await shop.told(port.RETURN_NEVER, never, refund["returnId"]) == "known"
    assert (await lanes.stands())[0] == "PENDING"
    assert await shop.told(port.RETURN_NEVER, port.PaymentNever("D0"), "D0") == "known"


@pytest.mark.parametrize(("before", "is_certain"), [(None, True), (Transient("503", is_on_its_way=False), True),
                                                    (Transient("no answer"), False)])  # fmt: skip
async def test_a_return_that_its_network_will_not_process(
    shop: Shop, work: Database, before: Transient | None, is_certain: bool
) -> None:
    """It ends with its code at once, is told, and frees the money, unless another copy of it may still arrive."""
    order = await shop.paid(1000)
    refund = await shop.back(order, 400)
    lanes = Lanes(shop, work, port.PIX)
    lanes.network.says = [] if before is None else [before]
    for _ in range(2):
        await lanes.goes_on(timedelta(seconds=5))
    lanes.network.has_it = False  # taken at the door, and then not processed
    doubted = port.PaymentDoubted(refund["returnId"], "admi.002")
    assert await shop.told(port.RETURN_DOUBTED, doubted, refund["returnId"]) == "handled"
    await lanes.goes_on(timedelta(milliseconds=1))
    said = "admi.002: the network would not process it"
    if not is_certain:
        assert (await lanes.stands())[:2] == ("PENDING", None)
        await lanes.goes_on(RETURN_WITHIN)
    assert await lanes.stands() == ("ERROR", said, "withdrawn", False)
    assert (await shop.money(), await shop.stands(order)) == ((1000, 0), ("PAID", 0, ["ERROR"]))
    assert (await shop.news(order))[-1]["message"] == f"Refund failed: {said}"
    assert await shop.told(port.RETURN_DOUBTED, doubted, refund["returnId"]) == "known"
    await lanes.goes_on(timedelta(days=2))
    assert not lanes.network.has_it
    assert await shop.told(port.RETURN_DOUBTED, port.PaymentDoubted("D0", "X"), "D0") == port.ALARMED
