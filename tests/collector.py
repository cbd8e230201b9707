"""A collector of traces for tests: it takes what OTLP's own schema takes, over HTTP as JSON, and keeps every span it is told."""

import copy
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

_ID_BYTES = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


@dataclass(frozen=True)
class Told:
    """A span as it came. ids in hexadecimal; parent and links empty where there are none."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    kind: int
    links: tuple[str, ...]
    about: dict[str, str]
    took: int


def _value(given: dict[str, Any]) -> str:
    ((_, value),) = given.items()
    return str(value)


@dataclass
class Collector:
    """spans: in the order they came. raw: every byte of them. status: what posts are answered."""

    spans: list[Told] = field(default_factory=list)
    raw: bytearray = field(default_factory=bytearray)
    status: int = 200
    url: str = ""

    def of(self, object_id: str) -> list[Told]:
        """The spans of one object's trace."""
        return [span for span in self.spans if span.trace == object_id.replace("-", "")]

    async def take(self, request: web.Request) -> web.Response:
        """One post of a batch."""
        body = await request.read()
        if self.status != 200:
            return web.Response(status=self.status)
        assert (request.path, request.headers["content-type"]) == ("/v1/traces", "application/json")
        self.raw += body
        batch = await request.json()
        _demand_otlp(batch)
        for told in batch["resourceSpans"]:
            service = next(a["value"]["stringValue"] for a in told["resource"]["attributes"] if a["key"] == "service.name")
            for scope in told["scopeSpans"]:
                self.spans += [_told(service, span) for span in scope["spans"]]
        return web.json_response({})


def _demand_otlp(batch: dict[str, Any]) -> None:
    """Every field is one of OTLP's, of its type. Ids are hexadecimal in its JSON, where protobuf's own has base64."""
    read = copy.deepcopy(batch)
    for told in read["resourceSpans"]:
        for scope in told["scopeSpans"]:
            for span in scope["spans"]:
                for one in (span, *span.get("links", ())):
                    for name in _ID_BYTES.keys() & one.keys():
                        octets = bytes.fromhex(one[name])
                        assert len(octets) == _ID_BYTES[name], name
                        assert any(octets), name
                        one[name] = b64encode(octets).decode()
    ParseDict(read, ExportTraceServiceRequest())


def _told(service: str, span: dict[str, Any]) -> Told:
    return Told(
        service, span["name"], span["traceId"], span["spanId"], span.get("parentSpanId", ""), span["kind"],
        tuple(link["traceId"] for link in span.get("links", ())),
        {attribute["key"]: _value(attribute["value"]) for attribute in span["attributes"]},
        int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"]),
    )  # fmt: skip


@asynccontextmanager
async def collecting() -> AsyncIterator[Collector]:
    """A collector on a free port."""
    collector = Collector()
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_post("/{path:.*}", collector.take)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    collector.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield collector
    finally:
        await runner.cleanup()
