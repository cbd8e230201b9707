"""What shares a transaction of the simulator's store: how many commits there are, and what a failure takes with it."""

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from lastro_sim.store import Store

from .stage import Institution, Sim, Till


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "network.db")
    yield store
    store.close()


def _commits(store: Store) -> list[str]:
    said: list[str] = []
    store.watch(lambda statement: said.append(statement) if statement == "COMMIT" else None)
    return said


async def test_parts_of_one_turn_are_committed_once(store: Store) -> None:
    commits = _commits(store)

    async def part(name: str) -> None:
        with store.sharing():
            store.remember(name, 1)
        assert not commits
        await store.committed()
        assert commits == ["COMMIT"]

    await asyncio.gather(*(part(name) for name in "abc"))
    await store.committed()  # of nothing
    assert commits == ["COMMIT"]


async def test_a_part_that_fails_takes_no_other_with_it(store: Store) -> None:
    def fail() -> None:
        with store.sharing():
            store.remember("before", 2)
            store.remember("lost", 1)
            raise KeyError

    with store.sharing():
        store.remember("before", 1)
    with pytest.raises(KeyError):
        fail()
    with store.sharing():
        store.remember("after", 1)
    await store.committed()
    assert [store.number(name) for name in ("before", "lost", "after")] == [1, 0, 1]


async def test_what_shares_nothing_is_committed_at_once(store: Store) -> None:
    commits = _commits(store)
    with store.sharing():
        store.remember("a", 1)
    store.remember("b", 1)
    assert commits == ["COMMIT"]  # of both: nobody waits for the second
    with store.sharing():
        store.remember("c", 1)
    with store.writing():
        store.remember("d", 1)
    assert commits == ["COMMIT"] * 3
    await store.committed()
    assert commits == ["COMMIT"] * 3


async def test_all_hear_that_their_commit_failed(store: Store) -> None:
    async def part(name: str) -> None:
        with store.sharing():
            store.remember(name, 1)
        await store.committed()

    async def fail() -> None:
        store.run("ROLLBACK")  # stands for a full disk

    *told, _ = await asyncio.gather(part("a"), part("b"), fail(), return_exceptions=True)
    assert all(isinstance(problem, sqlite3.OperationalError) for problem in told)
    await part("c")
    assert [store.number(name) for name in "abc"] == [0, 0, 1]


async def test_an_answer_leaves_after_its_commit(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    code, _ = shop.charge(key)
    heard: list[str] = []
    sim.network.store.watch(heard.append)
    paid = await sim.act("/phone/pay", {"qrcodeData": code})
    sim.network.store.watch(None)
    assert paid["status"] == "SETTLED"
    settled = next(place for place, one in enumerate(heard) if one.startswith("UPDATE payment"))
    assert "COMMIT" in heard[settled:]
