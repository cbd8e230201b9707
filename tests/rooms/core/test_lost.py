"""The connection is lost while a Write is on its way: it takes effect once, and who asked hears of it."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest
from tests.cast import Cast, Seller
from tests.rooms.core.verbs import Pay, Tell, born_order, count, ended, move_of

from lastro.core import failpoints
from lastro.core.commit import commit
from lastro.core.db import Session
from lastro.core.errors import DatabaseAway, InsufficientFunds, Stale
from lastro.core.runner import Reply
from lastro.core.write import Event, Message, Row, Touch, Write
from lastro.orders import ORDERS
from lastro.webhooks import RotateSecret


class Network:
    """Loses the answers to the next `losses` commits; the server has them all."""

    def __init__(self, losses: int) -> None:
        self.losses = losses
        self._fetch = Session.fetch

    async def __call__(self, session: Session, sql: str, *arguments: Any) -> Any:
        if not self.losses or "door_commit" not in sql:
            return await self._fetch(session, sql, *arguments)
        self.losses -= 1
        with suppress(asyncpg.PostgresError):
            await self._fetch(session, sql, *arguments)
        await session.close()
        raise DatabaseAway("the answer was lost")


@pytest.fixture
def loses_answers(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    def lose(losses: int) -> None:
        network = Network(losses)

        async def fetch(session: Session, sql: str, *arguments: Any) -> Any:
            return await network(session, sql, *arguments)

        monkeypatch.setattr(Session, "fetch", fetch)

    return lose


@pytest.mark.parametrize("part", ["rows", "moves", "draw", "post", "facts", "messages"])
async def test_an_answer_that_was_lost_changes_nothing_twice(
    cast: Cast, ana: Seller, part: str, loses_answers: Callable[[int], None]
) -> None:
    """Whatever the second try meets (its own rows, its own move, an account that it has emptied) is its own doing."""
    at, order_id = datetime.now(UTC), cast.id()
    await cast.credit(ana, 100)
    hold = cast.transfer(ana.customer, ana.clearing, 50, kind="held")
    expired = Event(cast.id(), "ORDER-PAYIN.EXPIRED", order_id, None, ended(order_id, "EXPIRED"), at)
    if part == "post":
        await commit(cast.database, Write(ana.company_id, transfers=(hold,)))
    if part == "moves":
        await commit(cast.database, Write(ana.company_id, rows=born_order(ana, order_id, at)))
    writes = {
        "rows": Write(ana.company_id, rows=(Row("parties", {"id": cast.id(), "name": "x"}),)),
        "moves": Write(ana.company_id, moves=(move_of(ORDERS, order_id, "INITIAL", 1, "expire", at),), events=(expired,)),
        "draw": Write(ana.company_id, transfers=(cast.transfer(ana.customer, ana.clearing, 100),)),
        "post": Write(
            ana.company_id, transfers=(cast.transfer(ana.customer, ana.clearing, 50, kind="posted", pending=hold),)
        ),
        "facts": Write(ana.company_id, events=(Event(cast.id(), "TEST", cast.id(), None, b"{}", at),)),
        "messages": Write(ana.company_id, messages=(Message(cast.id(), "pix", "x", str(cast.id()), cast.id(), b"", at),)),
    }
    counted = {t: await count(cast, ana, t) for t in ("parties", "history", "transfers", "events", "outbox")}
    loses_answers(1)
    await commit(cast.database, writes[part])
    after = {t: await count(cast, ana, t) for t in counted}
    grown = {
        "rows": {"parties"}, "moves": {"history", "events"}, "draw": {"transfers"}, "post": {"transfers"}, "facts": {"events"},
        "messages": {"outbox"},
    }  # fmt: skip
    assert {t: after[t] - counted[t] for t in counted} == {t: int(t in grown[part]) for t in counted}


async def test_a_touch_whose_answer_was_lost_is_known_by_what_it_has_set(
    cast: Cast, ana: Seller, loses_answers: Callable[[int], None]
) -> None:
    """Decided again, a rotation would move the new secret aside, and end the one that receivers have."""
    async with cast.database.session(ana.company_id) as session:
        before = await session.row("SELECT version, webhook_secret FROM companies WHERE company_id = tenant()")
        assert before is not None
    rotation = RotateSecret(ana.company_id, cast.key_ring, lambda: datetime.now(UTC), None)
    loses_answers(1)
    assert isinstance(await cast.run(ana.client, rotation), Reply)
    async with cast.database.session(ana.company_id) as session:
        after = await session.row("SELECT version, webhook_secret_previous FROM companies WHERE company_id = tenant()")
    assert after is not None
    assert tuple(after) == (before["version"] + 1, before["webhook_secret"])
    stale = Touch("companies", ana.company_id, before["version"], {"name": "x", "version": 9}, key="company_id")
    loses_answers(1)
    with pytest.raises(Stale):
        await commit(cast.database, Write(ana.company_id, touches=(stale,)))


async def test_another_write_that_stands_in_the_way_is_not_taken_for_this_one(
    cast: Cast, ana: Seller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first try never arrived, and meanwhile somebody else moved the order and took the money."""
    at, order_id = datetime.now(UTC), cast.id()
    await commit(cast.database, Write(ana.company_id, rows=born_order(ana, order_id, at)))
    await cast.credit(ana, 100)
    canceled = Event(cast.id(), "ORDER-PAYIN.CANCELED", order_id, None, ended(order_id, "CANCELED"), at)
    theirs = Write(
        ana.company_id, moves=(move_of(ORDERS, order_id, "INITIAL", 1, "cancel", at),), events=(canceled,),
        transfers=(cast.transfer(ana.customer, ana.clearing, 100),),
    )  # fmt: skip
    fetch = Session.fetch
    lost: list[str] = []

    async def never_arrives(session: Session, sql: str, *arguments: Any) -> Any:
        if "door_commit" in sql and not lost:
            lost.append(sql)
            await session.close()
            await commit(cast.database, theirs)
            raise DatabaseAway("never arrived")
        return await fetch(session, sql, *arguments)

    later = at + timedelta(microseconds=1)
    for error, ours in (
        (Stale, Write(ana.company_id, moves=(move_of(ORDERS, order_id, "INITIAL", 1, "expire", later),))),
        (InsufficientFunds, Write(ana.company_id, transfers=(cast.transfer(ana.customer, ana.clearing, 100),))),
    ):
        monkeypatch.setattr(Session, "fetch", never_arrives)
        with pytest.raises(error):
            await commit(cast.database, ours)
    assert await count(cast, ana, "transfers") == 2


async def test_what_is_lost_twice_is_not_known_and_asking_again_says_it(
    cast: Cast, ana: Seller, loses_answers: Callable[[int], None]
) -> None:
    await cast.credit(ana, 100)
    pay = Pay(cast, ana, 100)
    loses_answers(2)
    with pytest.raises(DatabaseAway):
        await cast.run(ana.client, pay, key="k")
    answer = await cast.run(ana.client, pay, key="k")
    assert isinstance(answer, Reply)
    assert answer.replayed
    assert (pay.decided, await count(cast, ana, "transfers")) == (1, 2)


async def test_a_call_whose_commit_lost_its_answer_is_answered(
    cast: Cast, ana: Seller, loses_answers: Callable[[int], None]
) -> None:
    loses_answers(1)
    first = await cast.run(ana.client, Tell(), key="k")
    again = await cast.run(ana.client, Tell(), key="k")
    assert isinstance(first, Reply)
    assert isinstance(again, Reply)
    assert first.body == again.body
    assert await count(cast, ana, "events") == 1


async def test_a_backend_that_is_killed_in_mid_statement(cast: Cast, ana: Seller, database: Any, inside: Any) -> None:
    """The statement waits for a lock when its server process is terminated: it is tried again, and happens once."""
    await cast.credit(ana, 100)
    killers = await database.connect_everywhere()  # who may see what another session waits for
    sql = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    lock = inside.transaction()
    await lock.start()
    await inside.execute("SELECT 1 FROM balances FOR UPDATE")
    paying = asyncio.create_task(cast.run(ana.client, Pay(cast, ana, 100), key="k"))
    waiting: list[tuple[Any, int]] = []
    async with asyncio.timeout(30):
        while not waiting:
            await asyncio.sleep(0.01)
            waiting = [(killer, pid) for killer in killers for (pid,) in await killer.fetch(sql)]
    for killer, pid in waiting:
        assert await killer.fetchval("SELECT pg_terminate_backend($1::int)", pid)
    await lock.rollback()
    assert isinstance(await paying, Reply)
    assert await count(cast, ana, "transfers") == 2
    assert await count(cast, ana, "answers") == 1
    for killer in killers:
        await killer.close()


class Killed(BaseException):
    """It stands for kill -9: nothing catches it."""


@pytest.fixture
def killed_at() -> Iterator[Callable[[str], None]]:
    def at(name: str) -> None:
        def die(gap: str) -> None:
            if gap == name:
                raise Killed

        failpoints.listen(die)

    yield at
    failpoints.listen(None)


@pytest.mark.parametrize(("gap", "drawn"), [("run.decided", 0), ("commit.sent", 1)])
async def test_killed_between_two_steps(
    cast: Cast, ana: Seller, gap: str, drawn: int, killed_at: Callable[[str], None]
) -> None:
    await cast.credit(ana, 100)
    killed_at(gap)
    with pytest.raises(Killed):
        await cast.run(ana.client, Pay(cast, ana, 100), key="k")
    failpoints.listen(None)
    assert await count(cast, ana, "transfers") == 1 + drawn
    answer = await cast.another_process().run(ana.client.call(key="k"), Pay(cast, ana, 100))
    assert isinstance(answer, Reply)
    assert answer.replayed is (drawn == 1)
    assert await count(cast, ana, "transfers") == 2


async def test_a_coordinator_that_has_lost_a_server_is_away(cast: Cast) -> None:
    """What the engine says where a server has died since it was written to: the next session may find it back."""
    lost = "failure on connection marked as essential: 127.0.0.1:1"
    async with cast.database.session() as session:
        with pytest.raises(DatabaseAway):
            await session.fetch(f"DO $$ BEGIN RAISE EXCEPTION '{lost}' USING ERRCODE = 'XX000'; END $$")
        assert not session.is_usable
