import copy
import json
from collections.abc import Iterator
from datetime import date
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.api_kit import forms
from lastro.api_kit.forms import Amount, NotJson, first_of_each
from lastro.core.errors import Problem
from lastro.core.money import Money
from lastro.orders.forms import CreateOrder

FULL: dict[str, Any] = {
    "order": {
        "externalId": "order-1", "paymentMethod": "PIX", "description": "Flores", "notificationUrl": "https://ana.example/hook",
        "amount": {"currency": "BRL", "value": "10.50"}, "accountId": "0196a2f0-0000-7000-8000-000000000001",
        "returnUrl": "https://ana.example/", "financialPartner": "partner", "expiration": 3600, "pixKey": "key", "bank": "001",
    },
    "customer": {
        "name": "Bento Braga", "entityType": "INDIVIDUAL", "document": {"type": "CPF", "number": "11144477735"},
        "email": "bento@example.com", "phone": "+5511999990000", "birthDate": "1990-12-31", "country": "BR",
        "address": {
            "state": "SP", "city": "Sao Paulo", "street": "Rua A", "neighborhood": "Centro", "number": "1",
            "complement": "casa", "postalCode": "01001-000",
        },
        "ip": "192.0.2.1",
    },
}  # fmt: skip

# What the interface says of each text: whether it is required, its most characters, and whether an empty one is one.
TEXTS: dict[str, tuple[bool, int | None, bool]] = {
    "order.externalId": (True, 64, False),
    "order.paymentMethod": (True, 40, True),
    "order.description": (True, 140, False),
    "order.notificationUrl": (True, 2048, False),
    "order.amount.currency": (True, 8, True),
    "order.accountId": (False, None, True),
    "order.returnUrl": (False, 2048, False),
    "order.financialPartner": (False, 140, False),
    "order.pixKey": (False, 77, False),
    "order.bank": (False, 140, False),
    "customer.name": (True, 140, False),
    "customer.document.number": (True, 40, False),
    "customer.email": (True, 77, False),
    "customer.phone": (False, 140, False),
    "customer.country": (False, 140, False),
    "customer.ip": (False, 140, False),
    **{f"customer.address.{name}": (False, 140, False) for name in FULL["customer"]["address"]},
}
CHOICES = ("customer.entityType", "customer.document.type")
OBJECTS = ("order", "order.amount", "customer", "customer.document", "customer.address")
REQUIRED_OBJECTS = ("order", "customer.document")
# Texts that are printed or told as they came: control characters are refused in them, everything else of Unicode is kept.
PRINTED = [
    p for p in TEXTS
    if p not in ("order.paymentMethod", "order.notificationUrl", "order.returnUrl", "order.accountId", "order.amount.currency",
                 "order.pixKey", "customer.document.number")
]  # fmt: skip
MISSING = object()


def every_path(value: Any = FULL, path: str = "") -> Iterator[str]:
    for name, inner in value.items():
        yield path + name
        if isinstance(inner, dict):
            yield from every_path(inner, path + name + ".")


def body(path: str, value: Any) -> bytes:
    """The full body with one value in the place of another."""
    whole = copy.deepcopy(FULL)
    *parents, name = path.split(".")
    place = whole
    for parent in parents:
        place = place[parent]
    if value is MISSING:
        del place[name]
    else:
        place[name] = value
    return json.dumps(whole).encode()


def problems(raw: bytes) -> list[tuple[str, str]]:
    forms.parsed(raw)
    return [(p.field, p.issue) for p in forms.read(raw, CreateOrder)[1]]


def test_every_field_has_a_case_here() -> None:
    others = {"order.amount.value", "order.expiration", "customer.birthDate"}
    assert set(every_path()) == set(TEXTS) | set(CHOICES) | set(OBJECTS) | others
    assert problems(json.dumps(FULL).encode()) == []


@in_one_test("absent", [MISSING, None], ids=["missing", "null"])
@in_one_test("path", list(every_path()))
def test_a_required_field_that_is_missing_or_null(path: str, absent: Any) -> None:
    required = (
        path in (*CHOICES, *REQUIRED_OBJECTS)
        or TEXTS.get(path, (False,))[0]
        or (path == "order.amount.value" and absent is MISSING)
    )
    assert problems(body(path, absent)) == ([(path, "REQUIRED")] if required else [])


WRONG = [5, -1, 1e300, 10**30, True, [], {}, ["x"], {"a": 1}]


@in_one_test("wrong", WRONG, ids=repr)
@in_one_test("path", [*TEXTS, *CHOICES, "customer.birthDate"])
def test_a_text_of_another_type(path: str, wrong: Any) -> None:
    assert problems(body(path, wrong)) == [(path, "INVALID")]


@in_one_test("wrong", [5, "x", "", True, [], [{}], "null"], ids=repr)
@in_one_test("path", OBJECTS)
def test_an_object_of_another_type(path: str, wrong: Any) -> None:
    assert problems(body(path, wrong)) == [(path, "INVALID")]


@in_one_test("path", TEXTS)
def test_lengths(path: str) -> None:
    _, longest, may_be_empty = TEXTS[path]
    assert problems(body(path, "")) == ([] if may_be_empty else [(path, "INVALID")])
    if longest is not None:
        assert problems(body(path, "a" * longest)) == []
        assert problems(body(path, "a" * (longest + 1))) == [(path, "TOO_LONG")]
        assert problems(body(path, "a" * 100_000)) == [(path, "TOO_LONG")]


@in_one_test("path", ["order.externalId", "order.description", "customer.name", "customer.email"])
def test_lengths_are_counted_in_characters(path: str) -> None:
    longest = TEXTS[path][1]
    assert longest is not None
    assert problems(body(path, "🙂" * longest)) == []
    assert problems(body(path, "🙂" * (longest + 1))) == [(path, "TOO_LONG")]


_KEPT = ("🙂 obrigada", "مرحبا بك", "ação", "日本語", "e\u0301tude", "'; DROP TABLE orders; --", "<b>x</b>")


@in_one_test("text", [*_KEPT, "👨\u200d👩\u200d👧"])
@in_one_test("path", PRINTED)
def test_unicode_is_kept_as_it_came(path: str, text: str) -> None:
    raw = body(path, text)
    form, wrong = forms.read(raw, CreateOrder)
    assert wrong == []
    value: Any = msgspec.to_builtins(msgspec.structs.replace(form, order=msgspec.structs.replace(form.order, amount=None)))
    for name in path.split("."):
        value = value[name]
    assert value == text


_REFUSED = ("a\x00b", "\x00", "a\x1f", "a\tb", "a\nb", "a\n", "a\r\n", "\x7f", "\x85", "\x9f", "\u2028", "a\u2029")


@in_one_test("text", [*_REFUSED, "\u202eb", "\u200bb", "a\u200db"], ids=repr)
@in_one_test("path", PRINTED)
def test_control_characters_are_refused(path: str, text: str) -> None:
    assert problems(body(path, "abc" + text)) == [(path, "INVALID")]


@in_one_test("text", [" a", "a ", " ", "\u0009a"], ids=repr)
def test_a_code_neither_begins_nor_ends_with_a_blank(text: str) -> None:
    assert problems(body("order.externalId", text)) == [("order.externalId", "INVALID")]


@in_one_test("path", list(TEXTS))
@in_one_test("escape", [rb"\ud800", rb"\udfff", rb"\udc00\ud800", b"\xed\xa0\x80", b"\xff", b"\xc0\x80"])
def test_half_a_surrogate_pair_is_no_text(path: str, escape: bytes) -> None:
    raw = body(path, "HERE").replace(b"HERE", b"abc" + escape)
    with pytest.raises(NotJson):
        forms.parsed(raw)


@in_one_test("path", CHOICES)
@in_one_test("wrong", ["", "cpf", "CPF ", "INDIVIDUAL\n", "x" * 10_000])
def test_a_choice_is_one_of_its_words(path: str, wrong: str) -> None:
    assert problems(body(path, wrong)) == [(path, "INVALID")]


@in_one_test(
    ("seconds", "issue"),
    [
        (60, None), (60.0, None), (2_592_000, None), (59, "OUT_OF_RANGE"), (59.0, "OUT_OF_RANGE"), (0, "OUT_OF_RANGE"), (-1, "OUT_OF_RANGE"),
        (2_592_001, "OUT_OF_RANGE"), (10**15, "OUT_OF_RANGE"), (60.5, "INVALID"), ("60", "INVALID"), (True, "INVALID"),
        ([], "INVALID"), ({}, "INVALID"),
    ],
)  # fmt: skip
def test_an_expiration_is_a_whole_number_of_seconds(seconds: Any, issue: str | None) -> None:
    assert problems(body("order.expiration", seconds)) == ([] if issue is None else [("order.expiration", issue)])


@in_one_test("number", [2**63, 2**64, 10**30, -(2**63) - 1, -(10**30)])
def test_a_number_beyond_every_register_is_a_problem_of_its_field(number: int) -> None:
    ((field, issue),) = problems(body("order.expiration", number))
    assert (field, issue in ("INVALID", "OUT_OF_RANGE")) == ("order.expiration", True)


@in_one_test(
    "text", ["", "1990-13-01", "1990-02-30", "31/12/1990", "1990-12-31T00:00:00Z", "0000-01-01", "1990-1-1", "١٩٩٠-١٢-٣١"]
)
def test_a_date_is_a_day_of_the_calendar(text: str) -> None:
    assert problems(body("customer.birthDate", text)) == [("customer.birthDate", "INVALID")]


def test_all_problems_come_at_once_with_their_paths() -> None:
    raw = b"""{"order": {"externalId": "", "paymentMethod": 5, "description": null, "amount": {"value": true}, "expiration": 1},
               "customer": {"name": "A\\u0000", "entityType": "X", "document": {"number": "1"}, "email": "a", "address": []}}"""
    assert problems(raw) == [
        ("order.externalId", "INVALID"), ("order.paymentMethod", "INVALID"), ("order.description", "REQUIRED"),
        ("order.notificationUrl", "REQUIRED"), ("order.amount.currency", "REQUIRED"), ("order.expiration", "OUT_OF_RANGE"),
        ("customer.name", "INVALID"), ("customer.entityType", "INVALID"), ("customer.document.type", "REQUIRED"),
        ("customer.email", "INVALID"), ("customer.address", "INVALID"),
    ]  # fmt: skip


def test_what_is_right_beside_a_problem_is_still_read() -> None:
    form, wrong = forms.read(body("order.description", 5), CreateOrder)
    assert [p.field for p in wrong] == ["order.description"]
    assert (form.order.external_id, form.order.expiration) == ("order-1", 3600)
    assert form.customer is not None
    assert form.customer.birth_date == date(1990, 12, 31)
    assert form.order.amount is not None
    assert bytes(form.order.amount.value) == b'"10.50"'


def test_fields_that_nobody_knows_are_left_alone() -> None:
    assert problems(body("order.color", {"any": [1, "thing"]})) == []


@in_one_test(
    "raw",
    [
        b"", b" ", b"null", b"[]", b"5", b'"x"', b"{", b"{}x", b"{} {}", b"{'a':1}", b'{"a":1,}', b'{"a":NaN}', b'{"a":Infinity}',
        b'{"a":01}', b'{"a":+1}', b'{"a":.5}', b'{"a":1.}', b"\xef\xbb\xbf{}", b'{"a":"\n"}', b'{"a":"\\x"}',
        b'{"a":' + b"1" * 5000 + b"}", b"[" * 100_000, b'{"a":' * 100_000, b"\x00{}", b"{}\x00", '{"a":1}'.encode("utf-16"),
    ],
    ids=lambda raw: repr(raw[:20]),
)  # fmt: skip
def test_what_is_no_json_object(raw: bytes) -> None:
    with pytest.raises(NotJson):
        forms.parsed(raw)


@in_one_test(
    "raw",
    [
        b'{"a":1,"a":1}', b'{"a":1,"\\u0061":1}', b'{"o":{"a":1,"b":2,"a":3}}', b'{"o":[{"a":1,"a":2}]}', b'{"a":{},"a":{"b":1}}',
        b'{"a" :1,"a"\n:2}', b'{"":1,"":2}', b'{"\\"":1,"\\"":2}',
    ],
    ids=repr,
)  # fmt: skip
def test_a_key_twice_is_refused_wherever_it_stands(raw: bytes) -> None:
    with pytest.raises(NotJson, match="twice"):
        forms.parsed(raw)


@in_one_test(
    "raw",
    [
        b'{"a":"\\":","b":"\\" :"}',
        b'{"a":"x\\":1","\\":":2}',
        b'{"a":{"a":{"a":1}}}',
        b'[{"a":1},{"a":1}]'.join([b'{"l":', b"}"]),
    ],
)
def test_what_only_looks_like_a_key_twice_is_read(raw: bytes) -> None:
    assert forms.parsed(raw) == json.loads(raw)


@in_one_test("opening", [b"[", b'{"a":'])
def test_depth_ends_at_32(opening: bytes) -> None:
    closing, inner = (b"]", b"") if opening == b"[" else (b"}", b"1")
    deep = b'{"a":' + opening * 31 + inner + closing * 31 + b"}"
    assert forms.parsed(deep) == json.loads(deep)
    with pytest.raises(NotJson, match="deeper"):
        forms.parsed(b'{"a":' + opening * 32 + inner + closing * 32 + b"}")


@in_one_test(
    ("value", "expected"),
    [
        (b'"10.50"', 1050), (b"10.50", 1050), (b"0.1", 10), (b"1e2", 10_000), (b'"1e2"', "INVALID"), (b"true", "INVALID"),
        (b"{}", "INVALID"), (b"[]", "INVALID"), (b'""', "INVALID"), (b'"NaN"', "INVALID"), (b'" 1"', "INVALID"),
        (b'"\\u0031"', 100), (b'"1\\u0000"', "INVALID"), (b"-1", "OUT_OF_RANGE"), (b'"-1"', "INVALID"), (b"0", "OUT_OF_RANGE"),
        (b"10000000000", "OUT_OF_RANGE"), (b"0.001", "INVALID"), (b"1e300", "OUT_OF_RANGE"), (b"1" * 300, "INVALID"),
        (b"0.30000000000000004", "INVALID"), (b"null", "REQUIRED"),
    ],
)  # fmt: skip
def test_an_amount_is_read_from_the_bytes_it_came_in(value: bytes, expected: int | str) -> None:
    raw = body("order.amount.value", "HERE").replace(b'"HERE"', value)
    form, found = forms.read(raw, CreateOrder)
    assert found == []
    money = forms.money(form.order.amount, "order.amount", found)
    if isinstance(expected, int):
        assert (money, found) == (Money(expected, "BRL"), [])
    else:
        assert money is None
        assert [(p.field, p.issue) for p in found] == [("order.amount.value", expected)]


@in_one_test("currency", ["USD", "brl", "", "XXX"])
def test_an_amount_in_another_currency(currency: str) -> None:
    found: list[Problem] = []
    assert forms.money(Amount(currency=currency, value=msgspec.Raw(b"1")), "a", found) is None
    assert [(p.field, p.issue) for p in found] == [("a.currency", "NOT_SUPPORTED")]


def test_one_problem_is_told_of_each_field_and_none_below_it() -> None:
    found = [
        Problem(f, "INVALID", d) for f, d in [("a", "1"), ("a", "2"), ("a.b", "3"), ("ab", "4"), ("c.d", "5"), ("c", "6")]
    ]
    assert [(p.field, p.description) for p in first_of_each(found)] == [("a", "1"), ("ab", "4"), ("c.d", "5"), ("c", "6")]
    assert [p.field for p in first_of_each(found, lambda p: p.description == "1")] == ["ab", "c.d", "c", "a"]


# Fast and slow: the whole body is decoded at once, and only where that fails piece by piece. They must agree.

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=150), st.sampled_from(["CPF", "INDIVIDUAL", "1990-12-31", "BRL", "", "a\n", "x" * 78]),
)  # fmt: skip
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=2),
    max_leaves=4,
)


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """The full body with up to three of its values taken out or replaced by anything."""
    whole = copy.deepcopy(FULL)
    for path in draw(st.lists(st.sampled_from(list(every_path())), max_size=3)):
        *parents, name = path.split(".")
        place: Any = whole
        for parent in parents:
            place = place.get(parent) if isinstance(place, dict) else None
        if not isinstance(place, dict):
            continue
        if draw(st.booleans()):
            place.pop(name, None)
        else:
            place[name] = draw(anything)
    spaced = draw(st.booleans())
    return json.dumps(whole, ensure_ascii=draw(st.booleans()), indent=2 if spaced else None).encode()


@in_one_test(
    "value",
    [MISSING, None, *WRONG, "", "x" * 3000, "a\n", 60, "1990-12-31"],
    ids=lambda v: "missing" if v is MISSING else repr(v)[:20],
)
def test_the_fast_and_the_slow_way_agree_on_each_field(value: Any) -> None:
    for path in every_path():
        agree(body(path, value))


@given(bodies())
def test_the_fast_and_the_slow_way_agree(raw: bytes) -> None:
    agree(raw)


def agree(raw: bytes) -> None:
    forms.parsed(raw)
    slow_problems: list[Problem] = []
    slow = forms._partly(raw, CreateOrder, "", slow_problems)
    try:
        fast = msgspec.json.decode(raw, type=CreateOrder)
    except (msgspec.ValidationError, UnicodeDecodeError):
        if not slow_problems:  # the slow way alone knows that 60.0 is a whole number
            plain = json.dumps(json.loads(raw, parse_float=lambda text: int(float(text)))).encode()
            msgspec.json.decode(plain, type=CreateOrder)
        assert forms.read(raw, CreateOrder)[1] == slow_problems
    else:
        assert slow_problems == []
        assert slow == fast
        assert forms.read(raw, CreateOrder) == (fast, [])


@in_one_test("number", ["1e99999999999999999999", "-1.5e99999999999999999999", "[1e99999999999999999999]"])
def test_a_number_that_nothing_can_hold_is_no_json_that_is_taken(number: str) -> None:
    with pytest.raises(NotJson, match="too large"):
        forms.parsed(b'{"a":' + number.encode() + b"}")


def test_what_is_at_fault_within_is_not_missing() -> None:
    found = [
        Problem("a.b", "INVALID", "1"),
        Problem("a", "REQUIRED", "2"),
        Problem("a", "INVALID", "3"),
        Problem("ab", "REQUIRED", "4"),
    ]
    assert [p.description for p in first_of_each(found)] == ["1", "3", "4"]
