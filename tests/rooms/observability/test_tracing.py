"""What a process has done reaches the collector, whatever that answers, and nobody waits for it."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator
from uuid import UUID

import pytest
from tests.collector import Collector, collecting

from lastro.api_kit.http import RequestNotes
from lastro.config.watching import Watching
from lastro.core import trace
from lastro.core.work_queue import Worked
from lastro.core.write import Row, Write
from lastro.observability import tracing
from lastro.observability.metrics import Metrics
from lastro.observability.tracing import Tracer, telling, tracer_of
from lastro.standards.traces import collector as posted_to

ORDER, COMPANY = UUID("01a205d5-e92a-7098-8011-dc4be024be9e"), UUID(int=3)


@pytest.fixture
async def collector() -> AsyncIterator[Collector]:
    async with collecting() as made:
        yield made


@pytest.fixture
def tracer(collector: Collector) -> Iterator[Tracer]:
    made = tracer_of(Watching(posted_to(collector.url)), "lastro-test", time.time_ns, os.urandom)
    assert made is not None
    yield made
    trace.record(None)


def asked(tracer: Tracer) -> None:
    """A request that makes an order, in a task of its own."""
    trace.take_up("req-1")
    tracer.observing(lambda _: None)(Write(COMPANY, rows=(Row("history", {"reference_id": ORDER}),)))
    tracer.request(RequestNotes("PUT", "/order", "req-1", "create_order", COMPANY, "lc_1", issues=()), 200)


async def until(found: object, tries: int = 4000) -> None:
    for _ in range(tries):
        if found():  # type: ignore[operator]
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came")


async def test_nobody_leaves_a_trail_where_no_collector_is_named() -> None:
    assert tracer_of(Watching(), "lastro-test", time.time_ns, os.urandom) is None
    trace.take_up("req-1")
    assert trace.trail() is None
    async with telling(None):
        pass


async def test_what_was_done_is_told_at_the_latest_at_the_end(tracer: Tracer, collector: Collector) -> None:
    async with telling(tracer):
        await asyncio.to_thread(asked, tracer)
        trace.take_up("row-1", COMPANY)
        trace.about(ORDER)
        tracer.worked(Worked("outbox", "pix.answer", "not_sent", 0.1, COMPANY, (), None, "E1", 2))
        assert trace.trail() is None, "what is over is over"
        tracer.worked(Worked("outbox", "pix.answer", "sent", 0.1, COMPANY))
    made, sent = collector.of(str(ORDER))
    assert (made.service, made.name, made.parent, made.id) == ("lastro-test", "PUT /order", "", ORDER.bytes[8:].hex())
    assert (made.about["lastro.request_id"], made.about["http.response.status_code"]) == ("req-1", "200")
    assert (sent.name, sent.parent, sent.about["lastro.sends"]) == ("outbox pix.answer", made.id, "2")
    assert (tracer.exported, tracer.dropped) == (2, 0)


async def test_a_collector_that_is_away_is_told_later(tracer: Tracer, collector: Collector) -> None:
    collector.status = 503
    await asyncio.to_thread(asked, tracer)
    async with telling(tracer):
        await asyncio.sleep(0)
        assert tracer.exported == 0
        collector.status = 200
        await until(lambda: tracer.exported)
    assert len(collector.of(str(ORDER))) == 1


async def test_what_a_collector_refuses_is_dropped_and_counted(tracer: Tracer, collector: Collector) -> None:
    collector.status = 400
    await asyncio.to_thread(asked, tracer)
    async with telling(tracer):
        await until(lambda: tracer.dropped)
    metrics = Metrics()
    metrics.tracer = tracer
    text = (await metrics.text()).decode()
    assert 'lastro_spans_total{outcome="dropped"} 1.0' in text
    assert 'lastro_spans_total{outcome="exported"} 0.0' in text


async def test_what_waits_has_an_end(tracer: Tracer, collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(tracing.MOST_WAITING + 3):
        asked(tracer)
    assert tracer.dropped == 3
    assert collector.spans == []
