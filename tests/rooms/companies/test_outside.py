"""The outside issuer as a real server on loopback: fetched, cached, rotated, silent, and telling too much."""

import asyncio
import json
import os
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.rooms.http_client.loopback import Receiver, http, read_request, receiver

from lastro.app.outside import MOST_BYTES, fetching
from lastro.companies import Callers, OutsideIssuer, OutsideKeys, OwnKeys, SigningKeys, TokenRefused, issue
from lastro.companies.certificates import new_location_key
from lastro.companies.tokens import SigningKey, jwks, new_signing_key, public_keys

ISSUER = "https://login.example.com"
COMPANY = "01890a5d-ac96-774b-bcce-b302099a8057"
OLD, NEW = new_signing_key(os.urandom), new_signing_key(os.urandom)


class Issuer:
    """Serves what a test says, and remembers what it was asked."""

    def __init__(self) -> None:
        self.answer = b""
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.server: Receiver | None = None
        self.held = asyncio.Event()
        self.held.set()
        self.hangs_up = False

    def publish(self, *keys: SigningKey) -> None:
        self.answer = http(json.dumps(jwks(public_keys(keys))).encode())

    async def behave(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            first, headers, _ = await read_request(reader)
            self.asked.append((first, headers))
            await self.held.wait()
            writer.write(self.answer)
            await writer.drain()
            if self.hangs_up:
                return

    @property
    def url(self) -> str:
        assert self.server is not None
        return f"http://127.0.0.1:{self.server.port}/keys?p=a"


@asynccontextmanager
async def serving(tls: ssl.SSLContext | None = None) -> AsyncIterator[Issuer]:
    made = Issuer()
    async with receiver(made.behave, tls) as server:
        made.server = server
        yield made


@pytest.fixture
async def issuer() -> AsyncIterator[Issuer]:
    async with serving() as made:
        yield made


class Machine:
    def __init__(self, url: str, timeout_seconds: float = 5.0) -> None:
        self.now = 0.0
        own = SigningKeys((new_signing_key(os.urandom),), (), b"")
        self.outside = OutsideKeys(OutsideIssuer(ISSUER), fetching(url, timeout_seconds), lambda: self.now)
        self.callers = Callers(OwnKeys(own, self._load, "https://lastro.test", lambda: self.now), self.outside)
        self._own = own

    async def _load(self) -> SigningKeys:
        return self._own

    async def admits(self, key: SigningKey) -> bool:
        text = issue(key, issuer=ISSUER, client_id="shop", company_id=COMPANY, now_machine=time.time(), jti="j")
        try:
            return (await self.callers.claims(text, time.time())).client_id == "outside:shop"
        except TokenRefused:
            return False


async def test_keys_are_fetched_once_and_remembered(issuer: Issuer) -> None:
    issuer.publish(OLD)
    machine = Machine(issuer.url)
    assert [await machine.admits(OLD) for _ in range(5)] == [True] * 5
    ((first, headers),) = issuer.asked
    assert first == "GET /keys?p=a HTTP/1.1"
    assert "authorization" not in headers
    assert headers["user-agent"] == "lastro"


async def test_a_rotated_key_is_found_and_a_withdrawn_one_forgotten(issuer: Issuer) -> None:
    issuer.publish(OLD)
    machine = Machine(issuer.url)
    assert await machine.admits(OLD)
    issuer.publish(OLD, NEW)
    assert not await machine.admits(NEW)  # within the minute nobody asks again
    machine.now += 61
    assert await machine.admits(NEW)
    issuer.publish(NEW)
    machine.now += 601
    await machine.outside.refresh_if_old()
    assert [await machine.admits(k) for k in (OLD, NEW)] == [False, True]
    assert len(issuer.asked) == 3


@pytest.mark.parametrize(
    "answer",
    [
        http(b"", "503 Service Unavailable"),
        http(b'{"keys":[]}', "500 Internal Server Error"),
        http(b"", "302 Found", "Location: /elsewhere\r\n"),
        http(b'{"keys":[' + b" " * MOST_BYTES + b"]}"),
        http(b"<html>"),
        http(b'{"keys":"none"}'),
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
    ],
    ids=["503", "500", "redirect", "too much", "html", "no list", "no http", "cut off"],
)  # fmt: skip
async def test_a_bad_answer_changes_nothing(issuer: Issuer, answer: bytes) -> None:
    issuer.publish(OLD)
    machine = Machine(issuer.url)
    assert await machine.admits(OLD)
    issuer.answer, issuer.hangs_up = answer, True
    machine.now += 601
    await machine.outside.refresh_if_old()
    assert await machine.admits(OLD)
    assert [first for first, _ in issuer.asked] == ["GET /keys?p=a HTTP/1.1"] * 2


async def test_where_nobody_listens_there_is_no_key(issuer: Issuer) -> None:
    issuer.publish(OLD)
    assert not await Machine(issuer.url.replace("127.0.0.1", "127.0.0.2")).admits(OLD)
    assert issuer.asked == []


async def test_a_silent_issuer_is_not_waited_for_long_and_known_keys_go_on(issuer: Issuer) -> None:
    issuer.publish(OLD)
    machine = Machine(issuer.url, timeout_seconds=0.5)
    assert await machine.admits(OLD)
    issuer.held.clear()
    machine.now += 61
    waiting = asyncio.ensure_future(machine.admits(NEW))
    while len(issuer.asked) < 2:
        await asyncio.sleep(0)
    assert await machine.admits(OLD)
    assert not await waiting


async def test_a_server_nobody_vouches_for_is_not_believed(tmp_path: Path) -> None:
    """TLS is checked against the system's authorities, whoever gave the address."""
    private, certificate = new_location_key("ES256", "127.0.0.1", datetime.now(UTC), os.urandom)
    both = tmp_path / "both.pem"
    both.write_bytes(private + ssl.DER_cert_to_PEM_cert(certificate).encode())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)
    async with serving(context) as issuer:
        issuer.publish(OLD)
        machine = Machine(issuer.url.replace("http://", "https://"))
        assert not await machine.admits(OLD)
        assert issuer.asked == []
