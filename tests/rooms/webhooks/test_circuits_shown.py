"""Who sees that an endpoint does not answer: the client that asks, and whoever reads the log."""

from collections.abc import Iterator, MutableMapping
from typing import Any

import pytest
import structlog
from tests.rooms.webhooks.circuits import away, circuit, opened, to_the_probe
from tests.rooms.webhooks.conftest import Scene, acknowledge

from lastro.webhooks.breaker import origin_of
from lastro.webhooks.circuit import HELD_AT_MOST


@pytest.fixture
def said() -> Iterator[list[MutableMapping[str, Any]]]:
    with structlog.testing.capture_logs() as lines:
        yield lines


async def test_the_client_is_shown_which_endpoint_does_not_answer(scene: Scene) -> None:
    ana, dora, receiver = await scene.company(), await scene.company(), await scene.receiver(away)
    deliverer = scene.deliverer(per_endpoint=1)
    ids = await opened(scene, ana, receiver, deliverer)
    row = await circuit(scene)
    shown = await scene.answered(ana, "GET", "/order/v1/webhook")
    form = "%Y-%m-%dT%H:%M:%S.%fZ"
    assert shown["endpoints"] == [
        {"url": origin_of(receiver.url), "state": "OPEN", "since": row["opened_at"].strftime(form),
         "failure": "BAD_STATUS", "nextAttemptAt": row["probe_at"].strftime(form)},
    ]  # fmt: skip
    assert (await scene.answered(dora, "GET", "/order/v1/webhook"))["endpoints"] == []
    waiting = await scene.answered(ana, "GET", "/order/v1/webhook/events/{id}", id=ids[-1])
    assert (waiting["status"], waiting["nextAttemptAt"]) == ("PENDING", row["probe_at"].strftime(form))
    # Never later than it may be held.
    await scene.admin.execute("UPDATE webhook_circuits SET probe_at = probe_at + interval '1 day'")
    waiting = await scene.answered(ana, "GET", "/order/v1/webhook/events/{id}", id=ids[-1])
    due_at = await scene.admin.fetchval("SELECT due_at FROM deliveries WHERE id = $1::text::uuid", ids[-1])
    assert waiting["nextAttemptAt"] == (due_at + HELD_AT_MOST).strftime(form)
    receiver.behaviour = acknowledge
    await scene.admin.execute("UPDATE webhook_circuits SET probe_at = business_now()")
    await deliverer.step()
    assert (await scene.answered(ana, "GET", "/order/v1/webhook"))["endpoints"] == []


async def test_the_log_tells_of_each_turn(scene: Scene, said: list[MutableMapping[str, Any]]) -> None:
    ana, receiver = await scene.company(), await scene.receiver(away)
    deliverer = scene.deliverer(per_endpoint=1)
    await opened(scene, ana, receiver, deliverer)
    await to_the_probe(scene)
    await deliverer.step()
    receiver.behaviour = acknowledge
    await to_the_probe(scene)
    await deliverer.step()
    turns = [line for line in said if line["event"].startswith("webhooks.circuit")]
    assert [(line["event"], line["log_level"]) for line in turns] == [
        ("webhooks.circuit_opened", "warning"), ("webhooks.circuit_probed", "info"),
        ("webhooks.circuit_stays_open", "info"), ("webhooks.circuit_probed", "info"), ("webhooks.circuit_closed", "info"),
    ]  # fmt: skip
    assert {line["company_id"] for line in turns} == {ana.id}
    place = receiver.url.split("/")[2]
    assert all(line.get("endpoint", place) == place for line in turns)
    assert turns[0]["failure"] == "BAD_STATUS"
