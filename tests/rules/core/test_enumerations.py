"""A value that is none of an enumeration's words is told the words, whichever way the form declares them."""

from typing import Annotated, Literal

import msgspec

from lastro.api_kit import forms
from lastro.api_kit.paging import read_choice
from lastro.core.errors import Problem
from lastro.keys.forms import CHANNEL


class Form(forms.Form):
    by_literal: Literal["PIX", "TED"] | None = None
    by_pattern: CHANNEL | None = None
    no_choice: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,3}$(?!\n)")] | None = None


def told(body: bytes) -> list[Problem]:
    _, problems = forms.read(body, Form)
    return problems


def test_the_words_are_told() -> None:
    assert told(b'{"byLiteral": "BOLETO", "byPattern": "PIGEON", "noChoice": "x"}') == [
        Problem("byLiteral", "INVALID", "must be one of PIX, TED"),
        Problem("byPattern", "INVALID", "must be one of EMAIL, SMS, WHATSAPP, email, sms, whatsapp"),
        Problem("noChoice", "INVALID", "has a character that is not allowed here"),
    ]


def test_a_query_is_told_them_too() -> None:
    problems: list[Problem] = []
    assert read_choice({"status": "LOST"}, "status", frozenset({"PAID", "ERROR"}), problems) is None
    assert read_choice({"method": "CASH"}, "method", ("PIX", "TED"), problems) is None
    assert [p.description for p in problems] == ["must be one of ERROR, PAID", "must be one of PIX, TED"]
