"""What a worker remembers of endpoints that never answer is bounded, however many a company names."""

from collections import OrderedDict

import pytest
from tests.rooms.webhooks.circuits import away
from tests.rooms.webhooks.conftest import Scene

from lastro.webhooks import slots
from lastro.webhooks.circuit import TRIPS_AT

REMEMBERED, ENDPOINTS = 3, 5


async def test_of_endpoints_that_do_not_answer_those_of_late_are_remembered(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots, "_REMEMBERED", REMEMBERED)
    ana, deliverer = await scene.company(), scene.deliverer()
    keys = []
    for _ in range(ENDPOINTS):
        event_id = await scene.tell(ana, (await scene.receiver(away)).url)
        await scene.step(deliverer)
        keys.append((ana.id, (await scene.delivery(event_id))["endpoint"]))
    assert list(deliverer._slots.most) == keys[-REMEMBERED:]
    assert list(deliverer._breaker._unanswered) == keys[-REMEMBERED:]


async def test_of_circuits_that_were_opened_here_those_of_late_are_remembered(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots, "_REMEMBERED", REMEMBERED)
    ana, deliverer = await scene.company(), scene.deliverer()
    for _ in range(ENDPOINTS):
        receiver = await scene.receiver(away)
        for _ in range(TRIPS_AT):
            await scene.tell(ana, receiver.url)
        await scene.step(deliverer)
    assert await scene.admin.fetchval("SELECT count(*) FROM webhook_circuits WHERE state = 'OPEN'") == ENDPOINTS
    assert len(deliverer._breaker._opened) == REMEMBERED
    assert not deliverer._breaker._unanswered


def test_who_fails_again_is_remembered_for_longer() -> None:
    known = OrderedDict[int, int]()
    for key in (1, 2, 1, 3):
        slots.remember(known, key, key)
    assert list(known) == [2, 1, 3]
