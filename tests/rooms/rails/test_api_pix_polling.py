"""Payments at a bank are found by polling alone: each once, ours booked, the merchant's others listed, none skipped."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs

from lastro.core.errors import Stale
from lastro.core.money import Money
from lastro.core.secrets import Secret
from lastro.rails import port
from lastro.rails.network_client import NetworkClient
from lastro.rails.port import Transient

from .api_pix_bank import Bank, instant
from .api_pix_branch import DAY, KEY, OTHERS, RAIL, TXID, Branch, branch_of
from .conftest import House, Scene, until
from .test_api_pix_issuing import answers, refuses

LEFT = "00007" + "c" * 27


@pytest.fixture
async def branch(scene: Scene, house: House) -> AsyncIterator[Branch]:
    async with branch_of(scene, house) as made:
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
    assert row["txid"] == TXID, "or its order would be ended, or claimed for, while this waits"


async def test_money_that_authorizes_brings_the_banks_word_on_it(branch: Branch) -> None:
    """It need not wait for a quarter of an hour, where no webhook tells of the authorization."""
    name, at = "RR1234567820240115abcdefghijk", branch.bank.now - timedelta(minutes=1)
    await branch.scene.admin.execute(
        "UPDATE instruments SET details = $3::jsonb WHERE rail = $1 AND reference = $2", RAIL, TXID,
        f'{{"recurrenceId": "{name}"}}',
    )  # fmt: skip
    located = {"id": 1, "location": "bank.example/qr/v2/rec/1", "criacao": instant(at)}
    branch.bank.recurrences[name] = {"idRec": name, "loc": located, "atualizacao": []}
    branch.bank.became(name, "APROVADA")
    paid = branch.bank.pay(1, at, txid=TXID)
    assert await branch.polling().poll(branch.keep)
    assert {name for _, _, name in await branch.told()} == {f"{port.AUTHORIZATION_MADE}:{name}", f"pix:{paid}"}


async def test_another_systems_charge_of_a_cycle_is_not_even_asked_for(branch: Branch) -> None:
    polling = branch.polling()
    await polling.look(f"{port.RECURRING_HINT}{OTHERS}", branch.keep)
    assert branch.bank.asked == []
    await polling.look(f"{port.RECURRING_HINT}{TXID}", branch.keep)
    assert branch.bank.asked == [f"GET /cobr/{TXID}"]
    assert await branch.told() == []


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


async def test_the_key_is_the_order_s_own_whatever_the_file_says_by_now(branch: Branch) -> None:
    """A key that has left the file since still takes what its open orders asked for."""
    await branch.instrument(LEFT, key="+5511987654321")
    at = branch.bank.now - timedelta(minutes=1)
    ours = [
        branch.bank.pay(n, at, txid=LEFT, chave=chave)
        for n, chave in enumerate(["+5511987654321", "11987654321", "+55 (11) 98765-4321", " 5511987654321"])
    ]
    ours.append(branch.bank.pay(8, at, txid=TXID, chave=KEY.upper()))
    foreign = [branch.bank.pay(9, at, txid=LEFT, chave=KEY), branch.bank.pay(10, at, txid=TXID, chave="+5511987654321")]
    await branch.polling().poll(branch.keep)
    assert [name for _, _, name in await branch.told()] == sorted(f"pix:{name}" for name in ours)
    assert await branch.foreign() == sorted(foreign)


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
        refuses(403, "AcessoNegado"), refuses(400, "PixConsultaInvalida"), answers(204),
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


async def test_a_stream_is_heard_between_two_polls(branch: Branch) -> None:
    heard: list[int] = []

    async def keep(messages: list[port.NetworkMessage]) -> None:
        heard.append(len(messages))

    async def often() -> bool:
        return len(heard) > 5

    stop = asyncio.Event()
    listening = asyncio.ensure_future(branch.polling(poll_seconds=600).listen(keep, stop))
    try:
        await until(often)
    finally:
        stop.set()
        await asyncio.wait_for(listening, 10)
    assert branch.bank.asked == ["GET /pix"]


async def test_a_process_that_cannot_reach_the_bank_lets_another_poll(branch: Branch) -> None:
    branch.bank.next("GET pixs", answers(500))
    with pytest.raises(Transient):
        await branch.polling(1).poll(branch.keep)
    branch.bank.pay(1, branch.bank.now - timedelta(minutes=1), txid=TXID)
    assert await branch.polling(2).poll(branch.keep)
    assert len(await branch.told()) == 1


async def test_while_one_process_has_no_route_another_reads_on(branch: Branch) -> None:
    """Both listen. The one that waits takes over without waiting for a whole pause between two polls."""
    stop, away = asyncio.Event(), NetworkClient("http://127.0.0.1:1", Secret("a-token"))
    failing = asyncio.ensure_future(branch.polling(1, line=away).listen(branch.keep, stop))
    await until(lambda: _has_cursor(branch))
    reading = asyncio.ensure_future(branch.polling(2, poll_seconds=600).listen(branch.keep, stop))
    branch.bank.pay(1, branch.bank.now - timedelta(minutes=1), txid=TXID)
    try:
        await until(branch.told)
    finally:
        stop.set()
        await asyncio.wait_for(asyncio.gather(failing, reading), 10)
        await away.close()


async def _has_cursor(branch: Branch) -> bool:
    return bool(await branch.scene.rows("SELECT FROM rail_cursors"))


async def test_a_stream_that_nobody_reads_is_not_heard(branch: Branch) -> None:
    """The other process has the lease, and its reading does not move."""
    heard: list[int] = []

    async def keep(messages: list[port.NetworkMessage]) -> None:
        heard.append(len(messages))

    other, waiting = branch.cursor(1), branch.polling(2, poll_seconds=20)
    place = await other.take()
    assert place is not None
    assert not await waiting.poll(keep)
    assert heard == [], "it stands a day behind"
    await other.move(place.until + timedelta(hours=1))
    assert not await waiting.poll(keep)
    assert heard == [0], "it is behind, and catches up"
    assert not await waiting.poll(keep)
    assert heard == [0]
    await other.move(place.now)
    for _ in range(2):
        assert not await waiting.poll(keep)
    assert heard == [0, 0, 0], "it reads at its own pace"
    await branch.later(3600)
    assert not await waiting.poll(keep)
    assert len(heard) == 3


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
