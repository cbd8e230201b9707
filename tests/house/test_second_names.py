"""Each second name of a field is in the document, is read as the main one, and never stands beside it."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from tests.http_contract import BrokenContractError, contract
from tests.in_one import in_one_test

from lastro.api_kit.aliases import in_main_names, second_names
from lastro.api_kit.forms import Form, parsed

from .test_openapi import OPERATIONS, ROUTES


def spelled(body: Any, form: type[Form], *, beside: bool) -> Iterator[tuple[str, Any]]:
    """Yields the body with one field under a second name, for each that it has. beside: the main name stays, too."""
    for main, others in second_names(form).items():
        for other in others if main in body else ():
            rest = body if beside else {name: value for name, value in body.items() if name != main}
            yield other, {**rest, other: body[main]}
    for field in msgspec.structs.fields(form):
        inner = next((kind for kind in _forms(field.type) if isinstance(kind, type) and issubclass(kind, Form)), None)
        if inner is not None and isinstance(body.get(field.encode_name), dict):
            for other, part in spelled(body[field.encode_name], inner, beside=beside):
                yield f"{field.encode_name}.{other}", {**body, field.encode_name: part}


def _forms(kind: Any) -> Iterator[Any]:
    yield kind
    for part in getattr(kind, "__args__", ()):
        yield from _forms(part)


CASES = [
    (operation, name, body, both)
    for operation, route in ROUTES.items()
    if route.doc.form is not None and route.doc.request is not None
    for (name, body), (_, both) in zip(
        spelled(route.doc.request, route.doc.form, beside=False), spelled(route.doc.request, route.doc.form, beside=True),
        strict=True,
    )
]  # fmt: skip


@in_one_test("operation, name, body, both", CASES, ids=[f"{case[0]} {case[1]}" for case in CASES])
def test_the_document_and_the_reader_know_each_second_name(operation: str, name: str, body: Any, both: Any) -> None:
    route = ROUTES[operation]
    schema = OPERATIONS[operation][2]["requestBody"]["content"]["application/json"]["schema"]
    contract().valid(f"{operation} {name}", schema, body)
    with pytest.raises(BrokenContractError):
        contract().valid(f"{operation} {name} beside", schema, both)
    raw = msgspec.json.encode(body)
    read = in_main_names(raw, parsed(raw), route.doc.form)
    assert msgspec.json.decode(read.raw) == route.doc.request
    assert list(read.sent.values()) == [name.rpartition(".")[2]]


def test_orders_and_openings_have_some() -> None:
    assert {("create_order", "order.code"), ("create_order", "customer.fullName"), ("open_account", "birthdate")} <= {
        (operation, name) for operation, name, *_ in CASES
    }
