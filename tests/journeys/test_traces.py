"""One trace leads from a request to what its client is told: through the outbox, the network and the inbox."""

from collections.abc import AsyncIterator

import pytest
from tests.collector import Collector, Told, collecting

from . import test_authorizing as authorizing
from .conftest import playing
from .play import ORDERS, Play
from .stage import Stage, until
from .test_payouts import becomes, create, hooks, place
from .test_refunds import back, ended, paid

ROOT = ""


@pytest.fixture
async def collector() -> AsyncIterator[Collector]:
    async with collecting() as made:
        yield made


@pytest.fixture
async def scene(fragile: Stage, collector: Collector) -> AsyncIterator[Play]:
    """Processes that tell the collector, and tell nobody any more afterwards."""
    async with playing(fragile) as made:
        await fragile.restart(LASTRO_OTLP_URL=collector.url)
        yield made
        await made.rest()
        await fragile.restart()


async def told(collector: Collector, object_id: str, *names: str) -> list[Told]:
    """The trace of an object once it has spans of these names."""

    async def look() -> list[Told]:
        found = collector.of(object_id)
        return found if set(names) <= {f"{span.service} {span.name}" for span in found} else []

    try:
        return await until(look, "the trace")
    except AssertionError:
        seen = sorted({f"{span.service} {span.name}" for span in collector.of(object_id)})
        raise AssertionError(f"of {sorted(names)} these came: {seen}") from None


def connected(spans: list[Told], object_id: str) -> None:
    """Every span leads to the one that made the object, whose id is the object's own."""
    by_id = {span.id: span for span in spans}
    assert len(by_id) == len(spans)
    root = by_id[object_id.replace("-", "")[16:]]
    assert (root.parent, root.kind) == (ROOT, 2)
    for span in spans:
        seen = span
        for _ in range(6):
            if seen.parent == ROOT:
                break
            seen = by_id[seen.parent]
        assert seen is root, f"{span.service} {span.name} hangs in the air"


async def test_a_trace_leads_through_every_process(scene: Play, collector: Collector) -> None:
    caller = "00-11112222333344445555666677778888-1111222233334444-01"
    await scene.balance()
    given = {"authorization": f"Bearer {scene.tokens[scene.stage.client()['clientId']]}", "traceparent": caller}
    order = (await scene.ask("PUT", scene.stage.base_url + ORDERS, scene.asking("10.50"), given)).json
    await scene.pay(order)
    await scene.told(order, "ORDER-PAYIN.PAID")
    spans = await told(
        collector, order["id"],
        "lastro-api PUT /order/v2/transparent", "lastro-worker inbox pix.ask", "lastro-worker outbox pix.answer",
        "lastro-worker POST network", "lastro-sim POST /spi/v1/in/{ispb}/msgs", "lastro-sim tell pacs.002",
        "lastro-worker inbox pix.final", "lastro-worker deliveries ORDER-PAYIN.PAID", "lastro-worker POST webhook",
    )  # fmt: skip
    connected(spans, order["id"])
    (made,) = (span for span in spans if span.kind == 2 and span.service == "lastro-api")
    assert made.links == (caller[3:35],), "a caller's trace is linked to, and not followed"
    assert made.about["lastro.operation"] == "create_order"
    assert any(span.about.get("db.query.summary", "").startswith("SELECT door_commit") for span in spans)
    assert all(span.took >= 0 for span in spans)

    url = f"{scene.stage.simulator_url}/merchant/webhooks/traced/{scene.name}"
    await hooks(scene, [{"event": "ORDER-PAYOUT.PAID", "url": url, "active": True}])
    payout = await create(scene, "7.00", **place())
    await becomes(scene, payout, "PAID")
    spans = await told(
        collector, payout["id"],
        "lastro-api POST /order/v1/banking/order-payouts", "lastro-worker outbox payment.send",
        "lastro-sim POST /spi/v1/in/{ispb}/msgs", "lastro-worker inbox payment.final", "lastro-worker POST webhook",
    )  # fmt: skip
    connected(spans, payout["id"])
    await hooks(scene, [{"event": "ORDER-PAYOUT.PAID", "url": url, "active": False}])
    log = (scene.stage.home / "logs" / "worker.log").read_text(encoding="utf-8")
    assert f'"trace_id":"{payout["id"].replace("-", "")}"' in log


async def test_refunds_and_subscriptions_have_theirs(scene: Play, collector: Collector) -> None:
    """A refund's leads to the network; its end moves the order, too, and stands in the order's trace, which is older."""
    order = await paid(scene)
    refund = await back(scene, order, "4.00", "traced")
    assert (await ended(scene, refund))["status"] == "PAID"
    spans = await told(
        collector, refund["id"],
        "lastro-api POST /order/v1/banking/order-refunds", "lastro-worker outbox return.send", "lastro-worker POST network",
        "lastro-sim POST /spi/v1/in/{ispb}/msgs", "lastro-sim tell pacs.002",
    )  # fmt: skip
    connected(spans, refund["id"])
    spans = await told(
        collector, order["id"], "lastro-worker inbox return.final", "lastro-worker deliveries ORDER-PAYIN.REFUNDED"
    )
    connected(spans, order["id"])

    made = await authorizing.make(scene)
    assert (await authorizing.authorize(scene, made, payer=authorizing.PAYER))["status"] == "AUTHORIZED"
    await authorizing.told(scene, made, "SUBSCRIPTION.ACCEPTED")
    spans = await told(
        collector, made["id"],
        "lastro-api POST /order/v1/banking/subscriptions", "lastro-worker inbox authorization.ask",
        "lastro-worker outbox authorization.answer", "lastro-sim POST /spi/v1/in/{ispb}/msgs",
        "lastro-worker deliveries SUBSCRIPTION.ACCEPTED", "lastro-worker POST webhook",
    )  # fmt: skip
    connected(spans, made["id"])
