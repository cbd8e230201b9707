"""The calls of the companies' bank to webhooks: what is told, to whom, when, and what may go wrong with it."""

import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from lastro_sim.api_pix import authority, listener

from .company_bank import KEY, Desk, desk, kind
from .stage import Sim, running, until


@dataclass
class Shop:
    """A receiver of webhooks. statuses: of its next answers, 200 else."""

    base: str = ""
    heard: list[tuple[str, Any]] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    asks_for_certificates: bool = False

    async def receive(self, request: web.Request) -> web.Response:
        tls = request.transport and request.transport.get_extra_info("ssl_object")
        if self.asks_for_certificates and not (tls and tls.getpeercert()):
            return web.Response(status=403)
        self.heard.append((request.path, json.loads(await request.read())))
        return web.Response(status=self.statuses.pop(0) if self.statuses else 200)

    def pix(self) -> list[str]:
        """The endToEndIds that were told, in turn."""
        return [one["endToEndId"] for _, body in self.heard for one in body.get("pix", [])]


@asynccontextmanager
async def shop(context: ssl.SSLContext | None = None) -> AsyncIterator[Shop]:
    made, app = Shop(), web.Application()
    app.router.add_post("/{path:.*}", made.receive)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
    await site.start()
    port = runner.addresses[0][1]
    made.base = f"{'http' if context is None else 'https'}://127.0.0.1:{port}/hook/secret"
    try:
        yield made
    finally:
        await runner.cleanup()


@pytest.fixture
async def bank(sim: Sim) -> AsyncIterator[Desk]:
    async with desk(sim) as made:
        yield made


@pytest.fixture
async def told(bank: Desk) -> AsyncIterator[Shop]:
    async with shop() as made:
        await bank.done("PUT", f"/webhook/{KEY}", {"webhookUrl": made.base})
        yield made


async def answered(bank: Desk, count: int) -> list[Any]:
    """Waits until so many notices are done with; answers all."""

    def done() -> bool:
        rows = bank.sim.network.store.every("bank_notice")
        return len(rows) >= count and all(row["due_at"] is None for row in rows if not row["held"])

    await until(done)
    found: list[Any] = (await bank.sim.http.get("/bank/company/notices")).json()["data"]
    return found


async def test_a_pix_with_a_txid_is_told_at_the_base_and_pix(bank: Desk, told: Shop) -> None:
    await bank.pay(key=KEY, amount="1.00")  # without a txid
    _, name = await bank.paid()
    await answered(bank, 1)
    assert told.heard == [("/hook/secret/pix", {"pix": [await bank.done("GET", f"/pix/{name}")]})]


async def test_the_end_of_a_return_is_told_too(bank: Desk, told: Shop) -> None:
    _, name = await bank.paid()
    await bank.done("PUT", f"/pix/{name}/devolucao/r1", {"valor": "1.00"})
    await answered(bank, 2)
    assert told.pix() == [name, name]
    assert told.heard[1][1]["pix"][0]["devolucoes"][0]["status"] == "DEVOLVIDO"


async def test_a_webhook_that_was_removed_is_not_called(bank: Desk, told: Shop) -> None:
    await bank.ask("DELETE", f"/webhook/{KEY}")
    await bank.paid()
    assert bank.sim.network.store.every("bank_notice") == []


async def test_the_standard_bank_never_tries_again_and_efi_does(bank: Desk, told: Shop) -> None:
    told.statuses = [500, 500, 200]
    await bank.paid()
    (first,) = await answered(bank, 1)
    assert (first["tries"], first["answered"]) == (1, 500)
    await bank.sim.act(f"/bank/company/customers/{bank.client_id}/dialect", {"dialect": "efi"})
    await bank.paid()
    waiting = bank.sim.network.store
    await until(lambda: waiting.get("bank_notice", seq=2)["tries"] == 1)
    await bank.pass_time(301)
    second = (await answered(bank, 2))[1]
    assert (second["tries"], second["answered"]) == (2, 200)


async def test_a_notice_comes_never_twice_late_or_behind_the_next(bank: Desk, told: Shop) -> None:
    await bank.fault("none", "bank_webhook")
    await bank.paid()
    await bank.fault("twice", "bank_webhook")
    _, twice = await bank.paid()
    await answered(bank, 2)
    assert told.pix() == [twice, twice]
    await bank.fault("out-of-order", "bank_webhook")
    _, behind = await bank.paid()
    _, before = await bank.paid()
    await until(lambda: len(told.heard) == 4)
    assert told.pix()[2:] == [before, behind]
    await bank.fault("late", "bank_webhook", delay=3600)
    _, late = await bank.paid()
    assert late not in told.pix()
    await bank.pass_time(3601)
    await until(lambda: late in told.pix())


async def test_a_notice_is_forged_or_goes_to_another(bank: Desk, told: Shop) -> None:
    await bank.fault("forged", "bank_webhook")
    tx_id, name = await bank.paid()
    await answered(bank, 1)
    forged = told.heard[0][1]["pix"][0]
    assert (forged["txid"], forged["valor"], forged["endToEndId"] == name) == (tx_id, "9999.99", False)
    assert kind(await bank.ask("GET", f"/pix/{forged['endToEndId']}")) == (404, "PixNaoEncontrado")
    async with shop() as elsewhere:
        await bank.sim.act("/bank/company/customers", {"clientId": "other", "keys": ["other@example.com"]})
        async with desk(bank.sim, "other") as other:
            await other.done("PUT", "/webhook/other@example.com", {"webhookUrl": elsewhere.base})
        await bank.fault("wrong-customer", "bank_webhook")
        _, strayed = await bank.paid()
        await answered(bank, 2)
        assert (elsewhere.pix(), strayed in told.pix()) == ([strayed], False)


async def test_anybody_may_send_anything_to_a_webhook(bank: Desk, told: Shop) -> None:
    await bank.sim.act("/bank/company/notices", {"key": KEY, "body": {"pix": "?"}})
    await answered(bank, 1)
    assert told.heard == [("/hook/secret/pix", {"pix": "?"})]


def _asking(network: Any) -> ssl.SSLContext:
    """A server of the bank's authority that looks at certificates and lets the application refuse."""
    made = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    own = authority.files(network, authority.SERVER)
    made.load_cert_chain(own.certificate, own.key)
    made.load_verify_locations(authority.files(network, authority.AUTHORITY).certificate)
    made.verify_mode = ssl.CERT_OPTIONAL
    return made


async def test_efi_tries_a_webhook_with_and_without_its_certificate(tmp_path: Path) -> None:
    async with (
        running(tmp_path, bank_port=0) as sim, listener.listening(sim.network, "127.0.0.1"), desk(sim) as bank,
        shop(_asking(sim.network)) as made,
    ):  # fmt: skip
        await sim.act(f"/bank/company/customers/{bank.client_id}/dialect", {"dialect": "efi"})
        path, body = f"/webhook/{KEY}", {"webhookUrl": f"{made.base}?hmac=1&ignorar="}
        refused = await bank.ask("PUT", path, body)
        assert (refused.status_code, refused.json()["nome"]) == (400, "webhook_operacao_invalida")
        assert [where for where, _ in made.heard] == ["/hook/secret"]
        bank.headers["x-skip-mtls-checking"] = "true"
        assert (await bank.ask("PUT", path, body)).status_code == 200
        del bank.headers["x-skip-mtls-checking"]
        made.asks_for_certificates = True
        assert (await bank.ask("PUT", path, body)).status_code == 200
        made.heard.clear()
        _, name = await bank.paid()
        await until(made.pix)
        # Nothing is appended behind Efí's mark.
        assert [(where, told["pix"][0]["endToEndId"]) for where, told in made.heard] == [("/hook/secret", name)]
