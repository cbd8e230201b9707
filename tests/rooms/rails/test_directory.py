"""The directory's budget, shared in the database: what is asked, what it costs, who may go on when somebody scans."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from aiohttp import web
from structlog.testing import capture_logs

from lastro.core.db import Database
from lastro.core.money import Money
from lastro.core.secrets import Secret
from lastro.rails import port
from lastro.rails.directory import Budget, Budgeted, GivingBack
from lastro.rails.port import Asking, BudgetSpent, KeyEntry, NoEntry, Transient
from lastro.rails.spi import Spi, SpiEndpoint

from .conftest import until
from .network import ISPB, TOKEN

CPF, CNPJ = "98765432100", "11222333000181"
FOUND = "fabio@fora.example"
ENTRY = {
    "key": FOUND, "type": "EMAIL", "owner": {"name": "Fabio", "document": {"type": "CPF", "number": "24681357928"}},
    "account": {"ispb": "99999030", "branch": "0001", "account": "300003", "accountType": "CACC"},
}  # fmt: skip


@dataclass
class Office:
    """The directory's own counter. asked: every key it was asked for. says: what it answers in place of the truth."""

    asked: list[str] = field(default_factory=list)
    cache_control: str = "max-age=60"
    says: tuple[int, str, dict[str, str]] | None = None
    stranger: web.Response | None = None  # answers in its place, on the way to it
    another: str | None = None  # the key that its answers are about, in place of the one that was asked for
    url: str = ""

    async def answer(self, request: web.Request) -> web.Response:
        key = request.match_info["key"]
        self.asked.append(key)
        if self.stranger is not None:
            return self.stranger
        if self.says is not None:
            status, word, headers = self.says
            return web.json_response({"type": word, "title": word}, status=status, headers=headers)
        if key.startswith("fabio"):
            return web.json_response(ENTRY | {"key": self.another or key}, headers={"Cache-Control": self.cache_control})
        return web.json_response({"type": "NotFound", "title": "no"}, status=404)

    async def message(self, _: web.Request) -> web.Response:
        return web.json_response({}, status=201)


@dataclass
class Desk:
    """Two processes of one institution, each with its memory, and the rows that they share."""

    office: Office
    database: Database
    admin: Any
    rail: Spi
    now: float = 0.0

    def process(self, category: str = "A", percent: int = 50) -> Budgeted:
        return Budgeted(self.rail, self.budget(category, percent), lambda: self.now)

    def budget(self, category: str = "A", percent: int = 50) -> Budget:
        return Budget(self.database, category, percent)

    async def tokens(self, name: str) -> float | None:
        """What a bucket had when it was last written; the whole part."""
        found = await self.admin.fetchval("SELECT floor(tokens) FROM directory_buckets WHERE name LIKE $1 || '%'", name)
        return None if found is None else float(found)

    async def pass_time(self, seconds: float) -> None:
        """All of it happened so much earlier."""
        self.now += seconds
        for column, table in (("filled_at", "buckets"), ("asked_at", "look_ups"), ("until", "unknown")):
            await self.admin.execute(f"UPDATE directory_{table} SET {column} = {column} - $1 * interval '1 second'", seconds)


@pytest.fixture
async def desk(own_database: Any) -> AsyncIterator[Desk]:
    office = Office()
    app = web.Application()
    app.router.add_get("/dict/v2/entries/{key}", office.answer)
    app.router.add_post("/spi/v1/in/{ispb}/msgs", office.message)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    rail = Spi(SpiEndpoint(f"http://127.0.0.1:{runner.addresses[0][1]}", ISPB, Secret(TOKEN)))
    made = Desk(office, Database(own_database.app), await own_database.connect(), rail)
    try:
        yield made
    finally:
        await rail.close()
        await made.database.close()
        await made.admin.close()
        await runner.cleanup()


def asking(document: str = CNPJ, company: int = 1) -> Asking:
    return Asking(UUID(int=company), document, f"E{ISPB}202601311200{os.urandom(6).hex()[:11]}")


def unknown() -> str:
    return f"{uuid4()}"


async def test_what_was_found_is_used_as_long_as_the_directory_lets_it(desk: Desk) -> None:
    one = desk.process()
    found = await one.entry(FOUND, asking())
    assert isinstance(found, KeyEntry)
    assert found.document_number == "24681357928"
    desk.now = 59.0
    assert await one.entry(FOUND, asking(CPF, 2)) == found
    assert desk.office.asked == [FOUND]
    desk.now = 60.0
    await one.entry(FOUND, asking())
    desk.office.cache_control = "no-store"
    await one.entry("fabio@2.example", asking())
    await one.entry("fabio@2.example", asking())
    assert len(desk.office.asked) == 4
    assert await desk.tokens("payer:contacts") == 996


async def test_many_who_ask_for_one_key_at_once_ask_once(desk: Desk) -> None:
    one = desk.process()
    await asyncio.gather(*(one.entry(FOUND, asking()) for _ in range(50)))
    assert (desk.office.asked, await desk.tokens("payer:contacts")) == ([FOUND], 999)


async def test_a_key_that_is_not_there_costs_more_and_is_not_asked_for_again(desk: Desk) -> None:
    key, one, another = unknown(), desk.process(), desk.process()
    assert await one.entry(key, asking()) == NoEntry("NotFound")
    assert [await desk.tokens(name) for name in ("payer", "company", "participant")] == [980, 24_997, 49_997]
    desk.now = 299.0
    for process in (one, another):
        assert await process.entry(key, asking(CPF, 2)) == NoEntry("NotFound")
    assert desk.office.asked == [key]
    assert await desk.tokens("payer") == 980
    kept = await desk.admin.fetchval("SELECT key_hash FROM directory_unknown")
    assert key not in kept
    await desk.pass_time(300.0)
    await another.entry(key, asking())
    assert desk.office.asked == [key, key]


@pytest.mark.parametrize("text", ["12.ABC.345/01DE-35", "FABIO@FORA.EXAMPLE", "fabio", "", "a/b", ".."])
async def test_what_is_no_key_never_reaches_the_directory_and_costs_nothing(desk: Desk, text: str) -> None:
    assert await desk.process().entry(text, asking()) == NoEntry("NotFound")
    assert (desk.office.asked, await desk.tokens("payer"), await desk.tokens("participant")) == ([], None, None)


async def test_an_answer_about_another_key_is_none(desk: Desk) -> None:
    desk.office.another = "elisa@fora.example"
    with pytest.raises(Transient):
        await desk.process().entry(FOUND, asking())
    desk.office.another = FOUND.upper()
    assert isinstance(await desk.process().entry(FOUND, asking()), KeyEntry)


async def test_a_blocked_key_is_no_unknown_one(desk: Desk) -> None:
    one = desk.process()
    desk.office.says = (400, "EntryBlocked", {})
    assert await one.entry(FOUND, asking()) == NoEntry("EntryBlocked")
    desk.office.says = None
    assert isinstance(await one.entry(FOUND, asking()), KeyEntry)
    assert await desk.tokens("payer") == 998


# DICT API 2.12.1, "Tratamento de erros": which codes are about the key or its owner, and which about the request.
@pytest.mark.parametrize(
    ("status", "code", "is_of_key"),
    [
        (400, "EntryBlocked", True), (400, "EntryWithFraudRelatedRestriction", True), (400, "TaxIdNumberBlocked", True),
        (400, "UserOrAccountWithFraudRelatedRestriction", True), (400, "EntryCannotBeQueriedForBookTransfer", True),
        (404, "NotFound", True), (400, "BadRequest", False), (403, "Forbidden", False), (400, "ParticipantInvalid", False),
        (400, "SomethingNew", False),
    ],
)  # fmt: skip
async def test_only_what_is_about_the_key_says_that_it_cannot_be_paid(
    desk: Desk, status: int, code: str, *, is_of_key: bool
) -> None:
    desk.office.says = (status, f"https://dict.pi.rsfn.net.br/api/v2/error/{code}", {})
    one = desk.process()
    if is_of_key:
        assert await one.entry(FOUND, asking()) == NoEntry(code)
        return
    with pytest.raises(Transient), capture_logs() as logs:
        await one.entry(FOUND, asking())
    assert [(line["event"], line["log_level"], line["code"]) for line in logs] == [("directory.refuses_us", "error", code)]
    desk.office.says = None
    assert isinstance(await one.entry(FOUND, asking()), KeyEntry)


@pytest.mark.parametrize("status", [400, 403, 404])
@pytest.mark.parametrize("body", ['{"type": "about:blank"}', '{"message": "Not Found"}', "<html>Forbidden</html>"])
async def test_a_no_that_is_not_the_directorys_says_nothing_of_the_key(desk: Desk, status: int, body: str) -> None:
    """Something on the way there refuses; what is looked up a moment later is found."""
    one = desk.process()
    desk.office.stranger = web.Response(status=status, text=body)
    with pytest.raises(Transient):
        await one.entry(FOUND, asking())
    desk.office.stranger = None
    assert isinstance(await one.entry(FOUND, asking()), KeyEntry)


async def test_a_no_is_named_by_the_last_part_of_its_types_address(desk: Desk) -> None:
    desk.office.says = (404, "https://dict.pi.rsfn.net.br/api/v1/error/NotFound", {})
    assert await desk.process().entry(FOUND, asking()) == NoEntry("NotFound")


async def test_an_empty_bucket_says_when_to_come_back_and_nothing_is_asked(desk: Desk) -> None:
    one = desk.process()
    for _ in range(5):
        await one.entry(unknown(), asking(CPF))
    with pytest.raises(BudgetSpent) as spent:
        await one.entry(unknown(), asking(CPF))
    assert 25 <= spent.value.seconds <= 30, "two a minute: one in half a minute"
    assert len(desk.office.asked) == 5
    # E-mails have a bucket of their own, and so has everybody else.
    await one.entry("nobody@fora.example", asking(CPF))
    await one.entry(unknown(), asking("24681357928"))
    participant = await desk.tokens("participant")
    with pytest.raises(BudgetSpent):
        await one.entry(unknown(), asking(CPF))
    assert await desk.tokens("participant") == participant, "who may not ask takes nothing from the others"
    await desk.pass_time(spent.value.seconds)
    assert await one.entry(unknown(), asking(CPF)) == NoEntry("NotFound")


async def test_a_company_that_scans_leaves_half_to_the_others(desk: Desk) -> None:
    one = desk.process("H")
    payers = [f"{n:011}" for n in range(40)]
    outcomes: list[object] = []
    for payer in payers:
        try:
            outcomes.append(await one.entry(unknown(), asking(payer)))
        except BudgetSpent as spent:
            outcomes.append(spent)
    assert sum(isinstance(o, NoEntry) for o in outcomes) == 9, "25 tokens of 50, three for each"
    assert (await desk.tokens("company"), await desk.tokens("participant")) == (0, 50 - 9 * 3)
    assert isinstance(await one.entry(FOUND, asking(CPF, 2)), KeyEntry)


async def test_fifty_at_once_take_no_more_than_there_is(desk: Desk) -> None:
    one = desk.process()
    await one.entry(unknown(), asking(CPF))
    await desk.admin.execute("UPDATE directory_buckets SET tokens = 7 WHERE name LIKE 'payer%'")
    keys = [f"fabio{n}@fora.example" for n in range(50)]
    await one.entry(keys[0], asking(CPF))  # the bucket of e-mails
    await desk.admin.execute("UPDATE directory_buckets SET tokens = 7, filled_at = machine_now() WHERE name LIKE 'payer%'")
    ends = await asyncio.gather(*(one.entry(key, asking(CPF)) for key in keys[1:]), return_exceptions=True)
    assert sum(isinstance(end, KeyEntry) for end in ends) == 7
    assert sum(isinstance(end, BudgetSpent) for end in ends) == 42


async def test_the_directorys_own_no_is_believed(desk: Desk) -> None:
    one = desk.process()
    desk.office.says = (429, "RateLimited", {"Retry-After": "17"})
    with pytest.raises(BudgetSpent) as spent:
        await one.entry(FOUND, asking())
    assert spent.value.seconds == 17
    desk.office.says = None
    with pytest.raises(BudgetSpent):
        await one.entry(FOUND, asking())
    assert len(desk.office.asked) == 1, "it is not asked in vain"
    assert isinstance(await one.entry(FOUND, asking(CPF)), KeyEntry), "another payer is"


async def test_silence_is_remembered_by_nobody(desk: Desk) -> None:
    one = desk.process()
    desk.office.says = (503, "Away", {})
    with pytest.raises(Transient):
        await one.entry(FOUND, asking())
    desk.office.says = None
    assert isinstance(await one.entry(FOUND, asking()), KeyEntry)


@pytest.mark.parametrize(("document", "before", "after"), [(CNPJ, 999, 1_001), (CPF, 99, 100)])
async def test_a_payment_that_was_sent_gives_back_once(desk: Desk, document: str, before: int, after: int) -> None:
    one, rail = desk.process("H"), GivingBack(desk.rail, desk.budget("H"))
    asked, later = asking(document), asking(document)
    await one.entry(FOUND, asked)
    assert await desk.tokens("payer") == before
    assert (await desk.tokens("participant"), await desk.tokens("company")) == (49, 24)
    await rail.send(port.PAYMENT_SEND, asked.end_to_end_id, _order(asked.end_to_end_id, None), asked.company_id)
    await rail.note()
    assert await desk.tokens("payer") == before, "a payment to an account was not looked up"
    for _ in range(3):
        await rail.send(port.PAYMENT_SEND, asked.end_to_end_id, _order(asked.end_to_end_id, FOUND), asked.company_id)
        await rail.note()
    assert await desk.tokens("payer") == after
    assert (await desk.tokens("participant"), await desk.tokens("company")) == (50, 25), "one back, once (DICT API 2.12.1)"
    await one.entry(FOUND, later)
    await rail.send(port.PAYMENT_SEND, later.end_to_end_id, _order(later.end_to_end_id, FOUND), later.company_id)
    await rail.note()
    assert await desk.tokens("payer") == after, "what was known already was not asked"


async def test_many_payments_give_back_together_to_each_payer_his_own(desk: Desk) -> None:
    one = desk.process()
    names = [asking(document) for document in (CNPJ, CPF, CNPJ, CPF, CNPJ)]
    for number, asked in enumerate(names):
        await one.entry(f"fabio@{number}.example", asked)
    found = "SELECT floor(tokens) FROM directory_buckets WHERE name LIKE 'payer:%' ORDER BY tokens"
    assert [r[0] for r in await desk.admin.fetch(found)] == [98, 997]
    await desk.budget().sent([*(asked.end_to_end_id for asked in names[:4]), "E-of-no-look-up"])
    assert [r[0] for r in await desk.admin.fetch(found)] == [100, 1001]
    await desk.budget().sent([asked.end_to_end_id for asked in names])
    assert [r[0] for r in await desk.admin.fetch(found)] == [100, 1003]


async def test_what_was_sent_is_noted_while_the_rail_listens_and_at_the_end(desk: Desk) -> None:
    one, rail, stop = desk.process(), GivingBack(desk.rail, desk.budget()), asyncio.Event()

    async def keep(_: Sequence[port.NetworkMessage]) -> None:
        raise AssertionError("this office tells nothing")

    async def send(key: str) -> None:
        asked = asking()
        await one.entry(key, asked)
        await rail.send(port.PAYMENT_SEND, asked.end_to_end_id, _order(asked.end_to_end_id, key), asked.company_id)

    async def is_noted() -> bool:
        return bool(await desk.admin.fetchval("SELECT NOT EXISTS (SELECT 1 FROM directory_look_ups)"))

    listening = asyncio.ensure_future(rail.listen(keep, stop))
    await send("fabio@1.example")
    await until(is_noted)
    await send("fabio@2.example")
    stop.set()
    await listening
    assert await is_noted()


async def test_no_bucket_holds_more_than_it_can(desk: Desk) -> None:
    one = desk.process()
    asked = asking(CPF)
    await one.entry(FOUND, asked)
    await desk.budget().sent([asked.end_to_end_id])
    await desk.pass_time(3600)
    await one.entry("fabio@2.example", asking(CPF))
    assert await desk.tokens("payer") == 99


async def test_what_is_old_is_forgotten(desk: Desk) -> None:
    one = desk.process()
    await one.entry(FOUND, asking())
    await one.entry(unknown(), asking())
    await desk.pass_time(86_401)
    await one.entry(unknown(), asking())
    counts = [await desk.admin.fetchval(f"SELECT count(*) FROM directory_{t}") for t in ("look_ups", "unknown")]
    assert counts == [1, 1]


def _order(name: str, key: str | None) -> bytes:
    payer = port.Payer("Ana", "CNPJ", CNPJ, ISPB, "0001", "000000019", "TRAN")
    receiver = port.Receiver("Fabio", "CPF", "24681357928", "99999030", "0001", "300003", "CHECKING_ACCOUNT")
    at = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
    return port.encode(port.PaymentOrder(name, Money(1000, "BRL"), payer, receiver, "DICT", at, key))
