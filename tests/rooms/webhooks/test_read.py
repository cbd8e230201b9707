"""One event by its id: what it says, where it stands, every attempt."""

import msgspec
from tests.rooms.webhooks.conftest import Scene, refuse

from lastro.core.runner import Reply

PATH = "/order/v1/webhook/events/{id}"


async def test_an_event_is_shown_with_its_body_and_attempts(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(refuse)
    reference = scene.chance.uuid(await scene.now())
    event_id = await scene.tell(ana, receiver.url, reference=reference, amount="10.50", name="João")
    deliverer = scene.deliverer()
    await scene.step(deliverer)
    row, (attempt,) = await scene.delivery(event_id), await scene.attempts(event_id)
    shown = await scene.read(ana, event_id)
    assert shown == {
        "id": str(event_id), "event": "ORDER-PAYIN.PAID", "referenceId": str(reference), "webhookUrl": receiver.url,
        "status": "RETRYING", "sequence": 1,
        "createdAt": row["created_at"].strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "updatedAt": row["updated_at"].strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "nextAttemptAt": row["due_at"].strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "payload": {"amount": "10.50", "name": "João"},
        "history": [
            {"message": "no", "statusCode": 500, "requestTime": attempt["requested_at"].strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
             "number": 1, "durationMs": attempt["duration_ms"], "failure": "BAD_STATUS"},
        ],
    }  # fmt: skip
    reply = await scene.ask(ana, "GET", PATH, id=str(event_id))
    assert isinstance(reply, Reply)
    assert receiver.seen[0].body in reply.body, "byte for byte"


async def test_an_event_on_its_way_through_its_states(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    event_id, alone = await scene.tell(ana, receiver.url), await scene.tell(ana, None)
    unnumbered = await scene.read(ana, event_id)
    assert unnumbered["status"] == "PENDING"
    assert {"sequence", "updatedAt", "nextAttemptAt"}.isdisjoint(unnumbered)
    await scene.number_all()
    pending = await scene.read(ana, event_id)
    assert (pending["status"], pending["sequence"], pending["history"]) == ("PENDING", 1, [])
    assert "nextAttemptAt" in pending
    await scene.deliverer().step()
    delivered = await scene.read(ana, event_id)
    assert (delivered["status"], len(delivered["history"])) == ("DELIVERED", 1)
    assert "nextAttemptAt" not in delivered
    untold = await scene.read(ana, alone)
    assert (untold["status"], untold["sequence"], untold["history"]) == ("NONE", 2, [])
    assert {"webhookUrl", "nextAttemptAt"}.isdisjoint(untold)


async def test_numbers_of_any_size_stay_as_they_were_written(scene: Scene) -> None:
    """The body is handed on, not read: nothing in it goes through a float."""
    ana = await scene.company()
    event_id = scene.chance.uuid(await scene.now())
    body = b'{"a": 1.10, "b":123456789012345678901234567890.5 ,"c":"\\u00e9"}'
    await scene.admin.execute(
        "INSERT INTO events (company_id, id, type, reference_id, url, body, created_at) VALUES ($1, $2, 'T', $2, NULL, $3, now())",
        ana.id, event_id, body,
    )  # fmt: skip
    await scene.number_all()
    for path in (PATH, "/order/v1/events"):
        reply = await scene.ask(ana, "GET", path, id=str(event_id))
        assert isinstance(reply, Reply)
        assert b'"payload":' + body in reply.body
        msgspec.json.decode(reply.body)
