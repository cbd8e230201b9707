"""What is wrong with a create before anybody is asked: as a table, one line a request."""

from datetime import date, timedelta
from typing import Any

import msgspec
import pytest
from tests.in_one import in_one_test

from lastro.api_kit import forms
from lastro.payouts.forms import CreatePayout
from lastro.payouts.rules import FARTHEST, day_problem, form_problems
from lastro.standards.pix_keys import canonical as canonical_key

TODAY = date(2026, 11, 23)
PAST = "lies before today, 2026-11-23 in Brasilia"
PERSON = {"name": "Fabio", "document": {"type": "CPF", "number": "24681357928"}}
BANK = {"accountType": "CHECKING_ACCOUNT", "branchNumber": "0001", "accountNumber": "300003", "ispb": "99999030"}
BY_COMPE = {k: v for k, v in BANK.items() if k != "ispb"} | {"bankNumber": "992"}
KEY, QR = {"pixKey": "fabio@fora.example"}, {"qrcodeData": "000201"}
ONE_WAY, HERE = "MUTUALLY_EXCLUSIVE", "paymentData.bankAccount"


def asked(data: Any = None, **changes: Any) -> dict[str, Any]:
    body = {
        "externalId": "x", "accountId": "y", "paymentMethod": "PIX", "paymentData": KEY if data is None else data,
        "amount": {"currency": "BRL", "value": "1.00"}, "description": "Salary", **changes,
    }  # fmt: skip
    return {k: v for k, v in body.items() if v is not None}


def wrong(body: dict[str, Any]) -> list[tuple[str, str]]:
    """As the operation says it: one problem a field, in the order of the form."""
    form, problems = forms.read(msgspec.json.encode(body), CreatePayout)
    found = forms.in_order([*problems, *form_problems(form, {p.field for p in problems})], CreatePayout)
    return [(p.field, p.issue) for p in found]


def bank(**changes: Any) -> dict[str, Any]:
    return {"bankAccount": {k: v for k, v in {**BANK, **changes}.items() if v is not None}}


def person(kind: str, number: str) -> dict[str, Any]:
    return {"name": "Fabio", "document": {"type": kind, "number": number}}


@pytest.mark.parametrize(
    "body",
    [
        asked(KEY), asked(QR), asked(bank(), receiver=PERSON), asked({"bankAccount": BY_COMPE}, receiver=PERSON),
        asked(KEY, receiver=PERSON), asked(QR, receiver=PERSON),
        asked(bank(), receiver=PERSON, paymentMethod="TED"), asked(bank(accountType="WAGE_ACCOUNT"), receiver=PERSON),
        asked({"pixKey": "98765432100"}), asked({"pixKey": "99999030000110"}), asked({"pixKey": "+5511987654321"}),
        asked({"pixKey": "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20"}), asked({"pixKey": "Fabio@Fora.Example"}),
        asked(KEY, receiver=person("CNPJ", "11222333000181")), asked(KEY, receiver=person("CNPJ", "12abc34501de35")),
        asked(KEY | {"qrcodeData": None}), asked(KEY, externalId="with a blank"), asked(KEY, allowDuplicate=True),
    ],
)  # fmt: skip
def test_what_is_right(body: dict[str, Any]) -> None:
    assert wrong(body) == []


@in_one_test(
    ("body", "problems"),
    [
        (asked({}), [("paymentData", "REQUIRED")]),
        (asked(KEY | QR), [("paymentData.pixKey", ONE_WAY), ("paymentData.qrcodeData", ONE_WAY)]),
        (asked(KEY | bank(), receiver=PERSON), [("paymentData.pixKey", ONE_WAY), (HERE, ONE_WAY)]),
        (
            asked(KEY | QR | bank(), receiver=PERSON),
            [("paymentData.pixKey", ONE_WAY), ("paymentData.qrcodeData", ONE_WAY), (HERE, ONE_WAY)],
        ),
        (asked(bank()), [("receiver", "REQUIRED")]),
        (asked(bank(), paymentMethod="TED"), [("receiver", "REQUIRED")]),
        (asked(KEY, receiver=PERSON, paymentMethod="TED"), [("paymentData.pixKey", "NOT_ALLOWED")]),
        (asked(QR, receiver=PERSON, paymentMethod="TED"), [("paymentData.qrcodeData", "NOT_ALLOWED")]),
        (asked(KEY, paymentMethod="TED"), [("paymentData.pixKey", "NOT_ALLOWED"), ("receiver", "REQUIRED")]),
        (asked(bank(ispb=None), receiver=PERSON), [(f"{HERE}.ispb", "REQUIRED")]),
        (asked(bank(bankNumber="992"), receiver=PERSON), [(f"{HERE}.ispb", ONE_WAY), (f"{HERE}.bankNumber", ONE_WAY)]),
        (
            asked(bank(accountType="WAGE_ACCOUNT"), receiver=PERSON, paymentMethod="TED"),
            [(f"{HERE}.accountType", "NOT_SUPPORTED")],
        ),
        (asked(bank(accountNumber="12X"), receiver=PERSON, paymentMethod="TED"), [(f"{HERE}.accountNumber", "INVALID")]),
        (asked(KEY, receiver=person("CPF", "24681357929")), [("receiver.document.number", "INVALID")]),
        (asked(KEY, receiver=person("CNPJ", "24681357928")), [("receiver.document.number", "INVALID")]),
        (asked(KEY, receiver=person("CPF", "246.813.579-28")), [("receiver.document.number", "INVALID")]),
        (asked(KEY, description="   "), [("description", "INVALID")]),
        (asked(KEY, description="x" * 141), [("description", "TOO_LONG")]),
        (asked(KEY, externalId=" x"), [("externalId", "INVALID")]),
        (asked({"pixKey": "5511987654321"}), [("paymentData.pixKey", "INVALID")]),
        (asked({"pixKey": "987.654.321-00"}), [("paymentData.pixKey", "INVALID")]),
        (asked({"pixKey": "a@"}), [("paymentData.pixKey", "INVALID")]),
        (
            asked({}, externalId=" x", description=" ", receiver=person("CPF", "1")),
            [("externalId", "INVALID"), ("paymentData", "REQUIRED"), ("description", "INVALID"),
             ("receiver.document.number", "INVALID")],
        ),
    ],
)  # fmt: skip
def test_what_is_wrong(body: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    assert wrong(body) == problems


@in_one_test("method", ["PIX", "TED", "BOLETO", None])
@in_one_test("way", [KEY, QR, bank(), {"bankAccount": BY_COMPE}, KEY | QR | bank()])
def test_whatever_is_missing_is_said_and_nothing_breaks(method: str | None, way: dict[str, Any]) -> None:
    """Every field in turn is left out, null, and of another type."""
    whole = asked(way, receiver=PERSON, paymentMethod=method)

    def inside(path: tuple[str, ...]) -> dict[str, Any]:
        found = whole
        for name in path:
            found = found[name]
        return found

    def paths(value: Any, path: tuple[str, ...]) -> list[tuple[str, ...]]:
        if not isinstance(value, dict):
            return [path]
        return [path, *(found for name in value for found in paths(value[name], (*path, name)))]

    for *path, name in paths(whole, ())[1:]:
        there = inside(tuple(path))
        kept = dict(there)
        others: tuple[Any, ...] = (None, 7, [], {}, "")
        for instead in others:
            there[name] = instead
            wrong(whole)
        del there[name]
        wrong(whole)
        there.clear()
        there.update(kept)
    assert (f"{HERE}.accountNumber", "REQUIRED") in wrong(asked(bank(accountNumber=None), paymentMethod=method or "TED"))


@pytest.mark.parametrize(
    ("day", "says"),
    [
        (None, None), (TODAY, None), (TODAY + timedelta(days=1), None), (TODAY + FARTHEST, None),
        (TODAY - timedelta(days=1), PAST), (TODAY + FARTHEST + timedelta(days=1), "is more than 366 days ahead"),
        (date.max, "is more than 366 days ahead"), (date.min, PAST),
    ],
)  # fmt: skip
def test_the_day(day: date | None, says: str | None) -> None:
    assert [(p.field, p.issue, p.description) for p in day_problem(day, TODAY)] == (
        [] if says is None else [("scheduledDate", "OUT_OF_RANGE", says)]
    )


@pytest.mark.parametrize(
    ("typed", "kept"), [("Fabio@Fora.Example", "fabio@fora.example"), ("ABC", "ABC"), ("+5511987654321", "+5511987654321")]
)
def test_mail_is_written_small(typed: str, kept: str) -> None:
    assert canonical_key(typed) == kept


def said(body: dict[str, Any]) -> list[tuple[str, str]]:
    """The sentences of a request's problems."""
    form, problems = forms.read(msgspec.json.encode(body), CreatePayout)
    return [
        (p.field, p.description)
        for p in forms.in_order([*problems, *form_problems(form, {p.field for p in problems})], CreatePayout)
    ]


@pytest.mark.parametrize("compe", ["0", "00", "000"])
def test_zero_is_no_compe_number(compe: str) -> None:
    body = asked({"bankAccount": BY_COMPE | {"bankNumber": compe}}, receiver=PERSON)
    assert said(body) == [(f"{HERE}.bankNumber", "0 is no COMPE number; name the bank by ispb")]


@pytest.mark.parametrize("method", ["PIX", "TED"])
@pytest.mark.parametrize("number", ["0", "00000"])
def test_no_account_has_a_number_of_zeros(method: str, number: str) -> None:
    body = asked(bank(accountNumber=number), receiver=PERSON, paymentMethod=method)
    assert said(body) == [(f"{HERE}.accountNumber", "is zeros alone, which no account has")]


@pytest.mark.parametrize(
    ("method", "number", "sentence"),
    [
        ("TED", "1234X", "must be digits for a TED: write a check digit X as 0"),
        *((method, number, "must be digits and capital letters, with the check digit and without hyphen: 1234-X is written 1234X")
          for method in ("PIX", "TED") for number in ("1234-X", "1234x", "12 345", "1234\u00b2")),
    ],
)  # fmt: skip
def test_what_to_do_with_a_check_digit_is_said(method: str, number: str, sentence: str) -> None:
    assert said(asked(bank(accountNumber=number), receiver=PERSON, paymentMethod=method)) == [
        (f"{HERE}.accountNumber", sentence)
    ]


def test_a_pix_takes_a_check_digit_that_is_a_letter() -> None:
    assert said(asked(bank(accountNumber="1234X"), receiver=PERSON)) == []


@pytest.mark.parametrize("given", [5, "x", [], True])
def test_a_lone_way_of_a_wrong_type_is_told_as_that_and_not_as_missing(given: Any) -> None:
    for way in ("bankAccount",) if isinstance(given, str) else ("bankAccount", "pixKey", "qrcodeData"):
        assert wrong(asked({way: given})) == [(f"paymentData.{way}", "INVALID")]
    assert wrong(asked({})) == [("paymentData", "REQUIRED")]


def test_a_bank_whose_number_is_of_a_wrong_type_is_not_missing() -> None:
    bank = {"bankNumber": 1, "branch": "1", "accountNumber": "12345", "accountType": "CHECKING_ACCOUNT"}
    assert ("paymentData.bankAccount.bankNumber", "INVALID") in (found := wrong(asked({"bankAccount": bank}, receiver=None)))
    assert "paymentData.bankAccount.ispb" not in {field for field, _ in found}
