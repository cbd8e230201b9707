"""A dispute that the directory has called off: its return is not paid unless it left already, and nothing more is told."""

from datetime import timedelta

import pytest
from tests.cast import Cast
from tests.rooms.lanes import Lanes
from tests.rooms.orders.test_returns_in_vain import A_MOMENT

from lastro.core.db import Database
from lastro.orders.returns import RETURN_ARRIVES_WITHIN
from lastro.rails import port
from lastro.rails.port import MedNews, Permanent, Transient

from .court import Court

A_BIT = timedelta(seconds=1)


@pytest.fixture
async def court(own_cast: Cast) -> Court:
    return Court(own_cast, await own_cast.ana())


@pytest.fixture
def lanes(own_cast: Cast, own_work: Database) -> Lanes:
    return Lanes(own_cast, own_work, port.PIX)


async def asked_back(court: Court) -> MedNews:
    """A request for all of an order, by its payer's bank's fault, whose return waits to be sent."""
    news = await court.notice(await court.transaction(await court.paid(1000)), recovery_id=None, amount=None)
    request = court.request(news, reason="OPERATIONAL_FLAW")
    await court.says(request)
    assert await court.falls(request)
    assert (await court.money(), await court.blocked()) == ((0, 0), 1000)
    return request


async def is_called_off(court: Court, request: MedNews) -> bool:
    """CANCELLED, told so, and its money free; the directory hears no answer."""
    is_so = await court.is_so(request)
    if is_so[0] != "CANCELLED":
        assert is_so == ("OPEN", 1000, 0, None)
        assert await court.blocked() == 1000
        return False
    assert is_so == ("CANCELLED", 0, 0, None)
    assert (await court.blocked(), await court.money()) == (0, (1000, 0))
    assert (await court.notified(request))[-1] == ("STATUS_CHANGED", "CANCELLED", "OPEN")
    assert await court.sent("med.answer") == []
    assert await court.column("SELECT outcome FROM outbox WHERE kind = 'return.send'") == ["withdrawn"]
    return True


async def nothing_leaves(lanes: Lanes) -> None:
    lanes.rail.says = []
    for by in (A_MOMENT, timedelta(hours=1), timedelta(days=3)):
        await lanes.goes_on(by)
    assert not lanes.rail.taken


async def test_what_nobody_has_tried_to_send_is_withdrawn_at_once(court: Court, lanes: Lanes) -> None:
    request = await asked_back(court)
    assert await court.says(request, status="CANCELLED") == "handled"
    assert await is_called_off(court, request)
    assert await court.says(request, status="CANCELLED") == "known"
    await nothing_leaves(lanes)
    assert (await court.column("SELECT state FROM refunds")) == ["ERROR"]
    (order,) = await court.column("SELECT id FROM orders")
    assert (await court.back(order, 1000))["status"] == "PENDING", "the client may give it back again"


@pytest.mark.parametrize("is_down", [Transient("503", is_on_its_way=False), Transient("refused", is_on_its_way=False)])
async def test_what_the_network_did_not_take_is_asked_about_once(court: Court, lanes: Lanes, is_down: Transient) -> None:
    request = await asked_back(court)
    lanes.rail.says = [is_down] * 3
    for _ in range(3):
        await lanes.goes_on(A_MOMENT)
    assert await court.says(request, status="CANCELLED") == "handled"
    assert not await is_called_off(court, request)
    assert await court.says(request, status="CANCELLED") == "known"
    lanes.rail.says = []
    await lanes.goes_on(A_BIT)
    assert await is_called_off(court, request)
    await nothing_leaves(lanes)


async def test_a_copy_that_may_be_on_its_way_is_waited_for(court: Court, lanes: Lanes) -> None:
    request = await asked_back(court)
    lanes.rail.says = [Transient("503", is_on_its_way=False), Transient("no answer within 10 s")]
    for _ in range(2):
        await lanes.goes_on(A_MOMENT)
    assert await court.says(request, status="CANCELLED") == "handled"
    for _ in range(2):
        await lanes.goes_on(A_BIT)
        assert not await is_called_off(court, request)
    await lanes.goes_on(RETURN_ARRIVES_WITHIN)
    for _ in range(2):
        await lanes.goes_on(RETURN_ARRIVES_WITHIN)
    assert await is_called_off(court, request)
    await nothing_leaves(lanes)


@pytest.mark.parametrize("code", [None, "ED05"])
async def test_what_the_network_has_ends_as_it_says(court: Court, lanes: Lanes, code: str | None) -> None:
    """The money is gone, or free: a word that comes too late changes neither."""
    request = await asked_back(court)
    await lanes.goes_on(A_BIT)
    assert lanes.rail.taken
    assert await court.says(request, status="CANCELLED") == "handled"
    for _ in range(3):
        await lanes.goes_on(RETURN_ARRIVES_WITHIN)
    assert await court.is_so(request) == ("OPEN", 1000, 0, None)
    assert await court.returned(code) == "handled"
    if code is None:
        assert await court.is_so(request) == ("ANALYSED", 0, 1000, "TOTALLY_ACCEPTED")
        assert (await court.money(), await court.blocked()) == ((0, 0), 0)
    else:
        assert (await court.is_so(request), await court.blocked()) == (("CANCELLED", 0, 0, None), 0)
        assert (await court.money(), await court.sent("med.answer")) == ((1000, 0), [])


@pytest.mark.parametrize("is_called_off_first", [True, False])
async def test_a_worker_has_it_in_hand(court: Court, lanes: Lanes, is_called_off_first: bool) -> None:
    """What is being sent in that moment may arrive: it is asked about, too."""
    request = await asked_back(court)
    if is_called_off_first:
        await court.rows("UPDATE outbox SET lease_token = id, sends = 1 WHERE kind = 'return.send' RETURNING 1")
        assert await court.says(request, status="CANCELLED") == "handled"
        await lanes.poll()
        assert not await is_called_off(court, request)
        sets = "lease_token = NULL, due_at = NULL, done_at = now(), outcome = 'sent'"
        await court.rows(f"UPDATE outbox SET {sets} WHERE kind = 'return.send' RETURNING 1")
        lanes.rail.has_it = True
    else:
        await lanes.goes_on(A_BIT)
        assert await court.says(request, status="CANCELLED") == "handled"
    assert await court.returned() == "handled"
    assert await court.is_so(request) == ("ANALYSED", 0, 1000, "TOTALLY_ACCEPTED")


async def test_a_refusal_for_good_ends_it_as_called_off(court: Court, lanes: Lanes) -> None:
    """The network's no and the directory's word cross."""
    request = await asked_back(court)
    lanes.rail.says = [Permanent("AM09", "no")]
    await lanes.send()
    assert await court.says(request, status="CANCELLED") == "handled"
    await lanes.goes_on(A_BIT)
    assert await court.is_so(request) == ("CANCELLED", 0, 0, None)
    assert (await court.blocked(), await court.money()) == (0, (1000, 0))


@pytest.fixture
def lane(own_cast: Cast, own_work: Database) -> Lanes:
    """To the directory."""
    return Lanes(own_cast, own_work, port.MED)


async def ended(court: Court, kind: str) -> list[str | None]:
    return await court.column("SELECT outcome FROM outbox WHERE kind = $1 ORDER BY id", kind)


@pytest.mark.parametrize("verdict", ["AGREED", "DISAGREED"])
@pytest.mark.parametrize("tries", [0, 2])
async def test_a_verdict_on_what_was_called_off_is_not_told(court: Court, lane: Lanes, verdict: str, tries: int) -> None:
    news = await court.notice(await court.transaction(await court.paid(1000)))
    await court.agreed(news, verdict)
    lane.rail.says = [Transient("no answer") for _ in range(2 * tries)]
    for _ in range(tries):
        await lane.goes_on()
    assert await ended(court, port.MED_VERDICT) == [None]
    assert await court.says(news, status="CANCELLED") == "handled"
    assert (await court.blocked(), await court.says(news, status="CANCELLED")) == (0, "known")
    assert await court.is_so(news) == ("CANCELLED", 0, 0, verdict)
    before, lane.rail.says = lane.rail.kinds.count(port.MED_VERDICT), []
    await lane.goes_on()
    assert await ended(court, port.MED_VERDICT) == ["withdrawn"]
    assert lane.rail.kinds.count(port.MED_VERDICT) == before


async def test_a_notice_that_was_called_off_is_not_acknowledged(court: Court, lane: Lanes) -> None:
    news = await court.notice(await court.transaction(await court.paid(1000)))
    for status in ("OPEN", "CANCELLED"):
        assert await court.says(news, status=status) == "handled"
    await lane.goes_on()
    assert (await ended(court, port.MED_ACKNOWLEDGE), lane.rail.kinds) == (["withdrawn"], [])


async def test_a_no_to_a_request_that_was_called_off_is_not_told(court: Court, lane: Lanes) -> None:
    news = await court.notice(await court.transaction(await court.paid(1000)), recovery_id=None, amount=None)
    await court.spend((await court.money())[0])
    request = court.request(news, reason="OPERATIONAL_FLAW")
    await court.says(request)
    assert await court.falls(request)
    assert await court.is_so(request) == ("ANALYSED", 0, 0, "REJECTED")
    assert await court.says(request, status="CANCELLED") == "known"
    await lane.goes_on()
    assert (await ended(court, port.MED_ANSWER), lane.rail.kinds) == (["withdrawn"], [])


@pytest.mark.parametrize("is_called_off", [True, False])
async def test_a_refusal_that_crosses_the_word_that_explains_it(court: Court, lane: Lanes, is_called_off: bool) -> None:
    """The directory refuses a verdict: it has called the notice off, as its next word says; or it does not take it."""
    news = await court.notice(await court.transaction(await court.paid(1000)))
    await court.agreed(news, "DISAGREED")
    await court.rows(
        "UPDATE outbox SET due_at = NULL, done_at = now(), outcome = 'sent' WHERE kind = 'med.acknowledge' RETURNING 1"
    )
    lane.rail.says = [Permanent("InfractionReportOperationInvalid", "It is CANCELLED")] * 2
    await lane.goes_on()
    assert await ended(court, port.MED_VERDICT) == [None]
    if is_called_off:
        assert await court.says(news, status="CANCELLED") == "handled"
    await lane.goes_on()
    assert await ended(court, port.MED_VERDICT) == ["withdrawn" if is_called_off else "refused"]
    alarms = await court.column("SELECT count(*) FROM inbox WHERE kind = 'refused'")
    assert (alarms, len(lane.rail.kinds)) == ([0 if is_called_off else 1], 1 if is_called_off else 2)
