"""Figures for Prometheus: what this process counted, and what the database says of the whole system.

Labels are words of our own, never ids, names or addresses: their number does not grow with the business. The one exception
are the receivers of events, host and port, so many of them as the owner asks for.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from http import HTTPMethod
from typing import TYPE_CHECKING, Protocol

from prometheus_client import CollectorRegistry, Counter, GCCollector, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from lastro.api_kit.http import Response, not_allowed, refusal
from lastro.core.errors import Kind, Refused
from lastro.observability.bank_figures import of_banks, of_records
from lastro.observability.endpoints import EndpointNames, of_endpoints
from lastro.observability.gauges import WAITING
from lastro.observability.logs import lines_lost
from lastro.webhooks import Attempt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from ipaddress import IPv4Network, IPv6Network

    from litestar.types import HTTPScope
    from prometheus_client.metrics_core import Metric

    from lastro.api_kit.http import Answer, RequestNotes
    from lastro.core.db import Database
    from lastro.core.runner import Runner
    from lastro.core.work_queue import Worked
    from lastro.observability.bank_figures import BankFigures
    from lastro.observability.gauges import Gauges, Watch
    from lastro.observability.tracing import Tracer

TEXT = b"text/plain; version=0.0.4; charset=utf-8"
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_FORWARDED = (b"x-forwarded-for", b"forwarded", b"x-real-ip")


class AdmissionFigures(Protocol):
    """Counts requests that wait for a slot, and rejections by kind."""

    @property
    def waiting(self) -> int:
        """Requests that wait now."""

    @property
    def turned_away(self) -> Mapping[Kind, int]:
        """The number of rejections, by kind."""


class Metrics:
    """The metrics of one process.

    Some are read from elsewhere at each scrape. pools: by the name of their role. in_flight: requests being answered now.
    watch: reads the database. endpoints: the number of event receivers with a label of their own, those that this process
    delivers to first. tracer: exports traces. banks: of lines to banks.
    """

    def __init__(self, endpoints: int = 0) -> None:
        self.endpoints = EndpointNames(endpoints)
        self.registry = CollectorRegistry()
        self.pools: dict[str, Database] = {}
        self.runner: Runner | None = None
        self.in_flight: Callable[[], int] | None = None
        self.admission: AdmissionFigures | None = None
        self.watch: Watch | None = None
        self.tracer: Tracer | None = None
        self.streams: dict[str, float] = {}
        self.banks: Callable[[], tuple[BankFigures, ...]] = tuple
        self._requests = Histogram(
            "lastro_request_seconds", "Requests answered, by operation, method and status class, and how long they took.",
            ["operation", "method", "status"], buckets=_BUCKETS, registry=self.registry,
        )  # fmt: skip
        self._refusals = Counter(
            "lastro_refusals", "Why requests were refused: the issue of the Error body.", ["issue"], registry=self.registry
        )
        self._worked = Histogram(
            "lastro_work_seconds", "Work of the lanes that has ended, by lane, kind and outcome, and how long it took.",
            ["lane", "kind", "outcome"], buckets=_BUCKETS, registry=self.registry,
        )  # fmt: skip
        self._attempts = Counter(
            "lastro_delivery_attempts", "Attempts to deliver events that have ended, by receiver and how they ended.",
            ["endpoint", "outcome"], registry=self.registry,
        )  # fmt: skip
        # Finding a child of a family costs more than counting with it.
        self._of_request: dict[tuple[str, str, int], Histogram] = {}
        self._of_work: dict[tuple[str, str, str], Histogram] = {}
        self._of_attempts: dict[tuple[str, str], Counter] = {}
        self.registry.register(_Read(self))
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)

    def request(self, seen: RequestNotes, status: int, seconds: float) -> None:
        """Counts an answered request."""
        key = (seen.operation or seen.path, seen.method, status // 100)
        child = self._of_request.get(key)
        if child is None:
            child = self._of_request[key] = self._requests.labels(key[0], key[1], f"{key[2]}xx")
        child.observe(seconds)
        for issue in seen.issues:
            self._refusals.labels(issue).inc()

    def worked(self, done: Worked) -> None:
        """Counts a finished piece of work."""
        key = (done.queue, done.kind, done.outcome)
        child = self._of_work.get(key)
        if child is None:
            child = self._of_work[key] = self._worked.labels(*key)
        child.observe(done.seconds)
        if isinstance(done, Attempt):
            self._attempted(done)

    def _attempted(self, done: Attempt) -> None:
        outcome = "acknowledged" if done.failure is None else done.failure.value.lower()
        key = (self.endpoints.name(done.endpoint, done.place), outcome)
        child = self._of_attempts.get(key)
        if child is None:
            child = self._of_attempts[key] = self._attempts.labels(*key)
        child.inc()

    async def text(self) -> bytes:
        """Returns all metrics, in the text format of Prometheus 0.0.4."""
        if self.watch is not None:
            await self.watch.look()
        # Some milliseconds, which nobody's request should wait for.
        return await asyncio.to_thread(generate_latest, self.registry)


class _Read(Collector):
    """Metrics that are read from elsewhere at each scrape."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def describe(self) -> Iterator[Metric]:
        """Yields nothing beforehand: the metrics depend on the process."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """Yields one family after the other."""
        shown = self._metrics
        if shown.in_flight is not None:
            yield GaugeMetricFamily("lastro_requests_in_flight", "Requests being answered now.", shown.in_flight())
        yield from self._of_load()
        yield from self._of_pools()
        spans = CounterMetricFamily("lastro_spans", "Spans of traces, by what became of them.", labels=["outcome"])
        if shown.tracer is not None:
            spans.add_metric(["exported"], shown.tracer.exported)
            spans.add_metric(["dropped"], shown.tracer.dropped)
        yield spans
        yield CounterMetricFamily("lastro_log_lines_lost", "Lines that standard output or error did not take.", lines_lost())
        if shown.runner is not None:
            hits = CounterMetricFamily(
                "lastro_fast_path_hits", "Requests answered in one round trip to the database.", labels=["operation"]
            )
            for operation, count in shown.runner.remembered.copy().items():
                hits.add_metric([operation], count)
            yield hits
        yield from self._of_streams()
        figures = shown.banks()
        yield from of_banks(figures)
        if shown.watch is not None:
            seen = shown.watch.last
            yield GaugeMetricFamily("lastro_database_reachable", "Whether the database answered just now.", seen is not None)
            if seen is not None:
                yield from _of_database(seen)
                yield from of_records(seen.banks, {one.rail for one in figures})
                yield from of_endpoints(seen, shown.endpoints)

    def _of_streams(self) -> Iterator[Metric]:
        """Yields the metrics of each event stream that this process pulls. Times are of the monotonic clock."""
        silent = GaugeMetricFamily(
            "lastro_network_silent_seconds",
            "For how long a network has told this worker nothing, not even that.",
            labels=["rail"],
        )
        now = time.monotonic()
        for rail, heard_at in self._metrics.streams.copy().items():
            silent.add_metric([rail], now - heard_at)
        yield silent

    def _of_load(self) -> Iterator[Metric]:
        admission = self._metrics.admission
        if admission is not None:
            yield GaugeMetricFamily("lastro_requests_waiting", "Requests that wait for a place now.", admission.waiting)
            away = CounterMetricFamily(
                "lastro_requests_turned_away", "Requests that were told to come again, by status.", labels=["status"]
            )
            for kind, status in ((Kind.TOO_MANY, "429"), (Kind.UNAVAILABLE, "503")):
                away.add_metric([status], admission.turned_away[kind])
            yield away

    def _of_pools(self) -> Iterator[Metric]:
        size = GaugeMetricFamily("lastro_database_pool_size", "Connections that a pool may have.", labels=["role"])
        lent = GaugeMetricFamily("lastro_database_pool_in_use", "Connections that are lent now.", labels=["role"])
        waits = CounterMetricFamily(
            "lastro_database_pool_waits", "How often somebody had to wait for a connection.", labels=["role"]
        )
        for role, pool in self._metrics.pools.items():
            size.add_metric([role], pool.size)
            lent.add_metric([role], pool.lent)
            waits.add_metric([role], pool.waits)
        yield from (size, lent, waits)


def _of_laws(seen: Gauges) -> Iterator[Metric]:
    breaches = GaugeMetricFamily(
        "lastro_law_breaches", "What breaks a law, when it was read last; at most 1,000 are counted.", labels=["law"]
    )
    checked = GaugeMetricFamily(
        "lastro_law_checked_at_seconds", "When a law was read last, in seconds since 1970.", labels=["law"]
    )
    for law, found, at in seen.laws:
        breaches.add_metric([law], found)
        checked.add_metric([law], at)
    yield from (breaches, checked)


def _of_networks(seen: Gauges) -> Iterator[Metric]:
    since = GaugeMetricFamily(
        "lastro_tried_oldest_seconds",
        "How long ago the oldest message was made or told that was taken in hand in vain and is tried again.",
        labels=["lane", "rail"],
    )
    for lane, rail, oldest_tried in seen.tried:
        since.add_metric([lane, rail], oldest_tried)
    yield since
    away = GaugeMetricFamily("lastro_partner_down", "Whether a partner that was ever away is so now.", labels=["rail"])
    for rail, is_down in seen.partners:
        away.add_metric([rail], is_down)
    yield away


def _of_database(seen: Gauges) -> Iterator[Metric]:
    count = GaugeMetricFamily("lastro_due", "Rows that are due, at most 10,000 are counted.", labels=["lane"])
    oldest = GaugeMetricFamily("lastro_due_oldest_seconds", "For how long the oldest of them has been due.", labels=["lane"])
    for lane, (rows, age) in seen.due.items():
        count.add_metric([lane], rows)
        oldest.add_metric([lane], age)
    yield from (count, oldest)
    events = GaugeMetricFamily(
        "lastro_undelivered_events", "Events not delivered, at most 10,000 of a status are counted.", labels=["status"]
    )
    for status, rows in seen.undelivered.items():
        events.add_metric([status], rows)
    yield events
    for name, what in WAITING.items():
        rows, seconds = seen.waiting[name]
        yield GaugeMetricFamily(what.gauge, what.says, rows)
        yield GaugeMetricFamily(what.seconds_gauge, what.seconds_say, seconds)
    waits, standbys = seen.standbys
    yield GaugeMetricFamily("lastro_database_synchronous", "Whether commits wait for a standby of the database.", waits)
    yield GaugeMetricFamily("lastro_database_standbys", "Servers that copy the database as it writes.", standbys)
    yield from _of_networks(seen)
    yield from _of_laws(seen)
    yield GaugeMetricFamily(
        "lastro_clock_offset_seconds", "Business time minus machine time; 0 in production.", seen.clock_offset_seconds
    )


@dataclass(frozen=True)
class MetricsPath:
    """The handler of GET /metrics, for monitoring networks only; 404 for all others.

    networks: those it answers. behind_proxy: proxies are named, so that a forwarded request has its true source.
    """

    metrics: Metrics
    networks: tuple[IPv4Network | IPv6Network, ...]
    behind_proxy: bool

    async def answer(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers with the metrics, or with the 404 of an unknown path."""
        source = scope["state"]["peer"].address
        # A proxy on this machine that is not configured asks from loopback for the whole world.
        disguised = not self.behind_proxy and any(name in headers for name in _FORWARDED)
        if disguised or source is None or not any(source in network for network in self.networks):
            return refusal(Refused(Kind.NOT_FOUND))
        if scope["method"] not in ("GET", "HEAD"):
            return not_allowed(("GET",))
        return Response(200, await self.metrics.text(), TEXT)

    def table(self) -> Mapping[str, Answer]:
        """Returns the same handler for every method. A 405 would tell that the path exists."""
        return {method: self.answer for method in HTTPMethod if method is not HTTPMethod.CONNECT}
