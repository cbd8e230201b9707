"""The Python client's check of webhooks, by the vectors that receivers in every language are given."""

import json
from typing import Any

import pytest
from tests.house.tree import ROOT
from tests.in_one import in_one_test

from lastro_client import WebhookRefused, verified

_SAID = json.loads((ROOT / "docs/examples/webhooks/vectors.json").read_text(encoding="utf-8"))["vectors"]
STANDARD = {one["name"]: one for one in _SAID if one["form"] == "standard"}
GOOD = next(one for one in STANDARD.values() if one["valid"])


def believed(one: dict[str, Any]) -> bool:
    try:
        verified(one["secret"], one["headers"], one["body"].encode(), now=one["now"])
    except (WebhookRefused, ValueError):
        return False
    return True


@in_one_test("name", STANDARD, str)
def test_the_good_are_believed_and_the_forged_refused(name: str) -> None:
    one = STANDARD[name]
    # A receiver that reads JSON alone refuses what is none, however well it is signed.
    is_json = True
    try:
        json.loads(one["body"])
    except ValueError:
        is_json = False
    assert believed(one) == (one["valid"] and is_json)


def test_a_body_written_again_is_refused_and_a_parsed_one_not_taken() -> None:
    again = json.dumps(json.loads(GOOD["body"]), indent=2).encode()
    with pytest.raises(WebhookRefused, match="not the bytes as they arrived"):
        verified(GOOD["secret"], GOOD["headers"], again, now=GOOD["now"])
    with pytest.raises(TypeError, match="bytes as they arrived"):
        verified(GOOD["secret"], GOOD["headers"], json.loads(GOOD["body"]), now=GOOD["now"])


def test_an_old_one_is_refused() -> None:
    with pytest.raises(WebhookRefused, match="too far from now"):
        verified(GOOD["secret"], GOOD["headers"], GOOD["body"].encode(), now=GOOD["now"] + 301)
    event = verified(GOOD["secret"], GOOD["headers"], GOOD["body"].encode(), now=GOOD["now"] + 301, tolerance=600)
    assert event.id == GOOD["headers"]["webhook-id"]


def test_no_secret_is_no_secret() -> None:
    for none in ("", "whsec_", "secret"):
        with pytest.raises(ValueError, match="whsec_ and base64"):
            verified(none, GOOD["headers"], GOOD["body"].encode(), now=GOOD["now"])
