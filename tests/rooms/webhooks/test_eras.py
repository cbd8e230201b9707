"""The feed across a restore: its numbers jump once, cursors of the time that was lost are refused, and it is told."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from tests.rooms.webhooks.conftest import Company, Scene

from lastro.core.errors import Refused
from lastro.core.runner import Verb
from lastro.webhooks import DUE_WORK, TellEra, forget

from .test_feed import PATH, numbers, tell_many


async def refused(scene: Scene, company: Company, after: int) -> str:
    said = await scene.ask(company, "GET", PATH, {"after": str(after)})
    assert isinstance(said, Refused)
    (problem,) = said.problems
    assert (problem.field, problem.issue) == ("after", "EXPIRED")
    return problem.description


async def test_a_number_that_was_never_given_is_refused_with_what_to_do(scene: Scene) -> None:
    ana = await scene.company()
    await tell_many(scene, ana, 3)
    assert numbers(await scene.fed(ana, after="3")) == []
    said = await refused(scene, ana, 4)
    assert "no event up to 3" in said
    assert said.endswith("behind 3")
    answer = await scene.fed(ana)
    assert answer["lastSequence"] == 3
    assert answer["era"] == (await scene.admin.fetchval("SELECT max(began_at) FROM eras")).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


async def begun(scene: Scene, company: Company) -> tuple[int, int]:
    await scene.admin.begin_era()
    row = await scene.admin.fetchrow("SELECT * FROM event_eras WHERE company_id = $1 ORDER BY era DESC LIMIT 1", company.id)
    assert row is not None
    return row["last_before"], row["first_sequence"]


async def test_numbers_go_on_far_above_and_cursors_of_the_lost_time_are_refused(scene: Scene) -> None:
    ana = await scene.company()
    await tell_many(scene, ana, 3)
    era = (await scene.fed(ana))["era"]
    last, first = await begun(scene, ana)
    assert last == 3
    # Nothing is told yet: who had 3 goes on with it, who had more is told what to do.
    assert numbers(await scene.fed(ana, after="3")) == numbers(await scene.fed(ana, after=str(first - 1))) == []
    for lost in (4, 5, first - 2):
        assert (await refused(scene, ana, lost)).endswith("behind 3")
    await refused(scene, ana, first)
    await tell_many(scene, ana, 2)
    answer = await scene.fed(ana, after="2")
    assert numbers(answer) == [3, first, first + 1]
    assert [event.get("follows") for event in answer["data"]] == [None, 3, None]
    assert answer["lastSequence"] == first + 1
    assert answer["era"] > era
    for lost in (4, first - 2, first + 2):
        await refused(scene, ana, lost)
    assert await scene.admin.fetch("SELECT * FROM law_feed_is_dense") == []
    # A second one in front of anything that is told.
    assert (await begun(scene, ana))[0] == first + 1
    assert (await begun(scene, ana))[0] > first + 1_000_000
    assert await scene.admin.fetch("SELECT * FROM law_feed_is_dense") == []
    await tell_many(scene, ana, 1)
    walked, after = [], "0"
    while found := numbers(await scene.fed(ana, after=after, limit="2")):
        walked += found
        after = str(found[-1])
    assert walked[:5] == [1, 2, 3, first, first + 1]
    assert len(walked) == 6
    assert await scene.admin.fetch("SELECT * FROM law_feed_is_dense") == []


async def test_what_is_old_is_forgotten_across_it(scene: Scene) -> None:
    ana = await scene.company()
    await tell_many(scene, ana, 3)
    _, first = await begun(scene, ana)
    await tell_many(scene, ana, 3)
    kept: list[int] = []
    async with scene.database.session(ana.id) as session:
        for _ in range(4):
            await forget(session, ana.id, timedelta(0), 2)
            kept.append(await session.value("SELECT forgotten_below FROM event_cursors"))
    # What waits to be sent is never forgotten: every second one has a URL.
    assert kept == [2, 2, 2, 2] or kept[-1] in (2, first + 1, first + 3)
    await scene.admin.execute("UPDATE deliveries SET status = 'DELIVERED', due_at = NULL")
    async with scene.database.session(ana.id) as session:
        for _ in range(6):
            await forget(session, ana.id, timedelta(0), 2)
        assert await session.value("SELECT forgotten_below FROM event_cursors") == first + 3
    assert await scene.admin.fetch("SELECT * FROM law_a_forgotten_body_leaves_its_hash") == []


async def test_each_company_is_told_once(scene: Scene) -> None:
    ana, dora = await scene.company(), await scene.company()
    await tell_many(scene, ana, 2)
    last, first = await begun(scene, ana)
    (sweep,) = (work.sweeps["eras"] for work in DUE_WORK if work.name == "eras")
    due = await scene.admin.fetch(sweep, 10)
    assert {row["company_id"] for row in due} >= {ana.id, dora.id}
    (mine,) = [row["id"] for row in due if row["company_id"] == ana.id]
    for _ in range(2):
        await _act(scene, ana.id, TellEra(mine))
    await scene.number_all()
    (event,) = (await scene.fed(ana, after="2"))["data"]
    assert (event["event"], event["sequence"], event["follows"]) == ("FEED.ERA_BEGAN", first, last)
    assert event["payload"]["data"]["lastSequence"] == 2
    assert event["payload"]["data"]["firstSequence"] == first
    assert event["payload"]["era"] == (await scene.fed(ana))["era"]


async def _act(scene: Scene, company_id: UUID, verb: Verb[Any]) -> None:
    await scene.runner.act(company_id, verb)
