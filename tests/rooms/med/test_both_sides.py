"""Who has paid and who was paid both have their account here: each has a side of the dispute, of two companies or of one."""

from uuid import UUID, uuid4

import pytest
from tests.cast import Cast

from lastro.core.db import Database

from .town import Town


@pytest.fixture(params=[False, True], ids=["two companies", "one company"])
async def town(own_cast: Cast, own_work: Database, request: pytest.FixtureRequest) -> Town:
    return await Town.of(own_cast, own_work, is_one_company=request.param)


async def opened(town: Town, name: str) -> UUID:
    """The recovery, traced, and its notice."""
    notice = uuid4()
    for status in ("CREATED", "TRACKED", "AWAITING_ANALYSIS"):
        await town.recovery(name, status)
    await town.notice(notice, name, "OPEN")
    return notice


async def agreed(town: Town, name: str) -> UUID:
    """The notice is agreed to, and the refund ordered."""
    notice, request = await opened(town, name), uuid4()
    await town.notice(notice, name, "ACKNOWLEDGED")
    await town.decide(notice)
    await town.notice(notice, name, "CLOSED", AnalysisResult="AGREED")
    await town.recovery(name, "ANALYSED", AnalysisResult="AGREED")
    await town.recovery(name, "REFUNDING", AnalysisResult="AGREED")
    await town.request(request, name, "OPEN")
    return request


async def test_each_has_its_side_and_the_receivers_money_is_blocked_once(town: Town) -> None:
    name = await town.paid()
    notice = await opened(town, name)
    assert await town.so(notice) == [("PAYER", "OPEN", 0, 0), ("RECEIVER", "OPEN", 1000, 0)]
    assert (await town.office.money(town.dora), await town.blocked()) == ((0, 0), 1000)
    ids = [(await town.object(seller, notice))[0] for seller in town.sides]
    assert ids[0] == notice
    assert ids[1] != notice
    assert [(t["reference_id"], t["directory_id"]) for t in await town.tasks("med.acknowledge")] == [
        (str(ids[1]), str(notice))
    ]
    assert await town.events(town.office.ana, notice) == [("MED.CREATED", "OPEN", "PAYER")]
    assert await town.events(town.dora, notice) == [("MED.CREATED", "OPEN", "RECEIVER")]


async def test_what_is_told_twice_blocks_once(town: Town) -> None:
    name, notice = await town.paid(), uuid4()
    for _ in range(2):
        await town.notice(notice, name, "OPEN", InfractionAmount="6.00")
    assert await town.so(notice) == [("PAYER", "OPEN", 0, 0), ("RECEIVER", "OPEN", 600, 0)]
    assert await town.blocked() == 600


async def test_it_goes_back_in_our_own_books(town: Town) -> None:
    name = await town.paid()
    request = await agreed(town, name)
    await town.falls(request)
    await town.carry()
    assert await town.so(request) == [("PAYER", "OPEN", 0, 0), ("RECEIVER", "ANALYSED", 0, 1000)]
    (answer,) = await town.tasks("med.answer")
    assert (answer["directory_id"], answer["result"], answer["returned"]["minor"]) == (
        str(request),
        "TOTALLY_ACCEPTED",
        1000,
    )
    assert (await town.office.money(), await town.office.money(town.dora)) == ((10_000_000, 0), (0, 0))
    assert await town.blocked() == 0
    assert await town.office.column("SELECT rail FROM refunds", of=town.dora) == ["book"]
    assert await town.office.column("SELECT status FROM payouts") == ["REFUNDED"]
    done = {"AnalysisResult": "TOTALLY_ACCEPTED", "EffectiveRefundedAmount": "10.00"}
    await town.request(request, name, "CLOSED", **done)
    await town.recovery(name, "COMPLETED", AnalysisResult="AGREED")
    assert await town.so(request) == [("PAYER", "ANALYSED", 0, 1000), ("RECEIVER", "ANALYSED", 0, 1000)]
    sql = "SELECT status, returned_minor FROM med_objects WHERE object_type = 'RECOVERY_VALUE'"
    assert [tuple(row) for row in await town.office.rows(sql)] == [("COMPLETED", 1000)]
    assert (await town.events(town.dora, request))[-1] == ("MED.STATUS_CHANGED", "ANALYSED", "RECEIVER")
    assert (await town.events(town.office.ana, request))[-1] == ("MED.STATUS_CHANGED", "ANALYSED", "PAYER")


async def test_a_no_lets_the_receiver_go_on(town: Town) -> None:
    name = await town.paid()
    notice = await opened(town, name)
    await town.notice(notice, name, "ACKNOWLEDGED")
    await town.decide(notice, "DISAGREED")
    await town.notice(notice, name, "CLOSED", AnalysisResult="DISAGREED")
    await town.recovery(name, "COMPLETED", AnalysisResult="DISAGREED")
    assert await town.so(notice) == [("PAYER", "ANALYSED", 0, 0), ("RECEIVER", "ANALYSED", 0, 0)]
    assert (await town.office.money(town.dora), await town.blocked()) == ((1000, 0), 0)
    (verdict,) = await town.tasks("med.verdict")
    assert (verdict["directory_id"], verdict["result"]) == (str(notice), "DISAGREED")


async def test_who_gives_it_up_ends_both(town: Town) -> None:
    name = await town.paid()
    notice = await opened(town, name)
    await town.notice(notice, name, "CANCELLED")
    await town.recovery(name, "CANCELLED")
    assert await town.so(notice) == [("PAYER", "CANCELLED", 0, 0), ("RECEIVER", "CANCELLED", 0, 0)]
    assert (await town.office.money(town.dora), await town.blocked()) == ((1000, 0), 0)


async def test_a_request_that_is_called_off_before_it_was_carried(town: Town) -> None:
    name = await town.paid()
    request = await agreed(town, name)
    await town.falls(request)  # nobody has carried the return yet
    (before,) = await town.office.column(
        "SELECT count(*) FROM outbox WHERE kind = 'return.send' AND sends = 0", of=town.dora
    )
    assert before == 1
    await town.request(request, name, "CANCELLED")
    await town.carry()
    assert await town.so(request) == [("PAYER", "CANCELLED", 0, 0), ("RECEIVER", "CANCELLED", 0, 0)]
    assert (await town.office.money(town.dora), await town.blocked()) == ((1000, 0), 0)


async def test_the_receiver_has_spent_it(town: Town) -> None:
    name = await town.paid()
    await town.spend(1000)
    request = await agreed(town, name)
    await town.falls(request)
    await town.carry()
    assert await town.so(request) == [("PAYER", "OPEN", 0, 0), ("RECEIVER", "ANALYSED", 0, 0)]
    (answer,) = await town.tasks("med.answer")
    assert (answer["directory_id"], answer["result"], answer["rejection"]) == (str(request), "REJECTED", "NO_BALANCE")
