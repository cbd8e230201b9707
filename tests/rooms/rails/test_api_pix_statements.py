"""A bank's day as a statement: our payments and what went back, read twice with the same outcome, and no balance."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from aiohttp import web
from structlog.testing import capture_logs

from lastro.core.money import Money
from lastro.orders import ForeignPayments
from lastro.rails import port
from lastro.rails.api_pix.lists import Lists
from lastro.rails.api_pix.own_returns import OwnReturns
from lastro.rails.api_pix.statements import ApiPixStatements
from lastro.rails.api_pix.sweep import ReturnsReader
from lastro.rails.port import NotIssued, StatementLine, StatementPage, Transient
from lastro.standards.calendar import brasilia_day, day_bounds
from lastro.standards.pix_ids import return_id

from .api_pix_bank import AT, Bank, Behaviour, instant
from .api_pix_branch import DAY, KEY, OTHERS, RAIL, TXID, Branch, branch_of
from .conftest import House, Scene
from .network import ISPB

RETURN = return_id(ISPB, AT, 7, 1)
HOUR = timedelta(hours=1)


@dataclass
class Ledger:
    """Yesterday's statement at a bank. now: moved by the test."""

    branch: Branch
    day: date
    now: datetime
    begins: datetime
    ends: datetime
    source: ApiPixStatements = field(init=False)

    def __post_init__(self) -> None:
        self.source = self.opened()

    def opened(self, **changes: Any) -> ApiPixStatements:
        scene, terms = self.branch.scene, self.branch.terms(**changes)
        foreign = ForeignPayments(scene.runner, self.branch.ana)
        reader = ReturnsReader(terms, self.branch.instruments, foreign, OwnReturns(scene.work, RAIL))
        return ApiPixStatements(terms, Lists(terms, self.branch.line), reader, 7, self._now)

    async def _now(self) -> datetime:
        return self.now

    def pay(self, number: int, at: datetime, **more: Any) -> str:
        return self.branch.bank.pay(number, at, **{"txid": TXID} | more)

    async def pages(self, source: ApiPixStatements | None = None) -> list[StatementPage] | None:
        found: list[StatementPage] = []
        place: str | None = None
        while True:
            try:
                page = await (source or self.source).statement(self.day, place)
            except NotIssued:
                return None
            assert page is not None
            found.append(page)
            place = page.following
            if place is None:
                return found

    async def lines(self) -> list[StatementLine]:
        """The day's lines, once it holds still."""
        assert await self.pages() is None
        self.now += HOUR
        pages = await self.pages()
        assert pages is not None
        lines = [line for page in pages for line in page.lines]
        (totals,) = {page.totals for page in pages}
        came = sum(line.amount.minor for line in lines if line.kind == port.IN)
        went = sum(line.amount.minor for line in lines if line.kind != port.IN)
        assert (totals.lines, totals.came_in.minor, totals.went_out.minor) == (len(lines), came, went)
        assert f"{totals.opening} {totals.closing}" == "None None"
        return lines


@pytest.fixture
async def ledger(scene: Scene, house: House) -> AsyncIterator[Ledger]:
    async with branch_of(scene, house) as branch:
        day = brasilia_day(branch.bank.now) - DAY
        begins, ends = day_bounds(day)
        yield Ledger(branch, day, ends + 3 * HOUR, begins, ends)


def returned(name: str, at: datetime, **changes: Any) -> dict[str, Any]:
    hours = {"solicitacao": instant(at), "liquidacao": instant(at)}
    return {"id": name, "rtrId": "D" * 32, "valor": "1.00", "status": "DEVOLVIDO", "horario": hours} | changes


async def test_a_day_has_our_payments_of_brasilias_day_and_no_others(ledger: Ledger) -> None:
    first, last = ledger.pay(1, ledger.begins), ledger.pay(2, ledger.ends - timedelta(milliseconds=1))
    ledger.pay(3, ledger.begins - timedelta(milliseconds=1))
    ledger.pay(4, ledger.ends)
    ledger.pay(5, ledger.begins + HOUR, txid=OTHERS)
    ledger.pay(6, ledger.begins + HOUR, txid="static1")
    spelled = ledger.pay(7, ledger.begins + HOUR, chave=KEY.upper())
    other = ledger.pay(8, ledger.begins + HOUR, chave="other@example.com")
    lines = await ledger.lines()
    assert {(one.kind, one.network_id, one.reference, one.amount) for one in lines} == {
        (port.IN, name, TXID, Money(1050, "BRL")) for name in (first, last, spelled)
    }
    assert other in await ledger.branch.foreign(), "as polling has it"
    (told,) = [one.told for one in lines if one.network_id == first]
    assert (told.kind, told.company_number, port.collected(told.body).paid_at) == (port.COLLECTION_SETTLED, 7, ledger.begins)
    assert not ledger.branch.bank.wrong


async def test_what_went_back_on_a_day_is_a_line_however_old_its_payment_is(ledger: Ledger) -> None:
    await ledger.branch.scene.returning(ledger.branch.ana, RETURN)
    await ledger.branch.scene.admin.execute("UPDATE refunds SET rail = $1", RAIL)
    at = ledger.begins + HOUR
    told = [
        returned(RETURN, at), returned("m1", at, natureza="MED_FRAUDE"), returned("m0", at - DAY, natureza="MED_FRAUDE"),
        returned("m2", at, status="EM_PROCESSAMENTO"), returned("m3", at, status="NAO_REALIZADO"),
    ]  # fmt: skip
    old = ledger.pay(1, ledger.begins - 85 * DAY, devolucoes=told)
    ledger.pay(2, ledger.begins - 85 * DAY, txid=OTHERS, devolucoes=[returned("x", at)])
    ours, taken = sorted(await ledger.lines(), key=lambda line: line.kind, reverse=True)
    assert (ours.kind, ours.network_id, ours.reference, ours.settled_at) == (port.RETURN_OUT, RETURN, old, at)
    assert port.return_final(ours.told.body).settled
    assert (taken.kind, taken.network_id, taken.reference) == (port.CHARGEBACK, f"{old}:m1", old)


async def test_a_day_is_issued_once_it_is_over(ledger: Ledger) -> None:
    ledger.pay(1, ledger.begins)
    ledger.now = ledger.ends + 2 * HOUR - timedelta(seconds=1)
    assert await ledger.pages() is None
    assert ledger.branch.bank.asked == []
    ledger.now += timedelta(seconds=1)
    assert len(await ledger.lines()) == 1


async def test_a_day_that_still_moves_is_read_until_it_holds_still(ledger: Ledger) -> None:
    """The bank lists a payment late (bacen/pix-api #321)."""
    ledger.pay(1, ledger.begins)
    assert await ledger.pages() is None
    asked = len(ledger.branch.bank.asked)
    ledger.now += HOUR - timedelta(seconds=1)
    assert await ledger.pages() is None
    assert len(ledger.branch.bank.asked) == asked, "not before its hour"
    late = ledger.pay(2, ledger.begins + HOUR)
    ledger.now += timedelta(seconds=1)
    assert await ledger.pages() is None
    ledger.now += HOUR
    pages = await ledger.pages()
    assert pages is not None
    assert late in {line.network_id for page in pages for line in page.lines}


async def test_a_long_day_comes_in_the_banks_pages(ledger: Ledger) -> None:
    ledger.branch.bank.most = 4
    names = {ledger.pay(n, ledger.begins + timedelta(minutes=n)) for n in range(30)}
    lines = await ledger.lines()
    assert {one.network_id for one in lines} == names
    assert len({one.line_id for one in lines}) == len(lines) == 30


async def test_another_process_goes_on_with_a_statement(ledger: Ledger) -> None:
    ledger.branch.bank.most = 1
    for n in range(3):
        ledger.pay(n, ledger.begins + timedelta(minutes=n))
    await ledger.lines()
    ledger.now += HOUR
    first = await ledger.source.statement(ledger.day, None)
    assert first is not None
    place, seen = first.following, [line.line_id for line in first.lines]
    while place is not None:
        page = await ledger.opened().statement(ledger.day, place)
        assert page is not None
        assert page.totals.lines == 3
        place, seen = page.following, [*seen, *(line.line_id for line in page.lines)]
    assert len(set(seen)) == len(seen) == 3


async def test_a_short_window_reads_a_day_in_two(ledger: Ledger) -> None:
    """The bank answers for 24 hours at most, and questions overlap."""
    ledger.source = ledger.opened(window=DAY)
    names = {ledger.pay(n, ledger.begins + n * HOUR) for n in range(24)}
    names.add(ledger.pay(24, ledger.ends - timedelta(milliseconds=1)))
    assert {line.network_id for line in await ledger.lines()} == names


@pytest.mark.parametrize("clock", ["utc", "local-marked-z"])
async def test_a_payment_in_two_questions_is_a_line_once(ledger: Ledger, clock: str) -> None:
    """Questions overlap by minutes, and by three hours where a bank marks its own time as UTC (bacen/pix-api #573)."""
    ledger.source = ledger.opened(clock=clock)
    behind = timedelta(hours=3 * (clock != "utc"))
    told = [returned("m1", ledger.begins + HOUR - behind, natureza="MED_FRAUDE")]
    edge = ledger.ends - 95 * DAY
    for n in range(-60, 240, 10):
        at = edge + timedelta(minutes=n)
        ledger.pay(n + 60, at, horario=instant(at - behind), devolucoes=told)
    lines = await ledger.lines()
    assert len({one.line_id for one in lines}) == len(lines) == 30


def cut_to(most: timedelta, end: str) -> Behaviour:
    """A bank that answers for so much of a period, and says so in `parametros` alone."""

    def cut(bank: Bank, request: web.Request) -> web.Response:
        since, until = (datetime.fromisoformat(request.query[name]) for name in ("inicio", "fim"))
        if until - since > most:
            since, until = (until - most, until) if end == "inicio" else (since, since + most)
        found = [one for one in bank.payments.values() if since <= datetime.fromisoformat(one["horario"]) <= until]
        if request.query.get("devolucaoPresente") == "true":
            found = [one for one in found if one.get("devolucoes")]
        paging = {"quantidadeDePaginas": 1, "quantidadeTotalDeItens": len(found)}
        said = {"inicio": instant(since), "fim": instant(until), "paginacao": paging}
        return web.json_response({"parametros": said, "pix": found})

    return cut


@pytest.mark.parametrize("end", ["inicio", "fim"])
async def test_a_bank_that_cuts_periods_has_its_days_all_the_same(ledger: Ledger, end: str) -> None:
    ledger.branch.bank.next("GET pixs", *[cut_to(20 * HOUR, end)] * 5_000)
    came = {ledger.pay(n, ledger.begins + n * HOUR) for n in range(24)}
    told = [returned("m1", ledger.begins + HOUR, natureza="MED_FRAUDE")]
    old = {ledger.pay(n, ledger.begins - n * 4 * DAY, devolucoes=told) for n in range(1, 25)}
    lines = await ledger.lines()
    assert {line.network_id for line in lines if line.kind == port.IN} == came
    assert {line.reference for line in lines if line.kind == port.CHARGEBACK} == old
    assert len({line.line_id for line in lines}) == len(lines) == 48


@pytest.mark.parametrize("end", ["inicio", "fim"])
async def test_a_bank_that_answers_for_no_period_alarms(ledger: Ledger, end: str) -> None:
    ledger.branch.bank.next("GET pixs", *[cut_to(timedelta(minutes=20), end)] * 50)
    with capture_logs() as logs, pytest.raises(Transient, match=r"no period"):
        await ledger.pages()
    assert [(line["event"], line["log_level"]) for line in logs] == [("bank.period_cut", "critical")]


async def test_a_page_of_another_period_than_the_one_before_is_not_taken(ledger: Ledger) -> None:
    ledger.branch.bank.most = 1
    for n in range(2):
        ledger.pay(n, ledger.begins + n * HOUR)
    await ledger.lines()
    ledger.now += HOUR
    first = await ledger.source.statement(ledger.day, None)
    assert first is not None
    ledger.branch.bank.next("GET pixs", cut_to(HOUR, "fim"))
    with pytest.raises(Transient, match=r"shorter period"):
        await ledger.source.statement(ledger.day, first.following)


@pytest.mark.parametrize(
    "place",
    [
        "",
        "x",
        "0x",
        "0x0",
        "2x0x60x0",
        "-1x0x60x0",
        "0x0x0x0",
        "0x0x60x0x0",
        "0x0x999999x0",
        "0x86400x60x0",
        "1x0x86401000x0",
    ],
)
async def test_a_place_that_is_none_is_refused(ledger: Ledger, place: str) -> None:
    with pytest.raises(Transient):
        await ledger.source.statement(ledger.day, place)
