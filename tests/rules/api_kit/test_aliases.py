"""Second names of fields: read as the main ones, refused where both disagree, and named in problems as they were sent."""

from typing import Any, ClassVar

import msgspec
from tests.in_one import in_one_test

from lastro.api_kit import aliases, forms
from lastro.core.errors import Problem
from lastro.orders.docs import CREATE


class Street(forms.Form):
    aliases: ClassVar = {"zipCode": "postalCode"}
    postal_code: str | None = None


class Person(forms.Form):
    aliases: ClassVar = {"fullName": "name"}
    name: str
    address: Street | None = None


class Order(forms.Form):
    aliases: ClassVar = {"code": "externalId", "reference": "externalId", "to": "payee"}
    external_id: str
    payee: Person | None = None
    amount: msgspec.Raw | None = None


class Body(forms.Form):
    order: Order
    people: list[Person] | None = None


def rename(raw: bytes) -> aliases.Renamed:
    return aliases.in_main_names(raw, forms.parsed(raw), Body)


def read(body: str) -> tuple[Any, list[tuple[str, str]]]:
    """The body in main names, and its problems."""
    found = rename(body.encode())
    return msgspec.json.decode(found.raw), [(p.field, p.issue) for p in found.problems]


BOTH = "MUTUALLY_EXCLUSIVE"
ROWS = [
    ("a main name stays", '{"order":{"externalId":"a"}}', {"order": {"externalId": "a"}}, []),
    ("a second name", '{"order":{"code":"a"}}', {"order": {"externalId": "a"}}, []),
    ("another second name", '{"order":{"reference":"a"}}', {"order": {"externalId": "a"}}, []),
    ("null is absent", '{"order":{"code":null,"externalId":"a"}}', {"order": {"externalId": "a"}}, []),
    ("null beside it", '{"order":{"code":"a","externalId":null}}', {"order": {"externalId": "a"}}, []),
    ("both alike", '{"order":{"code":"a","externalId":"\\u0061"}}', {"order": {"externalId": "a"}}, []),
    (
        "both differ", '{"order":{"code":"a","externalId":"b"}}', {"order": {"externalId": "b"}},
        [("order.externalId", BOTH), ("order.code", BOTH)],
    ),
    (
        "two second names differ", '{"order":{"code":"a","reference":"b"}}', {"order": {"externalId": "a"}},
        [("order.externalId", BOTH), ("order.reference", BOTH)],
    ),
    (
        "in a list", '{"order":{"code":"a"},"people":[{"fullName":"x","address":{"zipCode":"1"}},3,{"name":"y"}]}',
        {"order": {"externalId": "a"}, "people": [{"name": "x", "address": {"postalCode": "1"}}, 3, {"name": "y"}]}, [],
    ),
    (
        "a number beyond floats", '{"order":{"code":1e999,"externalId":"b"}}', {"order": {"externalId": "b"}},
        [("order.externalId", BOTH), ("order.code", BOTH)],
    ),
    ("behind blanks", ' \n{"order":{"code":"a"}}', {"order": {"externalId": "a"}}, []),
    ("an escaped name", '{"order":{"\\u0063ode":"a"}}', {"order": {"externalId": "a"}}, []),
    (
        "alike but for the names within", '{"order":{"code":"a","to":{"fullName":"x"},"payee":{"name":"x"}}}',
        {"order": {"externalId": "a", "payee": {"name": "x"}}}, [],
    ),
    ("no object stays", '{"order":"code","people":{"fullName":"x"}}', {"order": "code", "people": {"name": "x"}}, []),
    ("an unknown field stays", '{"order":{"code":"a","zipCode":1}}', {"order": {"externalId": "a", "zipCode": 1}}, []),
    ("a value is no name", '{"order":{"externalId":"code"}}', {"order": {"externalId": "code"}}, []),
]  # fmt: skip


@in_one_test("what, body, wanted, problems", ROWS, ids=[row[0] for row in ROWS])
def test_second_names_are_read_as_the_main_ones(what: str, body: str, wanted: Any, problems: Any) -> None:
    assert read(body) == (wanted, problems), what


def test_numbers_stay_as_they_are_written() -> None:
    """An amount is read from its text, so that no float may come between."""
    found = rename(b'{"order":{"code":"a","amount":1.10e1}}')
    assert b"1.10e1" in found.raw


def test_a_body_in_main_names_is_not_touched() -> None:
    raw = b'{ "order" : {"externalId":"a"} }'
    assert rename(raw).raw is raw
    assert aliases.in_main_names(raw, forms.parsed(raw), None).raw is raw
    order = msgspec.json.encode(CREATE.request)
    assert aliases.in_main_names(order, forms.parsed(order), CREATE.form).raw is order, "nothing is done to a usual order"


def test_problems_name_what_was_sent() -> None:
    found = rename(b'{"order":{"code":"","to":{"fullName":""}},"people":[{"name":"y"},{"fullName":""}]}')
    told = [
        ("order.externalId", "order.code"), ("people[1].name", "people[1].fullName"), ("people[0].name", "people[0].name"),
        ("order.payee.name", "order.to.fullName"), ("order.payee.address", "order.to.address"),
        ("order.externalIds", "order.externalIds"), ("people[1].name.first", "people[1].fullName.first"),
    ]  # fmt: skip
    assert [p.field for p in found.as_sent([Problem(main, "INVALID", "") for main, _ in told])] == [sent for _, sent in told]
