"""The developers' pages: clients whose secret is seen once, where events go, and the feed as it grows."""

import re
from html import unescape
from pathlib import Path
from typing import Any

from tests.cast import Cast
from tests.in_one import in_one_test
from tests.journeys.stage import until
from tests.rooms.console.visiting import Building, Visit, hidden
from tests.rooms.orders.shop import Shop
from tests.self_signed import self_signed

from lastro.api_kit.proxies import certificate_of, thumbprint
from lastro.console.figures import newest_number
from lastro.core.db import Database
from lastro.core.secrets import Secret, hash_machine_secret
from lastro.people import Role
from lastro.webhooks import number

HERE = "/console/developers"
_SECRET = re.compile(r'<code class="secret">([^<]+)</code>')
_CLIENT = re.compile(rf'href="{HERE}/clients/([^/"]+)/secret"')


async def rows(house: Building, sql: str, *arguments: Any) -> list[Any]:
    async with house.cast.database.session(house.ana.company_id) as session:
        return await session.fetch(sql, *arguments)


async def let_in(visit: Visit, name: str = "Shop") -> tuple[str, str]:
    """A new client: its id, and its secret."""
    form = {"name": name, "permission": ["orders:read", "orders:write"], "networks": "203.0.113.0/24"}
    answer = await visit.send(f"{HERE}/clients", f"{HERE}/clients", **form)
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    secret, client = _SECRET.search(answer.text), _CLIENT.search(answer.text)
    assert secret is not None
    assert client is not None
    return client[1], unescape(secret[1])


async def test_a_client_s_secret_is_seen_once_and_kept_as_a_hash(house: Building) -> None:
    visit, person = await house.inside(Role.ADMINISTER)
    client_id, secret = await let_in(visit)
    (row,) = await rows(house, "SELECT * FROM clients WHERE client_id = $1", client_id)
    assert bytes(row["secret_hash"]) == hash_machine_secret(Secret(secret))
    assert (row["name"], list(row["permissions"])) == ("Shop", ["orders:read", "orders:write"])
    (line,) = await rows(house, "SELECT * FROM console_acts WHERE operation = 'add_client'")
    assert line["person_id"] == person.id
    assert secret not in repr(line)
    page = await visit.get(f"{HERE}/clients/{client_id}")
    assert page.status_code == 200
    assert secret not in page.text
    assert client_id in (await visit.get(HERE)).text


async def test_another_secret_and_the_end_of_a_client(house: Building) -> None:
    visit, _ = await house.inside(Role.ADMINISTER)
    client_id, first = await let_in(visit)
    page = f"{HERE}/clients/{client_id}"
    renewed = await visit.send(f"{page}/secret", f"{page}/secret", hours="1")
    second = _SECRET.search(renewed.text)
    assert second is not None
    assert second[1] != first
    (row,) = await rows(house, "SELECT * FROM clients WHERE client_id = $1", client_id)
    assert bytes(row["secret_hash"]) == hash_machine_secret(Secret(unescape(second[1])))
    assert bytes(row["secret_hash_previous"]) == hash_machine_secret(Secret(first))
    for hours in ("", "-1", "2", "x", "9" * 40):
        assert (await visit.send(page, f"{page}/secret", hours=hours)).status_code == 400, hours
    assert (await visit.send(page, f"{page}/revoke-tokens")).status_code == 200
    form = hidden((await visit.get(page)).text)
    assert (await visit.post(f"{page}/revoke", form)).status_code == 200
    (row,) = await rows(house, "SELECT * FROM clients WHERE client_id = $1", client_id)
    assert row["revoked_at"] is not None
    assert (await visit.post(f"{page}/secret", {**hidden((await visit.get(HERE)).text), "hours": "1"})).status_code == 409
    told = await rows(house, "SELECT operation FROM console_acts WHERE status = 200 ORDER BY created_at, id")
    assert [one["operation"] for one in told] == [
        "add_client", "rotate_client_secret", "revoke_client_tokens", "revoke_client",
    ]  # fmt: skip


async def test_a_form_that_is_sent_twice_lets_one_client_in(house: Building) -> None:
    visit, _ = await house.inside(Role.ADMINISTER)
    form = {**hidden((await visit.get(f"{HERE}/clients")).text), "name": "Once", "permission": ["orders:read"]}
    assert (await visit.post(f"{HERE}/clients", form)).status_code == 200
    again = await visit.post(f"{HERE}/clients", form)
    assert again.status_code == 409
    assert _SECRET.search(again.text) is None
    assert len(await rows(house, "SELECT 1 FROM clients WHERE name = 'Once'")) == 1


async def reach(house: Building, client_id: str) -> tuple[list[str], list[str], int | None]:
    (row,) = await rows(house, "SELECT * FROM clients WHERE client_id = $1", client_id)
    return list(row["permissions"]), [str(one) for one in row["allowed_networks"]], row["requests_per_minute"]


async def test_what_a_client_may_do_from_where_and_how_often_is_said_anew(house: Building) -> None:
    visit, _ = await house.inside(Role.ADMINISTER)
    client_id, _ = await let_in(visit)
    page = f"{HERE}/clients/{client_id}"
    assert (await visit.send(page, f"{page}/permissions", permission=["orders:read"])).status_code == 200
    assert (await visit.send(page, f"{page}/networks", networks="10.0.0.0/8, 192.0.2.7")).status_code == 200
    done = await visit.send(page, f"{page}/limit", limit="120")
    assert done.status_code == 200
    assert 'value="120"' in done.text
    kept = (["orders:read"], ["10.0.0.0/8", "192.0.2.7/32"], 120)
    assert await reach(house, client_id) == kept
    for act, form in (
        ("permissions", {}), ("permissions", {"permission": "all"}), ("networks", {"networks": "here"}),
        ("limit", {"limit": "0"}), ("limit", {"limit": "-1"}), ("limit", {"limit": "x"}), ("limit", {"limit": "9" * 30}),
    ):  # fmt: skip
        answer = await visit.send(page, f"{page}/{act}", **form)
        assert (answer.status_code, 'role="alert"' in answer.text) == (400, True), (act, form)
    assert await reach(house, client_id) == kept
    await visit.send(page, f"{page}/networks", networks="")
    await visit.send(page, f"{page}/limit", limit="")
    assert await reach(house, client_id) == (["orders:read"], [], None)


async def certificates(house: Building, client_id: str) -> list[str]:
    (row,) = await rows(house, "SELECT certificates FROM clients WHERE client_id = $1", client_id)
    return list(row["certificates"])


async def test_certificates_of_a_client_are_pasted_and_taken_away(house: Building, tmp_path: Path) -> None:
    """With the key beside them, as such files often are: it is not looked at, and no page shows it."""
    visit, _ = await house.inside(Role.ADMINISTER)
    client_id, _ = await let_in(visit)
    page = f"{HERE}/clients/{client_id}"
    files = [self_signed(tmp_path / f"{name}.pem", name) for name in ("one", "two")]
    first, second = (thumbprint(certificate_of(file.read_bytes())) for file in files)
    pasted = "\n".join(file.read_text() for file in files)
    assert "PRIVATE KEY" in pasted
    done = await visit.send(page, f"{page}/certificates", add=pasted)
    assert (done.status_code, await certificates(house, client_id)) == (200, [first, second])
    assert [done.text.count(one) > 1 for one in (first, second)] == [True, True], "they are shown, and may be taken away"
    assert "PRIVATE KEY" not in done.text
    third = "A" * 43
    assert (await visit.send(page, f"{page}/certificates", add=third, remove=[first])).status_code == 200
    assert await certificates(house, client_id) == [second, third]
    for form in (
        {"remove": [first]}, {"remove": [second, third]}, {"add": "here"}, {"add": "-----BEGIN CERTIFICATE-----\nAAAA"},
        {"add": " ".join(f"{n:043}" for n in range(60))}, {"add": "-----BEGIN PUBLIC KEY-----\nAAAA"},
    ):  # fmt: skip
        answer = await visit.send(page, f"{page}/certificates", **form)
        assert (answer.status_code, 'role="alert"' in answer.text) == (400, True), form
    assert await certificates(house, client_id) == [second, third]
    assert (await visit.send(page, f"{page}/certificates", remove=[second, third], free="yes")).status_code == 200
    assert await certificates(house, client_id) == []


BAD: dict[str, dict[str, Any]] = {
    "no name": {"name": "", "permission": ["orders:read"]},
    "a name too long": {"name": "x" * 141, "permission": ["orders:read"]},
    "no permission": {"name": "Bad"},
    "one that there is not": {"name": "Bad", "permission": ["orders:read", "all"]},
    "a network that is none": {"name": "Bad", "permission": ["orders:read"], "networks": "here"},
}


@in_one_test("what", BAD)
async def test_a_client_that_cannot_be_is_not_let_in(house: Building, what: str) -> None:
    visit, _ = await house.inside(Role.ADMINISTER)
    before = await rows(house, "SELECT count(*) FROM clients")
    answer = await visit.send(f"{HERE}/clients", f"{HERE}/clients", **BAD[what])
    assert answer.status_code == 400, answer.text
    assert 'role="alert"' in answer.text
    assert await rows(house, "SELECT count(*) FROM clients") == before


async def test_another_company_s_client_is_nobody(house: Building, cast: Cast) -> None:
    dora = await cast.dora()
    visit, _ = await house.inside(Role.ADMINISTER)
    client_id, _ = await let_in(visit)
    theirs, _ = await house.inside(Role.ADMINISTER, company=dora.company_id)
    good = hidden((await theirs.get(HERE)).text)
    assert client_id not in (await theirs.get(HERE)).text
    assert (await theirs.get(f"{HERE}/clients/{client_id}")).status_code == 404
    for act in ("secret", "permissions", "networks", "certificates", "limit", "revoke", "revoke-tokens"):
        form = {**good, "hours": "1", "permission": "orders:read", "add": "A" * 43}
        assert (await theirs.post(f"{HERE}/clients/{client_id}/{act}", form)).status_code == 404, act
    (row,) = await rows(house, "SELECT * FROM clients WHERE client_id = $1", client_id)
    assert (row["revoked_at"], row["secret_hash_previous"], row["version"]) == (None, None, 1)


async def test_where_events_go_and_what_signs_them(house: Building) -> None:
    visit, _ = await house.inside(Role.ADMINISTER, Role.OPERATE)
    page = f"{HERE}/webhooks"
    url = "https://shop.example.com/hook"
    saved = await visit.send(page, f"{page}/url", event="ORDER-PAYIN.PAID", url=url)
    assert saved.status_code == 200, saved.text
    assert url in saved.text
    wrong = await visit.send(page, f"{page}/url", event="ORDER-PAYIN.PAID", url="ftp://shop.example.com/")
    assert wrong.status_code == 400
    assert (await visit.send(page, f"{page}/url", event="NO.SUCH")).status_code == 400
    assert f'action="{page}/secret"' not in (await visit.get(page)).text, "it is asked for twice"
    renewed = await visit.send(f"{page}/secret", f"{page}/secret")
    secret = _SECRET.search(renewed.text)
    assert secret is not None
    assert secret[1].startswith("whsec_")
    assert secret[1] not in (await visit.get(page)).text
    sent = await visit.send(page, f"{page}/test", event="ORDER-PAYIN.PAID")
    assert sent.status_code == 200, sent.text
    after = await visit.get(page)
    assert "Nenhuma entrega nas últimas 24 horas" in after.text, "the event has no number yet"
    assert 'action="/console/resend"' in after.text


async def test_the_feed_shows_the_newest_and_asks_for_what_is_new(house: Building, database: Any) -> None:
    visit, _ = await house.inside(Role.ADMINISTER, Role.OPERATE)
    page = await visit.get(f"{HERE}/feed")
    assert page.status_code == 200
    assert "Nenhum evento aqui" in page.text
    found = re.search(r'hx-get="([^"]+)"', page.text)
    assert found is not None
    asks = unescape(found[1])
    assert (await visit.get(asks, hx_request="true")).status_code == 204, "nothing is new"
    hooks = f"{HERE}/webhooks"
    sent = await visit.send(hooks, f"{hooks}/test", event="ORDER-PAYIN.PAID", url="https://shop.example.com/hook")
    assert sent.status_code == 200, sent.text
    work = Database(database.work, size=1)

    async def born() -> Any:
        await number(house.cast.database, work)  # nothing, while anybody writes who began before
        return re.search(r"<code>https://shop.example.com</code></div></td>(.*?)</tr>", (await visit.get(hooks)).text)

    row = await until(born, "the event's delivery")
    assert re.findall(r">([^<]+)</div></td>", row[1]) == ["0", "1", "0", "—", "—", "—", "—"], (
        "it waits for its first attempt"
    )

    async def told() -> Any:
        await number(house.cast.database, work)
        answer = await visit.get(asks, hx_request="true")
        return answer if answer.status_code == 200 else None

    part = await until(told, "the event's number")
    await work.close()
    assert "WEBHOOK.TEST" in part.text
    assert "<html" not in part.text
    over = await visit.get(re.sub(r"ends=\d+", "ends=1", asks), hx_request="true")
    assert "hx-trigger" not in over.text, "a page that is left open does not ask for ever"
    for query in ("until=0", "until=1", "until=x", f"until={'9' * 30}", "event=NO", "seen=-1&ends=x"):
        assert (await visit.get(f"{HERE}/feed?{query}")).status_code == 200, query


async def test_one_type_is_found_beyond_what_a_page_shows(house: Building, database: Any) -> None:
    visit, _ = await house.inside(Role.ADMINISTER, Role.OPERATE)
    hooks = f"{HERE}/webhooks"
    sent = await visit.send(hooks, f"{hooks}/test", event="ORDER-PAYIN.PAID", url="https://shop.example.com/hook")
    assert sent.status_code == 200, sent.text
    shop = Shop(house.cast, house.ana)
    for _ in range(52):
        await shop.paid(1000)
    work = Database(database.work, size=1)

    async def page(query: str) -> tuple[str, int]:
        answer = await visit.get(f"{HERE}/feed?{query}")
        assert answer.status_code == 200, answer.text
        return answer.text, answer.text.count('class="number"><div>')

    async def numbered() -> bool:
        await number(house.cast.database, work)
        async with house.cast.database.session(house.ana.company_id) as session:
            return await newest_number(session, house.ana.company_id) == 53

    await until(numbered, "the events' numbers")
    await work.close()
    assert "WEBHOOK.TEST</code>" not in (await page(""))[0]
    seen, count = await page("event=WEBHOOK.TEST")
    assert (count, "WEBHOOK.TEST</code>" in seen, "53 eventos" in seen) == (1, True, True)
    seen, count = await page("event=ORDER-PAYIN.PAID")
    older = re.search(r"until=(\d+)", seen)
    assert (count, older and older[1]) == (50, "3")
    seen, count = await page("event=ORDER-PAYIN.PAID&until=3")
    assert (count, "until=1" in seen) == (2, False)
