"""A stage for the simulator: it runs on a free port, and a small institution plays lastro against it."""

import asyncio
import random
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from aiohttp import web
from litestar import Litestar
from tests import signatures

from lastro.standards import brcode, jws, payload, pix_ids, recurrence_ids, recurrence_payload
from lastro_sim.application import build, routed
from lastro_sim.bells import Bells
from lastro_sim.chance import Dice
from lastro_sim.clock import Clock, counted
from lastro_sim.network import Network
from lastro_sim.settings import LASTRO_ISPB, Settings
from lastro_sim.store import Store
from lastro_sim.whole_answers import WholeAnswers

TOKEN = "the-participants-token"
PATIENCE_SECONDS = 15.0
Message = dict[str, Any]
# Making routes takes longer than most of these tests; what a simulator knows is its network's, which each has for itself.
_idle_routes: list[Litestar] = []


async def until(found: Callable[[], Any]) -> Any:
    """Look again until there is something, with a deadline."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE_SECONDS
    while loop.time() < deadline:
        value = found()
        if value:
            return value
        await asyncio.sleep(0.005)
    raise AssertionError("it never came")


class Sim:
    """A running simulator and a client of it."""

    def __init__(self, network: Network, http: httpx.AsyncClient) -> None:
        self.network = network
        self.http = http
        self.authorized = {"Authorization": f"Bearer {TOKEN}"}

    async def act(self, path: str, body: object) -> Any:
        """An act that must be answered 200."""
        answered = await self.http.post(path, json=body)
        assert answered.status_code == 200, answered.text
        return answered.json()

    async def ask(self, method: str, path: str, body: object = None, **headers: str) -> httpx.Response:
        """A request of the participant."""
        extra = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.http.request(method, path, json=body, headers=self.authorized | extra)

    async def send(self, message: Message, ispb: str = LASTRO_ISPB) -> httpx.Response:
        return await self.ask("POST", f"/spi/v1/in/{ispb}/msgs", message)

    async def payment(self, end_to_end_id: str) -> Message:
        data = (await self.http.get("/payments", params={"endToEndId": end_to_end_id})).json()["data"]
        assert len(data) == 1
        found: Message = data[0]
        return found


@asynccontextmanager
async def running(
    home: Path, *, machine: Callable[[], datetime] = lambda: datetime.now(UTC), **changes: Any
) -> AsyncIterator[Sim]:
    """The simulator on a free port, with its memory in `home`. machine: what it takes for the machine's clock."""
    listener = socket.socket(proto=socket.IPPROTO_TCP)  # else asyncio leaves Nagle on
    listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    settings = Settings(**({"home": home, "token": TOKEN, "port": port, "ask_seconds": 10.0} | changes))
    store = Store(settings.store_path)
    clock = Clock(lambda: counted(machine()), store.number("clock-offset"))
    network = Network(settings, store, clock, Dice(random.SystemRandom()), Bells())
    routes = _idle_routes.pop() if _idle_routes else routed()
    config = uvicorn.Config(build(network, over=routes), http=WholeAnswers, log_level="warning")
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup(sockets=[listener])
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_SECONDS, verify=False) as http:
            yield Sim(network, http)
    finally:
        # By hand: uvicorn's own end waits a tenth of a second twice.
        for door in server.servers:
            door.close()
        for connection in tuple(server.server_state.connections):
            connection.shutdown()
        for task in server.server_state.tasks:
            task.cancel()
        await asyncio.gather(*server.server_state.tasks, return_exceptions=True)
        await server.lifespan.shutdown()
        _idle_routes.append(routes)
        store.close()


@dataclass
class Institution:
    """Plays lastro: pulls its messages, keeps them, and answers what it is asked."""

    sim: Sim
    heard: list[Message] = field(default_factory=list)
    refusals: dict[str, str] = field(default_factory=dict)
    """By txid, amount or `*`: the code it refuses with."""
    silent: bool = False
    sent: int = 0

    def of(self, name: str, kind: str | None = None) -> list[Message]:
        """What was told about an endToEndId or idRec."""
        return [
            one
            for one in self.heard
            if name in (one.get("endToEndId"), one.get("idRec")) and (kind is None or one["type"] == kind)
        ]

    async def final(self, end_to_end_id: str) -> Message:
        found = await until(lambda: self.of(end_to_end_id, "pacs.002"))
        last: Message = found[-1]
        return last

    def message(self, kind: str, **fields: Any) -> Message:
        self.sent += 1
        name = pix_ids.message_id(LASTRO_ISPB, random.SystemRandom().randbytes(32))
        return {"msgId": name, "type": kind, "createdAt": "2026-11-21T00:00:00Z"} | fields

    async def answer(self, question: Message) -> None:
        code = next(
            (self.refusals[name] for name in (question.get("txId"), question["amount"], "*") if name in self.refusals),
            None,
        )
        verdict = {"status": "RJCT", "code": code} if code else {"status": "ACSP"}
        about = {"originalMsgId": question["msgId"], "endToEndId": question["endToEndId"]}
        answered = await self.sim.send(self.message("pacs.002", **about, **verdict))
        if answered.status_code == 503:
            await asyncio.sleep(0.01)
            await self.answer(question)

    async def confirm(self, question: Message) -> None:
        """Answers a payer's yes to a recurrence."""
        code = self.refusals.get(question["idRec"], self.refusals.get("*"))
        verdict = {"status": "RJCT", "code": code} if code else {"status": "ACCP"}
        about = {"originalMsgId": question["msgId"], "idRec": question["idRec"]}
        message = self.message("pain.012", **about, **verdict)
        while (await self.sim.send(message)).status_code == 503:
            await asyncio.sleep(0.01)

    async def work(self) -> None:
        path = f"/spi/v1/out/{LASTRO_ISPB}/stream/start?wait=5"
        while True:
            answered = await self.sim.ask("GET", path)
            assert answered.status_code in {200, 204}, answered.text
            for message in answered.json()["messages"] if answered.status_code == 200 else []:
                self.heard.append(message)
                if message["type"] == "pacs.008" and not self.silent:
                    await self.answer(message)
                if message["type"] == "pain.012" and message["status"] == "ACCP" and "payer" in message and not self.silent:
                    await self.confirm(message)
            path = answered.headers["PI-Pull-Next"] + "?wait=5"


@asynccontextmanager
async def working(sim: Sim) -> AsyncIterator[Institution]:
    """An institution that works on its messages in the background."""
    institution = Institution(sim)
    task = asyncio.create_task(institution.work())
    try:
        yield institution
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, httpx.HTTPError):
            await task


@dataclass
class Till:
    """Serves locations and keys the way lastro does."""

    host: str
    key: jws.LocationKey
    charges: dict[str, payload.ChargePayload | int | bytes] = field(default_factory=dict)
    recurrences: dict[str, recurrence_payload.RecurrencePayload | int | bytes] = field(default_factory=dict)
    published: dict[str, Any] | None = None
    fetched: int = 0

    def signed_as(self, algorithm: str, names: tuple[str, ...]) -> None:
        """All that is served from now on is signed as another bank does it."""
        signer = signatures.Foreign.new("k1", self.key.jku, algorithm)
        self.published = signer.jwks()
        for name, recurrence in self.recurrences.items():
            assert isinstance(recurrence, recurrence_payload.RecurrencePayload)
            self.recurrences[name] = signer.signed(recurrence_payload.encode(recurrence), algorithm, names).encode()
        for name, charge in self.charges.items():
            assert isinstance(charge, payload.ChargePayload)
            self.charges[name] = signer.signed(payload.encode(charge), algorithm, names).encode()

    def recurrence(self, charge: str | None = None, **changes: Any) -> tuple[str, str]:
        """A new recurrence, with the charge of this name where it is paid at once; answers its QR text and idRec."""
        name = f"r{len(self.recurrences)}"
        now = datetime.now(UTC)
        id_rec = recurrence_ids.recurrence_id(
            LASTRO_ISPB, now.date(), 7, random.SystemRandom().randrange(62**6), retries=True
        )
        values: dict[str, Any] = {
            "recurrence_id": id_rec, "contract": "contrato-1", "purpose": "Mensalidade", "frequency": "MONTHLY",
            "debtor": payload.Debtor(name="Pessoa Pagadora", document_type="CPF", document="12345678909"),
            "starts_on": now.date() + timedelta(days=10), "retries": True,
            "receiver": recurrence_payload.Receiver(
                name=OWNER["name"], cnpj=OWNER["document"]["number"], ispb=LASTRO_ISPB
            ),
            "updates": (recurrence_payload.Update(status="CRIADA", at=now),),
        }  # fmt: skip
        self.recurrences[name] = recurrence_payload.RecurrencePayload(**(values | changes))
        location = None if charge is None else f"{self.host}/qr/v2/{charge}"
        code = brcode.BrCode(
            merchant_name="Loja da Ana", merchant_city="SAO PAULO", location=location, single_use=charge is not None,
            recurrence_location=f"{self.host}/qr/v2/rec/{name}",
        )  # fmt: skip
        return brcode.encode(code), id_rec

    def paid_recurrence(self, pix_key: str, **changes: Any) -> tuple[str, str, str]:
        """A recurrence that is authorized by paying 10.00; answers its QR text, idRec and txid."""
        _, txid = self.charge(pix_key)
        return *self.recurrence(f"t{len(self.charges) - 1}", **changes), txid

    async def serve_recurrence(self, request: web.Request) -> web.Response:
        found = self.recurrences.get(request.match_info["name"], 404)
        if isinstance(found, int):
            return web.Response(status=found)
        body = found if isinstance(found, bytes) else jws.sign(recurrence_payload.encode(found), self.key).encode()
        return web.Response(body=body, content_type="application/jose")

    def charge(self, pix_key: str, **changes: Any) -> tuple[str, str]:
        """A new charge; answers its QR text and txid."""
        name = f"t{len(self.charges)}"
        now = datetime.now(UTC)
        txid = pix_ids.dynamic_txid(7, random.SystemRandom().randbytes(24))
        values: dict[str, Any] = {
            "revision": 0, "created_at": now, "presented_at": now, "expiration": 3600, "txid": txid,
            "status": "ATIVA", "amount": "10.00", "key": pix_key, "payer_request": "Pedido 1",
        }  # fmt: skip
        self.charges[name] = payload.ChargePayload(**(values | changes))
        return self.code(name), txid

    def code(self, name: str) -> str:
        location = f"{self.host}/qr/v2/{name}"
        return brcode.encode(
            brcode.BrCode(merchant_name="Loja da Ana", merchant_city="SAO PAULO", location=location, single_use=True)
        )

    async def serve_charge(self, request: web.Request) -> web.Response:
        found = self.charges.get(request.match_info["name"], 404)
        if isinstance(found, int):
            return web.Response(status=found)
        body = found if isinstance(found, bytes) else jws.sign(payload.encode(found), self.key).encode()
        return web.Response(body=body, content_type="application/jose")

    async def serve_keys(self, _: web.Request) -> web.Response:
        self.fetched += 1
        return web.json_response(jws.public_jwks([self.key]) if self.published is None else self.published)


def location_key(jku: str, kid: str = "k1") -> jws.LocationKey:
    return signatures.location_key(kid, jku)


@asynccontextmanager
async def till(sim: Sim) -> AsyncIterator[Till]:
    """A registered participant's locations on a free port."""
    listener = socket.socket(proto=socket.IPPROTO_TCP)  # else asyncio leaves Nagle on
    listener.bind(("127.0.0.1", 0))
    host = f"127.0.0.1:{listener.getsockname()[1]}"
    made = Till(host, location_key(f"http://{host}/jwks"))
    app = web.Application()
    app.router.add_get("/qr/v2/rec/{name}", made.serve_recurrence)
    app.router.add_get("/qr/v2/{name}", made.serve_charge)
    app.router.add_get("/jwks", made.serve_keys)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.SockSite(runner, listener).start()
    registered = await sim.ask("PUT", f"/participants/{LASTRO_ISPB}", {"name": "LASTRO", "jku": made.key.jku, "host": host})
    assert registered.status_code == 200, registered.text
    try:
        yield made
    finally:
        await runner.cleanup()


ACCOUNT = {"ispb": LASTRO_ISPB, "branch": "0001", "account": "00000019", "accountType": "TRAN"}
OWNER: dict[str, Any] = {"name": "Loja da Ana Ltda", "document": {"type": "CNPJ", "number": "11222333000181"}}


def _entry(request_id: str) -> dict[str, Any]:
    return {"requestId": request_id, "reason": "USER_REQUESTED", "type": "EVP", "owner": OWNER, "account": ACCOUNT}


async def registered_key(sim: Sim, request_id: str = "r1") -> str:
    """A random key of the institution's account."""
    made = await sim.ask("POST", "/dict/v2/entries", _entry(request_id))
    assert made.status_code == 201, made.text
    key: str = made.json()["key"]
    return key
