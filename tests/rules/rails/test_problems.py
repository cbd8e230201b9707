"""What a network's no is called, in whichever of the usual forms it comes."""

import msgspec
import pytest

from lastro.rails.messages import is_its_own, problem


@pytest.mark.parametrize(
    ("body", "code", "is_own"),
    [
        ({"type": "NotFound", "title": "gone"}, "NotFound", True),
        ({"type": "https://dict.example/api/v2/error/NotFound"}, "NotFound", True),
        ({"error": "AC03"}, "AC03", False), ({"type": "about:blank", "title": "Forbidden"}, "about:blank", False),
        ({"type": ""}, "HTTP404", False), ({}, "HTTP404", False), ([], "HTTP404", False), ("text", "HTTP404", False),
    ],
)  # fmt: skip
def test_a_no_has_a_word(body: object, code: str, is_own: bool) -> None:
    raw = msgspec.json.encode(body)
    assert (problem(404, raw)[0], is_its_own(raw)) == (code, is_own)


def test_what_is_no_json_has_none() -> None:
    assert problem(502, b"<html>") == ("HTTP502", "answered with HTTP status 502")
