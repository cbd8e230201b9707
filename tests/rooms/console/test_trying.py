"""Trying operations in the sandbox's console: every one has its form, which can be sent as it is; and who may not, cannot."""

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.cast import Cast, Seller
from tests.http_contract import contract
from tests.rooms.console.visiting import HOST, PRODUCTION, Building, Visit, building, hidden, served

from lastro import console
from lastro.app import wiring
from lastro.people import Role
from lastro.web.application import application
from lastro_sandbox import api_explorer
from lastro_sandbox.api_explorer_forms import operations
from lastro_sandbox.calls import Call, CallAnswer
from lastro_sandbox.consoled import TEMPLATES
from lastro_sandbox.docs import OPEN_PATHS

_FIELD = re.compile(r'<input id="b-\d+" name="([^"]+)" value="([^"]*)"')
_CHOSEN = re.compile(r'<select id="b-\d+" name="([^"]+)"[^>]*>(.*?)</select>', re.DOTALL)
_SELECTED = re.compile(r"<option selected>([^<]*)</option>")
_BODY = re.compile(r"<textarea[^>]*>(.*?)</textarea>", re.DOTALL)
_ANSWERED = re.compile(r'id="answered">\w+ <span class="state \w+">(\d+)</span>')
_CURL = re.compile(r'id="as-curl">.*?<code>(.*?)</code>', re.DOTALL)


def filled(page: str) -> dict[str, str]:
    """What a browser would send of the form that is on the page."""
    form = {name: unescape(value) for name, value in _FIELD.findall(page)}
    for name, inside in _CHOSEN.findall(page):
        form[name] = next(iter(_SELECTED.findall(inside)), "")
    typed = _BODY.search(page)
    return form if typed is None else {**form, "body": unescape(typed[1])}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a sandbox says whose client tries operations."""
    return tmp_path_factory.mktemp("sandbox")


@pytest.fixture(scope="module")
def asgi(pool: Any, folder: Path) -> Any:
    """A sandbox whose calls go to the same application, without a socket between."""
    house, _ = served(pool, f"http://{HOST}")
    routes, doors = wiring.routes(house), wiring.operations(house)

    async def within(call: Call, base: str) -> CallAnswer:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(asgi), base_url=base) as http:
            answer = await http.request(call.method, call.path, headers=dict(call.headers), content=call.body)
        if call.path not in OPEN_PATHS:  # the paths of a sandbox alone are told of here, and not served
            contract().holds(call.method, call.path, answer.status_code, answer.headers, answer.content)
        return CallAnswer(answer.status_code, dict(answer.headers), answer.content, 1.0)

    plugin = replace(api_explorer.plugin(house, folder, within), templates=(TEMPLATES,))
    public, pages = wiring.public(house, OPEN_PATHS, api_explorer.TRIED_AT), console.paths(house, routes, plugin)
    asgi: Any = application(wiring.gate(house, doors), doors, routes, public, pages=pages)
    return asgi


@pytest.fixture
async def house(cast: Cast, ana: Seller, asgi: Any, folder: Path) -> Building:
    built = building(cast, ana)
    client = await cast.add_client(ana.company_id, "demo")
    says = {
        "baseUrl": built.house.place.public_url, "simulatorUrl": "http://127.0.0.1:8090", "companyId": str(ana.company_id),
        "clientId": client.client_id, "clientSecret": client.secret, "accounts": [], "otherClient": {},
        "otherCompanyId": "",
    }  # fmt: skip
    (folder / "sandbox.json").write_text(json.dumps(says))
    return replace(built, asgi=asgi)


async def sent(visit: Visit, operation: str, **changed: str) -> Any:
    """The form of an operation, sent as it stands but for what is changed."""
    page = f"{api_explorer.HERE}/{operation}"
    shown = (await visit.get(page)).text
    return await visit.post(page, {**hidden(shown), **filled(shown), **changed})


async def test_each_operation_has_a_form_that_can_be_sent_as_it_is(house: Building) -> None:
    visit, _ = await house.inside(*Role)
    listed = (await visit.get(api_explorer.HERE)).text
    away = set()
    for name, operation in operations(contract().document).items():
        assert f'href="{api_explorer.HERE}/{name}"' in listed
        page = await visit.get(f"{api_explorer.HERE}/{name}")
        assert page.status_code == 200, name
        form = filled(page.text)
        given = {
            one.field: form.get(one.field) or "x"
            for one in operation.blanks(next(iter(operation.bodies), ""))
            if one.is_required
        }
        answer = await visit.post(f"{api_explorer.HERE}/{name}", {**hidden(page.text), **form, **given})
        assert answer.status_code == 200, (name, answer.text)
        status = int(_ANSWERED.findall(answer.text)[0])
        assert status < 500 or status == 503, (name, status)
        if status == 503:
            away.add(name)
    # No network stands behind this house: what asks one says so, and nothing else fails.
    assert away <= {"create_payout", "look_up_key", "create_key", "delete_key", "create_key_claim"}


async def test_an_order_is_made_and_its_key_remembered(house: Building) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    page = f"{api_explorer.HERE}/create_order"
    form = filled((await visit.get(page)).text)
    assert re.fullmatch(r"try-[0-9a-f]{10}", json.loads(form["body"])["order"]["externalId"])
    first, second = [await visit.send(page, page, **form) for _ in range(2)]
    assert _ANSWERED.findall(first.text) == _ANSWERED.findall(second.text) == ["200"]
    ids = [re.findall(r"&#34;id&#34;: &#34;([0-9a-f-]{36})", one.text)[0] for one in (first, second)]
    assert ids[0] == ids[1]
    assert ids[0] in (await visit.get(f"{api_explorer.HERE}/read_order")).text, "the newest order is what a form begins with"
    curl = unescape(_CURL.findall(first.text)[0])
    assert "Bearer $TOKEN" in curl
    assert "eyJ" not in first.text, "the token is shown to nobody"


async def test_no_secret_is_shown_where_a_token_is_taken(house: Building, folder: Path) -> None:
    secret = json.loads((folder / "sandbox.json").read_text())["clientSecret"]
    visit, _ = await house.inside(Role.OPERATE)
    for name in ("create_token", "create_oauth_token"):
        answer = await sent(visit, name)
        assert _ANSWERED.findall(answer.text) == ["200"], answer.text
        assert secret not in answer.text
        assert "$CLIENT_SECRET" in unescape(_CURL.findall(answer.text)[0])
        assert "eyJ" not in answer.text


async def test_a_form_leads_to_no_other_path(house: Building) -> None:
    visit, _ = await house.inside(Role.READ)
    for odd in ("..", "../../auth/v1/token", "//evil.example/", "a?b=c#d", "é\r\nx: y", "%2e%2e"):
        answer = await sent(visit, "read_order", **{"path.id": odd})
        assert _ANSWERED.findall(answer.text) == ["404"], odd
    assert (await visit.get(f"{api_explorer.HERE}/no_such")).status_code == 404
    no = await sent(visit, "read_order", **{"path.id": "", "header.x-request-id": "a\r\nb"})
    assert no.status_code == 400
    assert '<li><a href="#b-1">id: falta.</a></li>' in no.text
    assert 'aria-invalid="true" aria-describedby="b-1-wrong' in no.text
    assert '<p class="wrong" id="b-1-wrong">id: falta.</p>' in no.text
    assert "x-request-id: só ASCII" in no.text
    writer, _ = await house.inside(Role.OPERATE)
    large = await sent(writer, "create_order", body="x" * 100_001)
    assert (large.status_code, "grande demais" in large.text) == (400, True)


async def test_who_may_not_cannot(house: Building, cast: Cast) -> None:
    reader, _ = await house.inside(Role.READ)
    for operation in operations(contract().document).values():
        if not operation.reads:
            assert (await sent(reader, operation.id)).status_code == 403, operation.id
            break
    page = f"{api_explorer.HERE}/create_order"
    assert 'class="main"' not in (await reader.get(page)).text
    assert (await reader.post(page, {"body": "{}"})).status_code == 403, "a form of nobody"
    for path in (api_explorer.HERE, page):
        nobody = await house.visit().get(path)
        assert nobody.status_code == 303
        assert nobody.headers["location"].startswith("/console/sign-in?next=/console/sandbox/try")
    dora = await cast.dora()
    hers, _ = await house.inside(Role.OPERATE, company=dora.company_id)
    other = await sent(hers, "list_orders")
    assert other.status_code == 409
    assert "Escolha outra empresa" in other.text, "no client of another company is used for hers"


async def test_while_the_sandbox_starts_the_page_says_so(house: Building, folder: Path) -> None:
    visit, _ = await house.inside(*Role)
    (folder / "sandbox.json").unlink()
    for answer in (await visit.get(f"{api_explorer.HERE}/read_health"), await sent(visit, "read_health")):
        assert answer.status_code == 503
        assert "ainda está começando" in answer.text


async def test_the_reference_leads_to_it_in_a_sandbox_alone(house: Building, cast: Cast, ana: Seller) -> None:
    link = f'href="{api_explorer.HERE}/create_order"'
    assert link in (await house.visit().get("/docs/api/orders")).text
    production = building(cast, ana, url=PRODUCTION)
    assert "/console/sandbox" not in (await production.visit().get("/docs/api/orders")).text
    visit, _ = await production.inside(*Role)
    assert (await visit.get(api_explorer.HERE)).status_code == 404
    assert (await visit.get(f"{api_explorer.HERE}/create_order")).status_code == 404
