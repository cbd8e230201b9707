"""A text of a request is seen as it is: nothing in it turns, hides or covers what stands beside it."""

import msgspec
import pytest

from lastro.api_kit import forms


class _Named(forms.Form):
    name: forms.Name
    code: forms.ExternalId | None = None


@pytest.mark.parametrize(
    "text",
    [
        "Ana\u202eoibaF",
        "Ana\u2066",
        "Ana\u200b",
        "A\u00adna",
        "\ufeffAna",
        "Ana\u3164",
        "Ana\ufe0f",
        "Ana\u200d",
        "Ana\U000e0041",
        "a" + "\u0301" * 4,
    ],
)
def test_what_nobody_sees_is_refused(text: str) -> None:
    """A text that turns, hides or covers what stands beside it would make a page show another name or amount."""
    for field in ("name", "code"):
        _, problems = forms.read(msgspec.json.encode({"name": "Ana", field: text}), _Named)
        assert [(p.field, p.issue) for p in problems] == [(field, "INVALID")]


@pytest.mark.parametrize("text", ["José", "Jose\u0301", "👨\u200d👩\u200d👧", "❤\ufe0f", "שלום", "D'Ávila & Cia."])
def test_what_people_write_is_taken(text: str) -> None:
    assert forms.read(msgspec.json.encode({"name": text}), _Named)[1] == []
