import base64
import hashlib
import hmac
import json
import time
from typing import Any

from tests.in_one import in_one_test

from .stage import Sim

SECRET = "whsec_" + base64.b64encode(b"thirty-two bytes of a secret....").decode()
BODY = json.dumps({"event": "ORDER-PAYIN.PAID", "id": "1"}).encode()


def signed(body: bytes, at: int | None = None) -> dict[str, str]:
    at = int(time.time()) if at is None else at
    standard = hmac.new(base64.b64decode(SECRET[6:]), f"ev1.{at}.".encode() + body, hashlib.sha256).digest()
    return {
        "content-type": "application/json",
        "x-event-id": "ev1",
        "x-event-type": "ORDER-PAYIN.PAID",
        "x-event-sequence": "7",
        "x-delivery-attempt": "2",
        "X-Signature-SHA256": "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest(),
        "webhook-id": "ev1",
        "webhook-timestamp": str(at),
        "webhook-signature": "v1," + base64.b64encode(standard).decode(),
    }


async def listed(sim: Sim) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = (await sim.http.get("/merchant/webhooks")).json()["data"]
    return data


def write_secret(sim: Sim) -> None:
    sim.network.settings.sandbox_file.write_text(json.dumps({"webhookSecret": SECRET}))


async def test_a_signed_delivery_is_believed(sim: Sim) -> None:
    write_secret(sim)
    answered = await sim.http.post("/merchant/webhooks/shop/1", content=BODY, headers=signed(BODY))
    assert (answered.status_code, answered.json()) == (200, {"returnCode": "SUCCESS"})
    (kept,) = await listed(sim)
    assert kept["signatureValid"] is True
    assert (kept["eventId"], kept["eventType"], kept["sequence"], kept["attempt"]) == ("ev1", "ORDER-PAYIN.PAID", 7, 2)
    assert kept["body"] == json.loads(BODY)
    assert kept["path"] == "/shop/1"
    assert (await sim.http.get("/merchant/webhooks?eventId=other")).json() == {"data": []}


@in_one_test(
    "change",
    [
        {"X-Signature-SHA256": "sha256=00"}, {"X-Signature-SHA256": ""}, {"webhook-signature": "v1,AAAA"},
        {"webhook-id": "ev2"}, {"webhook-timestamp": "x"}, {"webhook-timestamp": "9" * 30},
    ],
)  # fmt: skip
async def test_a_forged_delivery_is_not(sim: Sim, change: dict[str, str]) -> None:
    write_secret(sim)
    assert (await sim.http.post("/merchant/webhooks/a", content=BODY, headers=signed(BODY) | change)).status_code == 200
    assert (await listed(sim))[0]["signatureValid"] is False


async def test_an_old_delivery_is_not_believed(sim: Sim) -> None:
    write_secret(sim)
    await sim.http.post("/merchant/webhooks/a", content=BODY, headers=signed(BODY, int(time.time()) - 3600))
    assert (await listed(sim))[0]["signatureValid"] is False


async def test_without_the_secret_there_is_no_verdict(sim: Sim) -> None:
    await sim.http.post("/merchant/webhooks", content=b"\xff not json", headers={"x-event-sequence": "-1"})
    (kept,) = await listed(sim)
    assert kept["signatureValid"] is None
    assert kept["sequence"] is None
    assert isinstance(kept["body"], str)


async def test_its_behaviour_can_be_set(sim: Sim) -> None:
    await sim.act("/merchant/behaviour", {"status": 500, "body": "no", "times": 2})
    await sim.act("/merchant/behaviour", {"body": {"returnCode": "LATER"}, "delaySeconds": 0.01})
    answers = [await sim.http.post("/merchant/webhooks/a", content=BODY) for _ in range(4)]
    assert [one.status_code for one in answers] == [500, 500, 200, 200]
    assert [one.text for one in answers] == ["no", "no", '{"returnCode":"LATER"}', '{"returnCode":"SUCCESS"}']
    assert [one["answered"] for one in await listed(sim)] == [500, 500, 200, 200]
    assert (await sim.http.delete("/merchant/webhooks")).status_code == 200
    assert await listed(sim) == []
