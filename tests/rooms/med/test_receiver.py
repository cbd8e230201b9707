"""Somebody contests what came to an account: blocked as far as the balance goes, given back once, or let go."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from lastro.core.money import Money
from lastro.med import TERMS
from lastro.rails.port import ALARMED

from .court import CHOSEN, Court, some_id


async def test_a_notice_blocks_and_its_request_is_given_back(court: Court) -> None:
    order = await court.paid(1000)
    name = await court.transaction(order)
    notice = await court.notice(name)
    await court.agreed(notice)
    assert (await court.money(), await court.blocked()) == ((0, 0), 1000)
    request = court.request(notice)
    assert await court.says(request) == "handled"
    assert (await court.is_so(notice), await court.is_so(request)) == (("ANALYSED", 0, 0, "AGREED"), ("OPEN", 1000, 0, None))
    assert await court.falls(request)
    assert (await court.blocked(), await court.stands(order)) == (1000, ("PAID", 0, ["PENDING"]))
    assert not await court.falls(request)
    assert await court.returned() == "handled"
    assert await court.is_so(request) == ("ANALYSED", 0, 1000, "TOTALLY_ACCEPTED")
    assert (await court.money(), await court.blocked(), await court.stands(order)) == (
        (0, 0),
        0,
        ("REFUNDED", 1000, ["PAID"]),
    )
    (answer,) = await court.sent("med.answer")
    assert (answer["result"], answer["returned"]["minor"], answer["return_id"][0]) == ("TOTALLY_ACCEPTED", 1000, "D")
    assert [o["result"] for o in await court.sent("med.verdict")] == ["AGREED"]
    assert await court.notified(notice) == [
        ("CREATED", "OPEN", None), ("STATUS_CHANGED", "RECEIVED", "OPEN"), ("STATUS_CHANGED", "ANALYSED", "RECEIVED"),
    ]  # fmt: skip
    assert await court.notified(request) == [("CREATED", "OPEN", None), ("STATUS_CHANGED", "ANALYSED", "OPEN")]
    refunded = (await court.news(order))[-1]
    assert (refunded["event"], refunded["refundId"]) == ("ORDER-PAYIN.REFUNDED", str(request.reference_id))


@pytest.mark.parametrize(
    ("spent", "left", "result"), [(0, 1000, "TOTALLY_ACCEPTED"), (400, 600, "PARTIALLY_ACCEPTED"), (1000, 0, "REJECTED")]
)
async def test_only_what_is_there_is_blocked(court: Court, spent: int, left: int, result: str) -> None:
    order = await court.paid(1000)
    await court.spend(spent)
    notice = await court.notice(await court.transaction(order))
    await court.agreed(notice)
    assert (await court.blocked(), (await court.money())[0]) == (left, 0)
    request = court.request(notice)
    await court.says(request)
    await court.falls(request)
    if left:
        await court.returned()
    assert await court.is_so(request) == ("ANALYSED", 0, left, result)
    assert (await court.column("SELECT rejection FROM med_objects WHERE id = $1", request.reference_id)) == [
        None if left else "NO_BALANCE"
    ]


async def test_what_came_in_since_is_blocked_when_the_request_comes(court: Court) -> None:
    order = await court.paid(1000)
    await court.spend(1000)
    notice = await court.notice(await court.transaction(order))
    await court.agreed(notice)
    await court.cast.credit(court.ana, 700)
    assert await court.blocked() == 0
    request = court.request(notice)
    await court.says(request)
    assert (await court.blocked(), (await court.is_so(request))[1]) == (700, 700)


@pytest.mark.parametrize("notified", [(1000,), (700, 300)])
async def test_a_request_for_less_than_its_notices_block(court: Court, notified: tuple[int, ...]) -> None:
    """What the request does not ask for can be used again as soon as it is here."""
    order = await court.paid(1000)
    name = await court.transaction(order)
    first = await court.notice(name, notified[0])
    notices = [first, *[await court.notice(name, cents, recovery_id=first.recovery_id) for cents in notified[1:]]]
    for notice in notices:
        await court.agreed(notice)
    assert (await court.money(), await court.blocked()) == ((0, 0), 1000)
    request = court.request(first, amount=Money(600, "BRL"))
    assert await court.says(request) == "handled"
    assert [(await court.is_so(one))[1] for one in (*notices, request)] == [*(0 for _ in notices), 600]
    assert (await court.money(), await court.blocked()) == ((400, 0), 600)
    await court.falls(request)
    await court.returned()
    assert await court.is_so(request) == ("ANALYSED", 0, 600, "TOTALLY_ACCEPTED")
    assert (await court.money(), await court.blocked()) == ((400, 0), 0)


@pytest.mark.parametrize("end", ["disagreed", "canceled", "too long"])
async def test_what_is_blocked_is_let_go(court: Court, end: str) -> None:
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    if end == "canceled":
        await court.says(notice)
        assert await court.blocked() == 1000
        assert await court.says(notice, status="CANCELLED") == "handled"
    else:
        await court.agreed(notice, "DISAGREED" if end == "disagreed" else "AGREED")
    if end == "too long":
        assert not await court.falls(notice)
        await court.due(notice)
        assert await court.falls(notice)
    assert (await court.blocked(), await court.money()) == (0, (1000, 0))


@pytest.mark.parametrize("verdict", ["AGREED", "DISAGREED"])
async def test_nobody_decides_in_time(court: Court, verdict: str) -> None:
    court.terms = replace(CHOSEN, verdict=verdict)
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    await court.says(notice)
    await court.says(notice, status="RECEIVED")
    assert not await court.falls(notice)
    await court.due(notice)
    assert await court.falls(notice)
    assert await court.is_so(notice) == ("ANALYSED", 1000 if verdict == "AGREED" else 0, 0, verdict)


async def test_what_is_late_or_comes_twice_changes_nothing(court: Court) -> None:
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    await court.agreed(notice)
    request = court.request(notice)
    await court.says(request)
    before = await court.is_so(notice), await court.is_so(request), await court.money()
    for late in (notice, court.request(notice, reference_id=request.reference_id)):
        assert await court.says(late) == "known"
    assert await court.says(notice, status="RECEIVED") == "known"
    assert await court.says(notice, status="ANALYSED", result="DISAGREED") == "known"
    assert (await court.is_so(notice), await court.is_so(request), await court.money()) == before


async def test_what_the_directory_says_of_nothing_here_is_for_people(court: Court) -> None:
    assert await court.says(await court.notice(some_id())) == ALARMED
    name = await court.transaction(await court.paid(1000))
    assert await court.says(await court.notice(name, status="RECEIVED")) == ALARMED
    assert (
        await court.says(await court.notice(name, object_type="RECOVERY_VALUE", status="CREATED", recovery_id=None))
        == ALARMED
    )
    assert (await court.blocked(), await court.column("SELECT id FROM med_objects")) == (0, [])


async def test_a_request_without_a_notice(court: Court) -> None:
    """The payer's bank has erred: nobody analyses it."""
    order = await court.paid(1000)
    notice = await court.notice(await court.transaction(order), recovery_id=None, amount=None)
    request = court.request(notice, reason="OPERATIONAL_FLAW")
    await court.says(request)
    await court.falls(request)
    assert await court.column("SELECT reason_code FROM refunds") == ["BE08"]
    await court.returned()
    assert (await court.stands(order))[0] == "REFUNDED"


async def test_a_request_that_is_given_up_before_it_is_answered(court: Court) -> None:
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    await court.agreed(notice)
    request = court.request(notice)
    await court.says(request)
    assert await court.says(request, status="CANCELLED") == "handled"
    assert (await court.blocked(), await court.money()) == (0, (1000, 0))
    assert not await court.falls(request)


async def test_a_return_that_the_network_refuses(court: Court) -> None:
    order = await court.paid(1000)
    notice = await court.notice(await court.transaction(order))
    await court.agreed(notice)
    request = court.request(notice)
    await court.says(request)
    await court.falls(request)
    assert await court.returned("ED05") == "handled"
    assert await court.is_so(request) == ("ANALYSED", 0, 0, "REJECTED")
    assert (await court.blocked(), await court.money(), await court.stands(order)) == (0, (1000, 0), ("PAID", 0, ["ERROR"]))
    assert [e["event"] for e in await court.news(order)] == ["ORDER-PAYIN.PAID"]
    assert await court.ends(await court.back(order, 1000)) == "handled"


async def test_a_client_gives_part_back_while_it_is_disputed(court: Court) -> None:
    """What was being refunded when the notice came is never given back twice."""
    order = await court.paid(1000)
    refund = await court.back(order, 300)
    await court.cast.credit(court.ana, 5000)
    notice = await court.notice(await court.transaction(order))
    await court.agreed(notice)
    assert await court.blocked() == 700
    request = court.request(notice)
    await court.says(request)
    await court.falls(request)
    assert (await court.is_so(request))[1] == 700
    await asyncio.gather(court.ends(refund), court.returned())
    assert (await court.stands(order))[:2] == ("REFUNDED", 1000)
    assert (await court.blocked(), await court.is_so(request)) == (0, ("ANALYSED", 0, 700, "PARTIALLY_ACCEPTED"))


@pytest.mark.parametrize(("paid", "refunded", "left"), [(3000, 2500, 500), (3000, 0, 3000), (400_000, 399_999, 1)])
async def test_no_more_is_blocked_than_can_still_be_given_back(court: Court, paid: int, refunded: int, left: int) -> None:
    """At its opening, by each of several disputes of one payment, and by later credits."""
    court.terms = replace(TERMS, top_up=timedelta(hours=1))
    order = await court.paid(paid)
    await court.cast.credit(court.ana, 1_000_000)
    if refunded:
        await court.ends(await court.back(order, refunded))
    name = await court.transaction(order)
    notice, other = await court.notice(name, paid), await court.notice(name, paid)
    await court.agreed(notice)
    assert await court.blocked() == left
    await court.says(other)
    await court.cast.credit(court.ana, 5000)
    await court.looked_at(other)
    assert (await court.blocked(), (await court.is_so(other))[1]) == (left, 0)
    request = court.request(notice)
    await court.says(request)
    assert (await court.blocked(), (await court.is_so(request))[1]) == (left, left)
    await court.falls(request)
    assert await court.returned() == "handled"
    assert (await court.stands(order))[:2] == ("REFUNDED", paid)
    assert await court.blocked() == 0
    assert await court.falls(other) or await court.looked_at(other)
    while (await court.is_so(other))[0] != "ANALYSED":
        assert await court.looked_at(other)
    assert await court.is_so(other) == ("ANALYSED", 0, 0, "DISAGREED")


async def test_a_refund_that_fails_is_blocked_when_the_request_comes(court: Court) -> None:
    order = await court.paid(1000)
    refund = await court.back(order, 300)
    notice = await court.notice(await court.transaction(order))
    await court.agreed(notice)
    assert await court.blocked() == 700
    await court.ends(refund, "ED05")
    request = court.request(notice)
    await court.says(request)
    assert await court.blocked() == 1000


@pytest.mark.parametrize("what", ["notice", "request"])
async def test_a_payment_that_was_given_back_whole_is_contested_in_vain(court: Court, what: str) -> None:
    """Nothing is blocked, and it ends at once, whatever a request or a verdict else waits for."""
    court.terms = replace(TERMS, settle=timedelta(hours=20))
    order = await court.paid(400_000)
    await court.ends(await court.back(order, 400_000))
    await court.cast.credit(court.ana, 900_000)
    notice = await court.notice(await court.transaction(order), 400_000)
    one = notice if what == "notice" else court.request(notice, reason="OPERATIONAL_FLAW", recovery_id=None)
    assert await court.says(one) == "handled"
    assert (await court.blocked(), (await court.is_so(one))[:2]) == (0, ("OPEN", 0))
    while await court.falls(one):
        assert await court.blocked() == 0
    if what == "notice":
        assert await court.is_so(one) == ("ANALYSED", 0, 0, "DISAGREED")
        assert [o["result"] for o in await court.sent("med.verdict")] == ["DISAGREED"]
    else:
        assert await court.is_so(one) == ("ANALYSED", 0, 0, "REJECTED")
        assert [o["rejection"] for o in await court.sent("med.answer")] == ["NO_BALANCE"]
    assert (await court.money(), await court.column("SELECT count(*) FROM med_objects WHERE due_at IS NOT NULL")) == (
        (900_000, 0),
        [0],
    )


async def test_two_notices_of_one_payment_block_what_there_is_once(court: Court) -> None:
    order = await court.paid(1000)
    name = await court.transaction(order)
    notices = [await court.notice(name, 800) for _ in range(2)]
    await asyncio.gather(*(court.says(one) for one in notices))
    assert sorted([(await court.is_so(one))[1] for one in notices]) == [200, 800]
    requests = [court.request(one) for one in notices]
    for notice, request in zip(notices, requests, strict=True):
        await court.says(notice, status="RECEIVED")
        await court.says(notice, status="ANALYSED", result="AGREED")
        await court.says(request)
        await court.falls(request)
        await court.returned()
    assert (await court.stands(order))[:2] == ("REFUNDED", 1000)


async def test_an_account_that_is_closed(court: Court) -> None:
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    await court.agreed(notice)
    request = court.request(notice)
    await court.says(request)
    await court.cast.account_becomes(court.ana.company_id, "CLOSED")
    await court.falls(request)
    assert await court.column("SELECT rejection FROM med_objects WHERE id = $1", request.reference_id) == ["ACCOUNT_CLOSURE"]


async def test_a_notice_has_its_deadline(court: Court) -> None:
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    await court.says(notice)
    (deadline, due) = (await court.rows("SELECT deadline - created_at, due_at - created_at FROM med_objects"))[0]
    assert (deadline, due) == (timedelta(days=7), timedelta(days=2))  # its reminder comes first


@pytest.mark.parametrize(("has", "blocked"), [(5000, 2500), (1800, 1800)])
async def test_a_notice_of_several_payments_blocks_its_own_amount(court: Court, has: int, blocked: int) -> None:
    """InfractionAmount is of the account, up to all that came in (DICT 2.12.1); what was refunded of the Pix is not blocked."""
    order = await court.paid(1000)
    assert (await court.back(order, 300))["status"] == "PENDING"
    await court.cast.credit(court.ana, has - 700)
    notice = await court.notice(await court.transaction(order), 2800)
    assert await court.says(notice) == "handled"
    assert await court.is_so(notice) == ("OPEN", min(blocked, 2500), 0, None)
    assert (await court.blocked(), (await court.money())[0]) == (blocked, has - blocked)


async def test_a_notice_about_a_payment_at_a_companys_own_bank_blocks_nothing(court: Court) -> None:
    """That bank disputes its Pix; the directory of the institution's own network has no word about it."""
    order = await court.paid(1000)
    name = await court.transaction(order)
    moved = "UPDATE pix_payments SET rail = $2 WHERE end_to_end_id = $1 RETURNING 1"
    await court.rows(moved, name, "efi1")
    assert await court.says(await court.notice(name)) == ALARMED
    assert (await court.blocked(), await court.column("SELECT count(*) FROM med_objects")) == (0, [0])
    await court.rows(moved, name, "pix")  # as the laws of the books want it
