import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec
from aiohttp import web
from tests.in_one import in_one_test
from tests.rooms.webhooks.conftest import ACKNOWLEDGED, Received, Scene, acknowledge, refuse, until

from lastro.webhooks import DeliverySettings
from lastro.webhooks.circuit import TRIPS_AT
from lastro.webhooks.signatures import verify, verify_short
from lastro.webhooks.slots import Slots

INTERVALS = [timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6)]


async def test_an_event_arrives_with_its_headers_and_bytes(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    event_id = await scene.tell(ana, receiver.url, event_type="ORDER-PAYIN.EXPIRED", message="não pago", amount="1.00")

    assert await scene.step(scene.deliverer()) == 1

    (got,) = receiver.seen
    assert msgspec.json.decode(got.body) == {"message": "não pago", "amount": "1.00"}
    assert got.headers["content-type"] == "application/json"
    assert got.headers["x-event-id"] == got.headers["webhook-id"] == str(event_id)
    assert got.headers["x-event-type"] == "ORDER-PAYIN.EXPIRED"
    assert (got.headers["x-event-sequence"], got.headers["x-delivery-attempt"]) == ("1", "1")
    assert got.headers["x-lastro-environment"] == "sandbox"
    assert verify([ana.secret], got.headers, got.body, now_seconds=int(datetime.now(UTC).timestamp()))
    assert verify_short([ana.secret], got.headers, got.body)
    row = await scene.delivery(event_id)
    assert (row["status"], row["attempts"], row["sends"], row["due_at"], row["lease_token"]) == (
        "DELIVERED", 1, 1, None, None,
    )  # fmt: skip
    (attempt,) = await scene.attempts(event_id)
    assert (attempt["status_code"], attempt["message"]) == (200, ACKNOWLEDGED.decode())
    assert not any((await scene.breaches()).values())


async def test_production_does_not_say_sandbox(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    await scene.tell(ana, receiver.url)
    assert await scene.step(scene.deliverer(is_sandbox=False)) == 1
    assert "x-lastro-environment" not in receiver.seen[0].headers


async def test_signatures_keep_machine_time_while_business_time_is_far_ahead(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    await scene.set_clock(await scene.now() + timedelta(days=400))
    event_id = await scene.tell(ana, receiver.url)
    await scene.step(scene.deliverer())
    assert abs(int(receiver.seen[0].headers["webhook-timestamp"]) - datetime.now(UTC).timestamp()) < 60
    (attempt,) = await scene.attempts(event_id)
    assert attempt["requested_at"] > datetime.now(UTC) + timedelta(days=399)


@in_one_test(
    ("status", "body", "message", "failure"),
    [
        (200, ACKNOWLEDGED, ACKNOWLEDGED.decode(), None), (200, b"OK", "OK", "BAD_ACKNOWLEDGEMENT"),
        (200, b'{"returnCode":"ERROR"}', '{"returnCode":"ERROR"}', "BAD_ACKNOWLEDGEMENT"),
        (201, ACKNOWLEDGED, ACKNOWLEDGED.decode(), "BAD_STATUS"), (204, b"", "", "BAD_STATUS"),
        (302, ACKNOWLEDGED, "REDIRECT", "REDIRECT"), (410, b"gone", "gone", "BAD_STATUS"),
        (200, ACKNOWLEDGED + b" " * 65536, "TOO_LARGE", "TOO_LARGE"),
    ],
)  # fmt: skip
async def test_all_but_200_and_the_return_code_is_a_failed_attempt(
    scene: Scene, status: int, body: bytes, message: str, failure: str | None
) -> None:
    async def answer(_: Received) -> web.Response:
        return web.Response(status=status, body=body, headers={"location": "/elsewhere"})

    ana, receiver = await scene.company(), await scene.receiver(answer)
    event_id = await scene.tell(ana, receiver.url)
    assert await scene.step(scene.deliverer()) == 1
    assert (await scene.delivery(event_id))["status"] == ("RETRYING" if failure else "DELIVERED")
    (attempt,) = await scene.attempts(event_id)
    assert (attempt["status_code"], attempt["message"], attempt["failure"]) == (status, message, failure)
    (shown,) = (await scene.read(ana, event_id))["history"]
    assert shown.get("failure") == failure
    assert len(receiver.seen) == 1


async def test_one_attempt_and_exactly_four_retries_each_when_due(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(refuse)
    event_id = await scene.tell(ana, receiver.url)
    deliverer = scene.deliverer()
    assert await scene.step(deliverer) == 1
    for made, interval in enumerate(INTERVALS, start=1):
        row = await scene.delivery(event_id)
        assert (row["status"], row["attempts"], row["plan_attempts"]) == ("RETRYING", made, made)
        assert interval * 0.9 - timedelta(microseconds=2) <= row["due_at"] - row["updated_at"] <= interval
        await scene.set_clock(row["due_at"] - timedelta(seconds=10))
        assert await deliverer.step() == 0
        await scene.set_clock(row["due_at"])
        assert await deliverer.step() == 1
    row = await scene.delivery(event_id)
    assert (row["status"], row["attempts"], row["due_at"]) == ("FAILED", 5, None)
    await scene.set_clock(await scene.now() + timedelta(days=30))
    assert await deliverer.step() == 0
    assert [a["number"] for a in await scene.attempts(event_id)] == [1, 2, 3, 4, 5]
    # Every send was the same event: its id, its bytes, its number; only the attempt is counted.
    assert {(r.event_id, r.body, r.headers["x-event-sequence"]) for r in receiver.seen} == {
        (str(event_id), receiver.seen[0].body, "1")
    }
    assert [r.headers["x-delivery-attempt"] for r in receiver.seen] == ["1", "2", "3", "4", "5"]
    assert not any((await scene.breaches()).values())


async def test_the_wait_begins_at_the_end_of_the_attempt_in_business_time(scene: Scene) -> None:
    async def take_a_day(_: Received) -> web.Response:
        await scene.set_clock(await scene.now() + timedelta(days=1))
        return web.Response(status=500)

    ana, receiver = await scene.company(), await scene.receiver(take_a_day)
    event_id = await scene.tell(ana, receiver.url)
    before = await scene.now()
    deliverer = scene.deliverer()
    assert await scene.step(deliverer) == 1
    row = await scene.delivery(event_id)
    assert row["due_at"] > before + timedelta(days=1, seconds=50)


async def test_retry_after_stretches_the_wait(scene: Scene) -> None:
    async def busy(_: Received) -> web.Response:
        return web.Response(status=503, headers={"Retry-After": "7200"})

    ana, receiver = await scene.company(), await scene.receiver(busy)
    event_id = await scene.tell(ana, receiver.url)
    await scene.step(scene.deliverer())
    row = await scene.delivery(event_id)
    assert row["due_at"] - row["updated_at"] == timedelta(hours=2)


async def test_no_answer_is_an_attempt_without_a_status(scene: Scene) -> None:
    ana = await scene.company()

    async def never(_: Received) -> web.Response:
        await asyncio.Event().wait()
        raise AssertionError

    silent = await scene.receiver(never)
    ids = {
        "CONNECTION_REFUSED": await scene.tell(ana, "http://127.0.0.1:1/hook"),
        "ADDRESS_REFUSED": await scene.tell(ana, "http://10.0.0.1/hook"),
        "TIMEOUT": await scene.tell(ana, silent.url),
    }
    assert await scene.step(scene.deliverer(timeout_seconds=0.2)) == 3
    for message, event_id in ids.items():
        (attempt,) = await scene.attempts(event_id)
        assert (attempt["status_code"], attempt["message"], attempt["failure"]) == (0, message, message)


async def test_an_event_without_a_url_is_numbered_and_not_delivered(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    await scene.tell(ana, None)
    await scene.tell(ana, receiver.url)
    assert await scene.step(scene.deliverer()) == 1
    assert receiver.seen[0].headers["x-event-sequence"] == "2"
    assert await scene.admin.fetchval("SELECT count(*) FROM deliveries") == 1


async def test_a_slow_endpoint_delays_no_other(scene: Scene) -> None:
    release = asyncio.Event()

    async def hold(_: Received) -> web.Response:
        await release.wait()
        return await acknowledge(_)

    ana, bento = await scene.company(), await scene.company()
    slow, quick = await scene.receiver(hold), await scene.receiver()
    late = [await scene.tell(ana, slow.url) for _ in range(40)]
    deliverer = scene.deliverer(per_endpoint=4)
    async with scene.running(deliverer) as running:
        await until(lambda: _count(slow.seen, 4))
        soon = [await scene.tell(company, quick.url) for company in (ana, bento) for _ in range(20)]
        running.wake.set()
        await until(lambda: _count(quick.seen, len(soon)))
        # All of the others are through, and the slow one has no more at once than it may have.
        assert len(slow.seen) == 4
        release.set()
        await until(lambda: _count(slow.seen, len(late)))
    assert {r.event_id for r in slow.seen} == {str(i) for i in late}
    assert {r.event_id for r in quick.seen} == {str(i) for i in soon}
    assert await scene.admin.fetchval("SELECT count(*) FROM deliveries WHERE status <> 'DELIVERED'") == 0


async def test_a_dead_endpoint_delays_no_other(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    for _ in range(30):
        await scene.tell(ana, "http://127.0.0.1:1/hook")
    ids = [await scene.tell(ana, receiver.url) for _ in range(30)]
    await scene.step(scene.deliverer(per_endpoint=8))
    assert {r.event_id for r in receiver.seen} == {str(i) for i in ids}
    rows = await scene.admin.fetch("SELECT status, count(*) AS n FROM deliveries GROUP BY status")
    statuses = {r["status"]: r["n"] for r in rows}
    assert statuses["DELIVERED"] == 30
    # Those that were on their way when it was noticed, and no more; the others keep all of their attempts.
    assert TRIPS_AT <= statuses["RETRYING"] <= 16
    assert statuses["RETRYING"] + statuses["PENDING"] == 30


async def test_hinted_companies_are_told_without_a_sweep(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    deliverer = scene.deliverer()
    async with scene.running(deliverer):
        for n in range(1, 4):
            await scene.tell(ana, receiver.url)
            deliverer.hint([ana.id])
            await until(lambda n=n: _count(receiver.seen, n))  # type: ignore[misc]


async def test_running_survives_a_database_that_refuses(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    async with scene.running(scene.deliverer()):
        await scene.admin.execute("REVOKE SELECT (endpoint) ON deliveries FROM lastro_work")
        await scene.tell(ana, receiver.url)
        await scene.number_all()
        await scene.admin.execute("GRANT SELECT (endpoint) ON deliveries TO lastro_work")
        await until(lambda: _count(receiver.seen, 1))


def test_an_endpoint_that_does_not_answer_loses_slots_and_wins_them_back() -> None:
    slots = Slots(DeliverySettings(is_sandbox=True, per_endpoint=16, at_once=80))
    one, other = UUID(int=1), UUID(int=2)

    def free(key: tuple[UUID, int]) -> int:
        taken = slots.take(key, 100)
        slots.give_back(key, taken)
        return taken

    seen = []
    for _ in range(5):
        slots.learn((one, 1), answered=False)
        seen.append(free((one, 1)))
    assert seen == [8, 4, 2, 2, 2]
    # Neither another endpoint of the company, nor another company of the endpoint, has less for it.
    assert (free((one, 2)), free((other, 1))) == (16, 16)
    for _ in range(20):
        slots.learn((one, 1), answered=True)
    assert free((one, 1)) == 16
    # Of one endpoint, a company alone has half of what it takes, and of all there are half as well.
    assert [slots.take(key, 100) for key in ((one, 1), (other, 1), (one, 2), (one, 3))] == [16, 8, 16, 4]


def test_who_always_wants_more_of_an_endpoint_leaves_others_room() -> None:
    """A receiver of many companies, of which one has ten thousand events due; it answers, and takes its time."""
    slots = Slots(DeliverySettings(is_sandbox=True, per_endpoint=32, at_once=1024))
    greedy, others = (UUID(int=1), 1), [(UUID(int=n), 1) for n in (2, 3)]
    assert slots.take(greedy, 10_000) == 32
    assert [slots.take(key, 10_000) for key in others] == [16, 8]
    for _ in range(200):  # each time a request of it ends it asks first
        slots.give_back(greedy)
        slots.take(greedy, 10_000)
        for key in others:
            slots.take(key, 10_000)
    assert [slots.busy_for[key] for key in (greedy, *others)] == [16, 16, 16]


def test_a_company_has_as_many_slots_as_it_leaves_free() -> None:
    slots = Slots(DeliverySettings(is_sandbox=True, per_endpoint=4, at_once=32))

    def take(company: int) -> int:
        return sum(slots.take((UUID(int=company), endpoint), 4) for endpoint in range(100 * company, 100 * company + 20))

    assert [take(company) for company in range(1, 8)] == [16, 8, 4, 2, 1, 1, 0]
    # What the first one had and gives back is for those who have less.
    for endpoint in range(100, 104):
        slots.give_back((UUID(int=1), endpoint), 4)
    assert [take(company) for company in (2, 1, 3, 4)] == [4, 6, 1, 2]


def test_a_claim_is_never_larger_than_an_endpoint_may_take() -> None:
    settings = DeliverySettings(is_sandbox=True)
    assert settings.claim <= settings.per_endpoint <= settings.at_once


async def _count(seen: list[Received], wanted: int) -> bool:
    return len(seen) >= wanted
