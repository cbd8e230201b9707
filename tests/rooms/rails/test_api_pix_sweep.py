"""The nightly sweeps of a bank: what it took is found ninety days later, and charges without an order are removed."""

import asyncio
import json
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
from lastro.rails.api_pix.orphans import OrphanTerms, sweep_orphans
from lastro.rails.api_pix.own_returns import OwnReturns
from lastro.rails.api_pix.sweep import ReturnsReader, TakenReturn, sweep_returns
from lastro.rails.port import OTHER_AMOUNT, ForeignPayment, Transient
from lastro.standards.pix_ids import dynamic_txid, return_id

from .api_pix_bank import AT, Bank, instant
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


def reader_of(branch: Branch) -> ReturnsReader:
    foreign = ForeignPayments(branch.scene.runner, branch.ana)
    return ReturnsReader(branch.terms(), branch.instruments, foreign, OwnReturns(branch.scene.work, RAIL))


async def swept(branch: Branch, book: Book) -> int:
    lists = Lists(branch.terms(), branch.line)
    return await sweep_returns(RAIL, lists, branch.bank.now, reader_of(branch), book)


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


async def test_what_is_taken_of_a_listed_payment_is_not_booked_although_an_order_has_its_txid(branch: Branch) -> None:
    now = branch.bank.now
    paid = branch.bank.pay(1, now - DAY, txid=TXID, devolucoes=[returned(branch, "m1", now, natureza="MED_FRAUDE")])
    one = ForeignPayment(RAIL, paid, Money(999, "BRL"), now - DAY, TXID, None, OTHER_AMOUNT)
    await ForeignPayments(branch.scene.runner, branch.ana).keep([one])
    assert await swept(branch, Book()) == 0


async def test_a_return_that_cannot_be_read_is_told_and_hides_no_other(branch: Branch) -> None:
    """A person's return has an id as no return of API Pix has one: the dispute's beside it is booked all the same."""
    now = branch.bank.now
    told = [returned(branch, "by-hand", now), returned(branch, "m1", now, natureza="MED_FRAUDE"),
            returned(branch, "m2", now, valor="1,00")]  # fmt: skip
    first = branch.bank.pay(1, now - DAY, txid=TXID, devolucoes=told)
    second = branch.bank.pay(2, now - DAY, txid=TXID, devolucoes=[returned(branch, "m1", now, natureza="MED_FRAUDE")])
    third = branch.bank.pay(3, now - DAY, txid=TXID, devolucoes={"id": "m1"})
    book = Book()
    with capture_logs() as logs:
        assert await swept(branch, book) == 2
    assert {one.taking_id for one in book.taken} == {f"{first}:m1", f"{second}:m1"}
    unread = sorted((line["event"], line["log_level"], line["network_id"]) for line in logs)
    assert unread == [("bank.returns_unread", "critical", name) for name in (first, first, third)]


async def test_reading_returns_writes_nothing(branch: Branch) -> None:
    name = branch.bank.pay(1, branch.bank.now - DAY, txid="b" * 32)
    reader = reader_of(branch)
    page = await reader.read((json.dumps(branch.bank.payments[name]).encode(),))
    assert [one.payment_id for one in page.foreign] == [name]
    assert await branch.foreign() == []
    await reader.keep_foreign(page)
    assert await branch.foreign() == [name]


def charge(branch: Branch, txid: str, minutes: int = 30, seconds: int = 3600) -> None:
    at = branch.bank.now - timedelta(minutes=minutes)
    branch.bank.charges[txid] = {
        "txid": txid, "revisao": 0, "status": "ATIVA", "chave": "k", "valor": {"original": "10.50"},
        "calendario": {"criacao": instant(at), "expiracao": seconds},
    }  # fmt: skip


async def orphans(branch: Branch, since: timedelta = DAY, *, is_removing: bool = True, left: int = 0) -> tuple[str, ...]:
    """A night's sweep: the removed. since: how long ago the one before was. left: how many it counts besides."""
    terms, lists = OrphanTerms(RAIL, "utc", 7, is_removing), Lists(branch.terms(), branch.line)
    instruments, charges = branch.instruments, Charges(RAIL, branch.line, "utc")
    found = await sweep_orphans(terms, lists, charges, instruments, branch.bank.now - since, branch.bank.now)
    assert found.left == left
    return found.removed


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


async def test_a_charge_of_another_connection_at_the_same_account_is_left_alone(branch: Branch) -> None:
    """GET /cob lists the charges of the whole account (bank-rail.md, trap 31)."""
    await branch.instrument(WITH_ORDER, rail="efi2")
    charge(branch, WITH_ORDER)
    assert await orphans(branch) == ()
    assert branch.bank.charges[WITH_ORDER]["status"] == "ATIVA"


async def test_orphans_are_counted_and_left_unless_the_connection_says_otherwise(branch: Branch) -> None:
    """Another lastro at this account, whose company has our number, makes charges of the same form."""
    charge(branch, ORPHAN)
    with capture_logs() as logs:
        assert await orphans(branch, is_removing=False, left=1) == ()
    assert [(line["event"], line["count"]) for line in logs] == [("bank.orphans_left", 1)]
    assert branch.bank.charges[ORPHAN]["status"] == "ATIVA"
    assert branch.bank.sent("PATCH") == []


async def test_an_orphan_that_could_not_be_removed_is_told_and_tried_the_next_night(branch: Branch) -> None:
    charge(branch, ORPHAN, minutes=2 * 24 * 60, seconds=10 * 86_400)
    branch.bank.next("PATCH cob", answers(500))
    with capture_logs() as logs:
        assert await orphans(branch, since=3 * DAY, left=1) == ()
    assert [line["event"] for line in logs] == ["bank.charge_not_removed"]
    assert await orphans(branch, since=timedelta()) == (ORPHAN,), "the night before was made, and its place moved on"


@pytest.mark.parametrize(
    ("found", "event"),
    [
        ({"status": "CONCLUIDA"}, "bank.orphan_paid"), ({"status": "ATIVA"}, "bank.charge_not_removed"),
        ({"status": "REMOVIDA_PELO_PSP"}, "bank.orphan_removed"), (None, "bank.charge_unknown"),
    ],
)  # fmt: skip
async def test_the_log_says_what_became_of_an_orphan(branch: Branch, found: dict[str, str] | None, event: str) -> None:
    charge(branch, ORPHAN)

    def becomes(bank: Bank, request: Any) -> Any:
        known = bank.charges.pop(ORPHAN)
        if found is None:
            return None
        bank.charges[ORPHAN] = known | found
        return answers(200, bank.charges[ORPHAN])(bank, request)

    branch.bank.next("PATCH cob", becomes)
    with capture_logs() as logs:
        is_removed = event == "bank.orphan_removed"
        assert await orphans(branch, left=int(not is_removed)) == ((ORPHAN,) if is_removed else ())
    assert [(line["event"], line["network_id"]) for line in logs] == [(event, ORPHAN)]


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
    assert await Nightly(branch.cursor(2), sweep).once(), "by whichever process looks next"
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
