import asyncio
import random
from itertools import pairwise
from uuid import UUID

import asyncpg
from tests.rooms.webhooks.conftest import Company, Scene, until

from lastro.webhooks import number, store

TELL = (
    "INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)"
    " VALUES ($1, $2, 'T', $3, $4, '{}', business_now()) RETURNING id"
)


async def feed(scene: Scene, company: Company) -> list[asyncpg.Record]:
    return await scene.admin.fetch(
        "SELECT n.sequence, n.event_id, n.created_at, e.xid, e.reference_id, e.created_at AS told_at FROM event_numbers n"
        " JOIN events e ON e.id = n.event_id WHERE n.company_id = $1 ORDER BY n.sequence",
        company.id,
    )


async def writer(scene: Scene, company: Company) -> "asyncpg.Connection[asyncpg.Record]":
    """A connection as the app's role, set to the company."""
    connection = await scene.database._connect()
    await connection.set_company(company.id)
    scene.stack.push_async_callback(connection.close)
    return connection._connection


async def test_an_open_transaction_holds_back_what_came_after_it(scene: Scene) -> None:
    ana = await scene.company()
    slow, quick = await writer(scene, ana), await writer(scene, ana)
    ids = [scene.chance.uuid(await scene.now()) for _ in range(3)]
    before, held, behind = ids
    await quick.execute(TELL, ana.id, before, before, None)
    await scene.number_all()
    transaction = slow.transaction()
    await transaction.start()
    await slow.execute(TELL, ana.id, held, held, None)
    await quick.execute(TELL, ana.id, behind, behind, None)
    assert await number(scene.database, scene.work) == 0
    await transaction.commit()
    await scene.number_all()
    rows = await feed(scene, ana)
    assert [(r["sequence"], r["event_id"]) for r in rows] == [(1, before), (2, held), (3, behind)]


async def test_a_transaction_rolled_back_leaves_no_hole(scene: Scene) -> None:
    ana = await scene.company()
    connection = await writer(scene, ana)
    for n in range(6):
        transaction = connection.transaction()
        await transaction.start()
        event_id = scene.chance.uuid(await scene.now())
        await connection.execute(TELL, ana.id, event_id, event_id, None)
        await (transaction.rollback() if n % 2 else transaction.commit())
    await scene.number_all()
    assert [r["sequence"] for r in await feed(scene, ana)] == [1, 2, 3]


class Tellers:
    """Writers that tell of objects of their own, some in long transactions that let others overtake them."""

    def __init__(self, scene: Scene, count: int) -> None:
        self._scene = scene
        self._chance = random.Random(7)
        self._left = count
        self.told: dict[UUID, list[UUID]] = {}

    async def tell(self, company: Company, objects: list[UUID]) -> None:
        connection = await writer(self._scene, company)
        for _ in range(40):
            transaction = connection.transaction()
            await transaction.start()
            mine = []
            for reference in self._chance.sample(objects, self._chance.randint(1, 3)):
                event_id = self._scene.chance.uuid(await self._scene.now())
                await connection.execute(TELL, company.id, event_id, reference, "https://a.example/")
                mine.append((reference, event_id))
                for _ in range(self._chance.randint(0, 5)):
                    await asyncio.sleep(0)
            await transaction.commit()
            for reference, event_id in mine:
                self.told.setdefault(reference, []).append(event_id)
        self._left -= 1

    async def keep_numbering(self, companies: list[Company]) -> None:
        while self._left:
            some = None if self._chance.random() < 0.5 else [c.id for c in companies]
            await number(self._scene.database, self._scene.work, some)
            await asyncio.sleep(0)


async def test_numbers_are_dense_and_in_order_whoever_writes_and_numbers(scene: Scene) -> None:
    companies = [await scene.company() for _ in range(2)]
    tellers = Tellers(scene, 6)
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        for i in range(6):
            objects = [scene.chance.uuid(await scene.now()) for _ in range(5)]
            group.create_task(tellers.tell(companies[i % 2], objects))
        for _ in range(2):
            group.create_task(tellers.keep_numbering(companies))
    await scene.number_all()

    for company in companies:
        rows = await feed(scene, company)
        assert [r["sequence"] for r in rows] == list(range(1, len(rows) + 1))
        assert [r["xid"] for r in rows] == sorted(r["xid"] for r in rows)
        assert all(a["created_at"] < b["created_at"] for a, b in pairwise(rows)), "createdAt rises with the number"
        assert all(r["created_at"] >= r["told_at"] for r in rows)
        for reference in {r["reference_id"] for r in rows}:
            assert [r["event_id"] for r in rows if r["reference_id"] == reference] == tellers.told[reference]
    assert sum(map(len, tellers.told.values())) == await scene.admin.fetchval("SELECT count(*) FROM event_numbers")
    assert not any((await scene.breaches()).values())


async def test_events_of_one_instant_have_times_of_their_own(scene: Scene) -> None:
    ana = await scene.company()
    at = await scene.now()
    await scene.admin.execute(
        "INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)"
        " SELECT $1, gen_random_uuid(), 'T', gen_random_uuid(), 'https://a.example/', '{}', $2 FROM generate_series(1, 1203)",
        ana.id, at,
    )  # fmt: skip
    await scene.number_all()
    rows = await scene.admin.fetch("SELECT d.sequence, d.created_at, n.created_at AS fed_at FROM deliveries d"
                                   " JOIN event_numbers n ON n.event_id = d.id ORDER BY d.sequence")  # fmt: skip
    assert rows[0]["created_at"] == at
    micro = [(r["created_at"] - at).microseconds for r in rows]
    assert micro == list(range(1203))
    assert all(r["created_at"] == r["fed_at"] for r in rows)


async def test_a_company_without_a_cursor_is_found(scene: Scene) -> None:
    ana = await scene.company()
    await scene.tell(ana, None)
    assert await scene.admin.fetchval("SELECT count(*) FROM event_cursors") == 0

    async def numbered() -> bool:
        return await number(scene.database, scene.work) == 1

    await until(numbered)
    assert [r["sequence"] for r in await feed(scene, ana)] == [1]


async def test_a_company_with_nothing_new_is_not_asked(scene: Scene) -> None:
    ana = await scene.company()
    await scene.tell(ana, None)
    await scene.number_all()

    async def quiet() -> bool:
        await number(scene.database, scene.work)
        return await store.unnumbered(scene.work) == []

    await until(quiet)


async def test_another_companys_events_stay_unnumbered(scene: Scene) -> None:
    ana, dora = await scene.company(), await scene.company()
    await scene.tell(ana, None)
    await scene.tell(dora, None)

    async def numbered() -> bool:
        return await number(scene.database, scene.work, [ana.id]) == 1

    await until(numbered)
    assert await feed(scene, dora) == []
