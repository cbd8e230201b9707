"""What is wrong with a request about webhooks is said by name, all of it at once, and nothing is done."""

from typing import Any

from tests.in_one import in_one_test
from tests.rooms.webhooks.conftest import Company, Scene
from tests.rooms.webhooks.made import Made, make

from lastro.core.errors import Kind, Refused

PAID, EXTRA, URL = "ORDER-PAYIN.PAID", "SUBSCRIPTION-PAYMENT.SCHEDULED", "https://company.example/hook"
Problems = list[tuple[str, str]]


async def says(scene: Scene, company: Company, method: str, path: str, problems: Problems, **asked: Any) -> None:
    refused = await scene.ask(company, method, path, **asked)
    assert isinstance(refused, Refused)
    assert refused.kind is Kind.INVALID
    assert sorted((p.field, p.issue) for p in refused.problems) == sorted(problems)
    assert all(p.description for p in refused.problems)


@in_one_test(
    ("query", "problems"),
    [
        ({"after": "-1"}, [("after", "OUT_OF_RANGE")]), ({"after": "x"}, [("after", "INVALID")]), ({"after": ""}, [("after", "INVALID")]),
        ({"after": "1.0"}, [("after", "INVALID")]), ({"after": "9" * 30}, [("after", "OUT_OF_RANGE")]), ({"after": "-0"}, [("after", "OUT_OF_RANGE")]),
        ({"after": "9" * 500}, [("after", "INVALID")]), ({"limit": "0"}, [("limit", "OUT_OF_RANGE")]), ({"limit": "5001"}, [("limit", "OUT_OF_RANGE")]),
        ({"wait": "31"}, [("wait", "OUT_OF_RANGE")]), ({"wait": "-1"}, [("wait", "OUT_OF_RANGE")]), ({"wait": "soon"}, [("wait", "INVALID")]),
        ({"after": "a", "limit": "b", "wait": "c"}, [("after", "INVALID"), ("limit", "INVALID"), ("wait", "INVALID")]),
    ],
)  # fmt: skip
async def test_of_the_feed(scene: Scene, query: dict[str, str], problems: Problems) -> None:
    await says(scene, await scene.company(), "GET", "/order/v1/events", problems, query=query)


@in_one_test(
    ("query", "problems"),
    [
        *(({name: value}, [(name, issue)]) for name, value, issue in (
            ("status", "NONE", "INVALID"), ("status", "failed", "INVALID"), ("status", "", "INVALID"), ("event", "ORDER.PAID", "INVALID"),
            ("event", "", "INVALID"), ("url", "", "INVALID"), ("url", "https://a\0", "INVALID"), ("url", "a" * 2049, "TOO_LONG"),
        )),
        ({"limit": "0", "sort": "up", "cursor": "first", "from": "2026-02-30", "to": "yesterday"},
         [("limit", "OUT_OF_RANGE"), ("sort", "INVALID"), ("cursor", "INVALID"), ("from", "INVALID"), ("to", "INVALID")]),
    ],
)  # fmt: skip
async def test_of_the_list(scene: Scene, query: dict[str, str], problems: Problems) -> None:
    await says(scene, await scene.company(), "GET", "/order/v1/webhook/events", problems, query=query)


@in_one_test(
    ("body", "problems"),
    [
        *(({"events": [{"event": EXTRA, "url": URL}, {"event": PAID, "url": url}]}, [("events[1].url", "INVALID")]) for url in (
            "ftp://a.example/", "a.example/hook", "https://u:p@a.example/", "https://10.0.0.1/", "https://printer/", "https://a.internal/",
            "https://a.example:0/", "https://[::1%25lo]/", "http://127.0.0.1:8080/hook", "http://localhost:8080/hook", "https://a.example/\0",
            "http://LOCALHOST.:8080/", "https://0x7f.1/", " https://a.example/",
        )),
        ({}, [("events", "REQUIRED")]), ({"events": []}, [("events", "INVALID")]), ({"events": {}}, [("events", "INVALID")]),
        ({"events": [1, {"event": PAID}]}, [("events[0]", "INVALID")]), ({"events": [None]}, [("events[0]", "INVALID")]),
        ({"events": [{}]}, [("events[0].event", "REQUIRED")]), ({"events": [{"event": "ORDER.PAID"}]}, [("events[0].event", "INVALID")]),
        ({"events": [{"event": "WEBHOOK.TEST"}]}, [("events[0].event", "INVALID")]),
        ({"events": [{"event": "a" * 65}]}, [("events[0].event", "TOO_LONG")]),
        ({"events": [{"event": PAID}, {"event": PAID}]}, [("events[1].event", "DUPLICATE")]),
        ({"events": [{"event": PAID, "url": 7}]}, [("events[0].url", "INVALID")]),
        ({"events": [{"event": PAID, "url": "https://a.example/" + "a" * 2048}]}, [("events[0].url", "TOO_LONG")]),
        ({"events": [{"event": PAID, "active": "no"}]}, [("events[0].active", "INVALID")]),
        ({"events": [{"event": PAID}] * 101}, [("events", "TOO_LONG")]),
        ({"events": [{"event": "X", "url": ""}, {"url": URL, "active": 1}]},
         [("events[0].event", "INVALID"), ("events[0].url", "INVALID"), ("events[1].event", "REQUIRED"), ("events[1].active", "INVALID")]),
    ],
)  # fmt: skip
async def test_of_settings(scene: Scene, body: dict[str, Any], problems: Problems) -> None:
    await says(scene, await scene.company(), "PUT", "/order/v1/webhook", problems, body=body)
    assert await scene.admin.fetchval("SELECT count(*) FROM webhook_settings") == 0


@in_one_test(
    ("body", "problems"),
    [
        ({}, [("event", "REQUIRED")]), ({"event": "X"}, [("event", "INVALID")]), ({"event": "WEBHOOK.TEST"}, [("event", "INVALID")]),
        ({"event": PAID, "url": "http://127.0.0.1:8080/"}, [("url", "INVALID")]), ({"event": PAID, "url": ""}, [("url", "INVALID")]),
        ({"event": PAID, "url": "https://169.254.169.254/latest"}, [("url", "INVALID")]), ({"event": 7, "url": 7}, [("event", "INVALID"), ("url", "INVALID")]),
        ({"event": PAID, "url": "https://a.example/" + "a" * 2048}, [("url", "TOO_LONG")]),
    ],
)  # fmt: skip
async def test_of_a_test_event(scene: Scene, body: dict[str, Any], problems: Problems) -> None:
    await says(scene, await scene.company(), "POST", "/order/v1/webhook/test", problems, body=body)
    assert await scene.admin.fetchval("SELECT count(*) FROM events") == 0


@in_one_test(
    ("body", "problems"),
    [
        ({}, [("filter", "REQUIRED")]), ({"filter": 1}, [("filter", "INVALID")]), ({"filter": None}, [("filter", "REQUIRED")]),
        ({"filter": {"status": "PENDING"}}, [("filter.status", "INVALID")]),
        ({"filter": {"event": "X"}}, [("filter.event", "INVALID")]), ({"filter": {"url": ""}}, [("filter.url", "INVALID")]),
        ({"filter": {"url": "a b"}}, [("filter.url", "INVALID")]), ({"filter": {"url": "a" * 2049}}, [("filter.url", "TOO_LONG")]),
        ({"filter": {"from": "yesterday"}}, [("filter.from", "INVALID")]), ({"filter": {"to": "2026-02-30"}}, [("filter.to", "INVALID")]),
        ({"filter": {"referenceId": 7}}, [("filter.referenceId", "INVALID")]),
        ({"filter": {}, "perMinute": 0}, [("perMinute", "OUT_OF_RANGE")]), ({"filter": {}, "perMinute": 60_001}, [("perMinute", "OUT_OF_RANGE")]),
        ({"filter": {}, "perMinute": "many"}, [("perMinute", "INVALID")]), ({"filter": {}, "dryRun": "yes"}, [("dryRun", "INVALID")]),
        ({"filter": {"from": "x", "event": "X"}, "perMinute": 0},
         [("filter.event", "INVALID"), ("filter.from", "INVALID"), ("perMinute", "OUT_OF_RANGE")]),
    ],
)  # fmt: skip
async def test_of_sending_again(scene: Scene, body: dict[str, Any], problems: Problems) -> None:
    ana = await scene.company()
    await make(scene, ana, [Made()])
    await says(scene, ana, "POST", "/order/v1/webhook/events/resend", problems, body=body)
    assert await scene.admin.fetchval("SELECT count(*) FROM deliveries WHERE status = 'PENDING'") == 0
