"""A charge whose acquirer was away for too long: it is told of no more, and the order ends without it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.cast import INSTITUTION, PLACE, Cast
from tests.laws import breaches

from lastro import orders
from lastro.app import inbox_handlers
from lastro.core.db import Database
from lastro.orders.cards.rules import CHARGE_WITHIN, OVERTAKEN_WITHIN
from lastro.rails import port
from lastro.rails.handling import Handler
from lastro.rails.inbox import Inbox
from lastro.rails.port import CARD, CARD_AUTHORIZE, Pending, Transient, Unknown
from lastro.rails.sending import HELD_BACK_FOR, Sender
from lastro.rails.status_poller import StatusPoller

from .cards import Acquirer, captured, make, result
from .shop import Shop


@dataclass
class Away:
    """The acquirer as the worker sees it: away, or knowing of no charge unless it has it. told: the kinds that it has taken."""

    told: list[str] = field(default_factory=list)
    is_away: bool = False
    has_it: bool = False

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        del network_id, body, company_id
        if self.is_away:
            raise Transient("away")
        self.told.append(kind)

    async def listen(self, keep: port.Keep, stop: asyncio.Event) -> None:
        """It tells nothing of its own accord."""

    async def close(self) -> None:
        """It has no connections."""

    async def status_of(self, kind: str, network_id: str) -> Unknown | Pending:
        del kind, network_id
        if self.is_away:
            raise Transient("away")
        return Pending() if self.has_it else Unknown()


@dataclass
class Lanes:
    """What a worker does for the rail of cards, as it is asked to. made: the order; ended: how each sending of a charge did."""

    shop: Shop
    acquirer: Away
    work: Database
    made: dict[str, Any] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        cast, rail = self.shop.cast, self.acquirer
        inbox = Inbox(cast.database, self.work, cast.chance, INSTITUTION.ispb, CARD)
        self.sender = Sender(
            cast.database, self.work, cast.runner, cast.chance, CARD, rail,
            lambda w: self.ended.append(w.outcome) if w.kind == CARD_AUTHORIZE else None, orders.HELD_BACK,
        )  # fmt: skip
        self.requester = StatusPoller(cast.database, self.work, inbox, CARD, rail, orders.WAITING[CARD])
        self.handler = Handler(cast.database, self.work, cast.runner, cast.chance, inbox_handlers.inbox_verbs(PLACE))

    async def send(self) -> list[str]:
        """What is due; how the charges in it ended."""
        self.ended.clear()
        await self.sender.queue.drain()
        return self.ended

    async def ask(self) -> None:
        await self.requester.round()
        await self.handler.queue.drain()

    async def later(self, by: timedelta) -> None:
        sql = "UPDATE clock SET offset_us = offset_us + $1, version = version + 1 RETURNING 1"
        await self.shop.rows(sql, by // timedelta(microseconds=1))

    async def stands(self) -> list[tuple[Any, ...]]:
        sql = (
            "SELECT o.status, k.state, m.outcome, m.due_at IS NOT NULL FROM orders o JOIN card_payments k ON k.order_id = o.id"
            " JOIN outbox m ON m.network_id = k.charge_id"
        )
        return [tuple(row) for row in await self.shop.rows(sql)]


@pytest.fixture
async def lanes(own_database: Any) -> AsyncIterator[Lanes]:
    cast, work = Cast.of(own_database.app), Database(own_database.work, size=4)
    await cast.found("The institution", number=0)
    lanes = Lanes(Shop(cast, await cast.ana()), Away(), work)
    lanes.made = await make(lanes.shop, Acquirer())
    await lanes.send()
    await result(lanes.shop, lanes.made, "Y")
    yield lanes
    await work.close()
    await cast.close()
    found = await breaches(own_database.audit)
    assert found.keys() <= {"law_nothing_is_overdue_at_rest"}, found  # nobody numbers events here


@pytest.mark.parametrize("was_sent", [False, True])
async def test_a_charge_is_not_told_of_after_its_last_moment(lanes: Lanes, was_sent: bool) -> None:
    """Neither one that could not be sent, nor one that was and got lost."""
    lanes.acquirer.is_away = not was_sent
    assert await lanes.send() == (["sent"] if was_sent else ["not_sent"])
    lanes.acquirer.is_away = True
    await lanes.later(CHARGE_WITHIN + timedelta(days=2))
    await lanes.ask()
    assert [row[:2] for row in await lanes.stands()] == [("INITIAL", "AUTHENTICATED")], "it may have been charged"
    lanes.acquirer.is_away = False
    assert await lanes.send() == ([] if was_sent else ["held_back"])
    await lanes.later(timedelta(minutes=15))
    await lanes.ask()
    assert await lanes.stands() == [("ERROR", "DECLINED", "withdrawn", False)]
    await lanes.later(HELD_BACK_FOR)
    assert await lanes.send() == []
    (error,) = await lanes.shop.column("SELECT error_message FROM orders")
    assert error == "the acquirer did not take the charge within 15 minutes"
    assert lanes.acquirer.told.count(CARD_AUTHORIZE) == was_sent
    assert lanes.acquirer.told[-1] == port.COLLECTION_CLOSE
    assert await captured(lanes.shop, lanes.made) == "handled", "what was charged all the same goes back"
    assert await lanes.shop.column("SELECT state FROM pix_payments WHERE rail = 'card'") == ["RETURNING"]


async def test_a_charge_whose_answer_was_lost_leaves_no_message_behind(lanes: Lanes) -> None:
    """The acquirer had it, and told its end; a day later its message is found to have come there, and is not sent again."""
    lanes.acquirer.is_away = True
    assert await lanes.send() == ["not_sent"]
    assert await captured(lanes.shop, lanes.made) == "handled"
    lanes.acquirer.is_away, lanes.acquirer.has_it = False, True
    await lanes.later(timedelta(days=1))
    assert await lanes.send() == ["sent"]
    assert await lanes.stands() == [("PAID", "CAPTURED", "sent", False)]
    assert CARD_AUTHORIZE not in lanes.acquirer.told


async def test_within_its_time_it_is_told_again(lanes: Lanes) -> None:
    """And what may have been told again since it was asked about is asked about once more."""
    assert await lanes.send() == ["sent"]
    await lanes.later(CHARGE_WITHIN - timedelta(minutes=1))
    await lanes.ask()
    assert await lanes.send() == ["sent"]
    await lanes.later(OVERTAKEN_WITHIN + timedelta(minutes=1))
    await lanes.requester.round()
    await lanes.shop.column("UPDATE outbox SET sends = sends + 1 WHERE kind = 'card.authorize' RETURNING 1")
    await lanes.handler.queue.drain()
    assert (await lanes.stands())[0][:2] == ("INITIAL", "AUTHENTICATED")
    await lanes.later(timedelta(minutes=15))
    await lanes.ask()
    assert (await lanes.stands())[0][:2] == ("ERROR", "DECLINED")


async def test_what_was_told_in_the_last_moment_may_still_arrive(lanes: Lanes) -> None:
    """That the acquirer does not know it proves nothing yet: nothing ends, and nothing is told again."""
    await lanes.later(CHARGE_WITHIN - timedelta(seconds=1))
    assert await lanes.send() == ["sent"]
    await lanes.later(timedelta(minutes=1))
    await lanes.ask()
    assert await lanes.stands() == [("INITIAL", "AUTHENTICATED", None, True)]
    assert await lanes.send() == ["held_back"]
    await lanes.later(OVERTAKEN_WITHIN)
    await lanes.ask()
    assert await lanes.stands() == [("ERROR", "DECLINED", "withdrawn", False)]
    assert lanes.acquirer.told.count(CARD_AUTHORIZE) == 1
