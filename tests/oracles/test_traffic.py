"""What lastro and the simulated bank say to each other, with Prism between them: nothing that the document does not allow."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import msgspec
import pytest
import uvicorn
from tests.sim.stage import Sim, running

from lastro.core.money import Money
from lastro.core.secrets import Secret
from lastro.rails.api_pix import DIALECTS, Ambient, BankLine, Connection, wire
from lastro.rails.api_pix.charges import Charges, ChargeState
from lastro.rails.api_pix.issuing import ApiPixIssuer
from lastro.rails.api_pix.lists import Lists, ListTerms
from lastro.rails.api_pix.returns import ReturnedPayment, Returns
from lastro.rails.port import NetworkMessage, Person, ReturnOrder, Unknown
from lastro.rails.port.issuing import ChargeRequest, IssueRefused
from lastro_sim.api_pix.customers import DEMO, DEMO_KEYS
from lastro_sim.api_pix.listener import BankSocket
from lastro_sim.api_pix.server import build_bank

from . import pix_api, prism

pytestmark = pix_api.needed

SECONDS = 10.0
RAIL = "bank1"
KEY = DEMO_KEYS[0]
CPF, CNPJ = "12345678909", "12345678000195"


@dataclass(frozen=True, slots=True)
class Stage:
    """A simulated bank, Prism before it, and lastro's line to Prism. Tokens come from the bank itself."""

    sim: Sim
    proxy: prism.Proxy
    line: BankLine

    @property
    def charges(self) -> Charges:
        return Charges(RAIL, self.line, "utc")

    async def state(self, txid: str) -> ChargeState:
        found = await self.charges.state(txid)
        assert isinstance(found, ChargeState)
        return found

    async def listed(self, name: Literal["pix", "cobs"], page_size: int = 100, **filters: str) -> list[bytes]:
        """All that a list has of the last day and the next."""
        found: list[bytes] = []
        now = datetime.now(UTC)

        async def take(rows: tuple[bytes, ...]) -> None:
            found.extend(rows)

        lists = Lists(ListTerms(RAIL, "utc", timedelta(days=5), page_size), self.line)
        await lists.walk(name, now - timedelta(days=1), now + timedelta(days=1), take, **filters)
        return found

    async def charge(self, **changes: Any) -> str:
        """Has a charge made, and returns its txid."""
        asked: dict[str, Any] = {"txid": new_txid(), "amount": Money(1050, "BRL"), "key": KEY, "seconds": 3600,
                                 "receiver_name": "Livraria da Praca", "receiver_city": "SAO PAULO"}  # fmt: skip
        request = ChargeRequest(**asked | changes)
        issuer = ApiPixIssuer(RAIL, self.line, "utc")
        return (await issuer.issue(request)).txid

    async def paid(self) -> tuple[str, str]:
        """A charge that was paid: txid and endToEndId."""
        txid = await self.charge()
        return txid, (await self.sim.act("/bank/company/payments", {"txid": txid}))["endToEndId"]


@pytest.fixture(scope="module")
async def sim(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Sim]:
    async with running(tmp_path_factory.mktemp("sim")) as made:
        yield made


@pytest.fixture(scope="module")
async def bank(sim: Sim) -> AsyncIterator[str]:
    """The bank's own socket, without TLS: Prism has no certificate to show."""
    async with _served(build_bank(sim.network)) as url:
        yield url


@pytest.fixture(scope="module")
def proxy(bank: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[prism.Proxy]:
    with prism.proxy(f"{bank}/v2", tmp_path_factory.mktemp("prism")) as running_one:
        yield running_one


@pytest.fixture
async def stage(sim: Sim, bank: str, proxy: prism.Proxy) -> AsyncIterator[Stage]:
    secret = Secret(sim.network.store.get("bank_customer", client_id=DEMO.client_id)["secret"])
    connection = Connection(
        name=RAIL, company=12, dialect=DIALECTS["standard"], base_url=proxy.url, token_url=f"{bank}/oauth/token",
        client_id=DEMO.client_id, client_secret=secret, certificate=None, ca_file=None, keys={KEY: "000012-3"},
    )  # fmt: skip
    line = BankLine(connection, Ambient(time.monotonic, lambda: datetime.now(UTC), lambda: "id"))
    yield Stage(sim, proxy, line)
    await line.close()


@pytest.fixture
def nothing_refused(proxy: prism.Proxy) -> Iterator[None]:
    """Holds that Prism refuses nothing in a test, of either side."""
    before = len(proxy.errors())
    yield
    assert proxy.errors()[before:] == []


@pytest.mark.usefixtures("nothing_refused")
@pytest.mark.parametrize(
    "changes",
    [
        {}, {"amount": Money(1, "BRL")}, {"amount": Money(999_999_999_999, "BRL")}, {"seconds": 1}, {"seconds": 2**31 - 1},
        {"payer": Person("Ana Devedora", "CPF", CPF)}, {"payer": Person("Padaria & Filhos", "CNPJ", CNPJ)},
        {"text": "Café com açúcar"}, {"text": "x" * 140}, {"payer": Person("n" * 250, "CPF", CPF), "text": '"\\/'},
    ],
    ids=lambda changes: "-".join(changes) or "plain",
)  # fmt: skip
async def test_charges_are_made(stage: Stage, changes: dict[str, Any]) -> None:
    txid = await stage.charge(**changes)
    assert (await stage.state(txid)).status == wire.ACTIVE


@pytest.mark.usefixtures("nothing_refused")
async def test_a_charge_is_removed_and_a_paid_one_is_not(stage: Stage) -> None:
    found = await stage.charges.remove(await stage.charge())
    assert isinstance(found, ChargeState)
    assert found.status == wire.REMOVED_BY_US
    found = await stage.charges.remove((await stage.paid())[0])
    assert isinstance(found, ChargeState)
    assert (found.status, len(found.payments)) == (wire.CONCLUDED, 1)


@pytest.mark.usefixtures("nothing_refused")
async def test_payments_and_charges_are_listed_page_by_page(stage: Stage) -> None:
    paid = dict([await stage.paid() for _ in range(3)])
    payments = [wire.payment(row, "utc") for row in await stage.listed("pix", page_size=1)]
    assert paid.items() <= {one.txid: one.payment_id for one in payments}.items()
    txid = await stage.charge()
    assert txid in {wire.charge(row).txid for row in await stage.listed("cobs", page_size=2, status=wire.ACTIVE)}
    returned = {wire.payment(row, "utc").payment_id for row in await stage.listed("pix", devolucaoPresente="true")}
    assert not returned & set(paid.values())


@pytest.mark.usefixtures("nothing_refused")
async def test_a_payment_that_is_named_is_looked_at(stage: Stage) -> None:
    txid, name = await stage.paid()
    answer = await stage.line.ask("GET", f"/pix/{name}", None, SECONDS)
    found = wire.payment(answer.body, "utc")
    assert (found.txid, found.amount) == (txid, Money(1050, "BRL"))
    assert [one.payment_id for one in (await stage.state(txid)).payments] == [name]


@pytest.mark.usefixtures("nothing_refused")
async def test_a_return_is_made_and_asked_for_again(stage: Stage) -> None:
    """The same again is the same return, under its id. One that the bank never had is not known there."""
    _, name = await stage.paid()
    amounts = {return_id: ReturnedPayment(name, Money(50, "BRL")) for return_id in ("D1", "D2")}

    async def payment_of(return_id: str, /) -> ReturnedPayment | None:
        return amounts.get(return_id)

    returns = Returns(RAIL, stage.line, "utc", payment_of)
    for _ in range(2):
        await returns.send(ReturnOrder("D1", name, Money(50, "BRL"), "MD06", "text", datetime.now(UTC)))
    assert isinstance(await returns.status_of("D1"), NetworkMessage)
    assert isinstance(await returns.status_of("D2"), Unknown)
    told = [wire.payment(row, "utc") for row in await stage.listed("pix", devolucaoPresente="true")]
    (found,) = [one for one in told if one.payment_id == name]
    assert [wire.return_(row, "utc").return_id for row in wire.return_rows(found.returns)] == ["D1"]


@pytest.mark.usefixtures("nothing_refused")
async def test_what_a_webhook_is_told_keeps_the_document(stage: Stage) -> None:
    path, url = f"/webhook/{KEY}", "https://127.0.0.1:9/rails/bank1/secret"
    answer = await stage.line.ask("PUT", path, msgspec.json.encode({"webhookUrl": url}), SECONDS)
    assert answer.status == 200
    try:
        shown = await stage.line.ask("GET", path, None, SECONDS)
        assert msgspec.json.decode(shown.body)["webhookUrl"] == url
        _, name = await stage.paid()
    finally:
        assert (await stage.line.ask("DELETE", path, None, SECONDS)).status == 204
    notices = (await stage.sim.http.get("/bank/company/notices")).json()["data"]
    told = next(one for one in notices if one["body"]["pix"] and one["body"]["pix"][0]["endToEndId"] == name)
    assert told["url"] == f"{url}/pix"
    body = pix_api.oracle().of_callback("listaPix")
    assert (body.problems(told["body"]), body.unnamed(told["body"])) == ([], [])


@pytest.mark.usefixtures("nothing_refused")
async def test_what_the_bank_refuses_it_refuses_by_the_document(stage: Stage) -> None:
    with pytest.raises(IssueRefused) as refused:
        await stage.charge(key="nobody@example.com")
    assert [field for field, _ in refused.value.violations] == ["key"]
    assert isinstance(await stage.charges.state(new_txid()), Unknown)
    assert isinstance(await stage.charges.remove(new_txid()), Unknown)
    assert (await stage.line.ask("GET", f"/pix/{'E' * 32}", None, SECONDS)).status == 404


async def test_what_is_against_the_document_would_be_seen(stage: Stage) -> None:
    """The guard of all the others: they fail where something is refused."""
    before = len(stage.proxy.errors())
    answer = await stage.line.ask("GET", "/pix", None, SECONDS, query={"inicio": wire.asked_instant(datetime.now(UTC))})
    assert answer.status == 422
    told = stage.proxy.errors()[before:]
    assert len(told) == 1
    assert told[0].startswith("get /pix: ")


def new_txid() -> str:
    return f"{random.SystemRandom().getrandbits(128):032x}"


@asynccontextmanager
async def _served(application: Callable[..., Any]) -> AsyncIterator[str]:
    """Serves an application on a free port."""
    server = BankSocket(uvicorn.Config(application, port=0, lifespan="off", log_config=None, timeout_graceful_shutdown=1))
    task = asyncio.create_task(server.serve())
    try:
        await server.serves.wait()
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
