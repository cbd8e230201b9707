"""The cursor of every list whose rows are dated by who writes them, while they are being written (docs/decisions/lists.md).

Hands decide, write and commit in an order that a seed plays, each on a connection of its own; business time goes on between
their steps. Meanwhile readers go from page to page. Nothing here waits: a page that has to be asked for again is asked for
again a moment later.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import ANA, INSTITUTION, Cast, Seller
from tests.rooms.core.verbs import born_order
from tests.rooms.lists import ROUTES, answered

from lastro.accounts import OpenAccount
from lastro.api_kit.routes import Incoming, stamp
from lastro.core.commit import commit
from lastro.core.db import Session
from lastro.core.errors import NotYet, Refused, Stale
from lastro.core.runner import Done, RequestContext
from lastro.core.write import Write

LISTS = ("list_orders", "list_accounts")
A_SECOND = timedelta(seconds=1)
_STEP = "UPDATE clock SET offset_us = offset_us + $1, version = version + 1"


async def an_order(cast: Cast, ana: Seller, session: Session, at: datetime) -> tuple[UUID, Write]:
    order_id = cast.id()
    return order_id, Write(ana.company_id, rows=born_order(ana, order_id, at, final_amount_minor=1000))


async def an_account(cast: Cast, ana: Seller, session: Session, at: datetime) -> tuple[UUID, Write]:
    verb, context = OpenAccount(INSTITUTION, ANA), RequestContext(ana.company_id, at, cast.chance)
    done = verb.decide(await verb.read(session, context), context)
    assert isinstance(done, Done)
    assert done.write is not None
    assert done.object_id is not None
    return done.object_id, done.write


MAKE: dict[str, Callable[..., Any]] = {"list_orders": an_order, "list_accounts": an_account}


@dataclass
class Row:
    """What a hand has made. committed_at: when it was surely there to be read."""

    id: str
    created_at: datetime
    committed_at: datetime


@dataclass
class Hand:
    """Who writes one row after the other, in three steps: decided, written, committed."""

    session: Session
    id: UUID | None = None
    write: Write | None = None
    decided_at: datetime | None = None
    written_at: datetime | None = None


@dataclass
class Walk:
    """Who goes from page to page. cursor: the last that was given."""

    sort: str
    begun_at: datetime
    seen: list[tuple[str, str]] = field(default_factory=list)
    cursor: str | None = None
    ended: bool = False


class Play:
    def __init__(self, cast: Cast, ana: Seller, operation: str, chance: random.Random) -> None:
        self.cast, self.ana, self.operation, self.chance = cast, ana, operation, chance
        self.rows: list[Row] = []
        self.beyond: set[str] = set()  # whose commit took longer than lists reckon with: the machine was busy
        self.walks: list[Walk] = []
        self.happened: Counter[str] = Counter()

    async def now(self, session: Session) -> datetime:
        at: datetime = await session.value("SELECT business_now()")
        return at

    async def advance(self, hand: Hand) -> None:
        """The hand's next step."""
        if hand.decided_at is None:
            hand.decided_at = await self.now(hand.session)
            hand.id, hand.write = await MAKE[self.operation](self.cast, self.ana, hand.session, hand.decided_at)
        elif hand.written_at is None:
            await self._write(hand)
        else:
            await hand.session.fetch("COMMIT")
            assert hand.id is not None
            row = Row(str(hand.id), hand.decided_at, await self.now(hand.session))
            self.rows.append(row)
            if row.committed_at - hand.written_at >= A_SECOND:
                self.beyond.add(row.id)
            self._rest(hand, "committed")

    async def _write(self, hand: Hand) -> None:
        assert hand.write is not None
        await hand.session.fetch("BEGIN")
        hand.written_at = await self.now(hand.session)
        try:
            await commit(self.cast.database, hand.write, session=hand.session, decided_at=hand.decided_at)
        except Stale:
            await hand.session.fetch("ROLLBACK")
            self._rest(hand, "refused")

    def _rest(self, hand: Hand, how: str) -> None:
        self.happened[how] += 1
        hand.id = hand.write = hand.decided_at = hand.written_at = None

    async def step_clock(self, hands: list[Hand], session: Session, by: timedelta) -> None:
        """Time goes on; who has written commits within a second of it, as on any machine that lists can be right on."""
        then = await self.now(session) + by
        for hand in hands:
            if hand.written_at is not None and then - hand.written_at > 0.9 * A_SECOND:
                await self.advance(hand)
        await session.fetch(_STEP, round(by / timedelta(microseconds=1)))

    async def page(self, walk: Walk, session: Session) -> None:
        """The walk's next page, as the runner reads it: what time it is, and then the rows."""
        query = {"sort": walk.sort, "limit": str(self.chance.randint(1, 4))} | (
            {"cursor": walk.cursor} if walk.cursor else {}
        )
        verb = ROUTES[self.operation].parse(Incoming(self.ana.company_id, {}, query, b"", {}, None))
        assert not isinstance(verb, Refused)
        context = RequestContext(self.ana.company_id, await self.now(session), self.cast.chance)
        try:
            done = verb.decide(await verb.read(session, context), context)
        except NotYet:
            self.happened["not yet"] += 1
            return
        assert isinstance(done, Done)
        answer = msgspec.json.decode(done.body)
        assert 1 <= len(answer["data"]) <= int(query["limit"]) or not answer["hasNext"]
        self.happened["cut"] += answer["hasNext"] and len(answer["data"]) < int(query["limit"])
        walk.seen += [(shown["createdAt"], shown["id"]) for shown in answer["data"]]
        walk.cursor, walk.ended = answer.get("nextCursor") or walk.cursor, not answer["hasNext"]

    def judge(self, first: list[tuple[str, str]]) -> None:
        """Whether each walk has seen what it should. first: the rows that were there before anybody wrote."""
        long_ago = datetime.min.replace(tzinfo=UTC)
        there = [(at, row_id, long_ago) for at, row_id in first]
        there += [(stamp(r.created_at), r.id, r.committed_at) for r in self.rows if r.id not in self.beyond]
        for walk in self.walks:
            assert walk.seen == sorted(set(walk.seen), reverse=walk.sort == "desc"), "in order, and none twice"
            cursor = walk.cursor or ("" if walk.sort == "asc" else "Z")
            for at, row_id, committed_at in there:
                passed = at <= cursor if walk.sort == "asc" else at >= cursor
                # What is made while somebody pages: going forward it must not come behind the cursor unseen.
                due = (passed or walk.ended) if committed_at <= walk.begun_at else (passed and walk.sort == "asc")
                assert not due or (at, row_id) in walk.seen, (walk, at, row_id, committed_at)


@dataclass
class Stage:
    cast: Cast
    session: Session
    hands: list[Hand]


@pytest.fixture
async def stage(own_database: Any) -> AsyncIterator[Stage]:
    """A database of its own, since time goes on in jumps there."""
    cast = Cast.of(own_database.app, size=12)
    sessions = [await cast.database.lend(None) for _ in range(6)]
    yield Stage(cast, sessions[0], [Hand(session) for session in sessions[1:]])
    for session in sessions:
        cast.database.give_back(session)
    await cast.close()


async def played(stage: Stage, operation: str, seed: int) -> Play:
    """Some three hundred steps of all of them, in the order of the seed."""
    chance = random.Random(seed)
    ana = await stage.cast.ana()
    play = Play(stage.cast, ana, operation, chance)
    for session in (stage.session, *(hand.session for hand in stage.hands)):
        await session.set_company(ana.company_id)
    first = await answered(stage.cast, ana.client, operation)
    for _ in range(300):
        match chance.choices(["hand", "page", "walk", "clock"], [50, 30, 3, 17])[0]:
            case "hand":
                await play.advance(chance.choice(stage.hands))
            case "page" if open_walks := [walk for walk in play.walks if not walk.ended]:
                await play.page(chance.choice(open_walks), stage.session)
            case "walk":
                play.walks.append(Walk(chance.choice(["asc", "asc", "desc"]), await play.now(stage.session)))
            case "clock":
                await play.step_clock(stage.hands, stage.session, chance.choice([0.05, 0.3, 0.6]) * A_SECOND)
    for hand in stage.hands:
        if hand.written_at is not None:
            await play.advance(hand)
        play._rest(hand, "left")
    play.judge([(shown["createdAt"], shown["id"]) for shown in first["data"]])
    return play


@pytest.mark.parametrize("operation", LISTS)
async def test_nothing_is_skipped_and_nothing_repeats_while_rows_are_written(stage: Stage, operation: str) -> None:
    happened: Counter[str] = Counter()
    overtaken = 0
    for seed in range(LISTS.index(operation), 10, len(LISTS)):  # one cursor serves both
        play = await played(stage, operation, seed)
        happened += play.happened
        order = [row.created_at for row in play.rows]
        overtaken += sum(later < max(order[:n]) for n, later in enumerate(order) if n)
    # What makes it hard must have happened, or the test has shown nothing.
    assert overtaken > 20
    assert all(happened[what] for what in ("committed", "refused", "not yet", "cut")), happened


async def test_a_page_of_young_rows_comes_whole_and_waits_without_a_connection(database: Any) -> None:
    cast = Cast.of(database.app, size=1)
    try:
        ana = await cast.ana()
        made = [str(ana.account_id), *[(await cast.open_account(ana.company_id))["id"] for _ in range(3)]]
        query = {"sort": "asc", "limit": "3"}
        waiting = asyncio.ensure_future(answered(cast, ana.client, "list_accounts", query))
        lent = 0
        while not (await asyncio.wait({waiting}, timeout=0.05))[0]:
            async with cast.database.session(ana.company_id) as session:
                lent += await session.value("SELECT 1")
        page = waiting.result()
        assert ([shown["id"] for shown in page["data"]], page["hasNext"]) == (made[:3], True)
        assert lent > 10, "the only connection was free meanwhile"
        begun = time.monotonic()
        last = await answered(cast, ana.client, "list_accounts", {**query, "cursor": page["nextCursor"]})
        assert ([shown["id"] for shown in last["data"]], last["hasNext"]) == (made[3:], False)
        assert time.monotonic() - begun < 1, "the last page shows everything at once"
    finally:
        await cast.close()
