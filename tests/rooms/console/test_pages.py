"""Every page of a company, on a company that has one object of each kind: it is there, it does what it says, and for nobody else."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest
from tests.house.strangers import Town, leave, settle
from tests.rooms.console.visiting import Building, Visit, hidden

from lastro import console
from lastro.app import wiring
from lastro.console import books, ledger
from lastro.console.actions import ACTIONS
from lastro.console.kinds import KINDS
from lastro.console.pages import PAGES
from lastro.people import Entrance, Register, Role
from lastro.web.application import application

ALL = (Role.OPERATE, Role.APPROVE, Role.ADMINISTER)
# Where the town has an object of each kind: the word that it goes by there.
OF_TOWN = {
    "orders": "paid order", "payouts": "paid payout", "plans": "plan", "subscriptions": "subscription", "refunds": "refund",
    "disputes": "dispute", "accounts": "account", "requests": "account request", "keys": "key to delete", "claims": "claim",
    "events": "event", "foreign": "foreign payment",
}  # fmt: skip


@dataclass
class Place:
    """The town and its console. ids: of one object of each kind."""

    town: Town
    building: Building
    ids: dict[str, str]

    async def inside(self, *roles: Role, company: UUID | None = None) -> Visit:
        visit, _ = await self.building.inside(*roles, company=company)
        return visit

    async def value(self, sql: str, *arguments: Any) -> Any:
        return await self.town.audit.fetchval(sql, self.town.ana.company_id, *arguments)


@pytest.fixture(scope="module")
async def place(database: Any) -> AsyncIterator[Place]:
    async with standing(database) as made:
        yield made


@asynccontextmanager
async def standing(database: Any, url: str | None = None) -> AsyncIterator[Place]:
    """The town with its console. url: where browsers reach it."""
    town = await settle(database)
    house = town.house
    if url is not None:
        house = replace(house, place=replace(house.place, public_url=url), hosts=frozenset({url.partition("//")[2]}))
    routes, operations = wiring.routes(house), wiring.operations(house)
    asgi = application(
        wiring.gate(house, operations), operations, routes, wiring.public(house) | console.paths(house, routes)
    )
    entrance = Entrance(house.database, house.key_ring, house.chance, partial(datetime.now, UTC))
    made = Building(None, town.ana, house, entrance, Register(entrance), asgi)  # type: ignore[arg-type]
    ids = {kind: town.objects[word] for kind, word in OF_TOWN.items()}
    found = Place(town, made, ids)
    found.ids["payments"] = str(await found.value("SELECT id FROM pix_payments WHERE company_id = $1 LIMIT 1"))
    yield found
    await leave(town)


async def every_path(place: Place) -> list[str]:
    """A path of each page that is read, with an object that the town has."""
    paths = [
        page.path
        for page in PAGES
        if page.method == "GET" and "{" not in page.path and not page.path.endswith(("/csv", "/sample", "/price"))
    ]
    paths += [f"/console/{kind.name}/{place.ids[kind.name]}" for kind in KINDS]
    paths += [f"/console/{action.of}/{place.ids[action.of]}/{action.name}" for action in ACTIONS]
    paths += ["/console?period=7d", "/console/ledger", f"/console/ledger/accounts/{place.ids['accounts']}"]
    paths += [f"/console/{name}?accountId={place.ids['accounts']}" for name in ("keys", "claims")]
    transfer = await place.value("SELECT id FROM transfers WHERE company_id = $1 LIMIT 1")
    message = await place.value("SELECT id FROM outbox WHERE company_id = $1 LIMIT 1")
    paths += [f"/console/orders/{place.ids['orders']}/receipt"]
    return [*paths, f"/console/ledger/transfers/{transfer}", f"/console/messages/out/{message}"]


async def test_every_page_is_there_in_both_languages(place: Place) -> None:
    visit = await place.inside(*ALL)
    paths = await every_path(place)
    wrong = []
    for n, path in enumerate(paths):
        language = ("pt-BR", "en")[n % 2]
        page = await visit.get(path, accept_language=language)
        if page.status_code != 200 or f'<html lang="{language}"' not in page.text or "style=" in page.text:
            wrong.append((path, page.status_code, page.text[-500:]))
    assert not wrong


async def test_nothing_of_a_company_is_shown_to_another(place: Place) -> None:
    visit = await place.inside(*ALL, company=place.town.dora.company_id)
    paths = [f"/console/{kind.name}/{place.ids[kind.name]}" for kind in KINDS]
    paths += [f"/console/{action.of}/{place.ids[action.of]}/{action.name}" for action in ACTIONS]
    paths += [f"/console/ledger/accounts/{place.ids['accounts']}"]
    for table in ("transfers", "outbox", "inbox"):
        one = await place.value(f"SELECT id FROM {table} WHERE company_id = $1 LIMIT 1")
        where = {"transfers": "ledger/transfers", "outbox": "messages/out", "inbox": "messages/in"}[table]
        paths += [f"/console/{where}/{one or uuid4()}"]
    decisions = {f"/console/{action.of}/{place.ids[action.of]}/{action.name}" for action in ACTIONS if action.is_decision}
    found = {path: (await visit.get(path)).status_code for path in paths}
    assert found == {path: 403 if path in decisions else 404 for path in paths}
    assert "Nada encontrado" in (await visit.get(f"/console/search?q={place.ids['orders']}", accept_language="pt")).text


async def test_an_order_is_canceled_once_and_told_with_the_person(place: Place) -> None:
    visit, person = await place.building.inside(Role.OPERATE)
    own = place.town.objects["order"]
    path = f"/console/orders/{own}/cancel"
    before = await visit.get(f"/console/orders/{own}")
    assert path in before.text
    answer = await visit.send(path, path)
    assert answer.status_code == 303, answer.text
    after = await visit.get(answer.headers["location"])
    assert path not in after.text
    assert 'role="status"' in after.text
    acts = await place.town.audit.fetch("SELECT operation, status FROM console_acts WHERE person_id = $1", person.id)
    assert [tuple(one) for one in acts] == [("cancel_order", 200)]
    again = await visit.send(path, path)
    assert again.status_code == 409
    assert 'role="alert"' in again.text


async def test_a_company_is_not_told_who_of_the_institution_acted(place: Place) -> None:
    """What was done for it, and to its people, it sees; names only of its own."""
    theirs, outsider = await place.building.inside(Role.ADMINISTER, Role.OPERATE)
    hers, own = await place.building.inside(Role.ADMINISTER, Role.OPERATE, company=place.town.ana.company_id)
    _, other = await place.building.inside(Role.READ, company=place.town.ana.company_id)
    for visit in (theirs, hers):
        order = f"/console/orders/{place.ids['orders']}/refund"
        await visit.send(order, order, amount="999.999,00", refundCode="MD06", sure="yes")
        person = f"/console/people/{other.id}"
        assert (await visit.send(person, f"{person}/roles", role=["READ", "OPERATE"])).status_code == 303
    for page in ("/console/audit", "/console/audit?of=people"):
        told = (await hers.get(page)).text
        assert own.email in told
        assert outsider.email not in told
        assert "a instituição" in told
        assert outsider.email in (await theirs.get(page)).text


async def test_a_refund_is_refused_with_the_apis_words_and_then_made(place: Place) -> None:
    visit = await place.inside(Role.OPERATE)
    path = f"/console/orders/{place.ids['orders']}/refund"
    too_much = await visit.send(path, path, amount="999.999,00", refundCode="MD06", sure="yes")
    assert too_much.status_code in (400, 409, 422)
    assert 'value="999.999,00"' in too_much.text
    refused_form = hidden(too_much.text)
    filled = {"amount": "0,01", "refundCode": "MD06", "refundReason": "teste", "sure": "yes"}
    before = hidden((await visit.get(path)).text)
    assert (await visit.post(path, {**before, **filled, "amount": "999.999,00"})).status_code == too_much.status_code
    back = await visit.post(path, {**before, **filled})
    assert back.status_code == 409
    assert "já foi enviado e recusado" in back.text
    assert "valeu a primeira" not in back.text
    assert 'value="0,01"' in back.text
    assert len({refused_form["act"], before["act"], hidden(back.text)["act"]}) == 3
    made = await visit.post(path, {**hidden(back.text), **filled})
    assert made.status_code == 303, made.text
    found = await place.value(
        "SELECT count(*) FROM refunds WHERE company_id = $1 AND external_id LIKE 'console-%' AND amount_minor = 1"
    )
    assert found == 1


async def test_the_trial_balance_is_added_up_by_a_form_one_at_a_time_and_not_for_long(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit, path, database = await place.inside(Role.READ), "/console/ledger", place.town.house.database
    looked = await visit.get(f"{path}?trial=1", accept_language="en")
    assert "Work it out" in looked.text, "a link alone starts nothing"
    added = await visit.send(path, path)
    assert added.status_code == 200
    assert "<tfoot" in added.text
    form = hidden(looked.text)
    async with ledger._TRIALS:
        busy = await visit.post(path, form, accept_language="en")
    assert (busy.status_code, "<tfoot" in busy.text) == (503, False)
    assert "Another trial balance is being added up" in busy.text
    monkeypatch.setattr(books, "TRIAL", "SELECT pg_sleep(20), $1::uuid")
    monkeypatch.setattr(books, "TRIAL_SECONDS", 0.05)
    slow = await visit.post(path, form, accept_language="en")
    assert (slow.status_code, "more than 0.05 seconds" in slow.text) == (503, True)
    async with database.session(place.town.ana.company_id) as session:
        before = await session.value("SHOW statement_timeout")
        assert await books.trial(session, place.town.ana.company_id) is None
        assert await session.value("SHOW statement_timeout") == before == "30s"


async def test_a_day_that_time_ends_with_finds_nothing(place: Place) -> None:
    visit = await place.inside(Role.READ)
    page = await visit.get("/console/search?q=10,50%2031/12/9999", accept_language="en")
    assert page.status_code == 200
    assert "Nothing found for" in page.text


async def test_who_may_only_read_is_offered_nothing(place: Place) -> None:
    visit = await place.inside(Role.READ)
    page = await visit.get(f"/console/orders/{place.ids['orders']}")
    assert page.status_code == 200
    assert f"/console/orders/{place.ids['orders']}/refund" not in page.text
    assert (await visit.get(f"/console/orders/{place.ids['orders']}/refund")).status_code == 403


async def test_what_a_person_has_in_hand_is_found(place: Place) -> None:
    visit, ids = await place.inside(Role.READ), place.ids
    asked = place.town.objects["order"]
    order = await place.town.audit.fetchrow(
        "SELECT external_id, txid, amount_minor FROM orders WHERE company_id = $1 AND id = $2",
        place.town.ana.company_id,
        UUID(asked),
    )
    sent = await place.value("SELECT end_to_end_id FROM payouts WHERE company_id = $1 AND id = $2", UUID(ids["payouts"]))
    assert order is not None
    key = await place.value("SELECT key FROM pix_keys WHERE company_id = $1 AND status = 'ACTIVE' LIMIT 1")
    number = await place.value("SELECT number FROM accounts WHERE company_id = $1 LIMIT 1")
    event = await place.value("SELECT id FROM events WHERE company_id = $1 LIMIT 1")
    amount = f"{order['amount_minor'] // 100},{order['amount_minor'] % 100:02d}"
    sought = {
        asked: f"/console/orders/{asked}", order["external_id"]: f"/console/orders/{asked}",
        sent: f"/console/payouts/{ids['payouts']}", order["txid"]: f"/console/orders/{asked}",
        amount: f"/console/orders/{asked}", ids["payouts"]: f"/console/payouts/{ids['payouts']}",
        "529.982.247-25": "/console/orders/", key: "/console/accounts/", number: "/console/accounts/",
        str(event): f"/console/events/{event}", ids["refunds"]: f"/console/refunds/{ids['refunds']}",
    }  # fmt: skip
    for text, link in sought.items():
        page = await visit.get("/console/search?all=1&q=" + str(text).replace("+", "%2B"))
        assert f'href="{link}' in page.text, text
    one = await visit.get(f"/console/search?q={ids['plans']}")
    assert one.headers["location"] == f"/console/plans/{ids['plans']}"
    nothing = await visit.get("/console/search?q=nothing-of-the-kind", accept_language="en")
    assert "Nothing found for" in nothing.text


async def test_a_list_is_filtered_by_the_api_and_htmx_takes_the_table_alone(place: Place) -> None:
    visit = await place.inside(Role.READ)
    paid = await visit.get("/console/orders?status=PAID", accept_language="en")
    assert re.search(r'<option value="PAID" selected>Paid \(PAID\)', paid.text)
    assert place.ids["orders"] in paid.text
    table = await visit.get("/console/orders?status=PAID", hx_request="true")
    assert "<html" not in table.text
    assert place.ids["orders"] in table.text
    wrong = await visit.get("/console/orders?from=yesterday")
    assert wrong.status_code == 400
    assert 'role="alert"' in wrong.text


_LISTS_OF_FACTS = re.compile(r'<dl class="facts">.*?</dl>|<td .*?</td>|<ol class="timeline">.*?</ol>', re.DOTALL)
_TAGS = re.compile(r"<[^>]*>")


def facts_of(page: str) -> str:
    """What people read of an object: its facts, tables and timeline, without addresses of links."""
    return _TAGS.sub(" ", " ".join(_LISTS_OF_FACTS.findall(page)))


async def test_an_account_is_called_by_name_and_number_and_never_by_its_id(place: Place) -> None:
    visit, own = await place.inside(*ALL), place.ids["accounts"]
    called = await place.town.audit.fetchval("SELECT full_name || ' · ' || number FROM accounts WHERE id = $1::uuid", own)
    transfer = await place.value("SELECT id FROM transfers WHERE company_id = $1 LIMIT 1")
    paths = [f"/console/{kind.name}/{place.ids[kind.name]}" for kind in KINDS if kind.name != "accounts"]
    paths += [f"/console/{action.of}/{place.ids[action.of]}/{action.name}" for action in ACTIONS if action.of != "accounts"]
    accounts = [str(one) for (one,) in await place.town.audit.fetch("SELECT id FROM accounts")]
    said = 0
    for path in (*paths, f"/console/ledger/transfers/{transfer}"):
        read = facts_of((await visit.get(path)).text)
        assert not [one for one in accounts if one in read], path
        said += called in read
    assert said > 10


async def test_a_timeline_has_no_words_of_programs(place: Place) -> None:
    visit = await place.inside(*ALL)
    for language, words in (("pt-BR", ("De Pix: ", "processada", "Débito")), ("en", ("From Pix: ", "handled", "Debit"))):
        page = (await visit.get(f"/console/orders/{place.ids['orders']}", accept_language=language)).text
        (timeline,) = re.findall(r'<ol class="timeline">.*?</ol>', page, re.DOTALL)
        read = _TAGS.sub(" ", timeline)
        assert [word for word in words if word not in read] == [], read
        assert not re.search(r"\bpix\.[a-z]|\breturn\.[a-z]|\b(CUST|NET|TRANSIT)\b", read), read


async def test_a_person_and_a_company_are_called_by_their_names(place: Place) -> None:
    company = place.town.ana.company_id
    theirs = await place.building.person(Role.READ, company=company)
    visit = await place.inside(*ALL)
    name = await place.value("SELECT name FROM companies WHERE company_id = $1")
    for path in ("/console/people", f"/console/people/{theirs.id}"):
        page = (await visit.get(path)).text
        shown = page[page.index("<h1>") : page.index("</main>")]
        assert str(name) in shown
        assert str(company) not in _TAGS.sub(" ", shown).replace(str(name), "")
