"""One attempt at every kind of receiver: what is kept of it, how long it took, what it cost, and when the next is due."""

import tracemalloc
from datetime import timedelta
from ssl import SSLContext
from typing import Any

import pytest
from tests.rooms.http_client.conftest import certificate as certificate  # noqa: PLC0414 a fixture is found by its name
from tests.rooms.http_client.conftest import certify as certify  # noqa: PLC0414
from tests.rooms.http_client.conftest import server_tls as server_tls  # noqa: PLC0414
from tests.rooms.webhooks.conftest import ACKNOWLEDGED, Scene
from tests.world.street import KINDS, Kind, street

FIRST_WAIT = timedelta(minutes=1)
TIMEOUT_MS = 600
_LONG_MS = TIMEOUT_MS + 3000  # what a busy machine may add
_MOST_MEMORY = 16_000_000  # bytes, a receiver's that sends a gigabyte included


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
async def test_an_attempt_at_it(scene: Scene, server_tls: SSLContext, kind: Kind) -> None:
    ana = await scene.company()
    reference = scene.chance.uuid(await scene.now())
    async with street(server_tls) as receivers:
        url = f"{receivers.bases[kind.name]}/hook"
        event_id = await scene.tell(ana, url, reference=reference)
        behind = await scene.tell(ana, url, reference=reference)
        deliverer = scene.deliverer(timeout_seconds=TIMEOUT_MS / 1000)
        tracemalloc.start()
        try:
            await scene.step(deliverer)
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert receivers.trapped == 0
        seen = [request for request in receivers.requests if request.event_id == str(event_id)]
    assert most < _MOST_MEMORY
    assert len(seen) == kind.sees
    (attempt,) = await scene.attempts(event_id)
    row, next_row = await scene.delivery(event_id), await scene.delivery(behind)
    said = (attempt["status_code"], attempt["message"])
    assert said in (
        {(200, ACKNOWLEDGED.decode()), (503, "busy"), (0, "CONNECTION_CLOSED")} if kind.ends is None else {kind.ends}
    )
    assert attempt["duration_ms"] < _LONG_MS
    assert (attempt["duration_ms"] >= TIMEOUT_MS * 0.9) == kind.is_slow
    if said == (200, ACKNOWLEDGED.decode()):
        assert (row["status"], row["due_at"], next_row["attempts"]) == ("DELIVERED", None, 1)
        return
    assert (row["status"], row["attempts"], row["plan_attempts"]) == ("RETRYING", 1, 1)
    longest = timedelta(seconds=90) if said == (503, "busy") else FIRST_WAIT  # as its Retry-After asks
    assert longest * 0.9 - timedelta(microseconds=2) <= row["due_at"] - row["updated_at"] <= longest
    assert (next_row["status"], next_row["attempts"], next_row["sends"]) == ("PENDING", 0, 0)
    assert not any((await scene.breaches()).values())


async def test_all_of_them_at_once_delay_nobody(scene: Scene, server_tls: SSLContext) -> None:
    """While the slow ones are under way, whoever answers has heard everything, in the order of each object."""
    ana = await scene.company()
    references = [scene.chance.uuid(await scene.now()) for _ in range(4)]
    async with street(server_tls) as receivers:
        told: dict[str, list[tuple[Any, str]]] = {}
        for kind in KINDS:
            for reference in references * 3:
                event_id = await scene.tell(ana, f"{receivers.bases[kind.name]}/hook", reference=reference)
                told.setdefault(kind.name, []).append((reference, str(event_id)))
        await scene.step(scene.deliverer(timeout_seconds=3))
        late = min(request.at for request in receivers.requests if request.kind in {"hangs", "drips"})
        good = [request for request in receivers.requests if request.kind == "good"]
        assert {request.event_id for request in good} == {event_id for _, event_id in told["good"]}
        for reference in references:
            mine = [event_id for of, event_id in told["good"] if of == reference]
            assert [request.event_id for request in good if request.event_id in mine] == mine
        # Those that time out were asked before the last good one was: they were under way beside it.
        assert late < max(request.at for request in good)
        assert receivers.trapped == 0
    statuses = await scene.admin.fetch(
        "SELECT status, count(*) AS n FROM deliveries WHERE url LIKE $1 GROUP BY 1", f"{receivers.bases['good']}/%"
    )
    assert {row["status"]: row["n"] for row in statuses} == {"DELIVERED": 12}
