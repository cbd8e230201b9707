"""A webhook secret that is rotated twice: the simulated merchant and the file that it reads know what signs."""

import json

import pytest
from tests.journeys.play import Play

pytestmark = pytest.mark.anyio


async def test_after_two_rotations_the_merchant_believes_what_comes(play: Play) -> None:
    file = play.stage.home / "sandbox.json"
    before = json.loads(file.read_text())
    for _ in range(2):
        rotated = await play.call("POST", "/order/v1/webhook/rotate-secret")
    order = await play.order()
    await play.pay(order)
    await play.told(order, "ORDER-PAYIN.PAID")
    assert [one["signatureValid"] for one in await play.webhooks(order)] == [True]
    assert json.loads(file.read_text()) == before | {"webhookSecret": rotated.json["secret"]}
    assert file.stat().st_mode & 0o777 == 0o600
