"""From the code to the payer's word."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from lastro.standards import brcode, recurrence_payload
from lastro.standards.payload import Debtor
from lastro.standards.recurrence_payload import Receiver, Update
from lastro.subscriptions.model import TYPES, AuthorizingPayer, NamedParty, Timing
from lastro.subscriptions.rules.authorizing import (
    answer_code,
    authorization_problem,
    first_payment_problem,
    is_same_word,
    lapses_at,
    maximum_problem,
    payload_of,
    window_ends,
)

from .values import CREATED, SUBSCRIPTION, TERMS, brl, subscription

PENDING = replace(SUBSCRIPTION, state="PENDING_AUTHORIZATION")
PAID_AT_ONCE = replace(PENDING, type=TYPES[1], order_expires_at=CREATED + timedelta(hours=24))
RECEIVER = Receiver(name="Loja", cnpj="11222333000181", ispb="99999010")


def test_the_payload_says_what_was_agreed() -> None:
    history = [("INITIAL", CREATED), ("PENDING_AUTHORIZATION", CREATED), ("ACCEPTED", CREATED + timedelta(hours=1))]
    ours = replace(SUBSCRIPTION, terms=replace(TERMS, ends_on=date(2027, 12, 10), floor=brl("5")))
    found = payload_of(ours, RECEIVER, history)
    assert found.updates == (
        Update(status="CRIADA", at=CREATED),
        Update(status="APROVADA", at=CREATED + timedelta(hours=1)),
    )
    assert (found.contract, found.purpose, found.frequency, found.retries) == ("contract-12", "Jornal", "MONTHLY", True)
    assert (found.amount, found.floor) == (None, "5.00")
    assert found.debtor == Debtor(name="Ana", document_type="CPF", document="12345678909")
    assert recurrence_payload.decode(recurrence_payload.encode(found)) == found
    fixed = payload_of(replace(ours, terms=replace(TERMS, fixed=brl("35"))), RECEIVER, history[:2])
    assert (fixed.amount, fixed.floor, fixed.ends_on) == ("35.00", None, None)
    assert fixed.updates == (Update(status="CRIADA", at=CREATED),)


def test_our_codes_have_the_shape_of_the_published_ones() -> None:
    """Journey 2: nothing in 26 but whose it is, and no field 01. Journey 3: the charge in 26, for one use. Both: 80."""
    token, recurrence = "0" * 22, "127.0.0.1:8080/qr/v2/rec/" + "1" * 22
    shop = brcode.BrCode(merchant_name="Loja", merchant_city="São Paulo", recurrence_location=recurrence)
    journey_2 = brcode.encode(shop)
    assert journey_2.startswith("00020126180014br.gov.bcb.pix52040000")
    assert f"62070503***80690014br.gov.bcb.pix2547{recurrence}6304" in journey_2
    journey_3 = brcode.encode(replace(shop, location=f"127.0.0.1:8080/qr/v2/{token}", single_use=True))
    assert journey_3.startswith(f"00020101021226650014br.gov.bcb.pix2543127.0.0.1:8080/qr/v2/{token}52040000")
    assert f"62070503***80690014br.gov.bcb.pix2547{recurrence}6304" in journey_3
    assert brcode.decode(journey_3).recurrence_location == brcode.decode(journey_2).recurrence_location == recurrence
    assert brcode.decode(journey_2).location is None


@pytest.mark.parametrize(
    ("ours", "ends_at"),
    [
        (PENDING, None),
        (replace(PENDING, lapses_at=CREATED + timedelta(days=30)), CREATED + timedelta(days=30)),
        (PAID_AT_ONCE, CREATED + timedelta(hours=24)),
    ],
)
def test_until_when_it_may_be_authorized(ours: Any, ends_at: datetime | None) -> None:
    assert window_ends(ours) == ends_at


@pytest.mark.parametrize(
    ("ends_on", "window", "ends_at"),
    [
        # The code of journey 2 lives until its end date (pix-api#629), also longer than the 30 days of journey 1's request.
        (None, None, None),
        (date(2026, 12, 11), None, datetime(2026, 12, 12, 3, tzinfo=UTC)),
        (date(2028, 12, 31), None, datetime(2029, 1, 1, 3, tzinfo=UTC)),
        (None, 2, CREATED + timedelta(days=2)),
        (date(2028, 12, 31), 2, CREATED + timedelta(days=2)),
        (date(2026, 11, 24), 30, datetime(2026, 11, 25, 3, tzinfo=UTC)),
    ],
)
def test_the_life_of_a_code_is_decided_when_it_is_made(
    ends_on: date | None, window: int | None, ends_at: datetime | None
) -> None:
    timing = Timing(window=None if window is None else timedelta(days=window))
    assert lapses_at(replace(TERMS, ends_on=ends_on), CREATED, timing) == ends_at


@pytest.mark.parametrize(
    ("terms", "maximum", "problem"),
    [
        ({}, None, None),
        ({}, "0.01", None),
        ({"floor": brl("10")}, None, None),
        ({"floor": brl("10")}, "9.99", "BELOW_FLOOR"),
        ({"floor": brl("10")}, "10", None),
        ({"fixed": brl("10")}, None, None),
        ({"fixed": brl("10")}, "100", "MAXIMUM_NOT_ALLOWED"),
    ],
)
def test_the_maximum_of_a_payer(terms: dict[str, Any], maximum: str | None, problem: str | None) -> None:
    money = None if maximum is None else brl(maximum)
    ours = replace(subscription(**terms), state="PENDING_AUTHORIZATION")
    assert maximum_problem(ours.terms, money) == problem
    assert authorization_problem(ours, CREATED, money) == problem
    paid = replace(ours, type=TYPES[1])
    assert first_payment_problem(paid, "12345678909", money) == problem


LAST = CREATED + timedelta(days=30)


@pytest.mark.parametrize(
    ("changes", "at", "problem"),
    [
        ({}, LAST - timedelta(microseconds=1), None),
        ({}, LAST, "WINDOW_OVER"),
        ({"type": TYPES[1]}, CREATED, "OTHER_JOURNEY"),
        *(({"state": s}, CREATED, "NOT_PENDING") for s in ("INITIAL", "ACCEPTED", "REJECTED", "CANCELED", "ERROR")),
    ],
)
def test_when_an_authorization_is_taken(changes: dict[str, Any], at: datetime, problem: str | None) -> None:
    assert authorization_problem(replace(PENDING, lapses_at=LAST, **changes), at, None) == problem


@pytest.mark.parametrize(
    ("changes", "document", "problem"),
    [
        ({}, "98765432100", None),
        ({"only_payer": "12345678909"}, "12345678909", None),
        ({"only_payer": "12345678909"}, "98765432100", "OTHER_PAYER"),
        ({"type": TYPES[0]}, "98765432100", "OTHER_JOURNEY"),
        *(({"state": s}, "98765432100", "NOT_PENDING") for s in ("INITIAL", "ACCEPTED", "REJECTED", "CANCELED", "ERROR")),
    ],
)
def test_when_a_first_payment_is_taken(changes: dict[str, Any], document: str, problem: str | None) -> None:
    assert first_payment_problem(replace(PAID_AT_ONCE, **changes), document, None) == problem


PAYER = AuthorizingPayer(NamedParty("Bento", "CPF", "11144477735"), "87654321", "123456", "0002", "3550308")


@pytest.mark.parametrize(
    ("ours", "said", "maximum", "is_same"),
    [
        ({}, {}, "50", True),
        ({}, {"person": NamedParty("BENTO", "CPF", "11144477735"), "ibge_code": None}, "50", True),
        ({}, {}, "60", False),
        ({}, {}, None, False),
        ({}, {"person": NamedParty("Bento", "CPF", "52998224725")}, "50", False),
        ({}, {"account": "9"}, "50", False),
        ({}, {"branch": None}, "50", False),
        ({}, {"ispb": "99999020"}, "50", False),
        ({"state": "CANCELED"}, {}, "50", False),
        ({"state": "PENDING_AUTHORIZATION"}, {}, "50", False),
        ({"type": TYPES[1]}, {}, "50", False),
        ({"payer": None}, {}, "50", False),
    ],
)
def test_who_says_the_same_once_more_says_the_very_same(
    ours: dict[str, Any], said: dict[str, Any], maximum: str | None, is_same: bool
) -> None:
    known = replace(SUBSCRIPTION, **{"state": "ACCEPTED", "payer": PAYER, "maximum": brl("50"), **ours})
    assert is_same_word(known, replace(PAYER, **said), None if maximum is None else brl(maximum)) == is_same


def test_a_recurrence_that_is_not_there_has_a_code_of_its_own() -> None:
    assert (answer_code(None), answer_code("BELOW_FLOOR"), answer_code("NOT_PENDING")) == ("MIDI", "AP13", "AP13")
