"""lastro company fees, set-fees, remove-fees and fee-payer: what they print, what they keep, and every no."""

from pathlib import Path
from typing import Any

import pytest

from lastro.config.settings import read

from .office import Office, environment

_LATER = "2199-12-01"


@pytest.fixture
def ana(own_database: Any, tmp_path: Path) -> Office:
    office = Office(read(environment(own_database, tmp_path)))
    office.types("company", "add", "Ana")
    return office


def test_a_plan_is_entered_shown_and_taken_away(ana: Office) -> None:
    assert ana.asks("company", "fees", "1") == []
    first = ana.asks(
        "company", "set-fees", "1", "--method", "PIX", "--fixed", "0.10", "--percent", "0.99", "--additional", "0.05"
    )
    assert {**first, "id": "", "from": ""} == {
        "id": "", "direction": "IN", "paymentMethod": "PIX", "currency": "BRL", "fixed": "0.10", "percent": "0.99",
        "additional": "0.05", "payer": "RECEIVER", "from": "",
    }  # fmt: skip
    later = ana.asks(
        "company", "set-fees", "1", "--method", "PIX", "--percent", "1", "--payer", "CUSTOMER", "--from", _LATER
    )
    assert (later["percent"], later["payer"], later["from"]) == ("1.00", "CUSTOMER", f"{_LATER}T03:00:00.000000Z")
    ana.types("company", "set-fees", "1", "--method", "TED", "--direction", "OUT", "--fixed", "2")
    listed = ana.asks("company", "fees", "1")
    assert [(p["direction"], p["paymentMethod"], p["fixed"], p["payer"], p["until"]) for p in listed] == [
        ("IN", "PIX", "0.10", "RECEIVER", f"{_LATER}T03:00:00Z"), ("IN", "PIX", "0.00", "CUSTOMER", None),
        ("OUT", "TED", "2.00", None, None),
    ]  # fmt: skip
    ana.types("company", "remove-fees", "1", later["id"].upper())
    assert [p["until"] for p in ana.asks("company", "fees", "1")] == [None, None]
    assert "has begun" in ana.declined("company", "remove-fees", "1", first["id"])
    ana.types("company", "set-fees", "1", "--method", "PIX")
    everything = ana.asks("company", "fees", "1", "--all")
    assert [(p["fixed"], p["until"] is None, p["removedAt"] is None) for p in everything] == [
        ("0.10", False, True), ("0.00", True, True), ("2.00", True, True), ("0.00", True, False),
    ]  # fmt: skip
    head, *rows = ana.types("company", "fees", "1").splitlines()
    assert head.split()[:4] == ["id", "direction", "payment", "method"]
    assert len(rows) == 2


def test_a_method_is_paid_in_its_own_currency(ana: Office) -> None:
    made = ana.asks("company", "set-fees", "1", "--method", "OXXO", "--fixed", "3.50")
    assert (made["currency"], made["fixed"]) == ("MXN", "3.50")


def test_who_bears_fees_where_nothing_is_said(ana: Office) -> None:
    assert ana.asks("company", "show", "1")["feePayer"] == "RECEIVER"
    ana.types("company", "set-fees", "1", "--method", "PIX", "--fixed", "1")
    assert ana.asks("company", "fee-payer", "1", "CUSTOMER")["feePayer"] == "CUSTOMER"
    assert ana.asks("company", "show", "1")["feePayer"] == "CUSTOMER"
    ana.types("company", "set-fees", "1", "--method", "BOLETO", "--fixed", "1")
    assert {p["paymentMethod"]: p["payer"] for p in ana.asks("company", "fees", "1")} == {
        "BOLETO": "CUSTOMER",
        "PIX": "RECEIVER",
    }
    assert "no company" in ana.declined("company", "fee-payer", "9", "CUSTOMER")


def test_every_no_is_a_sentence_and_enters_nothing(ana: Office) -> None:
    for words, said in (
        (("--method", "pix"), "method must be"),
        (("--method", "BOLETO", "--direction", "OUT"), "method must be one by which payouts go"),
        (("--method", "PIX", "--direction", "OUT", "--payer", "CUSTOMER"), "payer is not said of payouts"),
        (("--method", "PIX", "--fixed", "0,10"), "--fixed must be"),
        (("--method", "PIX", "--fixed", "0.001"), "--fixed must have"),
        (("--method", "PIX", "--additional=-1"), "--additional must be"),
        (("--method", "PIX", "--percent", "0.995"), "--percent must be"),
        (("--method", "PIX", "--percent", "100.01"), "percent must be from 0.00 to 100.00"),
        (("--method", "PIX", "--from", "tomorrow"), "--from must be"),
        (("--method", "PIX", "--from", "2026-02-30"), "--from must be"),
        (("--method", "PIX", "--from", "2001-01-01"), "from must not have passed"),
        (("--method", "PIX", "--from", "2001-01-01T00:00:00-03:00"), "from must not have passed"),
    ):
        assert said in ana.declined("company", "set-fees", "1", *words)
    assert "no company" in ana.declined("company", "set-fees", "9", "--method", "PIX")
    assert "no company" in ana.declined("company", "fees", "9")
    assert "no id of a plan" in ana.declined("company", "remove-fees", "1", "PIX")
    assert "is none of this company's" in ana.declined("company", "remove-fees", "1", "01a1fbcf-296c-70f9-8ca2-a1087e5736af")
    ana.types("company", "set-fees", "1", "--method", "PIX", "--from", _LATER)
    assert "another plan of this method begins" in ana.declined(
        "company", "set-fees", "1", "--method", "PIX", "--from", _LATER
    )
    assert len(ana.asks("company", "fees", "1", "--all")) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("fees",), ("set-fees", "1"), ("set-fees", "1", "--method", "PIX", "--direction", "UP"), ("remove-fees", "1"),
        ("set-fees", "1", "--method", "PIX", "--payer", "ANA"), ("fee-payer", "1"), ("fee-payer", "1", "ANA"),
    ],
)  # fmt: skip
def test_what_is_no_command_ends_with_two(ana: Office, words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        ana.types("company", *words)
    assert ended.value.code == 2
