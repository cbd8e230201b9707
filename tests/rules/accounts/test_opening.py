"""Requests for accounts: what each must say, which documents it needs, what an upload does to it, how it moves."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

import msgspec
import pytest

from lastro.accounts.opening import ACCOUNT_REQUESTS, rules
from lastro.accounts.opening.docs import CREATE
from lastro.accounts.opening.documents import UploadAsked, read_upload
from lastro.accounts.opening.forms import OpeningForm
from lastro.accounts.opening.model import ALL_SLOTS, LARGEST_FILE, SLOTS, TAKEN_SLOTS, NamedPerson, Request
from lastro.api_kit import forms
from lastro.core.machine import NOT_THERE

NOW = datetime(2026, 1, 31, 12, 1, tzinfo=UTC)
PERSON: dict[str, Any] = dict(CREATE.request or {})
REPRESENTATIVE = {
    "name": "Rui Reis", "document": {"type": "CPF", "number": "52998224725"}, "email": "rui@example.com",
    "phone": "+5511999990000", "birthDate": "1980-01-01",
}  # fmt: skip
COMPANY = PERSON | {
    "holderType": "ORGANIZATION", "fullName": "Ana Flores Ltda", "tradeName": "Flores", "birthDate": "2001-02-03",
    "document": {"type": "CNPJ", "number": "11222333000181"}, "representatives": [REPRESENTATIVE],
}  # fmt: skip
TERMS = PERSON["termsAccepted"]
ADDRESS = PERSON["address"]
HALF = {"state": "XX", "postalCode": "1"}


def found(body: dict[str, Any]) -> list[tuple[str, str]]:
    form, problems = forms.read(msgspec.json.encode(body), OpeningForm)
    every = [*problems, *rules.problems_of(form), *rules.dated_problems(form, NOW)]
    return [(p.field, p.issue) for p in forms.in_order(every, OpeningForm)]


@pytest.mark.parametrize("body", [PERSON, COMPANY, PERSON | {"address": ADDRESS | {"complement": "casa 2"}}])
def test_a_request_that_is_right(body: dict[str, Any]) -> None:
    assert found(body) == []


@pytest.mark.parametrize(
    ("change", "problems"),
    [
        ({"holderType": "ROBOT"}, [("holderType", "INVALID")]),
        ({"document": {"type": "CNPJ", "number": "11222333000181"}}, [("document.type", "MISMATCH")]),
        ({"document": {"type": "CPF", "number": "12345678900"}}, [("document.number", "INVALID")]),
        ({"document": {"type": "CPF", "number": "123.456.789-09"}}, [("document.number", "INVALID")]),
        ({"email": "nobody"}, [("email", "INVALID")]),
        ({"phone": "11987654321"}, [("phone", "INVALID")]),
        ({"birthDate": "2026-02-01"}, [("birthDate", "OUT_OF_RANGE")]),
        ({"birthDate": "0999-02-01"}, [("birthDate", "OUT_OF_RANGE")]),
        ({"birthDate": "31/01/1990"}, [("birthDate", "INVALID")]),
        ({"representatives": [REPRESENTATIVE]}, [("representatives", "NOT_ALLOWED")]),
        ({"tradeName": "Flores"}, [("tradeName", "NOT_ALLOWED")]),
        ({"address": ADDRESS | HALF}, [("address.state", "INVALID"), ("address.postalCode", "INVALID")]),
        ({"termsAccepted": TERMS | {"version": "2019"}}, [("termsAccepted.version", "MISMATCH")]),
        ({"termsAccepted": TERMS | {"acceptedAt": "2026-01-31"}}, [("termsAccepted.acceptedAt", "INVALID")]),
        ({"termsAccepted": TERMS | {"acceptedAt": "2026-02-01T00:00:00Z"}}, [("termsAccepted.acceptedAt", "OUT_OF_RANGE")]),
        ({"termsAccepted": TERMS | {"ip": "1.2.3"}}, [("termsAccepted.ip", "INVALID")]),
        ({"termsAccepted": None, "email": None}, [("email", "REQUIRED"), ("termsAccepted", "REQUIRED")]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_person_is_said_with_its_path(change: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    assert found(PERSON | change) == problems


@pytest.mark.parametrize(
    ("change", "problems"),
    [
        ({"representatives": None}, [("representatives", "REQUIRED")]),
        ({"representatives": []}, [("representatives", "INVALID")]),
        ({"document": {"type": "CPF", "number": "12345678909"}}, [("document.type", "MISMATCH")]),
        (
            {"representatives": [REPRESENTATIVE, REPRESENTATIVE | {"email": "x", "birthDate": "2030-01-01"}]},
            [("representatives[1].email", "INVALID"), ("representatives[1].birthDate", "OUT_OF_RANGE")],
        ),
    ],
)
def test_what_is_wrong_with_an_organization(change: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    assert found(COMPANY | change) == problems


def request(state: str, missing: tuple[str, ...] = (), fields: tuple[str, ...] = (), days: int | None = 30) -> Request:
    person = NamedPerson("Bia", "CPF", "12345678909", "b@example.com", "+5511987654321", None)
    until = None if days is None else NOW + timedelta(days=days)
    return Request(
        UUID(int=1), state, 2, "r", "INDIVIDUAL", person, None, None, (), missing, None, None, fields, until, 0, None, None,
        False, NOW, NOW,
    )  # fmt: skip


ALL = SLOTS["INDIVIDUAL"]


@pytest.mark.parametrize(
    ("asked", "slot", "trigger", "missing"),
    [
        (request("PENDING_DOCUMENTS", ALL), "selfieHolder", "upload", ("documentHolder", "pepDeclaration")),
        (request("PENDING_DOCUMENTS", ALL[:1]), ALL[0], "complete", ()),
        (request("PENDING_DOCUMENTS", ALL[:1]), ALL[2], "upload", ALL[:1]),  # one that is there already is replaced
        (request("REPROVED", fields=ALL[:2]), ALL[0], "upload", ALL[1:2]),
        (request("REPROVED", fields=ALL[:1]), ALL[0], "complete", ()),
    ],
)
def test_an_upload_takes_its_slot_away_from_what_is_missing(
    asked: Request, slot: str, trigger: str, missing: tuple[str, ...]
) -> None:
    does = rules.uploaded(asked, slot, (), append=False)
    assert (does.trigger, does.missing) == (trigger, missing)
    assert ACCOUNT_REQUESTS.allows(asked.state, trigger)


@pytest.mark.parametrize(
    ("asked", "takes"),
    [
        (request("PENDING_DOCUMENTS", ALL), True), (request("PENDING_DOCUMENTS", ALL, days=0), False),
        (request("REPROVED", fields=ALL[:1]), True), (request("REPROVED", fields=ALL[:1], days=0), False),
        (request("REPROVED", days=None), False), (request("ANALYSIS", days=None), False),
        (request("APPROVED", days=None), False),
    ],
)  # fmt: skip
def test_when_uploads_are_taken(asked: Request, takes: bool) -> None:
    assert rules.takes_uploads(asked, NOW) is takes


def test_what_is_waited_for_of_a_refused_request_is_what_was_refused() -> None:
    assert request("REPROVED", fields=ALL[:1]).wanted == ALL[:1]
    assert replace(request("PENDING_DOCUMENTS", ALL)).wanted == ALL
    assert rules.flags("INDIVIDUAL", ["selfieHolder", "cnpjCard", "documentHolder"]) == ("documentHolder", "selfieHolder")


# Written a second time and differently: what each state can become (states.md 8).
BECOMES = {
    NOT_THERE: {"create": "PENDING"},
    "PENDING": {"ask": "PENDING_DOCUMENTS"},
    "PENDING_DOCUMENTS": {"upload": "PENDING_DOCUMENTS", "complete": "ANALYSIS", "expire": "REPROVED"},
    "ANALYSIS": {"approve": "APPROVED", "reprove": "REPROVED"},
    "REPROVED": {"upload": "PENDING_DOCUMENTS", "complete": "ANALYSIS"},
    "APPROVED": {},
}


def test_a_request_moves_as_the_table_says_and_in_no_other_way() -> None:
    triggers = {trigger for moves in BECOMES.values() for trigger in moves}
    for state, moves in BECOMES.items():
        for trigger in triggers:
            assert ACCOUNT_REQUESTS.moves.get((state, trigger)) == moves.get(trigger)
    assert set(ACCOUNT_REQUESTS.states()) == BECOMES.keys() - {NOT_THERE}


B = "b0undary"
ID = "0198c0de-0000-7000-8000-000000000003"
GIF, PNG = b"GIF89a", b"\x89PNG\r\n\x1a\n..."


def upload(**parts: bytes | None) -> bytes:
    given = {"file": PNG, "documentType": b"selfieHolder", "accountRequestId": ID.encode()} | parts
    made = b""
    for name, content in given.items():
        more = '; filename="C:\\\\x/../a.exe"' if name == "file" else ""
        head = f'--{B}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode()
        made += b"" if content is None else head + content + b"\r\n"
    return made + f"--{B}--\r\n".encode()


def test_an_upload_says_what_it_is_for() -> None:
    assert read_upload(upload(), B) == UploadAsked(UUID(ID), "selfieHolder", PNG, sha256(PNG).digest(), append=True)


@pytest.mark.parametrize("none", [b"nobody", b"x" * 300, b"\xff\xfe"])
def test_what_is_no_id_answers_as_one_that_nobody_has(none: bytes) -> None:
    assert read_upload(upload(append=b"false", accountRequestId=none), B) == UploadAsked(
        None, "selfieHolder", PNG, sha256(PNG).digest(), append=False
    )


@pytest.mark.parametrize(
    ("parts", "problems"),
    [
        ({"file": None}, [("file", "REQUIRED")]), ({"file": b""}, [("file", "REQUIRED")]),
        ({"file": GIF}, [("file", "NOT_SUPPORTED")]), ({"file": PNG + bytes(LARGEST_FILE)}, [("file", "TOO_LONG")]),
        ({"documentType": b"passport"}, [("documentType", "INVALID")]), ({"append": b"yes"}, [("append", "INVALID")]),
        ({"documentType": b"\xff"}, [("documentType", "INVALID")]),
        ({"accountRequestId": b""}, [("accountRequestId", "REQUIRED")]),
        (
            {"file": GIF, "documentType": None, "accountRequestId": None, "append": b"1"},
            [("file", "NOT_SUPPORTED"), ("documentType", "REQUIRED"), ("accountRequestId", "REQUIRED"), ("append", "INVALID")],
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_upload_is_said_at_once(
    parts: dict[str, bytes | None], problems: list[tuple[str, str]]
) -> None:
    read = read_upload(upload(**parts), B)
    assert isinstance(read, list)
    assert [(p.field, p.issue) for p in read] == problems


def test_a_file_must_come_as_one_and_a_form_whole() -> None:
    (plain,) = read_upload(upload().replace(b"; filename", b"; x"), B)  # type: ignore[misc]
    assert (plain.field, plain.issue) == ("file", "INVALID")
    (cut,) = read_upload(upload()[:-9], B)  # type: ignore[misc]
    assert (cut.field, cut.issue) == ("body", "INVALID")


def test_every_slot_is_of_some_holder() -> None:
    assert set(ALL_SLOTS) == {slot for slots in TAKEN_SLOTS.values() for slot in slots}
