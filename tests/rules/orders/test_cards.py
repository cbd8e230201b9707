"""The decisions of card payments: what is wrong with a card, what follows from each result, what a decline means."""

from datetime import date
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.in_one import in_one_test

from lastro.api_kit import forms
from lastro.orders.cards.declines import DECLINES, decline_of
from lastro.orders.cards.forms import CARD_NAMES, wish_of
from lastro.orders.cards.model import CardWish
from lastro.orders.cards.rules import RESULTS, consequence, expiry_problem, masked_document, refusal_of
from lastro.orders.forms import CreateOrder
from lastro.rails.messages import code_or
from lastro.standards.cards import Expiry
from lastro.web.operations import compared_fields

if TYPE_CHECKING:
    from lastro.core.errors import Problem

NUMBER, AMEX, ELO = "4111111111111111", "378282246310005", "6362970000457013"
CARD = {"holderName": "Benito", "holderDocument": "GOD**********", "number": NUMBER, "cvv": "123", "expiry": "12/49"}
BROWSER = {
    "userAgent": "Mozilla/5.0", "acceptHeader": "*/*", "language": "es-MX", "colorDepth": 24, "screenHeight": 900,
    "screenWidth": 1440, "timeZoneOffset": 360, "javascriptEnabled": True,
}  # fmt: skip
ABOVE = "order.paymentDetails"


def read(details: Any, method: str = "CREDIT_CARD") -> tuple[CardWish | None, CreateOrder, list[tuple[str, str]]]:
    body = {"order": {"paymentMethod": method, "paymentDetails": details}}
    raw = msgspec.json.encode(body)
    form, problems = forms.read(raw, CreateOrder)
    found = [p for p in problems if p.field.startswith(ABOVE)]
    wish = wish_of(form.order.payment_details, method, found)
    return wish, form, [(p.field.removeprefix(f"{ABOVE}.creditCard."), p.issue) for p in found]


def typed(**changes: Any) -> dict[str, Any]:
    return {"creditCard": {n: v for n, v in {**CARD, **changes}.items() if v is not None}, "browser": BROWSER}


@in_one_test(
    ("details", "problems"),
    [
        (typed(), []),
        (typed(number=AMEX, cvv="1234", brand="AMEX", installments=24), []),
        (typed(holderDocument="GODE561231GR8"), []),
        ({"cardToken": "lct_1", "browser": BROWSER, "installments": 3}, []),
        ({"creditCard": {**CARD, "skip3ds": True}}, []),
        (typed(number="4111111111111112"), [("number", "INVALID")]),
        (typed(number="4111 1111 1111 1111"), [("number", "INVALID")]),
        (typed(number="6011111111111117"), [("number", "NOT_SUPPORTED")]),
        (typed(number=None), [("number", "REQUIRED")]),
        (typed(brand="MASTERCARD"), [("brand", "MISMATCH")]),
        (typed(number=ELO, brand="VISA"), [("brand", "MISMATCH")]),
        (typed(brand="VIZA"), [("brand", "INVALID")]),
        (typed(cvv="1234"), [("cvv", "INVALID")]),
        (typed(number=AMEX), [("cvv", "INVALID")]),
        (typed(cvv="12a"), [("cvv", "INVALID")]),
        (typed(cvv=None), [("cvv", "REQUIRED")]),
        (typed(expiry="13/49"), [("expiry", "INVALID")]),
        (typed(expiry="12/2049"), [("expiry", "INVALID")]),
        (typed(holderDocument="GODE*******"), [("holderDocument", "INVALID")]),
        (typed(holderName=None), [("holderName", "REQUIRED")]),
        (typed(installments=25), [("installments", "OUT_OF_RANGE")]),
        (typed(installments=0), [("installments", "OUT_OF_RANGE")]),
        ({**typed(installments=2), "installments": 3}, [("installments", "MISMATCH")]),
        ({**typed(), "cardToken": "lct_1"}, [(f"{ABOVE}.cardToken", "MUTUALLY_EXCLUSIVE")]),
        ({"browser": BROWSER}, [(f"{ABOVE}.creditCard", "REQUIRED")]),
        (
            {"browser": BROWSER, "installments": 3},
            [(f"{ABOVE}.creditCard", "REQUIRED"), (f"{ABOVE}.installments", "NOT_ALLOWED")],
        ),
        ({"creditCard": CARD}, [(f"{ABOVE}.browser", "REQUIRED")]),
        ({**typed(), "browser": {**BROWSER, "language": None}}, [(f"{ABOVE}.browser.language", "REQUIRED")]),
        (None, [(ABOVE, "REQUIRED")]),
    ],
)
def test_what_is_wrong_with_a_card(details: Any, problems: list[tuple[str, str]]) -> None:
    wish, form, found = read(details)
    assert found == problems
    assert wish is not None or problems
    # Whatever is wrong: what was typed is in the form no more.
    assert form.order.payment_details is None or form.order.payment_details.credit_card is None


def test_another_method_has_no_card() -> None:
    wish, form, found = read(typed(), "PIX")
    assert (wish, found) == (None, [(ABOVE, "NOT_ALLOWED")])
    assert form.order.payment_details is not None
    assert form.order.payment_details.credit_card is None


def test_what_was_typed_cannot_be_printed_or_stored() -> None:
    wish, form, _ = read(typed())
    assert wish is not None
    assert wish.typed is not None
    assert (wish.typed.brand, wish.typed.holder) == ("VISA", {"name": "Benito", "document": "GOD**********"})
    assert NUMBER not in f"{wish!r} {wish} {form!r}"
    assert "123" not in repr(wish.typed.code)
    with pytest.raises(TypeError):
        msgspec.json.encode(wish.typed)
    assert CARD.keys() <= CARD_NAMES


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("123*******", "123*******"), ("123.***.***-**", "123********"), ("123.456.789-09", "123********"),
        ("GODE561231GR8", "GOD**********"), ("12*****", None), ("1234****", None), ("***", None), ("", None), ("12345", None),
    ],
)  # fmt: skip
def test_a_document_shows_three_characters(text: str, masked: str | None) -> None:
    assert masked_document(text) == masked


@pytest.mark.parametrize(
    ("expiry", "today", "issue"),
    [
        (Expiry(2026, 11), date(2026, 11, 30), None),
        (Expiry(2026, 11), date(2026, 12, 1), "EXPIRED"),
        (Expiry(2027, 1), date(2026, 12, 31), None),
    ],
)
def test_a_card_is_good_until_the_last_day_of_its_month(expiry: Expiry, today: date, issue: str | None) -> None:
    found = expiry_problem(expiry, today, "x")
    assert (None if found is None else found.issue) == issue


@in_one_test(
    ("status", "challenged", "skips", "takes", "action", "flow"),
    [
        ("Y", False, False, False, "authorize", "FRICTIONLESS"),
        ("A", False, False, False, "authorize", "FRICTIONLESS"),
        ("C", False, False, False, "challenge", "CHALLENGE"),
        ("D", False, False, False, "challenge", "DECOUPLED"),
        ("N", False, False, True, "fail", None),
        ("R", False, False, True, "fail", None),
        ("U", False, False, False, "fail", None),
        ("U", False, False, True, "authorize", "FRICTIONLESS"),
        ("I", False, False, False, "fail", None),
        ("I", False, False, True, "authorize", "FRICTIONLESS"),
        ("S", False, True, False, "authorize", "SKIPPED"),
        ("S", False, False, True, "fail", None),
        ("Y", False, True, True, "fail", None),
        ("Y", True, False, False, "authorize", None),
        ("A", True, False, False, "authorize", None),
        ("U", True, False, True, "authorize", None),
        ("U", True, False, False, "fail", None),
        ("N", True, False, True, "fail", None),
        ("R", True, False, True, "fail", None),
        ("C", True, False, True, "fail", None),
        ("D", True, False, True, "fail", None),
        ("I", True, False, True, "fail", None),
        ("X", False, False, True, "fail", None),
    ],
)
def test_each_result_has_a_consequence_of_its_own(
    status: str, challenged: bool, skips: bool, takes: bool, action: str, flow: str | None
) -> None:
    found = consequence(status, challenged=challenged, skips=skips, takes_unauthenticated=takes)
    assert (found.action, found.flow) == (action, flow)
    assert refusal_of(status, found).startswith(f"3DS {status}: ")


def test_all_eight_results_are_known() -> None:
    assert RESULTS.keys() == {"Y", "A", "C", "D", "N", "U", "R", "I", "S"}


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("51", "51: insufficient balance or limit; the same card may be tried again"),
        ("57", "57: the transaction is not allowed for this card; do not try this card again"),
        ("ZZ", "ZZ: refused by the network"),
    ],
)
def test_a_decline_says_whether_to_try_again(code: str, message: str) -> None:
    assert decline_of(code).message == message


def test_codes_of_cards_that_are_gone_are_irreversible() -> None:
    gone = {code for code, decline in DECLINES.items() if decline.is_reversible is False}
    assert {"14", "41", "43", "46", "54", "57"} <= gone
    assert gone.isdisjoint({"05", "51", "59", "65", "91"})


def test_no_problem_echoes_what_was_typed() -> None:
    secret = "4242424242424241"
    problems: list[Problem] = []
    form, found = forms.read(
        msgspec.json.encode({"order": {"paymentDetails": {"creditCard": dict.fromkeys(CARD, secret)}}}), CreateOrder
    )
    wish_of(form.order.payment_details, "CREDIT_CARD", problems)
    assert len([*problems, *found]) > 3
    assert secret not in str([*problems, *found])


def test_a_card_at_a_place_that_is_not_read_is_not_compared_either() -> None:
    typed = {"number": NUMBER, "cvv": "123", "brand": "VISA"}
    body = {"order": {"creditCard": typed, "paymentDetails": {**typed, "installments": 3}, "list": [typed]}, "number": "7"}
    left = compared_fields(body, ("order", CARD_NAMES))
    brand = {"brand": "VISA"}
    assert left == {
        "order": {"creditCard": brand, "paymentDetails": {**brand, "installments": 3}, "list": [brand]}, "number": "7",
    }  # fmt: skip
    assert compared_fields(body, None) is body
    assert compared_fields({"order": 1}, ("order", CARD_NAMES)) == {"order": 1}
    assert compared_fields({**typed, "installments": 3}, ("", CARD_NAMES)) == {**brand, "installments": 3}, (
        "a card by itself"
    )


@pytest.mark.parametrize("agent", ["a\x00b", "a\nb", "\r", "é"])
def test_a_browser_says_what_a_header_may(agent: str) -> None:
    details = {"creditCard": CARD, "browser": {**BROWSER, "userAgent": agent}}
    _, problems = forms.read(msgspec.json.encode({"order": {"paymentDetails": details}}), CreateOrder)
    assert "order.paymentDetails.browser.userAgent" in {p.field for p in problems}


def test_a_card_form_prints_nothing_of_its_card() -> None:
    form, _ = forms.read(msgspec.json.encode({"order": {"paymentDetails": {"creditCard": CARD}}}), CreateOrder)
    assert NUMBER not in repr(form)


@pytest.mark.parametrize(
    ("code", "told"),
    [("BAD_CARD", "BAD_CARD"), (f"no {NUMBER}", "HTTP422"), (NUMBER, "HTTP422"), ("12345678", "HTTP422"), ("x" * 33, "HTTP422"),
     ("", "HTTP422")],
)  # fmt: skip
def test_a_partners_word_is_shown_where_it_is_one(code: str, told: str) -> None:
    assert code_or(code, "HTTP422") == told
