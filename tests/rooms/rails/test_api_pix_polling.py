"""Payments at a bank are found by polling alone: each once, ours booked, the merchant's others listed, none skipped."""

import asyncio
import json
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs
from uuid import UUID

import pytest
from structlog.testing import capture_logs

from lastro.core.errors import Stale
from lastro.core.money import Money
from lastro.orders import ForeignPayments
from lastro.rails import port
from lastro.rails.api_pix.lists import Lists, ListTerms
from lastro.rails.api_pix.polling import Polling, Sorter, Watch
from lastro.rails.cursors import RailCursor
from lastro.rails.inbox import Inbox
from lastro.rails.instruments import Instruments
from lastro.rails.network_client import NetworkAnswer, NetworkClient
from lastro.rails.port import Transient

from .api_pix_bank import Bank, serving
from .conftest import House, Scene, until
from .network import ISPB
from .test_api_pix_issuing import answers, refuses

RAIL, KEY = "efi1", "loja@example.com"
TXID = "00007" + "a" * 27
OTHERS = "00007" + "b" * 27  # a txid of another system of the merchant, which decodes to the number of our company
DAY = timedelta(days=1)


@dataclass
class Branch:
    """A scene, a bank beside it, and a poller of our connection there."""

    scene: Scene
    ana: UUID
    bank: Bank
    line: NetworkClient
    made: list[Polling] = field(default_factory=list)

    def terms(self, **changes: Any) -> ListTerms:
        return replace(ListTerms(RAIL, "utc", 5 * DAY, 100), **changes)

    def cursor(self, number: int = 1, seconds: float = 60.0) -> RailCursor:
        return RailCursor(self.scene.database, RAIL, "pix", UUID(int=number), seconds)

    def polling(self, number: int = 1, poll_seconds: float = 600, **changes: Any) -> Polling:
        terms = self.terms(**changes)
        watch = Watch(RAIL, frozenset({KEY}), poll_seconds, hint_seconds=0.02)
        foreign = ForeignPayments(self.scene.runner, self.ana)
        sorter = Sorter(watch, terms, Instruments(self.scene.work), foreign)
        return Polling(watch, terms, self.line, Lists(terms, self.line), self.cursor(number), sorter)

    @property
    def inbox(self) -> Inbox:
        return Inbox(self.scene.database, self.scene.work, self.scene.chance, ISPB, RAIL)

    async def keep(self, messages: list[port.NetworkMessage]) -> None:
        await self.inbox.keep(messages)

    async def told(self) -> list[tuple[UUID, str, str]]:
        rows = await self.scene.rows("SELECT company_id, kind, network_id FROM inbox ORDER BY network_id")
        return [(row["company_id"], row["kind"], row["network_id"]) for row in rows]

    async def foreign(self) -> list[str]:
        return [row["payment_id"] for row in await self.scene.rows("SELECT payment_id FROM foreign_payments ORDER BY 1")]

    async def until(self) -> datetime:
        (row,) = await self.scene.rows("SELECT until FROM rail_cursors")
        at: datetime = row["until"]
        return at

    async def later(self, seconds: int) -> None:
        """Business time is so much later."""
        await self.scene.admin.execute(
            "UPDATE clock SET offset_us = offset_us + $1::bigint, version = version + 1", seconds * 10**6
        )

    async def instrument(self, txid: str = TXID) -> None:
        """An instrument of the connection; its order is nobody's business here."""
        await self.scene.admin.execute("SET session_replication_role = replica")
        await self.scene.admin.execute(
            "INSERT INTO instruments (company_id, order_id, rail, reference) VALUES ($1, $2, $3, $4)",
            self.ana, self.scene.chance.uuid(self.bank.now), RAIL, txid,
        )  # fmt: skip
        await self.scene.admin.execute("SET session_replication_role = DEFAULT")


@pytest.fixture
async def branch(scene: Scene, house: House) -> AsyncIterator[Branch]:
    bank = Bank(now=await scene.now())
    async with serving(bank) as line:
        made = Branch(scene, house.ana, bank, line)
        await made.instrument()
        yield made


async def test_ours_goes_into_the_inbox_and_all_others_into_the_list(branch: Branch) -> None:
    at = branch.bank.now - timedelta(minutes=1)
    ours = branch.bank.pay(1, at, txid=TXID, chave=KEY, devolucoes=None, infoPagador="\x00")
    without_key = branch.bank.pay(2, at, txid=TXID)
    foreign = [
        branch.bank.pay(3, at), branch.bank.pay(4, at, txid=OTHERS, chave=KEY), branch.bank.pay(5, at, txid="static1"),
        branch.bank.pay(6, at, txid=None, chave="other@example.com"), branch.bank.pay(7, at, txid="0" * 32),
    ]  # fmt: skip
    assert await branch.polling().poll(branch.keep)
    assert await branch.told() == [(branch.ana, port.COLLECTION_SETTLED, f"pix:{name}") for name in (ours, without_key)]
    assert await branch.foreign() == sorted(foreign)
    (row, _) = await branch.scene.rows("SELECT * FROM inbox ORDER BY network_id")
    told = port.collected(bytes(row["body"]))
    at = at.replace(microsecond=at.microsecond // 1000 * 1000)
    assert (row["subject"], told) == (ours, port.Collected(ours, TXID, Money(1050, "BRL"), at, at))


async def test_nothing_is_told_twice_however_often_it_is_listed(branch: Branch) -> None:
    branch.bank.pay(1, branch.bank.now - timedelta(minutes=1), txid=TXID)
    branch.bank.pay(2, branch.bank.now - timedelta(minutes=1))
    for _ in range(3):
        await branch.polling().poll(branch.keep)
    await branch.polling().catch_up(branch.keep)
    assert (len(await branch.told()), len(await branch.foreign())) == (1, 1)


async def test_money_for_an_order_at_another_key_is_told_and_not_booked(branch: Branch) -> None:
    name = branch.bank.pay(1, branch.bank.now - timedelta(minutes=1), txid=TXID, chave="other@example.com")
    with capture_logs() as logs:
        await branch.polling().poll(branch.keep)
    assert [line["event"] for line in logs] == ["bank.key_differs"]
    assert (await branch.told(), await branch.foreign()) == ([], [name])


@pytest.mark.parametrize("broken", [{"valor": "10,50"}, {"valor": 10.5}, {"horario": "yesterday"}, {"endToEndId": "E1"}])
async def test_what_cannot_be_read_is_kept_for_people_and_hides_nothing(branch: Branch, broken: dict[str, Any]) -> None:
    at = branch.bank.now - timedelta(minutes=1)
    first, last = branch.bank.pay(1, at, txid=TXID), branch.bank.pay(3, at, txid=TXID)
    branch.bank.payments[branch.bank.pay(2, at, txid=TXID)] |= {"horario": instant_of(branch.bank, first)} | broken
    if "horario" in broken:
        branch.bank.most = 100  # listed all the same
    await branch.polling().poll(branch.keep) if "horario" not in broken else await _listing_all(branch)
    kinds = [(kind, name) for _, kind, name in await branch.told()]
    assert [kind for kind, _ in kinds] == [port.COLLECTION_SETTLED, port.COLLECTION_SETTLED, port.UNKNOWN]
    assert [name for _, name in kinds][:2] == [f"pix:{first}", f"pix:{last}"]
    assert await branch.foreign() == []


def instant_of(bank: Bank, name: str) -> str:
    at: str = bank.payments[name]["horario"]
    return at


async def _listing_all(branch: Branch) -> None:
    payments = list(branch.bank.payments.values())
    body = {"parametros": {}, "pix": payments}
    branch.bank.next("GET pixs", answers(200, body), answers(200, {"parametros": {}, "pix": []}))
    await branch.polling().poll(branch.keep)


async def test_the_cursor_moves_only_once_everything_is_stored(branch: Branch) -> None:
    polling = branch.polling()
    await polling.poll(branch.keep)
    before = await branch.until()
    assert branch.bank.now - timedelta(seconds=2) <= before < branch.bank.now + timedelta(minutes=1)
    branch.bank.pay(1, branch.bank.now - timedelta(minutes=1), txid=TXID)

    async def fails(messages: list[port.NetworkMessage]) -> None:
        raise OSError("the disk is full")

    await branch.later(60)
    with pytest.raises(OSError, match=r"the disk"):
        await polling.poll(fails)
    assert await branch.until() == before
    await polling.poll(branch.keep)
    assert await branch.until() >= before + timedelta(seconds=60)
    assert len(await branch.told()) == 1


@pytest.mark.parametrize(
    "behaviour",
    [
        answers(500), answers(503), answers(200, "<html>"), answers(200, {}), answers(404), answers(429), answers(200, []),
        answers(401), refuses(403, "AcessoNegado"), refuses(400, "PixConsultaInvalida"), answers(204),
    ],
)  # fmt: skip
async def test_an_answer_that_is_no_list_is_no_empty_list(branch: Branch, behaviour: Any) -> None:
    await branch.polling().poll(branch.keep)
    before = await branch.until()
    branch.bank.pay(1, branch.bank.now, txid=TXID)
    await branch.later(60)
    branch.bank.next("GET pixs", behaviour)
    with pytest.raises(Transient):
        await branch.polling().poll(branch.keep)
    assert await branch.until() == before
    await branch.polling().poll(branch.keep)
    assert len(await branch.told()) == 1


async def test_a_payment_that_the_bank_lists_late_is_found(branch: Branch) -> None:
    await branch.polling().poll(branch.keep)
    branch.bank.pay(1, branch.bank.now - timedelta(minutes=14), txid=TXID)
    await branch.polling().poll(branch.keep)
    assert len(await branch.told()) == 1


async def test_every_page_is_read_whatever_size_the_bank_gives(branch: Branch) -> None:
    branch.bank.most = 7  # less than was asked for, and the question is repeated as if it were granted
    names = [branch.bank.pay(n, branch.bank.now - timedelta(minutes=1), txid=TXID) for n in range(50)]
    await branch.polling(page_size=1000).poll(branch.keep)
    assert [name for _, _, name in await branch.told()] == [f"pix:{name}" for name in sorted(names)]
    assert len(branch.bank.asked) == 8
    assert not branch.bank.wrong


async def test_payments_that_move_between_pages_are_not_missed(branch: Branch) -> None:
    """A payment that comes while pages are read moves all others to a later place; one that goes moves them back."""
    branch.bank.most = 5
    at = branch.bank.now - timedelta(minutes=1)
    names = [branch.bank.pay(n, at - timedelta(seconds=n), txid=TXID) for n in range(20)]

    def hidden(bank: Bank, request: Any) -> None:
        bank.payments.pop(names[0])  # those behind it move to pages that were read before

    def nothing(bank: Bank, request: Any) -> None:
        return

    branch.bank.next("GET pixs", nothing, nothing, hidden)
    await branch.polling().poll(branch.keep)
    told = {name for _, _, name in await branch.told()}
    assert told >= {f"pix:{name}" for name in names[1:]}


async def test_a_list_that_never_holds_still_does_not_move_the_cursor(branch: Branch) -> None:
    await branch.polling().poll(branch.keep)
    before = await branch.until()
    await branch.later(60)
    body = {"parametros": {"paginacao": {"quantidadeDePaginas": 1, "quantidadeTotalDeItens": 3}}, "pix": []}
    branch.bank.next("GET pixs", *[answers(200, body)] * 4)
    with pytest.raises(Transient, match=r"hold still"):
        await branch.polling().poll(branch.keep)
    assert await branch.until() == before


async def test_a_bank_that_knows_no_pages_is_read_until_it_repeats_itself(branch: Branch) -> None:
    name = branch.bank.pay(1, branch.bank.now - timedelta(minutes=1), txid=TXID)
    body = {"pix": [branch.bank.payments[name]]}
    branch.bank.next("GET pixs", *[answers(200, body)] * 2)
    await branch.polling().poll(branch.keep)
    assert len(branch.bank.asked) == 2
    assert len(await branch.told()) == 1


async def test_after_an_outage_it_walks_in_windows_and_skips_nothing(branch: Branch) -> None:
    await branch.polling().poll(branch.keep)
    began = await branch.until()
    await branch.later(12 * 86_400)
    names = [branch.bank.pay(n, began + n * DAY, txid=TXID) for n in range(12)]
    branch.bank.exchanges.clear()
    await branch.polling().poll(branch.keep)
    assert len(await branch.told()) == len(names)
    windows = [_window(target) for _, target, *_ in branch.bank.exchanges]
    assert len(windows) == 3
    assert all(until - since <= 5 * DAY for since, until in windows)
    for (_, before), (since, _) in pairwise(windows):
        assert before - since >= timedelta(minutes=15)


def _window(target: str) -> tuple[datetime, datetime]:
    query = parse_qs(target.partition("?")[2])
    return datetime.fromisoformat(query["inicio"][0]), datetime.fromisoformat(query["fim"][0])


@pytest.mark.parametrize("end", ["inicio", "fim"])
async def test_a_bank_that_cuts_the_period_is_asked_for_the_rest(branch: Branch, end: str) -> None:
    """It answers for one day at most, and says so in `parametros` alone."""
    await branch.polling().poll(branch.keep)
    began = await branch.until()
    await branch.later(4 * 86_400)
    names = [branch.bank.pay(n, began + n * DAY + timedelta(hours=1), txid=TXID) for n in range(4)]

    def cut(bank: Bank, request: Any) -> Any:
        since, until = _window(str(request.rel_url))
        if until - since > DAY:
            since, until = (until - DAY, until) if end == "inicio" else (since, since + DAY)
        found = [one for one in bank.payments.values() if since <= datetime.fromisoformat(one["horario"]) <= until]
        paging = {"quantidadeDePaginas": 1, "quantidadeTotalDeItens": len(found)}
        said = {"inicio": since.isoformat(), "fim": until.isoformat(), "paginacao": paging}
        return answers(200, {"parametros": said, "pix": found})(bank, request)

    branch.bank.next("GET pixs", *[cut] * 50)
    await branch.polling().poll(branch.keep)
    assert {name for _, _, name in await branch.told()} == {f"pix:{name}" for name in names}


async def test_one_process_polls_and_the_others_wait(branch: Branch) -> None:
    first, second = branch.polling(1), branch.polling(2)
    assert await first.poll(branch.keep)
    heard: list[list[port.NetworkMessage]] = []

    async def keep(messages: list[port.NetworkMessage]) -> None:
        heard.append(messages)

    branch.bank.exchanges.clear()
    assert not await second.poll(keep)
    assert (branch.bank.asked, heard) == ([], [[]])  # the stream is heard: by the other
    await branch.scene.admin.execute("UPDATE rail_cursors SET leased_until = machine_now()")
    assert await second.poll(branch.keep)
    assert not await first.poll(branch.keep)
    with pytest.raises(Stale):
        await branch.cursor(1).move(branch.bank.now)


async def test_a_place_never_moves_back(branch: Branch) -> None:
    cursor = branch.cursor()
    place = await cursor.take()
    assert place is not None
    assert abs(place.now - place.until - DAY) < timedelta(seconds=1)  # an order may have been paid before anybody polled
    await cursor.move(place.now)
    await cursor.move(place.now - DAY)
    assert (await cursor.read()).until == place.now


async def test_who_stops_lets_the_next_one_poll_at_once(branch: Branch) -> None:
    stop = asyncio.Event()
    listening = asyncio.ensure_future(branch.polling(1).listen(branch.keep, stop))
    await until(lambda: _asked(branch))
    stop.set()
    await asyncio.wait_for(listening, 10)
    assert await branch.cursor(2).take() is not None


async def _asked(branch: Branch) -> bool:
    return bool(branch.bank.asked)


async def test_a_bell_makes_the_payment_looked_at_long_before_the_next_poll(branch: Branch) -> None:
    stop = asyncio.Event()
    listening = asyncio.ensure_future(branch.polling(poll_seconds=600).listen(branch.keep, stop))
    try:
        await until(lambda: _asked(branch))
        name = branch.bank.pay(1, branch.bank.now, txid=TXID)
        foreign = branch.bank.pay(2, branch.bank.now)
        forged = name[:-1] + "x"
        await until(lambda: branch.cursor(3).hint([name, forged, foreign, name]))
        await until(branch.foreign)
        assert [told for _, _, told in await branch.told()] == [f"pix:{name}"]
        assert branch.bank.asked.count(f"GET /pix/{forged}") == 1
    finally:
        stop.set()
        await asyncio.wait_for(listening, 10)
    assert await branch.foreign() == [foreign]


async def test_too_many_bells_are_left_to_polling(branch: Branch) -> None:
    cursor = branch.cursor()
    await cursor.take()
    assert await cursor.hint([f"E{n}" for n in range(1000)])
    assert not await cursor.hint(["E1000"])
    assert len(await cursor.hints()) == 1000
    assert await cursor.hints() == ()


async def test_an_hour_of_silence_is_no_failure_of_the_listener(branch: Branch) -> None:
    branch.bank.next("GET pixs", answers(500))
    branch.bank.pay(1, branch.bank.now - timedelta(minutes=1), txid=TXID)
    stop = asyncio.Event()
    listening = asyncio.ensure_future(branch.polling().listen(branch.keep, stop))
    try:
        await until(branch.told)
    finally:
        stop.set()
        with suppress(asyncio.CancelledError):
            await asyncio.wait_for(listening, 10)


@pytest.mark.parametrize("clock", ["local", "local-marked-z"])
async def test_a_bank_with_a_clock_of_its_own_hides_no_three_hours(branch: Branch, clock: Any) -> None:
    """It takes our Z for its own time, and marks its own with it (bacen/pix-api #573)."""
    await branch.polling(clock=clock).poll(branch.keep)
    began = await branch.until()
    await branch.later(3600)
    at = began + timedelta(minutes=30)
    local = (at - timedelta(hours=3)).isoformat(timespec="milliseconds").replace("+00:00", "Z" if "z" in clock else "")
    branch.bank.pay(1, at, txid=TXID, horario=local)
    found = list(branch.bank.payments.values())

    def by_its_clock(bank: Bank, request: Any) -> Any:
        since, until = (one + timedelta(hours=3) for one in _window(str(request.rel_url)))
        listed = found if since <= at <= until else []
        return answers(200, {"pix": listed, "parametros": {"paginacao": {"quantidadeTotalDeItens": len(listed)}}})(
            bank, request
        )

    branch.bank.next("GET pixs", *[by_its_clock] * 4)
    await branch.polling(clock=clock).poll(branch.keep)
    (row,) = await branch.scene.rows("SELECT body FROM inbox")
    assert abs(port.collected(bytes(row["body"])).paid_at - at) < timedelta(seconds=1)


class Endless:
    """A line to a bank that lists so many payments, page by page, and keeps none."""

    def __init__(self, items: int, size: int) -> None:
        self.items, self.size = items, size

    async def ask(
        self, method: str, path: str, body: bytes | None, seconds: float, *, query: Any = None, more: Any = None
    ) -> NetworkAnswer:
        page = int(query["paginacao.paginaAtual"])
        rows = range(page * self.size, min(self.items, (page + 1) * self.size))
        paging = {"quantidadeDePaginas": -(-self.items // self.size), "quantidadeTotalDeItens": self.items}
        pix = [{"endToEndId": f"E{n:031d}", "valor": "1.00", "horario": "2026-11-23T13:00:00Z"} for n in rows]
        return NetworkAnswer(200, {}, json.dumps({"parametros": {"paginacao": paging}, "pix": pix}).encode())

    async def close(self) -> None:
        return


async def test_memory_does_not_grow_with_the_list() -> None:
    terms = ListTerms(RAIL, "utc", 5 * DAY, 1000)
    since = datetime.fromisoformat("2026-11-23T00:00:00Z")
    peaks = []
    for items in (2_000, 40_000):
        seen = 0

        async def take(rows: tuple[bytes, ...]) -> None:
            nonlocal seen
            seen += len(rows)

        tracemalloc.start()
        await Lists(terms, Endless(items, 1000)).payments(since, since + DAY, take)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert seen == items
    assert peaks[1] < 1.2 * peaks[0]
