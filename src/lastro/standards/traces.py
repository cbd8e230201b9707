"""Traces as others read them: the header that leads from one process to the next, and spans as a collector takes them.

Source: W3C Trace Context (Recommendation of 2021), §3.2 and §4; OpenTelemetry Protocol 1.3, OTLP/HTTP in JSON, where ids
are hexadecimal and 64-bit numbers are texts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HEADER: Final = "traceparent"
Kind: TypeAlias = Literal["internal", "server", "client", "producer", "consumer"]
# The allowed attributes of a span. Any other is left out, so that a new one is a decision.
ALLOWED = frozenset({
    "http.request.method", "http.route", "http.response.status_code", "db.system.name", "db.query.summary", "error.type",
    "lastro.request_id", "lastro.company_id", "lastro.client_id", "lastro.operation", "lastro.id", "lastro.lane",
    "lastro.kind", "lastro.outcome", "lastro.sends", "lastro.row_id", "lastro.network_id", "lastro.issues",
})  # fmt: skip
_PATH: Final = "/v1/traces"

_KINDS: Final[Mapping[Kind, int]] = {"internal": 1, "server": 2, "client": 3, "producer": 4, "consumer": 5}
_FAILED: Final = {"code": 2}
_LONGEST_TEXT = 200
# Of a later version more may follow; what we know of it stands where it stood.
_GIVEN = re.compile(r"(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", re.DOTALL)
_SAMPLED = 1
_RANDOM_BYTES = 7  # W3C Trace Context Level 2, §5.1.4: the last seven bytes of a trace's id are random
_encoder = msgspec.json.Encoder()


class Context(NamedTuple):
    """A position in a trace. trace_id: 16 bytes, span_id: 8. is_sampled: the trace is kept somewhere."""

    trace_id: bytes
    span_id: bytes
    is_sampled: bool


class Span(NamedTuple):
    """One thing that was done. began, ended: nanoseconds since 1970. links: other traces that it has to do with."""

    name: str
    kind: Kind
    trace_id: bytes
    span_id: bytes
    parent_id: bytes | None
    began: int
    ended: int
    attributes: Mapping[str, str | int | bool]
    is_failed: bool = False
    links: Sequence[Context] = ()


def read(header: str) -> Context | None:
    """Parses a traceparent; None if it is invalid."""
    found = _GIVEN.fullmatch(header)
    if found is None or (found[1] == "00" and found[5] is not None):
        return None
    trace_id, span_id = bytes.fromhex(found[2]), bytes.fromhex(found[3])
    if not any(trace_id) or not any(span_id):
        return None
    return Context(trace_id, span_id, bool(int(found[4], 16) & _SAMPLED))


def printed(context: Context) -> str:
    """Returns the traceparent that says it."""
    return f"00-{context.trace_id.hex()}-{context.span_id.hex()}-0{_SAMPLED if context.is_sampled else 0}"


def is_sampled(trace_id: bytes, one_in: int) -> bool:
    """Tells whether a trace is kept. Every process decides the same for the same id, and asks nobody."""
    return int.from_bytes(trace_id[-_RANDOM_BYTES:], "big") * one_in < 1 << 8 * _RANDOM_BYTES


def collector(url: str) -> str:
    """Returns the URL for posting spans. A collector's bare address gets the usual path."""
    host, _, path = url.partition("://")[2].partition("/")
    return url if host and path else url.rstrip("/") + _PATH


def exported(service: str, version: str, spans: Sequence[Span]) -> bytes:
    """Returns the body of a POST to a collector. service: which of our processes did this."""
    resource = {"attributes": _attributes({"service.name": service, "service.version": version})}
    scope = {"scope": {"name": "lastro", "version": version}, "spans": [_span(span) for span in spans]}
    return _encoder.encode({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]})


def _span(span: Span) -> dict[str, Any]:
    told: dict[str, Any] = {
        "traceId": span.trace_id.hex(), "spanId": span.span_id.hex(), "name": span.name, "kind": _KINDS[span.kind],
        "startTimeUnixNano": str(span.began), "endTimeUnixNano": str(span.ended),
        "attributes": _attributes({name: value for name, value in span.attributes.items() if name in ALLOWED}),
    }  # fmt: skip
    if span.parent_id is not None:
        told["parentSpanId"] = span.parent_id.hex()
    if span.is_failed:
        told["status"] = _FAILED
    if span.links:
        told["links"] = [{"traceId": link.trace_id.hex(), "spanId": link.span_id.hex()} for link in span.links]
    return told


def _attributes(values: Mapping[str, str | int | bool]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in values.items()]


def _value(value: str | int | bool) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value[:_LONGEST_TEXT]}
