"""The list of events under its filters, alone and together."""

import random
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from tests.in_one import in_one_test
from tests.rooms.webhooks.conftest import Company, Scene
from tests.rooms.webhooks.made import URL, Made, make

from lastro.webhooks.store import lists

OTHER = "https://b.example/hook"
STATUSES = ("PENDING", "RETRYING", "FAILED", "DELIVERED")


def ids(answer: Mapping[str, Any]) -> list[str]:
    return [event["id"] for event in answer["data"]]


@in_one_test("status", STATUSES)
async def test_each_status_is_listed_by_itself(scene: Scene, status: str) -> None:
    ana = await scene.company()
    made = dict(zip(STATUSES, await make(scene, ana, [Made(s) for s in STATUSES]), strict=True))
    await scene.tell(ana, None)
    await scene.number_all()
    answer = await scene.listed(ana, status=status)
    assert ids(answer) == [str(made[status])]
    assert answer["data"][0]["status"] == status
    assert ids(await scene.listed(ana)) == [str(made["FAILED"]), str(made["RETRYING"])], "not what came or is on its way"


async def test_events_types_objects_and_urls_narrow_the_list(scene: Scene) -> None:
    ana = await scene.company()
    thing = scene.chance.uuid(await scene.now())
    plain, typed, placed, of_thing = map(str, await make(scene, ana, [
        Made(), Made(event="ORDER-PAYIN.EXPIRED"), Made(url=OTHER), Made(reference=thing, event="ORDER-PAYIN.EXPIRED"),
    ]))  # fmt: skip
    assert ids(await scene.listed(ana, event="ORDER-PAYIN.EXPIRED", sort="asc")) == [typed, of_thing]
    assert ids(await scene.listed(ana, url=OTHER)) == [placed]
    assert ids(await scene.listed(ana, referenceId=str(thing))) == [of_thing]
    assert ids(await scene.listed(ana, event="ORDER-PAYIN.PAID", url=URL)) == [plain]
    assert ids(await scene.listed(ana, referenceId=str(thing), event="ORDER-PAYIN.PAID")) == []
    assert ids(await scene.listed(ana, event="WEBHOOK.TEST")) == []


@in_one_test("text", ["x", "", "0", "\0", "unknown", "another's", "upper case"])
async def test_an_object_that_is_none_of_ours_finds_nothing(scene: Scene, text: str) -> None:
    ana, dora = await scene.company(), await scene.company()
    (own,) = await make(scene, ana, [Made()])
    text = {"unknown": str(scene.chance.uuid(await scene.now())), "another's": str(own), "upper case": str(own).upper()}.get(
        text, text
    )
    answer = await scene.listed(dora if text == str(own) else ana, referenceId=text)
    assert answer == {"limit": 20, "sort": "desc", "hasNext": False, "data": []}


def fits(one: Made, query: Mapping[str, str]) -> bool:
    asked = {"status": one.status, "event": one.event, "url": one.url, "referenceId": str(one.reference)}
    default = query.get("status") is not None or one.status in ("RETRYING", "FAILED")
    return default and all(asked[name] == value for name, value in query.items())


@pytest.mark.parametrize("seed", range(2))
async def test_every_set_of_filters_shows_what_fits_in_both_directions(scene: Scene, seed: int) -> None:
    """Page by page, against a plain look at all of them."""
    chance = random.Random(seed)
    ana = await scene.company()
    things = [scene.chance.uuid(await scene.now()) for _ in range(3)]
    base = await scene.now() - timedelta(hours=1)
    rows = [
        Made(
            chance.choice(STATUSES), chance.choice(("ORDER-PAYIN.PAID", "ORDER-PAYIN.EXPIRED")), chance.choice((URL, OTHER)),
            chance.choice(things), base + timedelta(seconds=n),
        )
        for n in range(60)
    ]  # fmt: skip
    made = await make(scene, ana, rows)
    choices: dict[str, list[str | None]] = {
        "status": [None, *STATUSES], "event": [None, "ORDER-PAYIN.PAID"], "url": [None, OTHER],
        "referenceId": [None, str(things[0])],
    }  # fmt: skip
    for _ in range(25):
        query = {name: value for name, values in choices.items() if (value := chance.choice(values)) is not None}
        sort = chance.choice(("asc", "desc"))
        wanted = [str(i) for i, one in zip(made, rows, strict=True) if fits(one, query)]
        shown = await walked(scene, ana, {**query, "sort": sort}, chance)
        assert shown == (wanted if sort == "asc" else wanted[::-1]), query


async def walked(scene: Scene, company: Company, query: Mapping[str, str], chance: random.Random) -> list[str]:
    seen: list[str] = []
    given = dict(query)
    while True:
        answer = await scene.listed(company, limit=str(chance.randint(1, 20)), **given)
        seen += ids(answer)
        if not answer["hasNext"]:
            return seen
        given["cursor"] = answer["nextCursor"]


async def test_a_type_at_a_url_is_looked_for_a_stretch_at_a_time(scene: Scene) -> None:
    """No index has both: a page that found little in its stretch has a next one, and none is lost or shown twice."""
    ana = await scene.company()
    count, rare = 2 * lists.WALKED + 10, [3, 4, lists.WALKED, 2 * lists.WALKED + 3]
    await scene.admin.execute(
        "INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)"
        " SELECT $1, md5(n::text)::uuid, CASE WHEN n = ANY ($2) THEN 'ORDER-PAYIN.EXPIRED' ELSE 'ORDER-PAYIN.PAID' END,"
        "        gen_random_uuid(), $3, '{}', '2026-03-04Z'::timestamptz + n * interval '1 second' FROM generate_series(1, $4) n",
        ana.id, rare, URL, count,
    )  # fmt: skip
    await scene.number_all()
    await scene.admin.execute("UPDATE deliveries SET status = 'FAILED', due_at = NULL")
    told = {
        r["id"]: r["sequence"]
        for r in await scene.admin.fetch("SELECT * FROM deliveries WHERE type = 'ORDER-PAYIN.EXPIRED'")
    }
    assert len(told) == len(rare)
    for sort in ("asc", "desc"):
        query = {"event": "ORDER-PAYIN.EXPIRED", "url": URL, "sort": sort, "limit": "3"}
        pages: list[list[str]] = []
        while True:
            answer = await scene.listed(ana, **query)
            pages.append(ids(answer))
            if not answer["hasNext"]:
                break
            query["cursor"] = answer["nextCursor"]
        wanted = [str(i) for i in sorted(told, key=told.__getitem__, reverse=sort == "desc")]
        assert [event for page in pages for event in page] == wanted, sort
        assert len(pages) > 2, "a page looks at no more than its stretch"


async def test_filters_stay_inside_the_company(scene: Scene) -> None:
    ana, dora = await scene.company(), await scene.company()
    thing = scene.chance.uuid(await scene.now())
    await make(scene, ana, [Made(reference=thing), Made("DELIVERED")])
    for query in ({}, {"referenceId": str(thing)}, {"url": URL}, {"event": "ORDER-PAYIN.PAID"}, {"status": "DELIVERED"}):
        assert ids(await scene.listed(dora, **query)) == []
        assert len(ids(await scene.listed(ana, **query))) == 1
