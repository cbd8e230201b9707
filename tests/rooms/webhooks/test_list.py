import random
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.rooms.webhooks.conftest import Company, Scene, refuse

PATH = "/order/v1/webhook/events"


async def fail(scene: Scene, company: Company, times: list[datetime]) -> list[UUID]:
    """Events of these times that could not be delivered, oldest first; several may have one time."""
    now = await scene.now()
    await scene.admin.execute(
        "INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)"
        " SELECT $1, u.id, 'T', u.id, 'https://a.example/', '{}', at FROM unnest($2::uuid[], $3::timestamptz[]) u(id, at)",
        company.id, [scene.chance.uuid(now) for _ in times], times,
    )  # fmt: skip
    await scene.number_all()
    rows = await scene.admin.fetch(
        "UPDATE deliveries SET status = 'FAILED', due_at = NULL WHERE company_id = $1 AND status = 'PENDING' RETURNING id, sequence",
        company.id,
    )
    return [r["id"] for r in sorted(rows, key=lambda r: r["sequence"])]


def ids(answer: dict[str, Any]) -> list[str]:
    return [event["id"] for event in answer["data"]]


async def test_what_failed_is_listed_as_the_interface_shows_it(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(refuse)
    reference = scene.chance.uuid(await scene.now())
    event_id = await scene.tell(ana, receiver.url, reference=reference)
    deliverer = scene.deliverer()
    await scene.step(deliverer)
    await scene.set_clock((await scene.delivery(event_id))["due_at"])
    await deliverer.step()
    answer = await scene.listed(ana)
    assert {k: v for k, v in answer.items() if k != "data"} == {"limit": 20, "sort": "desc", "hasNext": False}
    (event,) = answer["data"]
    row, attempts = await scene.delivery(event_id), await scene.attempts(event_id)
    assert event == {
        "id": str(event_id),
        "referenceId": str(reference),
        "webhookUrl": receiver.url,
        "status": "RETRYING",
        "createdAt": row["created_at"].strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "updatedAt": row["updated_at"].strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "history": [
            {"message": "no", "statusCode": 500, "requestTime": a["requested_at"].strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
            for a in attempts
        ],
    }
    assert len(event["history"]) == 2


async def test_from_and_to_are_inclusive_and_a_date_is_a_day_in_brasilia(scene: Scene) -> None:
    ana = await scene.company()
    start, end = datetime(2026, 3, 4, 3, tzinfo=UTC), datetime(2026, 3, 5, 3, tzinfo=UTC)
    tick = timedelta(microseconds=1)
    before, first, last, behind = await fail(scene, ana, [start - tick, start, end - tick, end])

    async def shown(**query: str) -> list[str]:
        return ids(await scene.listed(ana, sort="asc", **query))

    assert await shown(**{"from": "2026-03-04", "to": "2026-03-04"}) == [str(first), str(last)]
    assert await shown(**{"from": "2026-03-04T03:00:00Z"}) == [str(first), str(last), str(behind)]
    assert await shown(to="2026-03-05T02:59:59.999999Z") == [str(before), str(first), str(last)]
    assert await shown(to="2026-03-05T00:00:00-03:00") == [str(before), str(first), str(last), str(behind)]
    assert await shown(to="2026-03-05T03:00:00 00:00") == [str(before), str(first), str(last), str(behind)]
    assert await shown(**{"from": "2026-03-06", "to": "2026-03-05"}) == []
    assert await shown(**{"from": "0001-01-01", "to": "9999-12-31"}) == [str(i) for i in (before, first, last, behind)]


@pytest.mark.parametrize("sort", ["asc", "desc"])
@pytest.mark.parametrize("seed", range(3))
async def test_pages_skip_and_repeat_nothing_while_more_is_made(scene: Scene, sort: str, seed: int) -> None:
    chance = random.Random(seed)
    ana = await scene.company()
    base = await scene.now() - timedelta(hours=1)

    def times() -> list[datetime]:
        """Often equal, sometimes earlier than what is there already."""
        return [
            base + timedelta(microseconds=chance.choice([0, 0, 1, 5, chance.randint(0, 50)]))
            for _ in range(chance.randint(1, 9))
        ]

    there = [event for _ in range(4) for event in await fail(scene, ana, times())]
    later: list[UUID] = []
    seen: list[str] = []
    query = {"sort": sort}
    while True:
        answer = await scene.listed(ana, limit=str(chance.randint(1, 5)), **query)
        seen += ids(answer)
        if not answer["hasNext"]:
            assert "nextCursor" not in answer
            break
        assert answer["nextCursor"] == answer["data"][-1]["createdAt"]
        query["cursor"] = answer["nextCursor"]
        if len(later) < 30:
            later += await fail(scene, ana, times())
    # What is made meanwhile comes after all that was there: an ascending reader meets it, a descending one does not.
    wanted = there + later if sort == "asc" else there[::-1]
    assert seen == [str(event) for event in wanted]
    assert later


async def test_a_large_page_is_whole_and_stops_nobody(scene: Scene) -> None:
    ana = await scene.company()
    there = await fail(scene, ana, [await scene.now()] * 700)
    answer = await scene.listed(ana, limit="699")
    assert ids(answer) == [str(event) for event in there[:0:-1]]
    assert answer["hasNext"]
    assert ids(await scene.listed(ana, limit="5000", cursor=answer["nextCursor"])) == [str(there[0])]
