"""Which look-ups go on when not all can."""

import asyncio
from collections.abc import Iterable

import pytest

from lastro.http_client.dns_fairness import Turns

AT_ONCE = 64
UNKNOWN = 48  # so many of them for names that nobody has heard of


async def ask(turns: Turns, hosts: Iterable[str]) -> tuple[list[str], list[asyncio.Task[None]]]:
    """Those that have a place now, and all of them."""
    asking = {host: asyncio.create_task(turns.take(host)) for host in hosts}
    await asyncio.sleep(0)
    return [host for host, task in asking.items() if task.done()], list(asking.values())


async def end(asking: Iterable[asyncio.Task[None]]) -> None:
    tasks = list(asking)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def order(turns: Turns, hosts: Iterable[str], holding: str) -> list[str]:
    """In which order those begin that wait for the place of another."""
    begun: list[str] = []

    async def wait(host: str) -> None:
        await turns.take(host)
        begun.append(host)
        turns.give_back(host)

    waiting = [asyncio.create_task(wait(host)) for host in hosts]
    await asyncio.sleep(0)
    assert begun == []
    turns.give_back(holding)
    await asyncio.wait_for(asyncio.gather(*waiting), 10)
    return begun


@pytest.mark.parametrize("domains", [1, 2, 5, 12])
async def test_a_few_domains_leave_room_for_another(domains: int) -> None:
    turns = Turns(AT_ONCE)
    begun, asking = await ask(turns, [f"a{n}.example{d}.com" for d in range(domains) for n in range(100)])
    assert domains <= len(begun) < UNKNOWN
    assert (await ask(turns, ["another.example.org"]))[0] == ["another.example.org"]
    await end(asking)


async def test_one_domain_has_few_places_in_whatever_way_its_names_are_written() -> None:
    turns = Turns(AT_ONCE)
    hosts = [f"a{n}.{written}" for n in range(50) for written in ("example.com", "example.com.", "b.EXAMPLE.com")]
    begun, asking = await ask(turns, hosts)
    assert len(begun) < AT_ONCE // 4
    await end(asking)


async def test_names_that_are_known_have_places_that_no_others_get() -> None:
    turns = Turns(AT_ONCE)
    known = [f"a.known{n}.org" for n in range(100)]
    for host in known:
        turns.learn(host, has_address=True)
    begun, asking = await ask(turns, [f"a.example{n}.com" for n in range(100)])
    assert len(begun) == UNKNOWN
    begun, more = await ask(turns, known)
    assert len(begun) == AT_ONCE - UNKNOWN
    await end(asking + more)
    assert turns._waiting == {}


async def test_what_is_known_goes_first_and_else_who_came_first() -> None:
    turns = Turns(1)
    turns.learn("known.example.org", has_address=True)
    turns.learn("failed.example.org", has_address=True)
    turns.learn("failed.example.org", has_address=False)
    await turns.take("a.example.com")
    hosts = ["new.example.net", "failed.example.org", "known.example.org", "late.example.net"]
    assert await order(turns, hosts, "a.example.com") == [hosts[2], hosts[0], hosts[1], hosts[3]]


async def test_what_was_found_last_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lastro.http_client.dns_fairness._MANY_KNOWN", 2)
    turns = Turns(1)
    for host in ("a.example.com", "b.example.com", "a.example.com", "c.example.com"):
        turns.learn(host, has_address=True)
    await turns.take("z.example.com")
    hosts = ["b.example.com", "c.example.com", "a.example.com"]
    assert await order(turns, hosts, "z.example.com") == ["c.example.com", "a.example.com", "b.example.com"]


@pytest.mark.parametrize("gives_up_first", [True, False])
async def test_a_turn_is_not_lost_with_whoever_gives_up_in_the_same_moment(gives_up_first: bool) -> None:
    turns = Turns(1)
    await turns.take("a.example.com")
    _, (gone, follows) = await ask(turns, ["b.example.com", "c.example.com"])
    if gives_up_first:
        gone.cancel()
        turns.give_back("a.example.com")
    else:
        turns.give_back("a.example.com")
        gone.cancel()
    await asyncio.wait_for(follows, 10)
    assert gone.cancelled()
    turns.give_back("c.example.com")
    assert (turns._free, turns._busy, turns._waiting) == (1, {}, {})


async def test_all_have_their_turn_in_the_end() -> None:
    turns = Turns(3)
    begun: list[str] = []

    async def look_up(host: str) -> None:
        await turns.take(host)
        begun.append(host)
        await asyncio.sleep(0)
        turns.learn(host, has_address=len(begun) % 2 == 0)
        turns.give_back(host)

    hosts = [f"a{n}.example{n % 7}.com" for n in range(200)]
    await asyncio.wait_for(asyncio.gather(*(look_up(host) for host in hosts)), 10)
    assert sorted(begun) == sorted(hosts)
    assert (turns._free, turns._busy, turns._waiting) == (3, {}, {})
