"""A bank's lists are read whole: pages that move, periods that are cut, clocks of its own, and any number of items."""

import json
import tracemalloc
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs

import pytest

from lastro.rails import port
from lastro.rails.api_pix.lists import Lists, ListTerms
from lastro.rails.network_client import NetworkAnswer
from lastro.rails.port import Transient

from .api_pix_bank import Bank, instant
from .api_pix_branch import DAY, RAIL, TXID, Branch, branch_of
from .conftest import House, Scene
from .test_api_pix_issuing import answers


@pytest.fixture
async def branch(scene: Scene, house: House) -> AsyncIterator[Branch]:
    async with branch_of(scene, house) as made:
        yield made


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


@pytest.mark.parametrize("end", ["inicio", "fim"])
@pytest.mark.parametrize("reads_utc", [True, False])
async def test_a_period_that_is_cut_by_another_clock_is_asked_for_to_its_end(
    branch: Branch, end: str, *, reads_utc: bool
) -> None:
    """It answers for a day at most, repeats our own text, and takes it for UTC or for its own time."""
    clock, behind = "local-marked-z", timedelta(hours=0 if reads_utc else 3)
    await branch.polling(clock=clock).poll(branch.keep)
    began = await branch.until()
    await branch.later(4 * 86_400)
    paid = {
        branch.bank.pay(n, began + n * timedelta(hours=2), txid=TXID): began + n * timedelta(hours=2) for n in range(1, 48)
    }
    for name, at in paid.items():
        branch.bank.payments[name]["horario"] = instant(at - timedelta(hours=3))

    def cut(bank: Bank, request: Any) -> Any:
        since, until = _window(str(request.rel_url))
        if until - since > DAY:
            since, until = (until - DAY, until) if end == "inicio" else (since, since + DAY)
        found = [bank.payments[name] for name, at in paid.items() if since + behind <= at <= until + behind]
        paging = {"quantidadeDePaginas": 1, "quantidadeTotalDeItens": len(found)}
        said = {"inicio": since.isoformat(), "fim": until.isoformat(), "paginacao": paging}
        return answers(200, {"parametros": said, "pix": found})(bank, request)

    branch.bank.next("GET pixs", *[cut] * 50)
    await branch.polling(clock=clock).poll(branch.keep)
    assert {name for _, _, name in await branch.told()} == {f"pix:{name}" for name in paid}


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
