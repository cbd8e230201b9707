"""What is wrong with a pay-in that its form alone does not say."""

from typing import Any

import msgspec
import pytest
from tests.in_one import in_one_test

from lastro.api_kit import forms
from lastro.orders.payins.forms import CreatePayIn
from lastro.orders.payins.rules import form_problems

GOOD: dict[str, Any] = {
    "externalId": "book-1", "accountId": "x", "paymentMethod": "PIX", "amount": {"currency": "BRL", "value": "10.50"},
    "payer": {"name": "Bento", "document": {"type": "CPF", "number": "52998224725"}},
}  # fmt: skip


def problems(**changes: Any) -> list[tuple[str, str]]:
    raw = msgspec.json.encode({**GOOD, **changes})
    form, found = forms.read(raw, CreatePayIn)
    forms.money(form.amount, "amount", found)
    return [(p.field, p.issue) for p in forms.in_order([*found, *form_problems(form)], CreatePayIn)]


def payer(kind: str, number: str, name: str = "Bento") -> dict[str, Any]:
    return {"name": name, "document": {"type": kind, "number": number}}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"payer": None, "description": None, "pixKey": None, "expiration": None},
        {"payer": payer("CNPJ", "12ABC34501DE35")},
        {"payer": payer("CNPJ", "12abc34501de35")},
        {"payer": payer("OTHERS", "A-1/2")},
        {"payer": payer("RFC", "GODE561231GR8")},
        {"amount": {"currency": "BRL", "value": 10}},
        {"expiration": 60},
        {"expiration": 2_592_000},
    ],
)
def test_a_good_one(changes: dict[str, Any]) -> None:
    assert problems(**changes) == []


@in_one_test(
    ("changes", "expected"),
    [
        ({"externalId": " x"}, [("externalId", "INVALID")]),
        ({"externalId": "x\u200b"}, [("externalId", "INVALID")]),
        ({"externalId": ""}, [("externalId", "INVALID")]),
        ({"externalId": "x" * 65}, [("externalId", "TOO_LONG")]),
        ({"paymentMethod": "BOLETO"}, [("paymentMethod", "INVALID")]),
        ({"amount": None}, [("amount", "REQUIRED")]),
        ({"amount": {"currency": "USD", "value": "1"}}, [("amount.currency", "NOT_SUPPORTED")]),
        ({"amount": {"currency": "BRL", "value": "0.00"}}, [("amount.value", "OUT_OF_RANGE")]),
        ({"amount": {"currency": "BRL", "value": "10000000000"}}, [("amount.value", "OUT_OF_RANGE")]),
        ({"payer": payer("CPF", "52998224724")}, [("payer.document.number", "INVALID")]),
        ({"payer": payer("CPF", "529.982.247-25")}, [("payer.document.number", "INVALID")]),
        ({"payer": payer("CURP", "x")}, [("payer.document.number", "INVALID")]),
        ({"payer": payer("DNI", "1")}, [("payer.document.type", "INVALID")]),
        ({"payer": {"name": "Bento"}}, [("payer.document", "REQUIRED")]),
        ({"payer": payer("CPF", "52998224725", " ")}, [("payer.name", "INVALID")]),
        ({"payer": {}}, [("payer.name", "REQUIRED"), ("payer.document", "REQUIRED")]),
        ({"description": "  "}, [("description", "INVALID")]),
        ({"description": "x" * 141}, [("description", "TOO_LONG")]),
        ({"expiration": 59}, [("expiration", "OUT_OF_RANGE")]),
        ({"expiration": 2_592_001}, [("expiration", "OUT_OF_RANGE")]),
        ({"pixKey": "a b"}, [("pixKey", "INVALID")]),
        ({"pixKey": "x" * 78}, [("pixKey", "TOO_LONG")]),
        (
            {"externalId": None, "accountId": None, "paymentMethod": None, "amount": None, "payer": []},
            [("externalId", "REQUIRED"), ("accountId", "REQUIRED"), ("paymentMethod", "REQUIRED"), ("amount", "REQUIRED"),
             ("payer", "INVALID")],
        ),
    ],
)  # fmt: skip
def test_all_that_is_wrong_in_the_order_of_the_form(changes: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert problems(**changes) == expected
