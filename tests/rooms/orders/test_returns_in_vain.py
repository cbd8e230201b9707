"""A return that its network never takes: it is given up after a day, unless a copy of it may still be on its way."""

from datetime import timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.cast import Cast
from tests.rooms.lanes import Lanes

from lastro.core.db import Database
from lastro.orders.returns import RETURN_LATE, RETURN_SENT_WITHIN, RETURN_WITHIN
from lastro.rails import port
from lastro.rails.port import Permanent, Transient

from .collecting import make, settled
from .shop import Shop

A_MOMENT = timedelta(minutes=2)
NOT_TAKEN = "NOT_TAKEN: the network did not take the return within a day"


@pytest.fixture
async def shop(own_cast: Cast) -> Shop:
    return Shop(own_cast, await own_cast.ana())


@pytest.fixture
def lanes(own_cast: Cast, own_work: Database) -> Lanes:
    return Lanes(own_cast, own_work, port.PIX)


async def stands(shop: Shop) -> tuple[Any, ...]:
    """The refund, how its message ended, and whether that is due."""
    sql = (
        "SELECT r.state, r.error_message, m.outcome, m.due_at IS NOT NULL FROM refunds r"
        " JOIN outbox m ON m.network_id = r.return_id"
    )
    (row,) = await shop.rows(sql)
    return tuple(row)


def lost_and_refused() -> list[Exception]:
    """The first copy's answer is lost, and the network takes no later one: which of them says what, nobody knows."""
    return [Transient("no answer"), *(Permanent("AM09", "no") for _ in range(20))]


async def test_a_client_hears_that_its_refund_did_not_go(shop: Shop, lanes: Lanes) -> None:
    order = await shop.paid(1000)
    await shop.back(order, 400)
    lanes.rail.says = lost_and_refused()
    for _ in range(3):
        await lanes.goes_on(A_MOMENT)
        assert await stands(shop) == ("PENDING", None, None, True), "a later copy's refusal is a doubt"
    assert await shop.money() == (600, 400)
    await lanes.goes_on(RETURN_WITHIN)
    assert await stands(shop) == ("ERROR", NOT_TAKEN, "withdrawn", False)
    assert (await shop.money(), await shop.stands(order)) == ((1000, 0), ("PAID", 0, ["ERROR"]))
    _, told = await shop.news(order)
    assert (told["event"], told["message"]) == ("ORDER-PAYIN.REFUND_ERROR", f"Refund failed: {NOT_TAKEN}")
    lanes.rail.says = []
    await lanes.goes_on(timedelta(days=1))
    assert not lanes.rail.taken, "nobody sends it any more"
    assert (await shop.back(order, 1000))["status"] == "PENDING"


async def test_none_is_sent_in_the_hours_before_it_is_given_up(shop: Shop, lanes: Lanes) -> None:
    """A copy that leaves in the last minute might arrive behind the question by which it is given up."""
    await shop.back(await shop.paid(1000), 400)
    lanes.rail.says = [Transient("no answer")]
    await lanes.goes_on(A_MOMENT)
    await lanes.goes_on(RETURN_SENT_WITHIN)
    for _ in range(3):
        await lanes.goes_on(timedelta(minutes=20))
    assert (await stands(shop), lanes.rail.taken) == (("PENDING", None, None, True), [])
    await lanes.goes_on(RETURN_WITHIN - RETURN_SENT_WITHIN)
    assert (await stands(shop), lanes.rail.taken) == (("ERROR", NOT_TAKEN, "withdrawn", False), [])


async def test_what_its_network_never_decides_is_for_people(shop: Shop, lanes: Lanes) -> None:
    """It is asked about on, and nothing is guessed."""
    await shop.back(await shop.paid(1000), 400)
    for by, alarms in ((A_MOMENT, []), (RETURN_WITHIN, []), (RETURN_LATE - RETURN_WITHIN, ["network.undecided"])):
        with capture_logs() as logs:
            await lanes.goes_on(by)
        assert [line["event"] for line in logs if line["log_level"] == "critical"] == alarms
    assert (await stands(shop))[:2] == ("PENDING", None)


async def test_money_that_fitted_nothing_waits_for_people(shop: Shop, own_cast: Cast, own_work: Database) -> None:
    """At a partner, too, a later copy's refusal says nothing of the first."""
    made, lanes = await make(shop, "PAYNET"), Lanes(own_cast, own_work, "paynet")
    await lanes.send()
    lanes.rail.taken.clear()
    for name in ("P1", "P2"):
        await settled(shop, made, name)
    lanes.rail.says = lost_and_refused()
    for _ in range(2):
        await lanes.goes_on(A_MOMENT)
    assert await stands(shop) == ("PENDING", None, None, True)
    await lanes.goes_on(RETURN_WITHIN)
    assert await stands(shop) == ("ERROR", NOT_TAKEN, "withdrawn", False)
    assert await shop.column("SELECT state FROM pix_payments WHERE order_id IS NULL") == ["STRANDED"]


async def test_what_its_network_has_is_not_given_up(shop: Shop, lanes: Lanes) -> None:
    await shop.back(await shop.paid(1000), 400)
    lanes.rail.says, lanes.rail.has_it = lost_and_refused(), True
    for by in (A_MOMENT, A_MOMENT, 2 * RETURN_WITHIN, A_MOMENT):
        await lanes.goes_on(by)
    assert await stands(shop) == ("PENDING", None, "sent", False)


@pytest.mark.parametrize("is_in_hand", [False, True])
async def test_what_may_have_been_sent_since_it_was_asked_about_is_asked_about_again(
    shop: Shop, lanes: Lanes, is_in_hand: bool
) -> None:
    """A worker takes it in hand between the question and what is decided by its answer, and may still have it."""
    refund = await shop.back(await shop.paid(1000), 400)
    lanes.rail.says = lost_and_refused()
    await lanes.goes_on(A_MOMENT)
    (sends,) = await shop.column("SELECT sends FROM outbox WHERE kind = 'return.send'")
    if is_in_hand:
        await shop.rows("UPDATE outbox SET lease_token = id WHERE kind = 'return.send' RETURNING 1")
    never = port.PaymentNever(refund["returnId"], sends if is_in_hand else sends - 1)
    assert await shop.told(port.RETURN_NEVER, never, refund["returnId"]) == "known"
    assert (await stands(shop))[0] == "PENDING"
    assert await shop.told(port.RETURN_NEVER, port.PaymentNever("D0"), "D0") == "known"


@pytest.mark.parametrize(("before", "is_certain"), [(None, True), (Transient("503", is_on_its_way=False), True),
                                                    (Transient("no answer"), False)])  # fmt: skip
async def test_a_return_that_its_network_will_not_process(
    shop: Shop, lanes: Lanes, before: Transient | None, is_certain: bool
) -> None:
    """It ends with its code at once, is told, and frees the money, unless another copy of it may still arrive."""
    order = await shop.paid(1000)
    refund = await shop.back(order, 400)
    lanes.rail.says = [] if before is None else [before]
    for _ in range(2):
        await lanes.goes_on(timedelta(seconds=5))
    lanes.rail.taken.clear()  # taken at the door, and then not processed
    doubted = port.PaymentDoubted(refund["returnId"], "admi.002")
    assert await shop.told(port.RETURN_DOUBTED, doubted, refund["returnId"]) == "handled"
    await lanes.goes_on(timedelta(milliseconds=1))
    said = "admi.002: the network would not process it"
    if not is_certain:
        assert (await stands(shop))[:2] == ("PENDING", None)
        await lanes.goes_on(RETURN_WITHIN)
    assert await stands(shop) == ("ERROR", said, "withdrawn", False)
    assert (await shop.money(), await shop.stands(order)) == ((1000, 0), ("PAID", 0, ["ERROR"]))
    assert (await shop.news(order))[-1]["message"] == f"Refund failed: {said}"
    assert await shop.told(port.RETURN_DOUBTED, doubted, refund["returnId"]) == "known"
    await lanes.goes_on(timedelta(days=2))
    assert not lanes.rail.taken
    assert await shop.told(port.RETURN_DOUBTED, port.PaymentDoubted("D0", "X"), "D0") == port.ALARMED
