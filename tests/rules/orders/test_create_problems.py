import copy
import json
from typing import Any

import pytest
from tests.in_one import in_one_test

from lastro.api_kit import forms
from lastro.orders.forms import CreateOrder
from lastro.orders.methods import METHODS
from lastro.orders.rules import create_problems, document_problem, is_email

RIGHT: dict[str, Any] = {
    "order": {"externalId": "1", "paymentMethod": "PIX", "description": "Flores", "notificationUrl": "https://ana.example/hook"},
    "customer": {
        "name": "Bento", "entityType": "INDIVIDUAL", "document": {"type": "CPF", "number": "11144477735"},
        "email": "bento@example.com",
    },
}  # fmt: skip


def problems(*, sandbox: bool = False, customer: dict[str, Any] | None = None, **order: Any) -> list[tuple[str, str]]:
    whole = copy.deepcopy(RIGHT)
    whole["order"].update(order)
    whole["customer"].update(customer or {})
    form, wrong = forms.read(json.dumps(whole).encode(), CreateOrder)
    assert wrong == []
    amount_is_null = "amount" in order and order["amount"] is None
    return [(p.field, p.issue) for p in create_problems(form, METHODS, amount_is_null=amount_is_null, sandbox=sandbox)]


@in_one_test(
    ("order", "expected"),
    [
        ({}, []),
        ({"amount": None}, [("order.amount", "INVALID")]),
        ({"amount": {"currency": "BRL", "value": "1"}}, []),
        ({"paymentMethod": "BOLETO"}, [("order.amount", "REQUIRED"), ("customer.address", "REQUIRED")]),
        ({"paymentMethod": "BOLETO", "amount": None}, [("order.amount", "INVALID"), ("customer.address", "REQUIRED")]),
        ({"paymentMethod": "SPEI"}, [("order.amount", "REQUIRED")]),
        ({"paymentMethod": "BTC_PAY"}, [("order.paymentMethod", "NOT_SUPPORTED")]),
        ({"paymentMethod": "_PAY"}, [("order.paymentMethod", "INVALID")]),
        ({"paymentMethod": "pix"}, [("order.paymentMethod", "INVALID")]),
        ({"paymentMethod": "PIX\n"}, [("order.paymentMethod", "INVALID")]),
        ({"paymentMethod": "BTC_PAY\n"}, [("order.paymentMethod", "INVALID")]),
        ({"paymentMethod": ""}, [("order.paymentMethod", "INVALID")]),
        ({"bank": "001"}, [("order.bank", "NOT_ALLOWED")]),
        ({"bank": "001", "paymentMethod": "DEPOSIT"}, [("order.amount", "REQUIRED")]),
        ({"notificationUrl": "http://ana.example/"}, [("order.notificationUrl", "INVALID")]),
        ({"notificationUrl": "https://127.0.0.1/"}, [("order.notificationUrl", "INVALID")]),
        ({"notificationUrl": "https://ana.example/\x00"}, [("order.notificationUrl", "INVALID")]),
        ({"notificationUrl": "https://ana.example/\n"}, [("order.notificationUrl", "INVALID")]),
        ({"notificationUrl": "ftp://ana.example/"}, [("order.notificationUrl", "INVALID")]),
        ({"returnUrl": "http://ana.example/done"}, []),
        ({"returnUrl": "javascript:alert(1)"}, [("order.returnUrl", "INVALID")]),
        ({"returnUrl": "https://"}, [("order.returnUrl", "INVALID")]),
        ({"returnUrl": " https://ana.example"}, [("order.returnUrl", "INVALID")]),
    ],
)
def test_of_the_order(order: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert problems(**order) == expected


def test_a_sandbox_tells_its_own_machine() -> None:
    assert problems(sandbox=True, notificationUrl="http://127.0.0.1:9000/hook") == []


@pytest.mark.parametrize(
    ("customer", "expected"),
    [
        ({"document": {"type": "CPF", "number": "11144477736"}}, [("customer.document.number", "INVALID")]),
        ({"document": {"type": "CNPJ", "number": "11222333000181"}}, []),
        ({"document": {"type": "CNPJ", "number": "11144477735"}}, [("customer.document.number", "INVALID")]),
        ({"email": "bento"}, [("customer.email", "INVALID")]),
        ({"email": "bento@"}, [("customer.email", "INVALID")]),
        ({"email": "bento@localhost"}, [("customer.email", "INVALID")]),
        (
            {"email": "@@@", "document": {"type": "CPF", "number": "1"}},
            [("customer.document.number", "INVALID"), ("customer.email", "INVALID")],
        ),
    ],
)
def test_of_the_customer(customer: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert problems(customer=customer) == expected


def test_all_of_them_at_once_in_a_fixed_order() -> None:
    found = problems(
        customer={"email": "@@@", "document": {"type": "RFC", "number": "1"}},
        paymentMethod="X",
        amount=None,
        notificationUrl="x",
        returnUrl="x",
    )
    assert [field for field, _ in found] == [
        "order.paymentMethod", "order.amount", "order.notificationUrl", "order.returnUrl", "customer.document.number", "customer.email",
    ]  # fmt: skip


@pytest.mark.parametrize("missing", ["order", "customer"])
def test_rules_look_only_at_what_could_be_read(missing: str) -> None:
    whole = copy.deepcopy(RIGHT)
    whole[missing] = 5
    form, wrong = forms.read(json.dumps(whole).encode(), CreateOrder)
    assert [p.field for p in wrong] == [missing]
    found = {p.field for p in create_problems(form, METHODS, amount_is_null=False, sandbox=False)}
    assert found <= {missing}  # said again at most of the part that is wrong already, where the first word counts


def test_rules_look_past_each_field_that_could_not_be_read() -> None:
    whole = {"order": dict.fromkeys(RIGHT["order"]), "customer": dict.fromkeys(RIGHT["customer"])}
    form, wrong = forms.read(json.dumps(whole).encode(), CreateOrder)
    assert len(wrong) == 8
    assert create_problems(form, METHODS, amount_is_null=False, sandbox=False) == []


@pytest.mark.parametrize(
    ("kind", "number", "is_right"),
    [
        ("CPF", "52998224725", True), ("CPF", "529.982.247-25", False), ("CPF", "00000000000", False), ("CPF", "", False),
        ("CNPJ", "12ABC34501DE35", True), ("CNPJ", "12abc34501de35", True), ("CNPJ", "12ABC34501DE36", False),
        ("CURP", "GODE561231HDFRRN08", True), ("CURP", "GODE561231", False), ("CURP", "GODE561231HDFRRN08\n", False),
        ("RFC", "GODE561231GR8", True), ("RFC", "XAXX010101000", True), ("RFC", "1", False),
        ("OTHERS", "anything", True),
    ],
)  # fmt: skip
def test_documents(kind: str, number: str, is_right: bool) -> None:
    assert (document_problem(kind, number) is None) is is_right


@pytest.mark.parametrize(
    ("text", "is_right"),
    [("a@b.co", True), ("ação@example.com", True), ("a b@c.de", False), ("", False), ("a@b@c.de", False)],
)
def test_addresses(text: str, is_right: bool) -> None:
    assert is_email(text) is is_right
