"""Charges at other banks: fetched, believed where they are signed by a participant, and what that asks of whom."""

import asyncio
import base64
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aiohttp import web
from tests.signatures import END, START, WAYS, Foreign, certificate, location_key, rsa_private, thumbprint

from lastro.core.money import Money
from lastro.core.secrets import Secret
from lastro.http_client import OutgoingClient
from lastro.rails.locations import Fetcher, Locations, Trust
from lastro.rails.port import Charge, NoCharge, Transient
from lastro.rails.spi import Spi, SpiEndpoint
from lastro.standards import jws, payload

from .network import ISPB, TOKEN

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
CHARGE = payload.ChargePayload(
    revision=0, created_at=NOW, presented_at=NOW, expiration=60, txid="a" * 26, status="ATIVA", amount="10.50",
    key="fabio@fora.example",
)  # fmt: skip
WANTED = Charge("fabio@fora.example", Money(1050, "BRL"), "a" * 26)


def key(kid: str, jku: str) -> jws.LocationKey:
    return location_key(kid, jku)


@dataclass
class Bank:
    """Another bank and the directory, on one host. says: what its location answers. asked: how often each path was."""

    says: Callable[[], Any] = web.Response
    keys: list[jws.LocationKey] = field(default_factory=list)
    keys_headers: dict[str, str] = field(default_factory=dict)
    hosts: list[str] = field(default_factory=list)
    others: list[tuple[str, str]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    host: str = ""
    now: float = 1000.0
    real: datetime = NOW
    published: dict[str, Any] | None = None

    @property
    def jku(self) -> str:
        return f"http://{self.host}/jwks"

    @property
    def location(self) -> str:
        return f"{self.host}/qr/v2/x"

    def times(self, path: str) -> int:
        return self.asked.count(path)

    def shows(self, signer: jws.LocationKey | None = None, body: bytes | None = None) -> None:
        self.serves(jws.sign(payload.encode(CHARGE) if body is None else body, signer or self.keys[-1]))

    def signs(self, algorithm: str, names: tuple[str, ...] = ("x5t",), **dates: datetime) -> Foreign:
        """The charge is signed as another bank does it."""
        signer = Foreign.new("k1", self.jku, algorithm, **dates)
        self.published = signer.jwks()
        self.serves(signer.signed(payload.encode(CHARGE), algorithm, names))
        return signer

    def serves(self, compact: str) -> None:
        self.says = lambda: web.Response(body=compact.encode(), content_type="application/jose")

    async def answer(self, request: web.Request) -> Any:
        self.asked.append(request.path)
        match request.path:
            case "/participants":
                rows = [{"ispb": "1", "name": "B", "jku": "https://other.example/k", "host": h} for h in self.hosts]
                rows += [{"ispb": i, "name": "C", "jku": f"https://{h}/k", "host": h} for i, h in self.others]
                return web.json_response({"data": rows})
            case "/jwks":
                found = jws.public_jwks(self.keys) if self.published is None else self.published
                return web.json_response(found, headers=self.keys_headers)
        said = self.says()
        return await said if asyncio.iscoroutine(said) else said


@dataclass
class Scene:
    bank: Bank
    locations: Locations
    own: dict[str, bytes | None]

    async def read(self, location: str | None = None, at: datetime = NOW) -> Charge | NoCharge:
        return await self.locations.read(location or self.bank.location, at)

    async def issue(self, location: str | None = None) -> tuple[str, str]:
        """The issue of a no, and its text."""
        found = await self.read(location)
        assert isinstance(found, NoCharge), found
        return found.issue, found.text


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    bank = Bank()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", bank.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    bank.host = f"127.0.0.1:{runner.addresses[0][1]}"
    bank.hosts, bank.keys = [bank.host], [key("k1", bank.jku)]
    bank.shows()
    rail, client = Spi(SpiEndpoint(f"http://{bank.host}", ISPB, Secret(TOKEN))), OutgoingClient(sandbox=True)
    fetcher = Fetcher(client)
    own: dict[str, bytes | None] = {}

    async def inside(token: str) -> bytes | None:
        return own.get(token)

    trust = Trust(rail, fetcher, lambda: bank.now)
    locations = Locations(fetcher, trust, {"pix.lastro.example"}, inside, lambda: bank.real, sandbox=True)
    yield Scene(bank, locations, own)
    await rail.close()
    await client.close()
    await runner.cleanup()


async def test_a_signed_charge_is_read(scene: Scene) -> None:
    assert await scene.read() == WANTED
    assert await scene.issue("127.0.0.1:9/cobv/x") == (
        "NOT_SUPPORTED",
        "is a charge with a due date, which is not paid from here",
    )
    assert scene.bank.asked == ["/qr/v2/x", "/participants", "/jwks"]


@pytest.mark.parametrize(("algorithm", "names"), WAYS)
async def test_a_charge_is_read_however_its_bank_signs(scene: Scene, algorithm: str, names: tuple[str, ...]) -> None:
    scene.bank.signs(algorithm, names)
    assert await scene.read() == WANTED


@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "ES256"])
async def test_a_certificate_counts_while_it_holds_by_real_time(scene: Scene, algorithm: str) -> None:
    scene.bank.signs(algorithm, start=START, end=NOW - timedelta(days=30))
    assert (await scene.issue())[0] == "INVALID"
    scene.bank.real = NOW - timedelta(days=31)
    assert await scene.read() == WANTED
    scene.bank.real = START - timedelta(seconds=1)
    assert (await scene.issue())[0] == "INVALID"


async def test_a_certificate_of_another_key_is_not_believed(scene: Scene) -> None:
    signer = scene.bank.signs("RS256")
    other = certificate(signer.private, end=END - timedelta(days=1))
    scene.bank.published = signer.jwks(x5c=[base64.b64encode(certificate(rsa_private(1))).decode()])
    assert (await scene.issue())[0] == "INVALID"
    scene.bank.now += 11
    scene.bank.published = signer.jwks(x5c=[base64.b64encode(other).decode()])
    scene.bank.serves(signer.signed(payload.encode(CHARGE), "RS256", (), x5t=thumbprint(other, "x5t")))
    assert await scene.read() == WANTED


async def test_hosts_and_keys_are_asked_for_once_while_they_may_be_kept(scene: Scene) -> None:
    bank = scene.bank
    for header, lives in (("max-age=120", 120), ("no-store", 10), (None, 300)):
        bank.asked.clear()
        bank.now += 1000
        bank.keys_headers = {} if header is None else {"Cache-Control": header}
        await scene.read()
        bank.now += lives - 1
        await scene.read()
        assert bank.times("/jwks") == 1, header
        bank.now += 1
        await scene.read()
        assert bank.times("/jwks") == 2, header
    bank.asked.clear()
    bank.now += 61
    await asyncio.gather(*(scene.read() for _ in range(20)))
    assert (bank.times("/participants"), bank.times("/qr/v2/x")) == (1, 20)


async def test_a_new_key_counts_at_once_and_nobody_is_asked_in_a_loop(scene: Scene) -> None:
    bank = scene.bank
    await scene.read()
    bank.now += 11
    bank.keys.append(key("k2", bank.jku))
    bank.shows()
    assert await scene.read() == WANTED
    assert bank.times("/jwks") == 2
    stranger = key("k3", bank.jku)
    bank.shows(stranger)
    for _ in range(5):
        assert (await scene.issue())[0] == "INVALID"
    assert bank.times("/jwks") == 2, "keys that are ten seconds old are new enough to say no"


async def test_a_new_participant_counts_soon(scene: Scene) -> None:
    bank = scene.bank
    bank.hosts = []
    assert await scene.issue() == ("INVALID", "leads to a charge whose signer is no participant of Pix")
    assert bank.times("/jwks") == 0, "strangers' keys are not fetched"
    bank.hosts = [bank.host.upper()]
    bank.now += 11
    assert await scene.read() == WANTED


async def test_a_good_charge_counts_at_an_address_of_its_signer_alone(scene: Scene) -> None:
    """The same charge, with the keys of its bank: shown at an address of nobody, of another bank, of the same bank."""
    bank, elsewhere = scene.bank, scene.bank.location.replace("127.0.0.1", "localhost")
    says = ("INVALID", "leads to an address that is not its signer's")
    assert await scene.issue(elsewhere) == says
    assert bank.times("/jwks") == 0
    host = elsewhere.partition("/")[0]
    for others in ([("2", host)], [("2", host), ("1", "third.example")]):
        bank.now, bank.others = bank.now + 61, others
        assert await scene.issue(elsewhere) == says
    bank.now, bank.others = bank.now + 61, [("2", host), ("1", host)]
    assert await scene.read(elsewhere) == WANTED


@pytest.mark.parametrize(
    ("forge", "says"),
    [
        (lambda b: b.shows(replace(b.keys[0], jku="https://keys.elsewhere.example/jwks")), "no participant"),
        (lambda b: b.shows(replace(b.keys[0], jku=f"http://{b.host}@keys.elsewhere.example/jwks")), "no participant"),
        (lambda b: b.shows(key("k1", b.jku)), "signature"),
        (lambda b: b.shows(key("k9", b.jku)), "signature"),
        (lambda b: b.shows(body=b"{}"), "cannot be read"),
        (lambda b: setattr(b, "says", lambda: web.Response(body=payload.encode(CHARGE))), "not signed"),
        (lambda b: setattr(b, "says", lambda: web.Response(body=b"\xff\xfe")), "not signed"),
        (lambda b: setattr(b, "says", lambda: web.Response(body=b"e30.e30.e30")), "not signed"),
        (lambda b: setattr(b, "says", lambda: web.Response(body=b"x" * 70_000)), "more than a charge"),
        (lambda b: setattr(b, "says", lambda: web.Response(status=302, headers={"Location": "http://10.0.0.1/"})), "leads on"),
        (lambda b: setattr(b, "says", lambda: web.Response(status=400)), "HTTP status 400"),
    ],
)  # fmt: skip
async def test_what_is_not_believed(scene: Scene, forge: Callable[[Bank], None], says: str) -> None:
    forge(scene.bank)
    issue, text = await scene.issue()
    assert issue == "INVALID"
    assert says in text


@pytest.mark.parametrize("status", [404, 410])
async def test_what_is_gone_is_over(scene: Scene, status: int) -> None:
    scene.bank.says = lambda: web.Response(status=status)
    assert (await scene.issue())[0] == "EXPIRED"


async def test_a_charge_is_paid_until_its_last_moment(scene: Scene) -> None:
    assert await scene.read(at=NOW + timedelta(seconds=60)) == WANTED
    late = await scene.read(at=NOW + timedelta(seconds=60, microseconds=1))
    assert isinstance(late, NoCharge)


async def _hang() -> web.Response:
    await asyncio.Event().wait()
    return web.Response()


@pytest.mark.parametrize("says", [lambda: web.Response(status=503), lambda: web.Response(status=429), _hang])
async def test_silence_may_end(scene: Scene, says: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lastro.rails.locations.reading.SECONDS", 0.3)
    scene.bank.says = says
    with pytest.raises(Transient):
        await scene.read()
    scene.bank.shows()
    monkeypatch.undo()
    assert await scene.read() == WANTED


async def test_nobody_listens(scene: Scene) -> None:
    with pytest.raises(Transient):
        await scene.read("127.0.0.1:9/qr/v2/x")


async def test_ours_is_read_inside(scene: Scene) -> None:
    token = "00001" + os.urandom(9).hex()[:17]
    scene.own[token] = payload.encode(CHARGE)
    assert await scene.read(f"PIX.lastro.example/qr/v2/{token}") == WANTED
    assert (await scene.issue("pix.lastro.example/qr/v2/" + "0" * 22))[0] == "EXPIRED"
    assert (await scene.issue("pix.lastro.example/health"))[0] == "INVALID"
    assert scene.bank.asked == []


async def test_in_production_this_machine_is_not_asked(scene: Scene) -> None:
    async with OutgoingClient(sandbox=False) as client:
        fetcher = Fetcher(client)
        found = await Locations(fetcher, Trust(Spi(SpiEndpoint("http://x", ISPB, Secret(TOKEN))), fetcher, lambda: 0.0), (),
                                scene.locations._own, lambda: NOW, sandbox=False).read(scene.bank.location, NOW)  # fmt: skip
    assert found == NoCharge("INVALID", "leads to an address that is not asked: only public ones are")
    assert scene.bank.asked == []
