"""What a person may be called, may do and may enter with."""

import os
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from tests.in_one import in_one_test

from lastro.people import Person, Role, may, may_administer, passwords, rules
from lastro.people.rules import NETWORK_WAITS, WAITS, email_of, password_problem, person_problems, roles_of

ANA, DORA = uuid4(), uuid4()


def person(*roles: Role, company: UUID | None = None) -> Person:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Person(
        uuid4(), "rita.souza@ana.example", "Rita Souza", company, frozenset(roles), has_password=True, has_factor=False,
        recovery_codes=0, language=None, theme="auto", ended_at=None, created_at=now, version=1,
    )  # fmt: skip


@in_one_test(
    ("password", "problem"),
    [
        ("four unlike grey horses", None), ("cavalo-manga-Ponte", None), ("çãéí ôûàü ñöîê ëäïâ", None), ("x7!Kq0zR#m2W", None),
        ("short", "TOO_SHORT"), ("x7!Kq0zR#m2", "TOO_SHORT"), ("", "TOO_SHORT"), ("ab c" * 65, "TOO_LONG"),
        ("password1234", "EASY"), ("Password-2026!", "EASY"), ("senhasenha12", "EASY"), ("P@ssw0rdP@ssw0rd", "EASY"),
        ("123456789012", "EASY"), ("qwertyuiop12", "EASY"), ("poiuytrewq99", "EASY"), ("abcdefghijkl", "EASY"),
        ("aaaaaaaaaaaa", "EASY"), ("xyxyxyxyxyxy", "EASY"), ("k7#mk7#mk7#mk7#m", "EASY"), ("lastro-lastro-1", "EASY"),
        ("1q2w3e4r5t6y", "EASY"), ("rita.souza@ana", "EASY"), ("Souza-Souza-26", "EASY"), ("flamengo 2026!", "EASY"),
    ],
)  # fmt: skip
def test_a_password_is_long_and_none_that_is_tried_first(password: str, problem: str | None) -> None:
    assert password_problem(password, person(Role.READ)) == problem


@pytest.mark.parametrize(
    ("email", "name", "roles", "fields"),
    [
        ("rita@ana.example", "Rita", [Role.READ], []),
        ("rita", "Rita", [Role.READ], ["email"]),
        ("a b@ana.example", "Rita", [Role.READ], ["email"]),
        ("rita@ana", "Rita", [Role.READ], ["email"]),
        ("rita@ana.example", " ", [Role.READ], ["name"]),
        ("rita@ana.example", "R\x00", [Role.READ], ["name"]),
        ("rita@ana.example", "R" * 141, [Role.READ], ["name"]),
        ("", "", [], ["email", "name", "roles"]),
    ],
)
def test_all_that_is_wrong_is_said(email: str, name: str, roles: list[Role], fields: list[str]) -> None:
    assert [problem.field for problem in person_problems(email, name, roles)] == fields


def test_an_address_is_one_however_it_is_typed() -> None:
    assert email_of("  Rita@Ana.Example ") == "rita@ana.example"
    assert email_of("jose\u0301@ana.example") == "jos\u00e9@ana.example"


def test_what_is_too_long_for_an_address_is_left_as_it_is() -> None:
    """To put its marks in order would take the square of their number: of these, very long."""
    marks = "\u0300" * 1_000_000 + "\u0316" * 1_000_000
    assert email_of(marks) == marks[:255]
    assert email_of("a" * 242 + "@ana.example") == "a" * 242 + "@ana.example"
    assert [problem.field for problem in person_problems(email_of(marks), "Rita", [Role.READ])] == ["email"]


@pytest.mark.parametrize("held", list(Role))
def test_nobody_has_a_role_because_of_another(held: Role) -> None:
    assert {role for role in Role if may(person(held), role)} == {held, Role.READ}


@pytest.mark.parametrize(
    ("own", "others", "allowed"),
    [(None, None, True), (None, ANA, True), (ANA, ANA, True), (ANA, DORA, False), (ANA, None, False)],
)
def test_a_company_administers_its_own_people(own: UUID | None, others: UUID | None, allowed: bool) -> None:
    one, other = person(Role.ADMINISTER, company=own), person(Role.READ, company=others)
    assert may_administer(one, other) is allowed
    assert not may_administer(replace(one, roles=frozenset({Role.OPERATE, Role.APPROVE})), other)
    assert not may_administer(one, one), "nobody says what oneself may do"


def test_roles_are_named_in_any_case() -> None:
    assert roles_of(["read", "Approve"]) == {Role.READ, Role.APPROVE}
    with pytest.raises(ValueError, match="KING"):
        roles_of(["king"])


def test_who_guesses_waits_ever_longer() -> None:
    assert list(WAITS) == sorted(WAITS)
    assert list(NETWORK_WAITS) == sorted(NETWORK_WAITS)
    assert WAITS[:4] == (0, 0, 0, 0), "a person errs a few times"
    assert 86_400 / WAITS[-1] <= 100
    assert 86_400 / NETWORK_WAITS[-1] <= 1440


def test_a_hash_is_argon2id_as_the_standard_writes_it_and_names_what_made_it() -> None:
    made = passwords.hashed("four unlike grey horses", os.urandom)
    assert made.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert passwords.is_right("four unlike grey horses", made)
    assert not passwords.is_right("four unlike grey horse", made)
    assert not passwords.is_right("", None)
    assert not passwords.is_dated(made)
    assert passwords.is_dated("$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAA")
    assert rules.LONGEST_PASSWORD == 256
