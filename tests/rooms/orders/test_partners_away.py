"""A partner that is known to be away: new orders go to the fallback of their route, and those that are promised stay."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs
from tests.cast import PLACE, Cast, Seller

from lastro import orders
from lastro.api_kit.routes import Incoming
from lastro.companies import Route, RouteOrders
from lastro.core.runner import Reply
from lastro.core.work_queue import Worked
from lastro.rails import port
from lastro.rails.health import FAILURES, FOR_SECONDS, Health
from lastro.rails.port import PAYNET, PAYNET2

from .collecting import payment, wish
from .shop import Shop

HERE = replace(PLACE, partners=frozenset({PAYNET, PAYNET2}))


class Sendings:
    """What one worker hears of a partner, by a clock of its own."""

    def __init__(self, shop: Shop, rail: str) -> None:
        self.now, self.company_id = 0.0, shop.ana.company_id
        self.health = Health(shop.cast.database, rail, lambda: self.now)

    async def end(self, outcome: str, times: int = 1) -> list[dict[str, Any]]:
        """So many, some seconds apart; the lines that were logged."""
        with capture_logs() as lines:
            for _ in range(times):
                self.now += FOR_SECONDS / (FAILURES - 1)
                self.health.on_worked(Worked("outbox", "collection.send", outcome, 0.1, self.company_id))
                assert await self.health.write_down() is False
        return [dict(line) for line in lines]


@pytest.fixture
async def shop(cast: Cast, ana: Seller) -> AsyncIterator[Shop]:
    yield Shop(cast, ana)
    for rail in (PAYNET, PAYNET2):
        await Sendings(Shop(cast, ana), rail).end("sent")


async def make(shop: Shop, code: str, **order: Any) -> dict[str, Any]:
    route = next(r for r in orders.routes(HERE) if r.operation == "create_order")
    body = wish("PAYNET", externalId=code, **order)
    verb = route.parse(Incoming(shop.ana.company_id, {}, {}, msgspec.json.encode(body), body, None))
    reply = await shop.cast.run(shop.ana.client, verb, operation="create_order", status=route.success)  # type: ignore[arg-type]
    assert isinstance(reply, Reply), reply
    return dict(msgspec.json.decode(reply.body))


async def rails(shop: Shop) -> list[tuple[str, str]]:
    """Of each order, whose its instrument is and who is told of it."""
    sql = (
        "SELECT i.rail, m.rail FROM orders o JOIN instruments i ON i.order_id = o.id"
        " JOIN outbox m ON m.reference_id = o.id AND m.kind = 'collection.send' ORDER BY o.created_at"
    )
    return [(row[0], row[1]) for row in await shop.rows(sql)]


async def is_down(shop: Shop) -> list[str]:
    return await shop.column("SELECT rail FROM partner_states WHERE is_down ORDER BY rail")


async def test_the_fallback_takes_what_is_new_and_nothing_that_is_promised(shop: Shop) -> None:
    await shop.cast.act(shop.ana.company_id, RouteOrders("PAYNET", Route(PAYNET, PAYNET2)))
    before = await make(shop, "before")
    worker = Sendings(shop, PAYNET)
    await worker.end("not_sent", FAILURES)
    assert await is_down(shop) == [PAYNET]
    during = await make(shop, "during")
    await make(shop, "named", financialPartner="PAYNET")
    await worker.end("sent")
    assert await is_down(shop) == []
    await make(shop, "after")
    assert [told for _, told in await rails(shop)] == [PAYNET, PAYNET2, PAYNET, PAYNET]
    assert all(whose == told for whose, told in await rails(shop))
    for made, rail in ((before, PAYNET), (during, PAYNET2)):
        news = payment(made)
        assert await shop.told(port.COLLECTION_SETTLED, news, news.reference, rail) == "handled"
    assert await shop.column("SELECT status FROM orders ORDER BY created_at LIMIT 2") == ["PAID", "PAID"]


async def test_without_a_fallback_nobody_else_is_told(shop: Shop) -> None:
    await Sendings(shop, PAYNET).end("not_sent", FAILURES)
    await make(shop, "usual")
    await shop.cast.act(shop.ana.company_id, RouteOrders("PAYNET", Route(PAYNET)))
    await make(shop, "routed")
    assert await rails(shop) == [(PAYNET, PAYNET)] * 2


async def test_each_turn_is_written_down_and_told_once(shop: Shop) -> None:
    worker, other = Sendings(shop, PAYNET2), Sendings(shop, PAYNET2)
    lines = await worker.end("not_sent", FAILURES * 2)
    assert [(line["event"], line["log_level"], line["rail"]) for line in lines] == [("partner.down", "error", PAYNET2)]
    (at,) = await shop.column("SELECT changed_at FROM partner_states WHERE rail = 'paynet2'")
    assert await other.end("not_sent", FAILURES) == [], "another worker sees it, too"
    assert await shop.column("SELECT changed_at FROM partner_states WHERE rail = 'paynet2'") == [at]
    assert [line["event"] for line in await other.end("sent")] == ["partner.up"]
    assert await worker.end("sent") == []
    assert await is_down(shop) == []


async def test_one_worker_that_sees_it_back_ends_what_another_saw(shop: Shop) -> None:
    """Also where it has seen nothing else for long."""
    worker, other = Sendings(shop, PAYNET2), Sendings(shop, PAYNET2)
    await other.end("sent", 2)
    await worker.end("not_sent", FAILURES)
    assert await is_down(shop) == [PAYNET2]
    await other.end("sent", 2)
    assert await is_down(shop) == []
