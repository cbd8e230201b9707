"""That a storm sees each key which is ACTIVE here and elsewhere in the directory, or the other way round."""

from typing import Any

import pytest
from tests.world.whole.keys import differences

_OURS, _OUTSIDE = "99999010", "99999030"


def key(name: str, number: str = "000000019") -> dict[str, str]:
    return {"key": name, "branch": "0001", "number": number}


def entry(name: str, ispb: str = _OURS, account: str = "000000019") -> dict[str, Any]:
    return {"key": name, "status": "ACTIVE", "bank": {"ispb": ispb, "name": "A", "branch": "0001", "account": account}}


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ([key("a")], [entry("a"), entry("b", _OUTSIDE)], None),
        ([], [], None),
        ([key("a")], [entry("a", _OUTSIDE)], "the directory has it at ('99999030'"),
        ([key("a")], [], "the directory has it at no bank"),
        ([key("a")], [entry("a", account="000000027")], "'000000027'"),
        ([], [entry("a")], "not ACTIVE here"),
        ([key("a"), key("a")], [entry("a")], "twice"),
    ],
    ids=["agree", "empty", "another bank", "no bank", "another account", "ours there alone", "two companies"],
)
def test_a_key_is_on_both_sides_at_the_same_account(
    ours: list[dict[str, str]], theirs: list[dict[str, Any]], said: str | None
) -> None:
    found = differences(ours, theirs)
    assert len(found) == (said is not None), found
    assert said is None or said in found[0]
