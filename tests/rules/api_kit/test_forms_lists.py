"""Lists of objects in a body, each named by its place; and texts, in which nothing turns, hides or covers another."""

from typing import Annotated, Any

import msgspec
from tests.in_one import in_one_test

from lastro.api_kit import forms
from lastro.api_kit.forms import Form


class Leaf(Form):
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=5)]


class Branch(Form):
    leaf: Leaf
    count: Annotated[int, msgspec.Meta(ge=1)] | None = None


class Tree(Form):
    branches: Annotated[list[Branch], msgspec.Meta(min_length=1, max_length=3)]
    twigs: list[Leaf] | None = None


GOOD: dict[str, Any] = {"branches": [{"leaf": {"name": "a"}}, {"leaf": {"name": "b"}, "count": 2}], "twigs": []}


def problems(body: Any) -> list[tuple[str, str]]:
    _, found = forms.read(msgspec.json.encode(body), Tree)
    return [(p.field, p.issue) for p in found]


def test_a_good_list_is_read() -> None:
    form, found = forms.read(msgspec.json.encode(GOOD), Tree)
    assert not found
    assert [(b.leaf.name, b.count) for b in form.branches] == [("a", None), ("b", 2)]


def test_what_is_right_is_there_beside_what_is_wrong() -> None:
    body = {"branches": [{"leaf": {"name": "a"}}, {"leaf": {"name": ""}, "count": 3}, 7], "twigs": None}
    form, found = forms.read(msgspec.json.encode(body), Tree)
    assert [(p.field, p.issue) for p in found] == [("branches[1].leaf.name", "INVALID"), ("branches[2]", "INVALID")]
    first, second, third = form.branches
    found_values: list[Any] = [first.leaf.name, second.leaf.name, second.count, third]
    assert found_values == ["a", None, 3, None]


@in_one_test(
    ("branches", "wanted"),
    [
        (None, [("branches", "REQUIRED")]), ({}, [("branches", "INVALID")]), ("a", [("branches", "INVALID")]), ([], [("branches", "INVALID")]),
        ([{"leaf": {"name": "a"}}] * 4, [("branches", "TOO_LONG")]), ([[]], [("branches[0]", "INVALID")]), ([None], [("branches[0]", "INVALID")]),
        ([{}], [("branches[0].leaf", "REQUIRED")]), ([{"leaf": []}], [("branches[0].leaf", "INVALID")]),
        ([{"leaf": {"name": "abcdef"}, "count": 0}], [("branches[0].leaf.name", "TOO_LONG"), ("branches[0].count", "OUT_OF_RANGE")]),
        ([{"leaf": {}}, {"count": "1"}], [("branches[0].leaf.name", "REQUIRED"), ("branches[1].leaf", "REQUIRED"), ("branches[1].count", "INVALID")]),
    ],
)  # fmt: skip
def test_all_that_is_wrong_is_named_by_its_place(branches: Any, wanted: list[tuple[str, str]]) -> None:
    assert problems({**GOOD, "branches": branches}) == wanted


def test_items_are_told_in_their_order() -> None:
    body = {"branches": [{"leaf": {"name": "a"}}, {}, {"count": 0}], "twigs": [{}] * 12}
    _, found = forms.read(msgspec.json.encode(body), Tree)
    told = [p.field for p in forms.in_order(reversed(found), Tree)]
    assert told == ["branches[1].leaf", "branches[2].leaf", "branches[2].count", *(f"twigs[{n}].name" for n in range(12))]


def test_blanks_between_items_mean_nothing() -> None:
    raw = b'{ "branches" : [ { "leaf" : { "name" : "a" } } , { "leaf" : 1 } ] }'
    _, found = forms.read(raw, Tree)
    assert [(p.field, p.issue) for p in found] == [("branches[1].leaf", "INVALID")]


class _Named(forms.Form):
    name: forms.Name
    code: forms.ExternalId | None = None


@in_one_test(
    "text",
    [
        "Ana\u202eoibaF", "Ana\u2066", "Ana\u200b", "A\u00adna", "\ufeffAna", "Ana\u3164", "Ana\ufe0f", "Ana\u200d",
        "Ana\U000e0041", "a" + "\u0301" * 4,
    ],
)  # fmt: skip
def test_what_nobody_sees_is_refused(text: str) -> None:
    """A text that turns, hides or covers what stands beside it would make a page show another name or amount."""
    for field in ("name", "code"):
        _, problems = forms.read(msgspec.json.encode({"name": "Ana", field: text}), _Named)
        assert [(p.field, p.issue) for p in problems] == [(field, "INVALID")]


@in_one_test("text", ["José", "Jose\u0301", "👨\u200d👩\u200d👧", "❤\ufe0f", "שלום", "D'Ávila & Cia."])
def test_what_people_write_is_taken(text: str) -> None:
    assert forms.read(msgspec.json.encode({"name": text}), _Named)[1] == []
