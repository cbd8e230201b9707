"""Every page of the list, asked by whoever may not: nobody, who was in, a form of another page, a role that does not reach."""

import re
from typing import Any

import pytest
from tests.cast import Cast, Seller
from tests.rooms.console.test_signing_in import with_factor
from tests.rooms.console.visiting import PRODUCTION, Building, Visit, building, hidden

from lastro.console.actions import ACTIONS
from lastro.console.entrance import PROOF
from lastro.console.pages import NAVIGATION, PAGES
from lastro.console.shell import Act, Page
from lastro.people import Role

SOMETHING = "01a205d8-e0e4-70bd-937f-8e181f3693f8"


def address(page: Page) -> str:
    return re.sub(r"\{\w+\}", SOMETHING, page.path)


async def asked(visit: Visit, page: Page, **form: str) -> Any:
    return await visit.get(address(page)) if page.method == "GET" else await visit.post(address(page), form)


async def test_nobody_and_who_was_in_are_led_to_where_one_comes_in(house: Building) -> None:
    out, _ = await house.inside(*Role)
    kept = dict(out.cookies)
    await out.send("/console/me", "/console/sign-out")
    for page in PAGES:
        for visit in (house.visit(), Visit(out.http, out.origin, dict(kept))):
            answer = await asked(visit, page)
            assert answer.status_code == 303, page
            assert answer.headers["location"].startswith("/console/sign-in?next=/console"), page
    part = await house.visit().get("/console/me", hx_request="true")
    assert (part.status_code, part.headers["hx-redirect"]) == (401, "/console/sign-in?next=/console/me")


async def test_a_form_that_no_page_of_ours_made_does_nothing(house: Building) -> None:
    visit, _ = await house.inside(*Role)
    good = hidden((await visit.get("/console/me")).text)
    other, _ = await house.inside(*Role)
    strangers = hidden((await other.get("/console/me")).text)["csrf"]
    for page in (one for one in PAGES if one.method == "POST"):
        for form, headers, status in (
            ({}, {}, 403), ({"csrf": strangers, "act": good["act"]}, {}, 403), (good, {"origin": ""}, 403),
            (good, {"origin": "http://evil.example"}, 403),
        ):  # fmt: skip
            answer = await visit.post(address(page), form, **headers)
            assert answer.status_code == status, (page, form)
        if isinstance(page, Act):
            assert (await visit.post(address(page), {"csrf": good["csrf"]})).status_code == 403, page
    assert (await visit.get("/console/me")).status_code == 200


@pytest.mark.parametrize("role", list(Role))
async def test_a_role_reaches_its_own_pages_alone(house: Building, role: Role) -> None:
    visit, _ = await house.inside(role)
    good = hidden((await visit.get("/console/me")).text)
    for page in (one for one in PAGES if one.role not in (Role.READ, role)):
        answer = await asked(visit, page, **good)
        assert answer.status_code == 403, page
        assert "Seu papel não dá acesso" in answer.text
    menu = (await visit.get("/console/me")).text
    for path, _, needed in NAVIGATION:
        assert (f'href="{path}"' in menu) is (needed in (Role.READ, role)), path


async def test_a_company_sees_its_own_people_alone(house: Building, cast: Cast) -> None:
    dora = await cast.dora()
    visit, own = await house.inside(Role.ADMINISTER, company=house.ana.company_id)
    hers, institutions = await house.person(company=dora.company_id), await house.person()
    listed = (await visit.get("/console/people")).text
    assert own.email in listed
    assert hers.email not in listed
    assert institutions.email not in listed
    good = hidden(listed)
    for stranger in (hers, institutions):
        assert (await visit.get(f"/console/people/{stranger.id}")).status_code == 404
        for act in ("roles", "end", "factor", "sign-out"):
            no = await visit.post(f"/console/people/{stranger.id}/{act}", {**good, "role": "READ"})
            assert no.status_code == 404
    no = await visit.send("/console/people", "/console/people", email=hers.email, name="Dora", role="ADMINISTER")
    assert no.status_code == 409
    assert (await visit.post("/console/company", {**good, "company": str(dora.company_id)})).status_code == 404
    made = await visit.send(
        "/console/people", "/console/people", email="new@ana.example", name="New", role="READ", scope="all"
    )
    assert "/console/link/" in made.text
    new = await house.register.of_email("new@ana.example")
    assert new is not None
    assert new.only_company == house.ana.company_id
    assert (await visit.send("/console/people", f"/console/people/{own.id}/end")).status_code == 403, "nobody ends oneself"


async def test_who_belongs_to_a_company_sees_that_one_whatever_the_session_says(house: Building, cast: Cast) -> None:
    dora = await cast.dora()
    visit, own = await house.inside(Role.ADMINISTER, company=house.ana.company_id)
    async with cast.database.session() as session:
        sql = "UPDATE people_sessions SET chosen_company = $1 WHERE person_id = $2 RETURNING 1"
        assert await session.fetch(sql, dora.company_id, own.id)
    head = (await visit.get("/console/me")).text
    assert "Ana" in head
    assert "Dora" not in head


async def test_who_administers_changes_and_ends_another_and_all_of_it_is_told(house: Building) -> None:
    visit, me = await house.inside(Role.ADMINISTER)
    theirs, person = await house.inside(Role.READ)
    page = f"/console/people/{person.id}"
    assert (await visit.send(page, f"{page}/roles", role=["OPERATE", "APPROVE"])).status_code == 303
    assert (await theirs.get("/console/me")).status_code == 303, "what was a role is none any more at once"
    assert (await visit.send(page, f"{page}/end")).status_code == 303
    assert (await visit.post(f"{page}/end", hidden((await visit.get("/console/me")).text))).status_code == 409
    ended = await house.register.one(person.id)
    assert ended is not None
    assert ended.ended_at is not None
    assert ended.roles == {Role.OPERATE, Role.APPROVE}
    told = (await visit.get("/console/audit?of=people")).text
    assert "acesso encerrado" in told
    assert "Operar, Aprovar" in told
    assert me.email in told


async def test_in_production_people_are_changed_by_who_shows_the_second_factor(cast: Cast, ana: Seller) -> None:
    house = building(cast, ana, url=PRODUCTION)
    visit, _ = await house.inside(Role.ADMINISTER)
    person = await house.person()
    page = f"/console/people/{person.id}"
    assert "Falta o segundo fator" in (await visit.send(page, f"{page}/end")).text
    _, codes = await with_factor(house, visit)
    async with cast.database.session() as session:
        await session.fetch("UPDATE people_sessions SET proved_at = NULL")
    asked_for = await visit.send(page, f"{page}/roles", role=["OPERATE", "APPROVE"])
    assert "Confirmar com o segundo fator" in asked_for.text
    kept = hidden(asked_for.text)
    assert asked_for.text.count('name="role"') == 2, "the form is kept as it was sent"
    both = {**kept, "role": ["OPERATE", "APPROVE"]}
    assert (await visit.post(f"{page}/roles", {**both, "second-factor": "000000"})).status_code == 401
    assert (await visit.post(f"{page}/roles", {**both, "second-factor": codes[0]})).status_code == 303
    now = await house.register.one(person.id)
    assert now is not None
    assert now.roles == {Role.OPERATE, Role.APPROVE}
    assert (await visit.send(page, f"{page}/end")).status_code == 303, "it was shown just now"


async def test_in_production_no_act_that_needs_proof_is_done_without_it(cast: Cast, ana: Seller) -> None:
    house = building(cast, ana, url=PRODUCTION)
    visit, _ = await house.inside(*Role)
    good = hidden((await visit.get("/console/me")).text)
    acts = [page for page in PAGES if isinstance(page, Act) and page.needs_proof]
    assert {action.place for action in ACTIONS if action.moves_money} < {act.path for act in acts}
    for act in acts:
        answer = await asked(visit, act, **good, amount="0,01", reason="x", role="READ", email="eve@ana.example", name="Eve")
        assert answer.status_code == 403, act
        assert "Falta o segundo fator" in answer.text, act
    await with_factor(house, visit)
    async with cast.database.session() as session:
        await session.fetch("UPDATE people_sessions SET proved_at = NULL")
    before = await written(cast, ana)
    for act in acts:
        sent = {**good, "amount": "0,01", "reason": "x"}
        answer = await asked(visit, act, **sent)
        assert (answer.status_code, "Confirmar com o segundo fator" in answer.text) == (200, True), act
        assert hidden(answer.text)["amount"] == "0,01", act
        assert (await asked(visit, act, **sent, **{PROOF: ""})).status_code in (401, 429), act
    assert await written(cast, ana) == before


async def written(cast: Cast, ana: Seller) -> list[int]:
    """How many lines there are of what was done: for the company, and to people but for codes that were refused."""
    async with cast.database.session() as session:
        of_people = await session.value("SELECT count(*) FROM people_acts WHERE act <> 'CODE_REFUSED'")
    async with cast.database.session(ana.company_id) as session:
        return [
            await session.value("SELECT count(*) FROM console_acts"), await session.value("SELECT count(*) FROM transfers"),
            of_people,
        ]  # fmt: skip
