"""What the API process counts of its requests, who may see it, and that nobody is in it."""

from uuid import uuid4

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from lastro.app import wiring

from .examples import EXAMPLES
from .strangers import Town

ROUTES = ("create_order", "read_order", "read_order_story", "list_webhook_events")


async def scraped(town: Town) -> str:
    answer = await town.http.get("/metrics")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    return answer.text


async def counted(town: Town) -> dict[tuple[str, str, str], float]:
    """How many requests, by operation, method and status class; without the scrapes."""
    (family,) = (f for f in text_string_to_metric_families(await scraped(town)) if f.name == "lastro_request_seconds")
    found = {
        (s.labels["operation"], s.labels["method"], s.labels["status"]): s.value
        for s in family.samples
        if s.name.endswith("_count")
    }
    return {key: value for key, value in found.items() if key[0] != "/metrics"}


async def asked(town: Town, operation: str, token: str | None) -> httpx.Response:
    route = next(r for r in wiring.routes(town.house) if r.operation == operation)
    example = EXAMPLES[operation]
    return await town.send(route, example.ask(town.objects.get(example.kind or "", "")), token)


async def test_requests_are_counted_by_what_they_were(town: Town) -> None:
    before = await counted(town)
    for operation in ROUTES:
        await asked(town, operation, town.token(town.ana))
    await asked(town, "read_order", town.token(town.dora))
    await asked(town, "read_order", None)
    await town.http.get(f"/order/v2/transparent/{uuid4()}/nowhere")
    await town.http.get("/live", headers={"host": "rebound.example"})
    await town.http.get("/qr/v2/0000000000000000000000")
    after = await counted(town)
    assert {key: after[key] - before.get(key, 0) for key in after if after[key] != before.get(key, 0)} == {
        ("create_order", "PUT", "2xx"): 1, ("read_order", "GET", "2xx"): 1, ("read_order", "GET", "4xx"): 2,
        ("read_order_story", "GET", "2xx"): 1, ("list_webhook_events", "GET", "2xx"): 1,
        ("unknown", "GET", "4xx"): 2, ("/qr/v2/{token}", "GET", "4xx"): 1,
    }  # fmt: skip


async def test_refusals_are_counted_by_issue(town: Town) -> None:
    answer = await town.http.put(
        "/order/v2/transparent", content=b'{"order":{}}',
        headers={"authorization": f"Bearer {town.token(town.ana)}", "content-type": "application/json"},
    )  # fmt: skip
    issues = {detail["issue"] for detail in answer.json()["details"]}
    text = await scraped(town)
    assert issues
    for issue in issues:  # a request that is refused for one reason five times is one
        assert f'lastro_refusals_total{{issue="{issue}"}} 1.0' in text


async def test_what_is_under_way_and_what_was_remembered(town: Town) -> None:
    text = await scraped(town)
    assert "\nlastro_requests_in_flight 1.0\n" in text  # the scrape itself
    assert 'lastro_database_pool_size{role="app"} 4.0' in text
    assert 'lastro_database_pool_in_use{role="app"} 0.0' in text
    await asked(town, "create_order", town.token(town.ana))
    hits = town.house.runner.remembered["create_order"]
    assert hits > 0
    assert f'lastro_fast_path_hits_total{{operation="create_order"}} {hits}.0' in await scraped(town)


async def test_nobody_is_in_the_figures(town: Town) -> None:
    for operation in ROUTES:
        await asked(town, operation, town.token(town.ana))
        await asked(town, operation, town.token(town.ana)[:-4] + "AAAA")
    text = await scraped(town)
    people = [*town.objects.values(), str(town.ana.company_id), town.ana.client_id, "Loja", "Bento", "52998224725"]
    assert not [word for word in people if word in text]


async def test_who_is_not_asked_to_watch_finds_no_such_path(town: Town) -> None:
    """Whatever the method, byte for byte as for a path that is nobody's."""
    app = town.http._transport.app  # type: ignore[attr-defined]
    far = httpx.ASGITransport(app, client=("203.0.113.9", 443))
    hooks = town.http.event_hooks
    async with httpx.AsyncClient(transport=far, base_url=str(town.http.base_url), event_hooks=hooks) as stranger:
        for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "SPELL"):
            given = {"x-request-id": "same"}
            shut = await stranger.request(method, "/metrics", headers=given)
            nowhere = await stranger.request(method, "/nowhere", headers=given)
            assert shut.status_code == 404, method
            assert (shut.status_code, shut.content, sorted(shut.headers.raw)) == (
                nowhere.status_code, nowhere.content, sorted(nowhere.headers.raw),
            ), method  # fmt: skip


@pytest.mark.parametrize("header", ["x-forwarded-for", "forwarded", "x-real-ip"])
async def test_a_proxy_that_nobody_named_shows_nothing(town: Town, header: str) -> None:
    assert (await town.http.get("/metrics", headers={header: "127.0.0.1"})).status_code == 404
