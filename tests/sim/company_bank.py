"""A customer of the simulated bank that speaks API Pix, over its application without a socket."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import httpx

from lastro_sim.api_pix.customers import DEMO, DEMO_KEYS
from lastro_sim.api_pix.server import build_bank
from lastro_sim.clock import moment

from .stage import Sim

KEY = DEMO_KEYS[0]
DEBTOR = {"cpf": "12345678909", "nome": "Ana Devedora"}


def new_tx_id() -> str:
    return f"{random.SystemRandom().getrandbits(128):032x}"


def terms(amount: str = "10.00", key: str = KEY, **more: Any) -> dict[str, Any]:
    return {"calendario": {"expiracao": 3600}, "valor": {"original": amount}, "chave": key} | more


@dataclass
class Desk:
    """A customer with his token. prefix: the base of his addresses."""

    sim: Sim
    http: httpx.AsyncClient
    client_id: str
    secret: str
    prefix: str = "/v2"
    headers: dict[str, str] = field(default_factory=dict)

    async def token(self, scope: str = "", **more: Any) -> httpx.Response:
        data = {"grant_type": "client_credentials"} | ({"scope": scope} if scope else {})
        return await self.http.post("/oauth/token", data=data, auth=(self.client_id, self.secret), **more)

    async def enter(self, scope: str = "") -> None:
        answered = await self.token(scope)
        assert answered.status_code == 200, answered.text
        self.headers["Authorization"] = f"Bearer {answered.json()['access_token']}"

    async def ask(self, method: str, path: str, body: object = None, **query: Any) -> httpx.Response:
        return await self.http.request(method, self.prefix + path, json=body, params=query, headers=self.headers)

    async def done(self, method: str, path: str, body: object = None, **query: Any) -> Any:
        """A call that must be answered 2xx."""
        answered = await self.ask(method, path, body, **query)
        assert answered.is_success, answered.text
        return answered.json() if answered.content else None

    async def charge(self, amount: str = "10.00", **more: Any) -> Any:
        return await self.done("PUT", f"/cob/{new_tx_id()}", terms(amount, **more))

    async def pay(self, **form: Any) -> Any:
        return await self.sim.act("/bank/company/payments", form)

    async def paid(self, amount: str = "10.00") -> tuple[str, str]:
        """A charge that was paid; answers its txid and endToEndId."""
        tx_id = (await self.charge(amount))["txid"]
        return tx_id, (await self.pay(txid=tx_id))["endToEndId"]

    async def listed(self, path: str = "/pix", **query: Any) -> Any:
        """The list of the last day and the next."""
        return await self.done("GET", path, **({"inicio": self.at(-1), "fim": self.at(1)} | query))

    def at(self, days: float = 0) -> str:
        now: datetime = moment(self.sim.network.clock.business()) + timedelta(days=days)
        return now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    async def fault(self, behaviour: str, operation: str = "bank", **more: Any) -> None:
        await self.sim.act("/faults", {"operation": operation, "behaviour": behaviour} | more)

    async def pass_time(self, seconds: float) -> None:
        """Moves business time."""
        self.sim.network.move_clock(self.sim.network.clock.offset + int(seconds * 1_000_000))


@asynccontextmanager
async def desk(sim: Sim, client_id: str = DEMO.client_id) -> AsyncIterator[Desk]:
    """A customer who has his token. The demo's is there from the start."""
    row = sim.network.store.get("bank_customer", client_id=client_id)
    transport = httpx.ASGITransport(build_bank(sim.network))
    async with httpx.AsyncClient(transport=transport, base_url="http://bank") as http:
        made = Desk(sim, http, client_id, row["secret"])
        await made.enter()
        yield made


def kind(answered: httpx.Response) -> tuple[int, str]:
    """The status and type of a problem."""
    assert answered.headers["content-type"] == "application/problem+json"
    body = answered.json()
    assert body["status"] == answered.status_code
    return answered.status_code, body["type"].removeprefix("https://pix.bcb.gov.br/api/v2/error/")
