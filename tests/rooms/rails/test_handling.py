"""What is in the inbox is handled once, under a lease, in the order of each subject."""

import asyncio
from typing import Any

import pytest
from structlog.testing import capture_logs

from lastro.core.errors import Kind, NotYet, Refused, Stale
from lastro.core.runner import Done, RequestContext
from lastro.rails import port
from lastro.rails.inbox import NobodysMessage

from .conftest import House, Scene, handled, until
from .network import end_to_end_id


def _told(name: str, number: int, kind: str = port.PIX_ASK) -> port.NetworkMessage:
    return port.NetworkMessage(kind, name, end_to_end_id(number), b"{}")


def _names(scene: Scene) -> list[str]:
    return [h.row.network_id for h in scene.handled]


async def _at_once(_: port.InboxRow) -> None:
    return


async def _outcomes(scene: Scene) -> dict[str, str | None]:
    return {r["network_id"]: r["outcome"] for r in await scene.inbox_rows()}


async def test_each_message_calls_its_verb_once(scene: Scene, house: House) -> None:
    await scene.inbox.store(house.ana, [_told("M1", 1), _told("M2", 2)])
    await scene.inbox.store(house.institution, [_told("M3", 3)])
    await scene.handler.queue.drain()
    assert sorted((h.company_id, h.row.network_id) for h in scene.handled) == sorted(
        [(house.ana, "M1"), (house.ana, "M2"), (house.institution, "M3")]
    )
    assert await _outcomes(scene) == {"M1": "handled", "M2": "handled", "M3": "handled"}


async def test_the_end_waits_for_the_question(scene: Scene, house: House) -> None:
    await scene.inbox.store(house.ana, [_told("ask", 1)])
    await scene.inbox.store(house.ana, [_told("end", 1, port.PIX_FINAL), _told("other", 2)])
    failing = True

    async def fail_asks(row: port.InboxRow) -> None:
        if failing and row.network_id == "ask":
            raise RuntimeError("a bug")

    scene.before = fail_asks
    await scene.handler.queue.drain()
    assert _names(scene) == ["other"]
    failing = False
    await scene.handler.queue.drain()
    assert _names(scene) == ["other"], "it is left alone for a second"
    await scene.pass_time(1)
    await scene.handler.queue.drain()
    assert _names(scene) == ["other", "ask", "end"]


async def test_a_question_under_way_keeps_its_end_waiting(scene: Scene, house: House) -> None:
    await scene.inbox.store(house.ana, [_told("ask", 1), _told("end", 1, port.PIX_FINAL)])
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def wait(row: port.InboxRow) -> None:
        if row.network_id == "ask":
            begun.set()
            await go_on.wait()

    scene.before = wait
    assert await scene.handler.queue.round()
    await begun.wait()
    assert not await scene.handler.queue.round()
    go_on.set()
    await scene.handler.queue.rest()
    await scene.handler.queue.drain()
    assert _names(scene) == ["ask", "end"]


@pytest.mark.parametrize(
    ("before", "news", "taken"),
    [
        ((), (("M1", 1, port.PIX_ASK), ("M2", 2, port.PIX_ASK)), ["M1", "M2"]),
        ((), (("ask", 1, port.PIX_ASK), ("end", 1, port.PIX_FINAL)), ["ask"]),
        ((("ask", 1, port.PIX_ASK),), (("end", 1, port.PIX_FINAL), ("other", 2, port.PIX_ASK)), ["other"]),
        ((("back", 1, port.PAYMENT_RETURNED),), (("end", 1, port.PIX_FINAL),), ["end"]),
        ((("back", 1, port.CARD_CHARGEBACK),), (("end", 1, port.PIX_FINAL),), ["end"]),
        ((("back", 1, port.MED_NEWS),), (("end", 1, port.PIX_FINAL),), ["end"]),
        ((("back", 1, port.MED_NEWS),), (("back2", 1, port.MED_NEWS),), []),
        ((("M1", 1, port.PIX_ASK),), (("M1", 1, port.PIX_ASK),), []),
        ((), tuple((f"M{n}", n, port.PIX_ASK) for n in range(34)), [f"M{n}" for n in range(32)]),
    ],
    ids=[
        "two",
        "its end",
        "behind an open one",
        "behind a return",
        "behind a chargeback",
        "behind a dispute",
        "its next word",
        "a second copy",
        "no room",
    ],
)
async def test_who_stores_news_handles_it_at_once(
    scene: Scene, house: House, before: Any, news: Any, taken: list[str]
) -> None:
    """As far as there is room, and only what no open message about the same subject has to come before."""
    await scene.inbox.store(house.institution, [_told(*each) for each in before])
    go_on = asyncio.Event()

    async def wait(_: port.InboxRow) -> None:
        await go_on.wait()

    scene.before = wait
    is_left = await scene.inbox.keep_and_take([_told(*each) for each in news], scene.handler.queue)
    rows = {r["network_id"]: r for r in await scene.inbox_rows()}
    assert [name for name, r in rows.items() if r["lease_token"] is not None] == taken
    assert all(
        (r["sends"], r["leased_until"] is not None) == ((1, True) if name in taken else (0, False))
        for name, r in rows.items()
    )
    assert is_left == any(name not in taken for name, _, _ in news if name not in {b[0] for b in before})
    go_on.set()
    await scene.handler.queue.rest()
    assert sorted(_names(scene)) == sorted(taken)
    await scene.handler.queue.drain()
    assert sorted(_names(scene)) == sorted(name for name in rows if not name.startswith("back"))


async def test_a_burst_of_several_rails_leases_no_more_than_there_is_room_for(scene: Scene, house: House) -> None:
    """Else what is too much would wait here for its turn, while its lease keeps every other worker from it."""
    go_on = asyncio.Event()

    async def wait(_: port.InboxRow) -> None:
        await go_on.wait()

    scene.before = wait
    lane = scene.handler.queue
    bursts = [[_told(f"{rail}-{n}", 100 * rail + n) for n in range(16)] for rail in range(1, 4)]
    left = await asyncio.gather(*(scene.inbox.keep_and_take(burst, lane) for burst in bursts))
    assert (sum(r["lease_token"] is not None for r in await scene.inbox_rows()), any(left), lane.free) == (32, True, 0)
    go_on.set()
    await lane.drain()
    assert (len(scene.handled), lane.free) == (48, 32)


async def test_room_that_was_not_used_is_given_back(scene: Scene) -> None:
    """What could not be stored takes none, nor does what is there already."""
    lane = scene.handler.queue
    with pytest.raises(NobodysMessage):
        await scene.inbox.keep_and_take([_told("M1", 1)], lane)
    assert lane.free == 32
    await scene.inbox.store(await scene.company(0), [_told("M1", 1)])
    assert not await scene.inbox.keep_and_take([_told("M1", 1)], lane)
    assert lane.free == 32


async def test_news_of_a_worker_that_died_is_handled_after_its_lease(scene: Scene, house: House) -> None:
    dying, begun = scene.handler_for(port.PIX_ASK), asyncio.Event()

    async def die(_: port.InboxRow) -> None:
        begun.set()
        await asyncio.Event().wait()

    scene.before = die
    assert not await scene.inbox.keep_and_take([_told("M1", 1)], dying.queue)
    await begun.wait()
    resting = asyncio.ensure_future(dying.queue.rest())
    await asyncio.sleep(0)
    resting.cancel()
    await asyncio.wait((resting,))
    scene.before = _at_once
    assert not await scene.handler.queue.round(), "another worker has it"
    await scene.end_leases()
    await scene.handler.queue.drain()
    assert [(h.row.network_id, h.row.sends) for h in scene.handled] == [("M1", 2)]


async def test_what_comes_too_early_waits_and_keeps_its_place(scene: Scene, house: House) -> None:
    """Until what has to be before it is, however long that takes: nobody is alarmed, and what follows it waits behind it."""
    await scene.inbox.store(house.ana, [_told("early", 1), _told("behind", 1), _told("other", 2)])
    is_early = True

    async def before(row: port.InboxRow) -> None:
        if is_early and row.network_id == "early":
            raise NotYet(1.0)

    scene.before = before
    with capture_logs() as logs:
        for _ in range(7):
            await scene.handler.queue.drain()
            await scene.pass_time(60)
    assert _names(scene) == ["other"]
    assert not [line for line in logs if line["log_level"] in ("error", "critical")]
    is_early = False
    await scene.handler.queue.drain()
    assert _names(scene) == ["other", "early", "behind"]


@pytest.mark.parametrize("why", [NotYet(1.0), Stale("another worker was quicker")])
async def test_what_waits_for_hours_is_told_to_people(scene: Scene, house: House, why: Exception) -> None:
    await scene.inbox.store(house.ana, [_told("early", 1)])

    async def before(_: port.InboxRow) -> None:
        raise why

    scene.before = before
    await scene.admin.execute("UPDATE inbox SET sends = 118")
    told = []
    for _ in range(3):
        with capture_logs() as logs:
            await scene.handler.queue.drain()
        told.append([line["event"] for line in logs if line["log_level"] == "critical"])
        await scene.pass_time(60)
    assert told == [[], ["inbox.waits"], []]


async def test_failures_wait_longer_each_time(scene: Scene, house: House) -> None:
    await scene.inbox.store(house.ana, [_told("M1", 1)])

    async def fail(_: port.InboxRow) -> None:
        raise RuntimeError("a bug")

    scene.before = fail
    for sends, seconds in ((1, 1), (2, 2), (3, 4)):
        await scene.handler.queue.drain()
        (row,) = await scene.inbox_rows()
        assert row["sends"] == sends
        assert row["lease_token"] is None
        left = (row["due_at"] - await scene.now()).total_seconds()
        assert seconds - 0.9 < left <= seconds
        await scene.pass_time(seconds)
    scene.before = _fine
    await scene.handler.queue.drain()
    assert await _outcomes(scene) == {"M1": "handled"}


async def _fine(_: port.InboxRow) -> None:
    return


async def test_a_lease_keeps_others_away_until_it_ends(scene: Scene, house: House) -> None:
    await scene.inbox.store(house.ana, [_told("M1", 1)])
    begun, never = asyncio.Event(), asyncio.Event()

    async def hang(_: port.InboxRow) -> None:
        begun.set()
        await never.wait()

    scene.before = hang
    first = scene.handler_for(port.PIX_ASK)
    assert await first.queue.round()
    await begun.wait()
    assert not await scene.handler.queue.round()
    scene.before = _fine
    await scene.end_leases()
    await scene.handler.queue.drain()
    assert await _outcomes(scene) == {"M1": "handled"}
    never.set()
    await first.queue.rest()
    assert await _outcomes(scene) == {"M1": "handled"}, "who lost the lease writes nothing"
    assert (await scene.inbox_rows())[0]["sends"] == 2


async def test_what_a_verb_refuses_or_leaves_is_set_aside(scene: Scene, house: House) -> None:
    def outcome(row: port.InboxRow, context: RequestContext) -> Any:
        return Refused(Kind.INVALID) if row.network_id == "M1" else Done(None, b"")

    scene.outcome = outcome
    await scene.inbox.store(house.ana, [_told("M1", 1), _told("M2", 2)])
    await scene.handler.queue.drain()
    assert await _outcomes(scene) == {"M1": "ignored", "M2": "ignored"}


async def test_what_nobody_understands_is_set_aside(scene: Scene, house: House) -> None:
    await scene.inbox.store(house.institution, [port.NetworkMessage(port.UNKNOWN, "M1", "M1", b"?")])
    await scene.handler.queue.drain()
    assert await _outcomes(scene) == {"M1": "ignored"}


async def test_being_overtaken_is_no_failure(scene: Scene, house: House) -> None:
    overtaken = 1

    async def overtake(_: port.InboxRow) -> None:
        nonlocal overtaken
        if overtaken:
            overtaken -= 1
            raise Stale("moved")

    scene.before = overtake
    await scene.inbox.store(house.ana, [_told("M1", 1)])
    await scene.handler.queue.drain()

    async def done() -> bool:
        await scene.handler.queue.drain()
        return await _outcomes(scene) == {"M1": "handled"}

    await until(done)


async def test_two_workers_share_and_never_double(scene: Scene, house: House) -> None:
    await scene.inbox.store(house.ana, [_told(f"M{n}", n) for n in range(60)])
    other = scene.handler_for(port.PIX_ASK)
    await asyncio.gather(scene.handler.queue.drain(), other.queue.drain())
    await scene.handler.queue.drain()
    assert sorted(_names(scene)) == sorted(f"M{n}" for n in range(60))
    assert handled is scene.outcome
