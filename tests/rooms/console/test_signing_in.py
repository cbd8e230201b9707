"""Coming in, staying in and going out, as a browser does it."""

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.cast import Cast, Seller
from tests.rooms.console.visiting import PASSWORD, PRODUCTION, Building, Visit, building, hidden

from lastro.core.secrets import hash_machine_secret
from lastro.people import Person, Role
from lastro.standards import totp

WRONG = "E-mail ou senha não conferem."
OWN = "/console/me"


@pytest.fixture
async def admin(database: Any) -> Any:
    connection = await database.connect()
    yield connection
    await connection.close()


def code(secret: bytes, steps: int = 0) -> str:
    return totp.code_at(secret, totp.step_of(datetime.now(UTC).timestamp()) + steps)


async def with_factor(house: Building, visit: Visit, steps: int = -1) -> tuple[bytes, list[str]]:
    """Turns the second factor on as the page does: its secret and the recovery codes."""
    page = (await visit.get("/console/me/factor")).text
    secret = totp.secret_of(hidden(page)["secret"])
    done = await visit.post("/console/me/factor", {**hidden(page), "password": PASSWORD, "code": code(secret, steps)})
    assert done.status_code == 200, done.text
    codes = [line.split("<code>")[1].split("</code>")[0] for line in done.text.splitlines() if line.startswith("<li><code>")]
    return secret, codes


async def sign_in(visit: Visit, person: Person, password: str = PASSWORD, **form: str) -> Any:
    return await visit.post("/console/sign-in", {"email": person.email, "password": password, **form})


async def test_whoever_has_the_password_is_in_and_sees_the_own_account(house: Building) -> None:
    visit, person = await house.inside(Role.OPERATE)
    page = await visit.get(OWN)
    assert page.status_code == 200
    assert person.email in page.text
    english = await visit.get(OWN, accept_language="en")
    assert "My account" in english.text
    assert english.headers["content-language"] == "en"
    assert "unsafe" not in english.headers["content-security-policy"]
    assert english.headers["cache-control"] == "no-store"


async def test_a_wrong_password_and_nobody_are_told_the_same(house: Building) -> None:
    person, answers = await house.person(), []
    for email, password in ((person.email, "another long one"), ("nobody@ana.example", PASSWORD), ("", "")):
        answer = await house.visit().post("/console/sign-in", {"email": email, "password": password})
        answers.append((answer.status_code, answer.text.replace(email, "") if email else answer.text))
        assert WRONG in answer.text
        assert "set-cookie" not in answer.headers
    assert len(set(answers)) == 1


async def test_who_guesses_has_to_wait_and_then_even_the_right_one_is_not_looked_at(house: Building, admin: Any) -> None:
    person, visit = await house.person(), house.visit()
    told = [(await sign_in(visit, person, "another long one")).status_code for _ in range(5)]
    assert told == [401] * 5
    slow = await sign_in(visit, person)
    assert (slow.status_code, slow.headers["retry-after"]) == (429, "5")
    assert "set-cookie" not in slow.headers
    await admin.execute("UPDATE sign_in_tries SET next_at = machine_now() WHERE subject LIKE 'email %'")
    assert (await sign_in(visit, person)).status_code == 303
    assert (await sign_in(visit, person, "another long one")).status_code == 401, "what was right has begun anew"


async def test_the_second_factor_is_asked_for_and_each_code_counts_once(house: Building) -> None:
    visit, person = await house.inside()
    secret, recovery = await with_factor(house, visit)
    assert len(set(recovery)) == 10
    half = house.visit()
    asked = await sign_in(half, person, next="/console/audit")
    assert asked.headers["location"] == "/console/code?next=/console/audit"
    assert (await half.get(OWN)).headers["location"] == "/console/code", "half-way is not in"
    before = dict(half.cookies)
    assert (await half.post("/console/code", {"code": "000000"})).status_code == 401
    used = code(secret)
    entered = await half.post("/console/code", {"code": used, "next": "/console/audit"})
    assert (entered.status_code, entered.headers["location"]) == (303, "/console/audit")
    assert half.cookies != before, "the session is another once somebody is in"
    assert (await half.get(OWN)).status_code == 200
    again = house.visit()
    await sign_in(again, person)
    assert (await again.post("/console/code", {"code": used})).status_code == 401, "a code is used once"
    assert (await again.post("/console/code", {"code": recovery[3].lower()})).status_code == 303
    last = house.visit()
    await sign_in(last, person)
    assert (await last.post("/console/code", {"code": recovery[3]})).status_code == 401, "so is a recovery code"


async def test_a_session_ends_by_itself_by_its_person_and_everywhere(house: Building, admin: Any) -> None:
    visit, person = await house.inside()
    where = "UPDATE people_sessions SET {} WHERE hash = $1"
    for column in ("seen_at = seen_at - interval '31 minutes'", "created_at = created_at - interval '721 minutes'"):
        cookie = hash_machine_secret(next(iter(visit.cookies.values())))
        assert (await visit.get(OWN)).status_code == 200
        await admin.execute(where.format(column), cookie)
        gone = await visit.get(OWN)
        assert gone.headers["location"] == "/console/sign-in?next=/console/me"
        assert not visit.cookies
        await sign_in(visit, person)
    other = house.visit()
    await sign_in(other, person)
    assert (await visit.send("/console/company", "/console/sign-out")).status_code == 303
    assert (await visit.get(OWN)).status_code == 303
    assert (await other.get(OWN)).status_code == 200
    third = house.visit()
    await sign_in(third, person)
    await other.send(OWN, "/console/sign-out", everywhere="yes")
    assert [(await one.get(OWN)).status_code for one in (other, third)] == [303, 303]


async def test_a_new_password_ends_the_other_sessions_and_only_what_is_good_is_taken(house: Building) -> None:
    visit, person = await house.inside()
    other = house.visit()
    await sign_in(other, person)
    for now, then, said in (
        ("another long one", "a very fine new one", "A senha atual não confere."),
        (PASSWORD, "short", "menos de 12"),
        (PASSWORD, "password1234", "entre as primeiras que alguém tentaria"),
    ):
        no = await visit.send(OWN, "/console/me/password", now=now, then=then)
        assert (no.status_code, said in no.text) == (400, True), no.text
    done = await visit.send(OWN, "/console/me/password", now=PASSWORD, then="a very fine new one")
    assert "Senha trocada" in done.text
    assert (await visit.get(OWN)).status_code == 200
    assert (await other.get(OWN)).status_code == 303
    assert (await sign_in(house.visit(), person)).status_code == 401
    assert (await sign_in(house.visit(), person, "a very fine new one")).status_code == 303


async def test_an_invitation_is_used_once_and_by_a_form_alone(house: Building, admin: Any) -> None:
    made = await house.register.invite("once@ana.example", "Rita", (Role.READ,), None)
    assert isinstance(made, tuple)
    path, visit = f"/console/link/{made[1].reveal()}", house.visit()
    for _ in range(2):
        assert "once@ana.example" in (await visit.get(path)).text, "a mail reader that looks uses nothing up"
    assert (await visit.post(path, {"password": "short"})).status_code == 400
    assert (await visit.post(path, {"password": PASSWORD})).status_code == 303
    assert (await visit.get(OWN)).status_code == 200
    for answer in (await house.visit().get(path), await house.visit().post(path, {"password": "a very fine new one"})):
        assert answer.status_code == 404
    again = await house.register.invite("once@ana.example", "Rita", (Role.READ,), None)
    assert isinstance(again, tuple)
    await admin.execute("UPDATE people_links SET expires_at = machine_now() WHERE used_at IS NULL")
    assert (await house.visit().get(f"/console/link/{again[1].reveal()}")).status_code == 404


async def test_the_sandboxs_link_lets_in_without_a_password_until_the_next_one_is_made(house: Building) -> None:
    first, second = [(await house.register.let_in("demo@ana.example", "Demo")).reveal() for _ in range(2)]
    assert (await house.visit().post(f"/console/link/{first}")).status_code == 404
    for visit in (house.visit(), house.visit()):
        assert (await visit.post(f"/console/link/{second}")).status_code == 303
        assert (await visit.get(OWN)).status_code == 200


async def test_in_production_the_cookie_is_bound_to_the_host_and_to_https(cast: Cast, ana: Seller) -> None:
    house = building(cast, ana, url=PRODUCTION)
    person = await house.person()
    answer = await sign_in(house.visit(), person)
    name, _, manner = answer.headers["set-cookie"].partition("=")
    assert name == "__Host-lastro_console"
    assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= {part.strip() for part in manner.split(";")}
    sandboxs = await sign_in(building(cast, ana).visit(), person)
    assert sandboxs.status_code == 303
    assert sandboxs.headers["set-cookie"].startswith("lastro_console=")
    assert "Secure" not in sandboxs.headers["set-cookie"]


@pytest.mark.parametrize(
    "back", ["//evil.example", "https://evil.example", "/console//evil", "/docs", "/console/\r\nx: y", ""]
)
async def test_nobody_is_led_elsewhere_after_signing_in(house: Building, back: str) -> None:
    answer = await sign_in(house.visit(), await house.person(), next=back)
    assert answer.headers["location"] == "/console"
