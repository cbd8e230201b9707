"""The nightly sweeps of a bank: what it took is found ninety days later, and charges without an order are removed."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs

from lastro.core.money import Money
from lastro.orders import ForeignPayments
from lastro.rails.api_pix.charges import Charges
from lastro.rails.api_pix.lists import Lists
from lastro.rails.api_pix.nightly import Nightly
from lastro.rails.api_pix.own_returns import OwnReturns
from lastro.rails.api_pix.sweep import ReturnsFound, TakenReturn, sweep_orphans, sweep_returns
from lastro.rails.port import Transient
from lastro.standards.pix_ids import dynamic_txid, return_id

from .api_pix_bank import AT, instant
from .api_pix_branch import DAY, RAIL, TXID, Branch, branch_of
from .conftest import House, Scene, until
from .network import ISPB
from .test_api_pix_issuing import answers

RETURN = return_id(ISPB, AT, 7, 1)
ORPHAN, WITH_ORDER = dynamic_txid(7, bytes(range(24))), dynamic_txid(7, bytes(range(24, 48)))


@dataclass
class Book:
    taken: list[TakenReturn] = field(default_factory=list)

    async def keep(self, rail: str, taken: Sequence[TakenReturn]) -> None:
        assert rail == RAIL
        self.taken += taken


@pytest.fixture
async def branch(scene: Scene, house: House) -> AsyncIterator[Branch]:
    async with branch_of(scene, house) as made:
        yield made


def returned(branch: Branch, name: str, at: datetime, **changes: Any) -> dict[str, Any]:
    hours = {"solicitacao": instant(at), "liquidacao": instant(at)}
    return {
        "id": name, "rtrId": f"D12345678{at:%Y%m%d%H%M}{'0' * 11}", "valor": "1.00", "status": "DEVOLVIDO", "horario": hours,
    } | changes  # fmt: skip


async def swept(branch: Branch, book: Book) -> int:
    terms = branch.terms()
    foreign = ForeignPayments(branch.scene.runner, branch.ana)
    found = ReturnsFound(terms, branch.instruments, foreign, OwnReturns(branch.scene.work, RAIL))
    return await sweep_returns(RAIL, Lists(terms, branch.line), branch.bank.now, found, book)


async def test_what_the_bank_took_from_an_old_payment_of_ours_is_found(branch: Branch) -> None:
    """A refund of our own, a dispute's return, one of the console, one under way; and another system's, which is not ours."""
    now = branch.bank.now
    await branch.scene.returning(branch.ana, RETURN)
    await branch.scene.admin.execute("UPDATE refunds SET rail = $1", RAIL)
    told = [
        returned(branch, RETURN, now, natureza="ORIGINAL"), returned(branch, "m1", now, natureza="MED_FRAUDE"),
        returned(branch, "c1", now), returned(branch, "m2", now, status="EM_PROCESSAMENTO", natureza="MED_FRAUDE"),
    ]  # fmt: skip
    old = branch.bank.pay(1, now - 89 * DAY, txid=TXID, devolucoes=told)
    other = branch.bank.pay(2, now - DAY, txid="b" * 32, devolucoes=[returned(branch, "x", now, natureza="MED_FRAUDE")])
    branch.bank.pay(3, now - DAY, txid=TXID)
    book = Book()
    assert await swept(branch, book) == 2
    assert [(one.payment_id, one.taking_id, one.nature, one.amount) for one in book.taken] == [
        (old, f"{old}:m1", "MED_FRAUDE", Money(100, "BRL")), (old, f"{old}:c1", "CONSOLE", Money(100, "BRL")),
    ]  # fmt: skip
    listed = await branch.scene.admin.fetch("SELECT payment_id FROM foreign_payments WHERE rail = $1", RAIL)
    assert [row["payment_id"] for row in listed] == [other], "no poll had found it"
    assert not branch.bank.wrong


async def test_a_return_that_cannot_be_read_is_told_and_hides_no_other(branch: Branch) -> None:
    now = branch.bank.now
    branch.bank.pay(1, now - DAY, txid=TXID, devolucoes=[returned(branch, "m1", now, valor="1,00")])
    branch.bank.pay(2, now - DAY, txid=TXID, devolucoes=[returned(branch, "m1", now, natureza="MED_FRAUDE")])
    book = Book()
    with capture_logs() as logs:
        assert await swept(branch, book) == 1
    assert [line["event"] for line in logs] == ["bank.returns_unread"]


def charge(branch: Branch, txid: str, minutes: int = 30, **more: Any) -> None:
    at = branch.bank.now - timedelta(minutes=minutes)
    branch.bank.charges[txid] = {
        "txid": txid, "revisao": 0, "status": "ATIVA", "chave": "k", "valor": {"original": "10.50"},
        "calendario": {"criacao": instant(at), "expiracao": 3600},
    } | more  # fmt: skip


async def orphans(branch: Branch) -> tuple[str, ...]:
    terms = branch.terms()
    own, charges = branch.instruments, Charges(RAIL, branch.line, "utc")
    since = branch.bank.now - DAY
    return await sweep_orphans(terms, Lists(terms, branch.line), charges, own, 7, since, branch.bank.now)


async def test_a_charge_without_an_order_is_removed_and_no_other(branch: Branch) -> None:
    await branch.instrument(WITH_ORDER)
    others = [WITH_ORDER, "00007" + "0" * 27, "0" * 32, dynamic_txid(8, bytes(range(24)))]
    for txid in (ORPHAN, *others):
        charge(branch, txid)
    with capture_logs() as logs:
        assert await orphans(branch) == (ORPHAN,)
    assert [(line["event"], line["network_id"]) for line in logs] == [("bank.orphan_removed", ORPHAN)]
    states = {txid: one["status"] for txid, one in branch.bank.charges.items()}
    assert states == {ORPHAN: "REMOVIDA_PELO_USUARIO_RECEBEDOR", **dict.fromkeys(others, "ATIVA")}
    assert await orphans(branch) == ()


async def test_an_orphan_that_could_not_be_removed_is_told_and_tried_the_next_night(branch: Branch) -> None:
    charge(branch, ORPHAN)
    branch.bank.next("PATCH cob", answers(500))
    with capture_logs() as logs:
        assert await orphans(branch) == ()
    assert [line["event"] for line in logs] == ["bank.charge_not_removed"]
    assert await orphans(branch) == (ORPHAN,)


@dataclass
class Noted:
    """A sweep that notes when it was made; it lasts until it may end, and fails so often."""

    made: list[tuple[datetime, datetime]] = field(default_factory=list)
    may_end: asyncio.Event = field(default_factory=asyncio.Event)
    failures: int = 0

    async def __call__(self, since: datetime, now: datetime) -> None:
        self.made.append((since, now))
        if self.failures:
            self.failures -= 1
            raise Transient("the bank is away")
        await self.may_end.wait()


async def test_a_sweep_is_made_once_a_night_by_one_process(branch: Branch) -> None:
    sweep = Noted()
    sweep.may_end.set()
    nightly, other = (Nightly(branch.cursor(number), sweep) for number in (1, 2))
    assert await nightly.once()
    assert not await nightly.once()
    assert not await other.once()
    await branch.later(86_400)
    await branch.scene.admin.execute("UPDATE rail_cursors SET leased_until = machine_now()")
    assert await other.once()
    assert len(sweep.made) == 2
    assert sweep.made[1][0] == sweep.made[0][1], "each begins where the last one began"


async def test_a_sweep_that_failed_is_made_again_the_same_night(branch: Branch) -> None:
    sweep = Noted(failures=1)
    sweep.may_end.set()
    nightly = Nightly(branch.cursor(), sweep)
    with pytest.raises(Transient):
        await nightly.once()
    assert await nightly.once()
    assert sweep.made[0][0] == sweep.made[1][0]


async def test_a_long_sweep_keeps_its_lease(branch: Branch) -> None:
    sweep = Noted()
    nightly = asyncio.ensure_future(Nightly(branch.cursor(), sweep, renew_seconds=0.01).once())

    async def leased_until() -> datetime | None:
        rows = await branch.scene.rows("SELECT leased_until FROM rail_cursors")
        return rows[0]["leased_until"] if rows and sweep.made else None

    first = await until(leased_until)

    async def later() -> bool:
        return bool((await leased_until() or first) > first)

    await until(later)
    sweep.may_end.set()
    assert await nightly
