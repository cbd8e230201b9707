"""A bank's day as a statement: our payments and what went back, read twice with the same outcome, and no balance."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

import pytest

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

from .api_pix_bank import AT, instant
from .api_pix_branch import DAY, OTHERS, RAIL, TXID, Branch, branch_of
from .conftest import House, Scene
from .network import ISPB
from .test_api_pix_issuing import answers

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
    lines = await ledger.lines()
    assert {(one.kind, one.network_id, one.reference, one.amount) for one in lines} == {
        (port.IN, name, TXID, Money(1050, "BRL")) for name in (first, last)
    }
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
    page = await ledger.opened().statement(ledger.day, "0x2")
    assert page is not None
    assert (len(page.lines), page.totals.lines) == (1, 3)


async def test_a_short_window_leaves_the_edges_out(ledger: Ledger) -> None:
    ledger.source = ledger.opened(window=DAY)
    ledger.pay(1, ledger.begins)
    assert len(await ledger.lines()) == 1


@pytest.mark.parametrize("place", ["", "x", "0x", "99x0", "-1x0", "0x0x0"])
async def test_a_place_that_is_none_is_refused(ledger: Ledger, place: str) -> None:
    with pytest.raises(Transient):
        await ledger.source.statement(ledger.day, place)


async def test_a_period_that_the_bank_cuts_is_no_day(ledger: Ledger) -> None:
    said = {
        "inicio": instant(ledger.begins),
        "fim": instant(ledger.begins + HOUR),
        "paginacao": {"quantidadeTotalDeItens": 0},
    }
    ledger.branch.bank.next("GET pixs", answers(200, {"parametros": said, "pix": []}))
    with pytest.raises(Transient, match=r"shorter period"):
        await ledger.pages()
