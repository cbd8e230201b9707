"""What may be given back, and what of a request is wrong that can be known without looking."""

from datetime import timedelta
from typing import Any

import pytest

from lastro.core.money import Money
from lastro.orders.refunds.forms import CreateRefund
from lastro.orders.refunds.reasons import REASONS, message_of
from lastro.orders.refunds.rules import WINDOW, code_of, form_problems, left, problems_of

from .values import NOW, brl, order


def asked(**values: Any) -> CreateRefund:
    return CreateRefund(**{"order_id": "x", "external_id": "back", "amount": None, "refund_code": "MD06", **values})


@pytest.mark.parametrize(
    ("values", "problems"),
    [
        ({}, []),
        ({"refund_code": "SL02"}, [("refundCode", "NOT_ALLOWED")]),  # no payment here has a part that was withdrawn
        ({"refund_code": "BE08"}, [("refundCode", "NOT_ALLOWED")]),
        ({"refund_code": "FR01"}, [("refundCode", "NOT_ALLOWED")]),
        ({"refund_code": "MD05"}, [("refundCode", "INVALID")]),
        ({"external_id": "a\u202eb"}, [("externalId", "INVALID")]),
        ({"external_id": "a\u2003", "refund_code": "X9"}, [("refundCode", "INVALID"), ("externalId", "INVALID")]),
        # What the form has found at fault is None here, and is not told of twice.
        ({"refund_code": None, "external_id": None}, []),
    ],
)
def test_a_request(values: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    assert [(p.field, p.issue) for p in form_problems(asked(**values))] == problems


@pytest.mark.parametrize(
    ("values", "facts", "problems"),
    [
        ({}, {}, []),
        ({"paid_at": NOW - WINDOW}, {}, []),
        ({"paid_at": NOW - WINDOW - timedelta(microseconds=1)}, {}, [("orderId", "EXPIRED")]),
        ({}, {"account_is_closed": True}, [("orderId", "NOT_ALLOWED")]),
        ({}, {"has_payment": False}, [("orderId", "NOT_SUPPORTED")]),
        ({"payment_method": "BOLETO"}, {}, [("orderId", "NOT_SUPPORTED")]),
        ({}, {"rail_refunds": False}, [("orderId", "NOT_SUPPORTED")]),
        ({}, {"amount": brl(1001)}, [("amount", "LIMIT_EXCEEDED")]),
        ({}, {"amount": brl(1001), "has_payment": False}, [("orderId", "NOT_SUPPORTED"), ("amount", "LIMIT_EXCEEDED")]),
        ({"paid_at": NOW - WINDOW * 2}, {"amount": brl(2000)}, [("orderId", "EXPIRED"), ("amount", "LIMIT_EXCEEDED")]),
    ],
)
def test_what_is_in_the_way(values: dict[str, Any], facts: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    paid = order(**{"state": "PAID", "paid_at": NOW, **values})
    known = {"has_payment": True, "account_is_closed": False, "amount": brl(1000), "rest": brl(1000), "now": NOW, **facts}
    assert [(p.field, p.issue) for p in problems_of(paid, **known)] == problems


@pytest.mark.parametrize(
    ("amount", "paid", "counted", "rest"),
    [(1000, 1000, 0, 1000), (1000, 1050, 0, 1000), (1000, 1000, 400, 600), (None, 700, 0, 700), (None, 700, 700, 0)],
)
def test_what_is_left(amount: int | None, paid: int, counted: int, rest: int) -> None:
    """Of an order its amount, whatever fee was paid beside it; of an open one what was paid."""
    one = order(amount=None if amount is None else brl(amount), paid=brl(paid))
    assert left(one, counted) == Money(rest, "BRL")


@pytest.mark.parametrize(
    ("given", "code", "word"),
    [
        ("MD06", "MD06", None), ("BE08", "BE08", None), ("RECEIVER_REQUEST", "MD06", "RECEIVER_REQUEST"),
        ("MISTAKE", "MD06", "MISTAKE"), ("ABC", "MD06", "ABC"),
    ],
)  # fmt: skip
def test_a_word_stands_for_the_code_that_is_sent(given: str, code: str, word: str | None) -> None:
    assert code_of(given) == (code, word)


def test_a_refusal_is_told_as_code_and_sentence() -> None:
    assert message_of("ED05") == "ED05: the settlement failed"
    assert message_of("ZZ99") == "ZZ99: refused by the network"
    assert all(message_of(code).startswith(f"{code}: ") for code in REASONS)
