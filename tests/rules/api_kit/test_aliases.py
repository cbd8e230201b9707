"""Second names of fields: read as the main ones, refused where both disagree, and named in problems as they were sent."""

from typing import Any, ClassVar

import msgspec
from tests.in_one import in_one_test

from lastro.api_kit import aliases, forms
from lastro.core.errors import Problem


class Street(forms.Form):
    aliases: ClassVar = {"zipCode": "postalCode"}
    postal_code: str | None = None


class Person(forms.Form):
    aliases: ClassVar = {"fullName": "name"}
    name: str
    address: Street | None = None


class Order(forms.Form):
    aliases: ClassVar = {"code": "externalId", "reference": "externalId"}
    external_id: str
    amount: msgspec.Raw | None = None


class Body(forms.Form):
    order: Order
    people: list[Person] | None = None


def read(body: str) -> tuple[Any, list[tuple[str, str]]]:
    """The body in main names, and its problems."""
    found = aliases.in_main_names(body.encode(), Body)
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
    ("no object stays", '{"order":"code","people":{"fullName":"x"}}', {"order": "code", "people": {"fullName": "x"}}, []),
    ("an unknown field stays", '{"order":{"code":"a","zipCode":1}}', {"order": {"externalId": "a", "zipCode": 1}}, []),
    ("a value is no name", '{"order":{"externalId":"code"}}', {"order": {"externalId": "code"}}, []),
]  # fmt: skip


@in_one_test("what, body, wanted, problems", ROWS, ids=[row[0] for row in ROWS])
def test_second_names_are_read_as_the_main_ones(what: str, body: str, wanted: Any, problems: Any) -> None:
    assert read(body) == (wanted, problems), what


def test_numbers_stay_as_they_are_written() -> None:
    """An amount is read from its text, so that no float may come between."""
    found = aliases.in_main_names(b'{"order":{"code":"a","amount":1.10e1}}', Body)
    assert b"1.10e1" in found.raw


def test_a_body_in_main_names_is_not_touched() -> None:
    raw = b'{ "order" : {"externalId":"a"} }'
    assert aliases.in_main_names(raw, Body).raw is raw
    assert aliases.in_main_names(raw, None).raw is raw


def test_problems_name_what_was_sent() -> None:
    found = aliases.in_main_names(b'{"order":{"code":""},"people":[{"name":"y"},{"fullName":""}]}', Body)
    told = [
        ("order.externalId", "order.code"), ("people[1].name", "people[1].fullName"), ("people[0].name", "people[0].name"),
        ("order.externalIds", "order.externalIds"), ("people[1].name.first", "people[1].fullName.first"),
    ]  # fmt: skip
    assert [p.field for p in found.as_sent([Problem(main, "INVALID", "") for main, _ in told])] == [sent for _, sent in told]
