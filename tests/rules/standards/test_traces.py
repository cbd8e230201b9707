"""The header that leads from one process to the next, and spans as a collector reads them."""

import json

from tests.in_one import in_one_test

from lastro.standards.traces import ALLOWED, Context, Span, collector, exported, is_sampled, printed, read

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
HEADER = f"00-{TRACE}-{SPAN}-01"


@in_one_test(
    ("header", "sampled"),
    [(HEADER, True), (f"00-{TRACE}-{SPAN}-00", False), (f"00-{TRACE}-{SPAN}-03", True), (f"cc-{TRACE}-{SPAN}-01-what-comes", True)],
)  # fmt: skip
def test_what_a_header_says(header: str, sampled: bool) -> None:
    assert read(header) == Context(bytes.fromhex(TRACE), bytes.fromhex(SPAN), sampled)


@in_one_test(
    "header",
    ["", "00", HEADER.upper(), f"ff-{TRACE}-{SPAN}-01", f"{HEADER}-more", f"{HEADER}\n", f"00-{'0' * 32}-{SPAN}-01",
     f"00-{TRACE}-{'0' * 16}-01", f"00-{TRACE[1:]}-{SPAN}-01", f"00-{TRACE}-{SPAN}-1", f"00 {TRACE} {SPAN} 01"],
)  # fmt: skip
def test_what_is_no_header(header: str) -> None:
    assert read(header) is None


def test_what_is_printed_is_read_again() -> None:
    for sampled in (True, False):
        context = Context(bytes.fromhex(TRACE), bytes.fromhex(SPAN), sampled)
        assert read(printed(context)) == context
    assert printed(Context(bytes.fromhex(TRACE), bytes.fromhex(SPAN), is_sampled=True)) == HEADER


@in_one_test(
    ("last", "one_in", "kept"),
    [("ff" * 7, 1, True), ("00" * 7, 1000, True), ("7f" + "ff" * 6, 2, True), ("80" + "00" * 6, 2, False),
     ("ff" * 7, 2, False), ("3f" + "ff" * 6, 4, True), ("40" + "00" * 6, 4, False)],
)  # fmt: skip
def test_the_last_seven_bytes_say_whether_it_is_kept(last: str, one_in: int, kept: bool) -> None:
    assert is_sampled(bytes.fromhex("01a205d5e92a7098bc" + last), one_in) is kept


def test_a_batch_is_what_a_collector_reads() -> None:
    attributes: dict[str, str | int | bool] = {
        "http.route": "/order",
        "http.response.status_code": 201,
        "lastro.id": "x" * 300,
        "name": "Bento",
    }
    link = Context(b"\2" * 16, b"\3" * 8, is_sampled=False)
    ids = (bytes.fromhex(TRACE), bytes.fromhex(SPAN))
    spans = [
        Span("PUT /order", "server", *ids, None, 1_700_000_000_000_000_001, 1_700_000_000_000_000_009, attributes),
        Span("UPDATE x", "client", *ids, b"\1" * 8, 1, 2, {}, is_failed=True, links=[link]),
    ]
    (resource,) = json.loads(exported("lastro-api", "1.2", spans))["resourceSpans"]
    assert resource["resource"]["attributes"][0] == {"key": "service.name", "value": {"stringValue": "lastro-api"}}
    first, second = resource["scopeSpans"][0]["spans"]
    assert (first["traceId"], first["spanId"], first["kind"], "parentSpanId" in first) == (TRACE, SPAN, 2, False)
    assert first["startTimeUnixNano"] == "1700000000000000001"
    assert first["attributes"] == [
        {"key": "http.route", "value": {"stringValue": "/order"}},
        {"key": "http.response.status_code", "value": {"intValue": "201"}},
        {"key": "lastro.id", "value": {"stringValue": "x" * 200}},
    ]
    assert "status" not in first
    assert (second["parentSpanId"], second["kind"], second["status"]) == ("01" * 8, 3, {"code": 2})
    assert second["links"] == [{"traceId": "02" * 16, "spanId": "03" * 8}]


def test_nothing_personal_may_be_said() -> None:
    told = {"url.full", "url.query", "db.query.text", "client.address", "user_agent.original", "exception.message"}
    assert not told & ALLOWED


@in_one_test(
    ("url", "posted"),
    [
        ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
        ("http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"),
        ("https://collector.example/otlp/v1/traces", "https://collector.example/otlp/v1/traces"),
    ],
)
def test_where_spans_are_posted(url: str, posted: str) -> None:
    assert collector(url) == posted
