"""What stands before whoever would come in, or further, on an older word: a password, a factor, a form, a link."""

import base64
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.cast import Cast, Seller
from tests.rooms.console.test_signing_in import OWN, code, sign_in, with_factor
from tests.rooms.console.visiting import PASSWORD, PRODUCTION, Building, building, hidden

from lastro import console, people
from lastro.app import wiring
from lastro.core.errors import Kind, Refused
from lastro.people import By, Entered, Entrance, Person, Presence, Role, Stage
from lastro.standards import totp
from lastro.web.application import application

FACTOR = "/console/me/factor"


def while_it_hashes(house: Building, act: Callable[[], Awaitable[Any]]) -> Entrance:
    """The way in, with something that happens between the reading of a password and what comes of it."""

    class Meanwhile(Entrance):
        async def in_thread(self, work: Callable[[], Any]) -> Any:
            found = await super().in_thread(work)
            await act()
            return found

    own = house.entrance
    return Meanwhile(own.database, own.key_ring, own.chance, own.machine_now)


async def half_way(house: Building, person: Person) -> tuple[str, Presence]:
    """The first step in of somebody who has a second factor."""
    entered = await house.entrance.by_password(person.email, PASSWORD, "test", None)
    assert isinstance(entered, Entered)
    assert entered.stage is Stage.PASSWORD
    who = await house.entrance.present(entered.cookie.reveal())
    assert who is not None
    return entered.cookie.reveal(), who


async def test_an_old_factor_is_asked_for_before_another_takes_its_place(house: Building) -> None:
    visit, person = await house.inside()
    _, codes = await with_factor(house, visit)
    page = (await visit.get(FACTOR)).text
    new = {**hidden(page), "password": PASSWORD}
    new["code"] = code(totp.secret_of(new["secret"]))
    for wrong in ({}, {"second-factor": "000000"}, {"second-factor": new["code"]}):
        no = await visit.post(FACTOR, {**new, **wrong})
        assert (no.status_code, "segundo fator atual não confere" in no.text) == (400, True), wrong
    assert (await house.entrance.shows(person, codes[1], "test")) is True, "it is the old one still"
    done = await visit.post(FACTOR, {**new, "second-factor": codes[0]})
    assert done.status_code == 200
    assert codes[2] not in done.text


@pytest.mark.parametrize("name", ["permit", "sign_out"])
async def test_who_was_changed_while_the_password_was_looked_at_is_not_in(house: Building, name: str) -> None:
    person, register = await house.person(), house.register
    acts = {"permit": lambda: register.permit(person, (Role.OPERATE,)), "sign_out": lambda: register.sign_out(person)}
    slow = while_it_hashes(house, acts[name])
    assert await slow.by_password(person.email, PASSWORD, "test", None) is None
    assert isinstance(await house.entrance.by_password(person.email, PASSWORD, "test", None), Entered)


async def test_a_wrong_password_is_written_of_whoever_it_is_given_for(house: Building, cast: Cast) -> None:
    """A commit waits for the disk: who may enter would be told by how long the no takes."""
    person = await house.person()
    seen: list[set[str]] = []

    async def look() -> None:
        async with cast.database.session() as session:
            rows = await session.fetch("SELECT xmin::text FROM sign_in_tries UNION SELECT xmin::text FROM people_acts")
        seen.append({row["xmin"] for row in rows})

    for email in (person.email, "nobody@ana.example"):
        slow = while_it_hashes(house, look)
        assert await slow.by_password(email, "none of hers", "test", None) is None
        await look()
    assert [len(after - before) for before, after in (seen[:2], seen[2:])] == [1, 1]


async def test_the_second_step_goes_on_from_a_first_that_still_counts(house: Building, cast: Cast) -> None:
    visit, person = await house.inside()
    _, codes = await with_factor(house, visit)
    ended, who = await half_way(house, person)
    async with cast.database.session() as session:
        await people.end(session, who.hash)
    assert await house.entrance.by_code(who, codes[0], "test", ended) is None
    changed, who = await half_way(house, person)
    await house.register.sign_out(who.person)
    assert await house.entrance.by_code(who, codes[1], "test", changed) is None
    good, who = await half_way(house, person)
    assert isinstance(await house.entrance.by_code(who, codes[2], "test", good), Entered)


async def test_a_session_that_a_change_did_not_see_is_over_by_its_version(house: Building, cast: Cast) -> None:
    visit, person = await house.inside()
    async with cast.database.session() as session:
        await session.fetch("UPDATE people_sessions SET version = version - 1 WHERE person_id = $1", person.id)
    assert (await visit.get(OWN)).status_code == 303


async def test_out_everywhere_is_told_of_who_asked_also_when_it_has_changed(house: Building, cast: Cast) -> None:
    visit, person = await house.inside(Role.ADMINISTER)
    who = await house.entrance.present(next(iter(visit.cookies.values())))
    assert who is not None
    await house.register.leave(replace(who, person=replace(person, version=person.version - 1)), "192.0.2.7")
    assert (await visit.get(OWN)).status_code == 303
    await sign_in(visit, person)
    await visit.send(OWN, "/console/sign-out", everywhere="yes")
    async with cast.database.session() as session:
        told = [one for one in await people.people_acts(session, None, None, 50) if one.person == person.email]
    assert [one.by for one in told if one.act == "SIGNED_OUT"] == [person.email] * 2
    assert "192.0.2.7" in {one.address for one in told}
    assert None not in {one.address for one in told if one.act == "SIGNED_OUT"}


async def test_an_invitation_is_for_the_company_that_the_form_was_made_with(house: Building, cast: Cast) -> None:
    visit, _ = await house.inside(Role.ADMINISTER)
    dora = await cast.dora()
    async with cast.database.session(house.ana.company_id) as session:
        name = await session.value("SELECT name FROM companies")
    page = (await visit.get("/console/people")).text
    assert name in page.partition("<main")[0], "the head of every page says for which company one acts"
    form = {**hidden(page), "email": "of-a-form@ana.example", "name": "New", "role": "READ"}
    for scope, status in (("company", 403), ("", 403), (str(dora.company_id), 403)):
        assert (await visit.post("/console/people", {**form, "scope": scope})).status_code == status, scope
    await visit.send("/console/company", "/console/company", company=str(dora.company_id))
    assert (await visit.post("/console/people", {**form, "scope": str(house.ana.company_id)})).status_code == 403
    assert await house.register.of_email("of-a-form@ana.example") is None
    assert (await visit.post("/console/people", {**form, "scope": str(dora.company_id)})).status_code == 200
    new = await house.register.of_email("of-a-form@ana.example")
    assert new is not None
    assert new.only_company == dora.company_id


async def test_who_administers_cannot_enter_as_somebody_who_has_a_password(house: Building) -> None:
    visit, me = await house.inside(Role.ADMINISTER)
    theirs, person = await house.inside(Role.APPROVE)
    await with_factor(house, theirs)
    page = f"/console/people/{person.id}"
    assert f"lastro admin remove-factor {person.email}" in (await visit.get(page)).text
    no = await visit.send(page, f"{page}/factor")
    assert (no.status_code, "só pela linha de comando" in no.text) == (403, True)
    same = {"email": person.email, "name": person.name, "role": "APPROVE", "scope": "all"}
    no = await visit.send("/console/people", "/console/people", **same)
    assert (no.status_code, "só pela linha de comando" in no.text) == (409, True)
    now = await house.register.one(person.id)
    assert now is not None
    assert now.has_factor
    assert isinstance(await house.register.invite(person.email, person.name, person.roles, None), tuple)
    assert await house.register.take_factor(now) is None
    fresh = await house.register.invite("fresh@ana.example", "F", (Role.READ,), None, By(me))
    assert isinstance(fresh, tuple)
    assert isinstance(await house.register.invite("fresh@ana.example", "F", (Role.READ,), None, By(me)), tuple)


async def test_another_link_changes_nothing_of_who_is_there(house: Building) -> None:
    person, own = await house.person(Role.READ), house.ana.company_id
    for name, roles, company in (
        ("Bia", (Role.READ,), None), ("Rita", (Role.READ, Role.APPROVE), None), ("Rita", (Role.READ,), own),
    ):  # fmt: skip
        refused = await house.register.invite(person.email, name, roles, company)
        assert isinstance(refused, Refused), name
        assert refused.kind is Kind.CONFLICT


async def test_what_is_too_long_is_refused_and_no_failure(house: Building) -> None:
    visit, _ = await house.inside(Role.ADMINISTER)
    secret = base64.b32encode(bytes(2_000)).decode()
    long = await visit.send(FACTOR, FACTOR, secret=secret, password=PASSWORD, code="000000")
    assert (long.status_code, long.headers["location"]) == (303, FACTOR)
    email = f"{'a' * 64}@{'b' * 188}.co"
    no = await visit.send("/console/people", "/console/people", email=email, name="N", role="READ", scope="all")
    assert (len(email), no.status_code) == (256, 400)


async def test_a_link_of_the_sandbox_leads_nowhere_elsewhere(cast: Cast, ana: Seller) -> None:
    house = building(cast, ana, url=PRODUCTION)
    link = (await house.register.let_in("demo@ana.example", "Demo")).reveal()
    assert await house.entrance.by_link(link, "test", None) is None
    assert (await house.visit().get(f"/console/link/{link}")).status_code == 404
    assert (await house.visit().post(f"/console/link/{link}")).status_code == 404
    open_ = replace(house.entrance, is_sandbox=True)
    assert isinstance(await open_.by_link(link, "test", None), Entered)


async def test_an_unblocking_keeps_its_own_code_beside_the_second_factor(cast: Cast, ana: Seller) -> None:
    house = building(cast, ana, url=PRODUCTION)
    visit, _ = await house.inside(Role.APPROVE)
    await with_factor(house, visit)
    async with cast.database.session() as session:
        await session.fetch("UPDATE people_sessions SET proved_at = NULL")
    place = f"/console/accounts/{ana.account_id}/unblock"
    form = {**hidden((await visit.get(OWN)).text), "code": "INTERNAL"}
    asked = await visit.post(place, form)
    assert (asked.status_code, "Confirmar com o segundo fator" in asked.text) == (200, True)
    assert hidden(asked.text)["code"] == "INTERNAL"


async def test_a_network_looks_behind_so_many_links_alone(house: Building) -> None:
    narrow = replace(house.house, token_requests_per_minute=2)
    routes, operations = wiring.routes(narrow), wiring.operations(narrow)
    paths = wiring.public(narrow) | console.paths(narrow, routes)
    visit = replace(house, asgi=application(wiring.gate(narrow, operations), operations, routes, paths)).visit()
    told = [(await visit.get("/console/link/lsl_none")).status_code for _ in range(3)]
    assert told == [404, 404, 429]
