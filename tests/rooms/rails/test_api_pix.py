"""Our adapter and the simulated bank, over a socket and in every bank's dialect: issued, paid, found, refunded, taken."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import uvicorn
from tests.sim.stage import Sim, running

from lastro.core.money import Money
from lastro.core.secrets import Secret
from lastro.orders import ForeignPayments
from lastro.rails import port
from lastro.rails.api_pix import (
    DIALECTS,
    Ambient,
    ApiPix,
    ApiPixIssuer,
    BankLine,
    Connection,
    Stores,
    issuer_of,
    rail_of,
)
from lastro.rails.api_pix.lists import Lists
from lastro.rails.api_pix.opening import terms_of
from lastro.rails.api_pix.own_returns import OwnReturns
from lastro.rails.api_pix.sweep import ReturnsReader, TakenReturn, sweep_returns
from lastro.rails.inbox import Inbox
from lastro.rails.instruments import Instruments
from lastro.rails.port import Pending, Permanent, Unknown
from lastro.rails.port.issuing import ChargeRequest
from lastro.standards.pix_ids import dynamic_txid, return_id
from lastro_sim.api_pix.customers import DEMO, DEMO_KEYS
from lastro_sim.api_pix.listener import BankSocket
from lastro_sim.api_pix.server import build_bank

from .api_pix_branch import order_with
from .conftest import House, Scene, until
from .network import ISPB

RAIL, KEY = "efi1", DEMO_KEYS[0]
NOBODY = UUID(int=0)
BASES = {"sicredi": "/api", "santander": "/api/v1"}
# The one that asks for no secret proves its client by its certificate: test_tokens has it.
SPOKEN = sorted(DIALECTS.keys() - {"sicoob"})


@dataclass
class Branch:
    """A simulated bank with a customer, and all of lastro that speaks to it."""

    scene: Scene
    ana: UUID
    sim: Sim
    connection: Connection
    line: BankLine
    rail: ApiPix
    issuer: ApiPixIssuer
    taken: list[TakenReturn] = field(default_factory=list)

    async def issue(self, cents: int = 1050) -> str:
        """A charge, and the instrument of its order; its txid."""
        txid = dynamic_txid(7, os.urandom(24))
        made = await self.issuer.issue(ChargeRequest(txid, Money(cents, "BRL"), KEY, 3600, "Ana Comercio", "SAO PAULO"))
        assert abs(made.expires_at - await self.scene.now() - timedelta(hours=1)) < timedelta(minutes=1)
        await order_with(self.scene, self.ana, txid, KEY)
        return txid

    async def pay(self, **wish: Any) -> str:
        name: str = (await self.sim.act("/bank/company/payments", wish))["endToEndId"]
        return name

    async def fault(self, behaviour: str, **more: Any) -> None:
        await self.sim.act("/faults", {"operation": "bank", "behaviour": behaviour} | more)

    async def poll(self) -> None:
        inbox = Inbox(self.scene.database, self.scene.work, self.scene.chance, ISPB, RAIL)
        await self.rail.catch_up(inbox.keep)

    async def told(self) -> dict[str, port.Collected]:
        rows = await self.scene.rows("SELECT * FROM inbox WHERE rail = $1 AND company_id = $2", RAIL, self.ana)
        assert {row["kind"] for row in rows} <= {port.COLLECTION_SETTLED}
        return {row["subject"]: port.collected(bytes(row["body"])) for row in rows}

    async def foreign(self) -> list[str]:
        return [row["payment_id"] for row in await self.scene.rows("SELECT payment_id FROM foreign_payments")]

    async def to_give_back(self, payment_id: str, number: int = 1) -> tuple[str, bytes]:
        """A refund of a real in our books; its id and its order."""
        name = return_id(ISPB, await self.scene.now(), 7, number)
        await self.scene.returning(self.ana, name)
        await self.scene.admin.execute("UPDATE refunds SET rail = $1, amount_minor = 100 WHERE return_id = $2", RAIL, name)
        await self.scene.admin.execute(
            "UPDATE pix_payments SET end_to_end_id = $1, rail = $2 WHERE end_to_end_id = $3",
            payment_id,
            RAIL,
            "E" + name[1:],
        )
        return name, port.encode(port.ReturnOrder(name, payment_id, Money(100, "BRL"), "MD06"))

    async def keep(self, rail: str, taken: Any) -> None:
        self.taken += taken


@asynccontextmanager
async def _served(sim: Sim) -> AsyncIterator[str]:
    settings = uvicorn.Config(build_bank(sim.network), port=0, lifespan="off", log_config=None, timeout_graceful_shutdown=1)
    server = BankSocket(settings)
    task = asyncio.create_task(server.serve())
    try:
        await server.serves.wait()
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        await task


@pytest.fixture
def dialect() -> str:
    return "standard"


@pytest.fixture
async def branch(scene: Scene, house: House, tmp_path: Path, dialect: str) -> AsyncIterator[Branch]:
    async with running(tmp_path) as sim, _served(sim) as url:
        await sim.act(f"/bank/company/customers/{DEMO.client_id}/dialect", {"dialect": dialect})
        secret = Secret(sim.network.store.get("bank_customer", client_id=DEMO.client_id)["secret"])
        connection = Connection(
            name=RAIL, company=7, dialect=DIALECTS[dialect], base_url=url + BASES.get(dialect, "/v2"),
            token_url=f"{url}/oauth/token", client_id=DEMO.client_id, client_secret=secret, certificate=None, ca_file=None,
            keys=dict.fromkeys(DEMO_KEYS, "00000001-9"), app_key=Secret("an-app-key"), bank_account="400001",
        )  # fmt: skip
        line = BankLine(connection, Ambient(time.monotonic, lambda: datetime.now(UTC), lambda: "id"))
        stores = Stores(scene.database, scene.work, ForeignPayments(scene.runner, house.ana), UUID(int=1))
        issuer = issuer_of(connection, line)
        yield Branch(scene, house.ana, sim, connection, line, rail_of(connection, line, stores), issuer)
        await line.close()


@pytest.mark.parametrize("dialect", SPOKEN)
async def test_an_order_is_issued_paid_found_and_refunded(branch: Branch) -> None:
    txid, unpaid = await branch.issue(), await branch.issue(2000)
    name = await branch.pay(txid=txid)
    foreign = await branch.pay(key=KEY, amount="3.00")
    await branch.poll()
    (told,) = (await branch.told()).values()
    assert (told.payment_id, told.reference, told.amount) == (name, txid, Money(1050, "BRL"))
    assert abs(told.paid_at - await branch.scene.now()) < timedelta(minutes=1)
    assert await branch.foreign() == [foreign]
    assert await branch.rail.status_of(port.COLLECTION_SETTLED, unpaid) == Pending()
    answer = await branch.rail.status_of(port.COLLECTION_SETTLED, txid)
    assert isinstance(answer, port.NetworkMessage)
    assert port.collected(answer.body).payment_id == name

    back, order = await branch.to_give_back(name)
    assert await branch.rail.status_of(port.RETURN_SEND, back) == Unknown()
    for _ in range(2):
        await branch.rail.send(port.RETURN_SEND, back, order, NOBODY)

    async def ended() -> Any:
        found = await branch.rail.status_of(port.RETURN_SEND, back)
        return found if isinstance(found, port.NetworkMessage) else None

    final = port.return_final((await until(ended)).body)
    assert (final.settled, final.amount, final.end_to_end_id) == (True, Money(100, "BRL"), name)
    assert final.settled_at is not None
    assert abs(final.settled_at - await branch.scene.now()) < timedelta(minutes=1)


@pytest.mark.parametrize("dialect", SPOKEN)
async def test_a_charge_is_closed_and_closed_again(branch: Branch) -> None:
    txid = await branch.issue()
    close = port.encode(port.CollectionClose(txid))
    for _ in range(2):
        await branch.rail.send(port.COLLECTION_CLOSE, f"close:{txid}", close, NOBODY)
    answer = await branch.rail.status_of(port.COLLECTION_CLOSE, f"close:{txid}")
    assert isinstance(answer, port.NetworkMessage)
    assert port.collection_refused(answer.body).code == "REMOVIDA_PELO_USUARIO_RECEBEDOR"
    paid = await branch.issue()
    await branch.pay(txid=paid)
    await branch.rail.send(port.COLLECTION_CLOSE, f"close:{paid}", port.encode(port.CollectionClose(paid)), NOBODY)


@pytest.mark.parametrize("dialect", ["standard", "efi", "bb"])
async def test_more_than_was_paid_is_refused_for_good(branch: Branch) -> None:
    name = await branch.pay(txid=await branch.issue(50))
    back, order = await branch.to_give_back(name)
    with pytest.raises(Permanent):
        await branch.rail.send(port.RETURN_SEND, back, order, NOBODY)


@pytest.mark.parametrize(
    "behaviour",
    ["lost-after-effect", "lost-before-effect", "soap-500", "html-502", "not-json", "unavailable", "gateway-404"],
)
async def test_a_fault_makes_no_second_refund_and_loses_none(branch: Branch, behaviour: str) -> None:
    name = await branch.pay(txid=await branch.issue())
    back, order = await branch.to_give_back(name)
    await branch.fault(behaviour, code="after")
    for _ in range(2):
        try:
            await branch.rail.send(port.RETURN_SEND, back, order, NOBODY)
            break
        except port.Transient:
            continue
    assert await branch.rail.status_of(port.RETURN_SEND, back) != Unknown()
    (pix,) = [one for one in await _listed(branch) if one["endToEndId"] == name]
    assert [one["valor"] for one in pix["devolucoes"]] == ["1.00"]


@pytest.mark.parametrize("behaviour", ["null-fields", "unknown-fields", "no-chave", "ok-for-created", "page-changes"])
async def test_an_odd_answer_hides_no_payment(branch: Branch, behaviour: str) -> None:
    txid = await branch.issue()
    name = await branch.pay(txid=txid)
    await branch.fault(behaviour)
    await branch.poll()
    assert list(await branch.told()) == [name]


async def test_what_the_bank_takes_is_found_by_the_sweep(branch: Branch) -> None:
    name = await branch.pay(txid=await branch.issue())
    foreign = await branch.pay(key=KEY, amount="3.00")
    await branch.sim.act(f"/bank/company/pix/{name}/return", {"amount": "4.00", "nature": "MED_FRAUDE"})
    await branch.sim.act(f"/bank/company/pix/{name}/return", {"amount": "0.50"})
    await branch.sim.act(f"/bank/company/pix/{foreign}/return", {})
    back, order = await branch.to_give_back(name)
    await branch.rail.send(port.RETURN_SEND, back, order, NOBODY)
    terms = terms_of(branch.connection)
    own_returns, foreign_list = OwnReturns(branch.scene.work, RAIL), ForeignPayments(branch.scene.runner, branch.ana)
    reader = ReturnsReader(terms, Instruments(branch.scene.work, branch.scene.database), foreign_list, own_returns)

    async def both() -> bool:
        branch.taken.clear()
        return await sweep_returns(RAIL, Lists(terms, branch.line), datetime.now(UTC), reader, branch) == 2

    await until(both)
    assert sorted((one.nature, str(one.amount)) for one in branch.taken) == [("CONSOLE", "0.50"), ("MED_FRAUDE", "4.00")]


async def _listed(branch: Branch) -> list[Any]:
    listed: list[Any] = (await branch.sim.http.get("/bank/company/pix")).json()["data"]
    return listed
