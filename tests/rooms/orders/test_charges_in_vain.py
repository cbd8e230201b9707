"""A charge whose acquirer was away for too long: it is told of no more, and the order ends without it."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.cast import Cast
from tests.rooms.lanes import FakeRail, Lanes

from lastro.core.db import Database
from lastro.orders.cards.rules import CHARGE_WITHIN, OVERTAKEN_WITHIN
from lastro.rails import port
from lastro.rails.port import CARD, CARD_AUTHORIZE, Pending, Transient, Unknown
from lastro.rails.sending import HELD_BACK_FOR

from .cards import Acquirer, captured, make, result
from .shop import Shop


@dataclass
class Away(FakeRail):
    """The acquirer as the worker sees it: away, or knowing of no charge unless it has it."""

    is_away: bool = False

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        if self.is_away:
            raise Transient("away")
        await super().send(kind, network_id, body, company_id)

    async def status_of(self, kind: str, network_id: str) -> Unknown | Pending:
        del kind, network_id
        if self.is_away:
            raise Transient("away")
        return Pending() if self.has_it else Unknown()


class Charging(Lanes):
    """The lanes of cards. made: the order."""

    rail: Away
    shop: Shop
    made: dict[str, Any]

    async def charges(self) -> list[str]:
        """Sends what is due; how the charges in it ended."""
        self.worked.clear()
        await self.send()
        return [outcome for kind, outcome in self.worked if kind == CARD_AUTHORIZE]

    async def stands(self) -> list[tuple[Any, ...]]:
        sql = (
            "SELECT o.status, k.state, m.outcome, m.due_at IS NOT NULL FROM orders o JOIN card_payments k ON k.order_id = o.id"
            " JOIN outbox m ON m.network_id = k.charge_id"
        )
        return [tuple(row) for row in await self.shop.rows(sql)]


@pytest.fixture
async def lanes(own_cast: Cast, own_work: Database) -> Charging:
    lanes = Charging(own_cast, own_work, CARD, Away())
    lanes.shop = Shop(own_cast, await own_cast.ana())
    lanes.made = await make(lanes.shop, Acquirer())
    await lanes.send()
    await result(lanes.shop, lanes.made, "Y")
    return lanes


@pytest.mark.parametrize("was_sent", [False, True])
async def test_a_charge_is_not_told_of_after_its_last_moment(lanes: Charging, was_sent: bool) -> None:
    """Neither one that could not be sent, nor one that was and got lost."""
    lanes.rail.is_away = not was_sent
    assert await lanes.charges() == (["sent"] if was_sent else ["not_sent"])
    lanes.rail.is_away = True
    await lanes.later(CHARGE_WITHIN + timedelta(days=2))
    await lanes.poll()
    assert [row[:2] for row in await lanes.stands()] == [("INITIAL", "AUTHENTICATED")], "it may have been charged"
    lanes.rail.is_away = False
    assert await lanes.charges() == ([] if was_sent else ["held_back"])
    await lanes.later(timedelta(minutes=15))
    await lanes.poll()
    assert await lanes.stands() == [("ERROR", "DECLINED", "withdrawn", False)]
    await lanes.later(HELD_BACK_FOR)
    assert await lanes.charges() == []
    (error,) = await lanes.shop.column("SELECT error_message FROM orders")
    assert error == "the acquirer did not take the charge within 15 minutes"
    assert lanes.rail.kinds.count(CARD_AUTHORIZE) == was_sent
    assert lanes.rail.kinds[-1] == port.COLLECTION_CLOSE
    assert await captured(lanes.shop, lanes.made) == "handled", "what was charged all the same goes back"
    assert await lanes.shop.column("SELECT state FROM pix_payments WHERE rail = 'card'") == ["RETURNING"]


async def test_a_charge_whose_answer_was_lost_leaves_no_message_behind(lanes: Charging) -> None:
    """The acquirer had it, and told its end; a day later its message is found to have come there, and is not sent again."""
    lanes.rail.is_away = True
    assert await lanes.charges() == ["not_sent"]
    assert await captured(lanes.shop, lanes.made) == "handled"
    lanes.rail.is_away, lanes.rail.has_it = False, True
    await lanes.later(timedelta(days=1))
    assert await lanes.charges() == ["sent"]
    assert await lanes.stands() == [("PAID", "CAPTURED", "sent", False)]
    assert CARD_AUTHORIZE not in lanes.rail.kinds


async def test_within_its_time_it_is_told_again(lanes: Charging) -> None:
    """And what may have been told again since it was asked about is asked about once more."""
    assert await lanes.charges() == ["sent"]
    await lanes.later(CHARGE_WITHIN - timedelta(minutes=1))
    await lanes.poll()
    assert await lanes.charges() == ["sent"]
    await lanes.later(OVERTAKEN_WITHIN + timedelta(minutes=1))
    await lanes.poller.round()
    await lanes.shop.column("UPDATE outbox SET sends = sends + 1 WHERE kind = 'card.authorize' RETURNING 1")
    await lanes.handle()
    assert (await lanes.stands())[0][:2] == ("INITIAL", "AUTHENTICATED")
    await lanes.later(timedelta(minutes=15))
    await lanes.poll()
    assert (await lanes.stands())[0][:2] == ("ERROR", "DECLINED")


async def test_what_was_told_in_the_last_moment_may_still_arrive(lanes: Charging) -> None:
    """That the acquirer does not know it proves nothing yet: nothing ends, and nothing is told again."""
    await lanes.later(CHARGE_WITHIN - timedelta(seconds=1))
    assert await lanes.charges() == ["sent"]
    await lanes.later(timedelta(minutes=1))
    await lanes.poll()
    assert await lanes.stands() == [("INITIAL", "AUTHENTICATED", None, True)]
    assert await lanes.charges() == ["held_back"]
    await lanes.later(OVERTAKEN_WITHIN)
    await lanes.poll()
    assert await lanes.stands() == [("ERROR", "DECLINED", "withdrawn", False)]
    assert lanes.rail.kinds.count(CARD_AUTHORIZE) == 1
