"""Every field of a create, by every method, times what is most often wrong: a clear no that names it, and nothing of a card in it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import PLACE
from tests.house.bad_input import TRICKS, Bad, Field, body, fields, values

from lastro import orders
from lastro.api_kit import forms
from lastro.api_kit.routes import Incoming
from lastro.core.errors import Problem, Refused
from lastro.orders.methods import METHODS, known_method

HERE = replace(PLACE, methods=frozenset({*METHODS, "BINANCE_PAY"}))
CREATE = next(route for route in orders.routes(HERE) if route.operation == "create_order")
FIELDS = {field.name: field for field in fields(CREATE)}
NUMBER, CVV = "5105105105105100", "847"
COMPANY = UUID(int=1)
NAMES = (*sorted(METHODS.keys() - {"PIX"}), "BINANCE_PAY")
# Of everything that can be wrong with a field (tests/house/bad_input.py, which the bad-input test tries by PIX) one of each
# kind: missing, null, of another type, empty, too long, Unicode, huge, negative.
TRIED = frozenset({
    "missing", "null", "a number", "true", "a list", "an object", "empty", "a word", "one too long", "beyond a float", "negative",
    "zero", "zero width", "right to left", "full-width digits", "NUL", "one too many", "one too few", 'the amount "-1.00"',
    'the amount "1.001"', 'the amount "10000000000.00"', "the amount 0.0",
})  # fmt: skip
CARD: Mapping[str, Any] = {
    "threeDsToken": "t", "installments": 3,
    "creditCard": {"holderName": "Benito", "holderDocument": "GOD**********", "number": NUMBER, "cvv": CVV, "expiry": "12/49",
                   "brand": "MASTERCARD", "installments": 3, "skip3ds": False},
    "browser": {"userAgent": "Mozilla/5.0", "acceptHeader": "*/*", "language": "es-MX", "colorDepth": 24, "screenHeight": 900,
                "screenWidth": 1440, "timeZoneOffset": 360, "javaEnabled": False, "javascriptEnabled": True},
}  # fmt: skip
ADDRESS = {
    "state": "CDMX", "city": "Ciudad de México", "street": "Reforma", "neighborhood": "Centro", "number": "10",
    "complement": "2", "postalCode": "06000",
}  # fmt: skip

ABSENT = frozenset({"missing", "null"})
TEXT = frozenset({"a word", *(TRICKS.keys() & TRIED)})
TIMES = frozenset({"zero", "negative"})
# What looks wrong and is right, or is found at fault only where it is looked up; by field, of every method.
KEPT: Mapping[str, frozenset[str]] = {
    "order.externalId": frozenset({"a word", "full-width digits"}),
    "order.description": TEXT,
    "order.amount.value": frozenset({"a number"}),
    "order.accountId": ABSENT,
    "order.returnUrl": ABSENT,
    "order.financialPartner": ABSENT | TEXT,  # whether there is such a partner is looked up
    "order.expiration": ABSENT,
    "order.pixKey": ABSENT | {"a word"},
    "order.bank": ABSENT | TEXT,  # likewise such a bank
    "order.paymentDetails": ABSENT,
    "customer.name": TEXT,
    "customer.phone": ABSENT | TEXT,
    "customer.birthDate": ABSENT,
    "customer.country": ABSENT | TEXT,
    "customer.ip": ABSENT,
    "customer.address": ABSENT | {"an object"},
    **{f"customer.address.{part}": ABSENT | TEXT for part in ADDRESS},
    **dict.fromkeys((f"order.paymentDetails.{part}" for part in ("threeDsToken", "cardToken")), ABSENT | {"a word"}),
    "order.paymentDetails.installments": ABSENT,
    **{f"order.paymentDetails.creditCard.{part}": ABSENT for part in ("brand", "installments", "skip3ds")},
    "order.paymentDetails.creditCard.skip3ds": ABSENT | {"true"},
    "order.paymentDetails.creditCard.holderName": TEXT,
    "order.paymentDetails.browser.javaEnabled": ABSENT | {"true"},
    "order.paymentDetails.browser.javascriptEnabled": frozenset({"true"}),
    **{f"order.paymentDetails.browser.{part}": frozenset({"a word"}) for part in ("userAgent", "acceptHeader", "language")},
    **{f"order.paymentDetails.browser.{part}": frozenset({"zero", "a number"}) for part in ("screenHeight", "screenWidth")},
    "order.paymentDetails.browser.timeZoneOffset": TIMES | {"a number"},
    "order.paymentDetails.browser.colorDepth": frozenset({"a number"}),
}
# What else is refused because of a bad value in this one.
_TWICE = "order.paymentDetails.creditCard.installments"
DRAGS: Mapping[str, frozenset[str]] = {
    "order.paymentMethod": frozenset({"order.paymentDetails", "order.bank"}),  # they are of one method alone
    "order.paymentDetails.installments": frozenset({_TWICE}),  # they are to be the same
    "order.paymentDetails.creditCard": frozenset({"order.paymentDetails.installments"}),  # there is no card that they are of
}


@cache
def good(method: str) -> dict[str, Any]:
    """A create by this method with everything that it may say."""
    terms = known_method(method)
    order: dict[str, Any] = {
        "externalId": "m-1", "paymentMethod": method, "description": "Flores", "returnUrl": "https://shop.example.com/back",
        "notificationUrl": "https://shop.example.com/hook", "amount": {"currency": terms.currency, "value": "123.45"},
        "accountId": "01a1fc68-d29a-73a9-ad7e-1f01b3fbc0a0",
    }  # fmt: skip
    if method == "CREDIT_CARD":
        order["paymentDetails"] = CARD
    if method == "DEPOSIT":
        order["bank"] = "banco-um"
    customer = {
        "name": "Benito", "entityType": "INDIVIDUAL", "document": {"type": "RFC", "number": "GODE561231GR8"},
        "email": "benito@example.com", "phone": "+525512345678", "birthDate": "1990-01-31", "country": "MX",
        "ip": "203.0.113.7", "address": ADDRESS,
    }  # fmt: skip
    return {"order": order, "customer": customer}


def answered(raw: bytes) -> tuple[Problem, ...] | None:
    """The problems of a create; None: nothing is wrong with it that is known without a look-up."""
    try:
        parsed = forms.parsed(raw)
    except forms.NotJson:
        return (Problem("body", "INVALID", "no JSON"),)
    verb = CREATE.parse(Incoming(COMPANY, {}, {}, raw, parsed, None))
    return tuple(p for p in verb.problems if isinstance(p, Problem)) if isinstance(verb, Refused) else None


@cache
def tried(name: str) -> list[Bad]:
    return [bad for bad in values(FIELDS[name]) if bad.label in TRIED]


@pytest.mark.parametrize("method", NAMES)
def test_a_bad_value_is_refused_by_name(method: str) -> None:
    whole, wrong = good(method), []
    assert answered(msgspec.json.encode(whole)) is None
    for field in FIELDS.values():
        for bad in tried(field.name):
            problems = answered(body(whole, field, bad))
            label = f"{field.name} {bad.label}"
            if problems is None:
                wrong += [] if bad.label in KEPT.get(field.name, ()) else [f"{label} was taken"]
                continue
            text = str(problems)
            wrong += [f"{label} echoes {part}" for part in (NUMBER, CVV, NUMBER[:6]) if part in text]
            others = [p.field for p in problems if not is_about(field, p.field)]
            wrong += [f"{label} blames {other}" for other in others if other not in DRAGS.get(field.name, ())]
    assert not wrong, "\n".join(wrong)


def is_about(field: Field, name: str) -> bool:
    """Whether a problem names the field, what it stands in, or what is missing in it."""
    return name in ("body", *field.above) or name.startswith((f"{field.name}.", f"{field.name}["))
