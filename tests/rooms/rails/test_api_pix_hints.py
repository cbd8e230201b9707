"""A webhook names payments; the poller asks the bank about a few of them at a time, loses none, and polls on."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from structlog.testing import capture_logs

from lastro.rails.api_pix.polling import HINTS_AT_ONCE
from lastro.rails.port import Transient

from .api_pix_branch import TXID, Branch, branch_of
from .conftest import House, Scene, until
from .test_api_pix_issuing import answers

LEFT = "00007" + "c" * 27


@pytest.fixture
async def branch(scene: Scene, house: House) -> AsyncIterator[Branch]:
    async with branch_of(scene, house) as made:
        yield made


async def _asked(branch: Branch) -> bool:
    return bool(branch.bank.asked)


async def _has_unknown_hint(branch: Branch) -> bool:
    return [row["unknown_hints"] for row in await branch.scene.rows("SELECT unknown_hints FROM rail_cursors")] == [1]


async def test_a_bell_makes_the_payment_looked_at_long_before_the_next_poll(branch: Branch) -> None:
    stop = asyncio.Event()
    listening = asyncio.ensure_future(branch.polling(poll_seconds=600).listen(branch.keep, stop))
    try:
        await until(lambda: _asked(branch))
        name = branch.bank.pay(1, branch.bank.now, txid=TXID)
        foreign = branch.bank.pay(2, branch.bank.now)
        forged = name[:-1] + "x"
        await until(lambda: branch.cursor(3).hint([name, forged, foreign, name]))
        await until(branch.foreign)
        assert [told for _, _, told in await branch.told()] == [f"pix:{name}"]
        await until(lambda: _has_unknown_hint(branch))
        assert branch.bank.asked.count(f"GET /pix/{forged}") == 1
    finally:
        stop.set()
        await asyncio.wait_for(listening, 10)
    assert await branch.foreign() == [foreign]


async def test_too_many_bells_are_left_to_polling(branch: Branch) -> None:
    cursor = branch.cursor()
    await cursor.take()
    assert await cursor.hint([f"E{n}" for n in range(1000)])
    assert not await cursor.hint(["E1000"])
    first = await cursor.hints(10)
    assert len(first) == 10
    for name in first:
        await cursor.looked_at(name, is_seen=True)
    assert await cursor.hint(["E1000", "E1000", "E1001"])
    assert (await cursor.hints(1000))[-1] in {"E1000", "E1001"}
    assert len(await cursor.hints(1000)) == 992


async def test_what_is_noted_while_another_is_looked_at_stays_noted(branch: Branch) -> None:
    """Two connections: the one has noted a second payment and not committed, when the other forgets the first."""
    cursor = branch.cursor()
    await cursor.take()
    await cursor.hint(["E1"])
    async with branch.scene.admin.transaction():
        await branch.scene.admin.execute("UPDATE rail_cursors SET hints = hints || '{E2}'::text[]")
        forgetting = asyncio.ensure_future(cursor.looked_at("E1", is_seen=True))
        await until_blocked(branch)
    await forgetting
    assert await cursor.hints(10) == ("E2",)


async def until_blocked(branch: Branch) -> None:
    async def is_blocked() -> bool:
        found = await branch.scene.rows("SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'")
        return bool(found)

    await until(is_blocked)


async def test_a_silent_bank_costs_no_hint_and_no_poll(branch: Branch) -> None:
    """The first one is asked about behind all others, at the next turn; none of them is lost."""
    await branch.polling().poll(branch.keep)
    names = [branch.bank.pay(n, branch.bank.now, txid=TXID) for n in range(3)]
    for name in names:
        await branch.cursor().hint([name])
    branch.bank.next("GET pix", answers(500))
    branch.bank.exchanges.clear()
    branch.bank.next("GET pixs", *[answers(200, {"pix": [], "parametros": {}})] * 9)
    stop = asyncio.Event()
    listening = asyncio.ensure_future(branch.polling(poll_seconds=0.2).listen(branch.keep, stop))
    try:
        await until(lambda: _has_told(branch, 3))
    finally:
        stop.set()
        await asyncio.wait_for(listening, 10)
    looks = [line.removeprefix("GET /pix/") for line in branch.bank.asked if line != "GET /pix"]
    assert looks == [*names, names[0]]
    second = branch.bank.asked.index(f"GET /pix/{names[1]}")
    assert branch.bank.asked[:second] == ["GET /pix", f"GET /pix/{names[0]}", "GET /pix"], "a poll came first"


async def _has_told(branch: Branch, count: int) -> bool:
    return len(await branch.told()) >= count


async def test_any_number_of_forged_hints_does_not_keep_a_poll_waiting(branch: Branch) -> None:
    await branch.polling().poll(branch.keep)
    await branch.cursor().hint([f"E{n:031d}" for n in range(1000)])
    branch.bank.exchanges.clear()
    stop = asyncio.Event()
    listening = asyncio.ensure_future(branch.polling(poll_seconds=0.05).listen(branch.keep, stop))

    async def polled() -> bool:
        return branch.bank.asked.count("GET /pix") >= 3

    try:
        await until(polled)
    finally:
        stop.set()
        await asyncio.wait_for(listening, 10)
    assert len(branch.bank.asked) < 200


async def test_an_answer_about_another_payment_is_not_used(branch: Branch) -> None:
    polling = branch.polling()
    await polling.poll(branch.keep)
    other = branch.bank.pay(1, branch.bank.now, txid=TXID)
    asked = other[:-1] + "9"
    branch.bank.next("GET pix", answers(200, branch.bank.payments[other]))
    with capture_logs() as logs:
        await polling.look(asked, branch.keep)
    assert [(one["event"], one["log_level"], one["code"]) for one in logs] == [
        ("bank.answer_invalid", "critical", "endToEndId")
    ]
    assert (await branch.told(), await branch.foreign()) == ([], [])


async def test_a_pause_that_the_bank_asks_for_is_kept_by_hints_too(branch: Branch) -> None:
    await branch.polling().poll(branch.keep)
    first, second = "E" + "1" * 31, "E" + "2" * 31
    await branch.cursor().hint([first, second])
    branch.bank.next("GET pix", lambda *_: web.Response(status=429, headers={"Retry-After": "600"}))
    with pytest.raises(Transient) as paused:
        await asyncio.wait_for(branch.polling().turn(branch.keep, asyncio.Event()), 10)
    assert paused.value.pause_seconds == 600
    assert await branch.cursor().hints(10) == (second, first)


async def test_a_look_is_at_few_hints(branch: Branch) -> None:
    """The bank's limit is for polls and orders too."""
    await branch.polling().poll(branch.keep)
    await branch.cursor().hint([f"E{n:031d}" for n in range(1000)])
    branch.bank.exchanges.clear()
    stop = asyncio.Event()
    listening = asyncio.ensure_future(branch.polling(hint_seconds=600).listen(branch.keep, stop))

    async def looked() -> bool:
        return len(await branch.cursor(3).hints(1000)) <= 1000 - HINTS_AT_ONCE

    try:
        await until(looked)
    finally:
        stop.set()
        await asyncio.wait_for(listening, 10)
    assert branch.bank.asked == ["GET /pix", *[f"GET /pix/E{n:031d}" for n in range(HINTS_AT_ONCE)]]
