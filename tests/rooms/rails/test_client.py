"""The adapter's questions and what it makes of answers."""

import asyncio
from uuid import UUID

import pytest

from lastro.core.secrets import Secret
from lastro.rails import event_stream
from lastro.rails.port import KeyAccount, KeyOwner, Pending, Permanent, Transient, Unknown
from lastro.rails.spi import Spi, SpiEndpoint

from .conftest import AT, Scene
from .network import ISPB, TOKEN, end_to_end_id

OWNER = KeyOwner("Loja da Ana Ltda", "11222333000181")
ACCOUNT = KeyAccount("0001", "000000019", AT)


async def test_a_random_key_is_made_by_the_directory(scene: Scene) -> None:
    key = await scene.rail.register_key(request_id=UUID(int=1), key_type="RANDOM", key=None, owner=OWNER, account=ACCOUNT)
    assert key == "made-there"
    (asked,) = scene.network.received
    assert (asked["keyType"], asked["owner"]["document"], asked["account"]["accountType"]) == ("EVP", OWNER.document, "TRAN")
    assert asked["account"]["openedAt"] == "2026-11-20T12:00:00Z"
    assert "key" not in asked


async def test_a_taken_key_is_refused_for_good(scene: Scene) -> None:
    with pytest.raises(Permanent) as refusal:
        await scene.rail.register_key(
            request_id=UUID(int=1), key_type="EMAIL", key="taken@example.com", owner=OWNER, account=ACCOUNT
        )
    assert refusal.value.code == "EntryAlreadyExists"


async def test_a_participant_is_registered(scene: Scene) -> None:
    await scene.rail.register_participant(name="LASTRO", jku="http://h/jwks", host="h")
    assert scene.network.received == [{"type": "participant", "name": "LASTRO", "jku": "http://h/jwks", "host": "h"}]


async def test_what_the_network_does_not_know(scene: Scene) -> None:
    assert await scene.rail.payment(end_to_end_id(1)) == Unknown()
    assert await scene.rail.returned("D1") == Unknown()
    for body in (
        "",
        "<html>404 Not Found</html>",
        "[]",
        '{"message": "no Route matched"}',
        '{"error": ""}',
        '{"status": 404, "error": "Not Found", "path": "/x"}',
        '{"type": "about:blank"}',
    ):
        scene.network.gateway = body
        with pytest.raises(Transient, match="404"):  # it is of what stands on the way there
            await scene.rail.returned("D1")
    scene.network.gateway = None
    scene.network.statuses[end_to_end_id(1)] = {"endToEndId": end_to_end_id(1), "status": "PENDING"}
    assert await scene.rail.payment(end_to_end_id(1)) == Pending()
    scene.network.statuses[end_to_end_id(1)] = {"nothing": "readable"}
    with pytest.raises(Transient):
        await scene.rail.payment(end_to_end_id(1))


async def test_a_wrong_token_decides_nothing(scene: Scene) -> None:
    stranger = Spi(SpiEndpoint(scene.network.url, ISPB, Secret("wrong")))
    try:
        with pytest.raises(Transient):
            await stranger.send("pix.answer", "M1", b'{"message_id":"M1","original_message_id":"M0","end_to_end_id":"E1",'
                                b'"accept":true,"created_at":"2026-11-20T12:00:00Z"}', UUID(int=9))  # fmt: skip
        with pytest.raises(Transient):
            await stranger.payment(end_to_end_id(1))
    finally:
        await stranger.close()


async def test_a_network_that_hangs_is_left(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "TIMEOUT_SECONDS", 0.05)
    scene.network.misbehave = ["hang"]
    with pytest.raises(Transient, match=r"no answer within 0\.05 s"):
        await scene.rail.send("pix.answer", "M1", b'{"message_id":"M1","original_message_id":"M0","end_to_end_id":"E1",'
                              b'"accept":true,"created_at":"2026-11-20T12:00:00Z"}', UUID(int=9))  # fmt: skip


async def test_nobody_there() -> None:
    lonely = Spi(SpiEndpoint("http://127.0.0.1:1", ISPB, Secret(TOKEN)))
    try:
        with pytest.raises(Transient):
            await lonely.payment(end_to_end_id(1))
        stop = asyncio.Event()
        listening = asyncio.ensure_future(lonely.listen(_keep, stop))
        await asyncio.sleep(0)
        stop.set()
        await asyncio.wait_for(listening, 5)
    finally:
        await lonely.close()


async def _keep(_: object) -> None:
    raise AssertionError("nothing was told")
