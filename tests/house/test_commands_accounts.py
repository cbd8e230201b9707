"""lastro account block, unblock and close: what they print, what is kept, and every no."""

from pathlib import Path
from typing import Any

import pytest

from lastro.config.settings import read

from .test_commands import _HOLDER, Office, environment


@pytest.fixture
def ana(own_database: Any, tmp_path: Path) -> Office:
    office = Office(read(environment(own_database, tmp_path)))
    office.types("company", "add", "Ana")
    office.types("account", "open", "1", *_HOLDER)
    return office


def test_an_account_is_blocked_unblocked_and_closed(ana: Office) -> None:
    (account,) = ana.asks("account", "list", "1")
    number = account["number"]
    blocked = ana.asks("account", "block", number, "--reason", "COURT_ORDER", "--description", " Order 7 ", "--by", "Olga")
    assert blocked == {
        "id": account["id"], "number": number.replace("-", ""), "status": "INACTIVE", "previousStatus": "ACTIVE",
        "reason": "COURT_ORDER", "description": "Order 7",
    }  # fmt: skip
    assert ana.asks("account", "show", number)["status"] == "INACTIVE"
    assert "is INACTIVE already" in ana.declined("account", "block", number, "--reason", "FRAUD_SUSPECTED")
    assert "is INACTIVE: only an active one" in ana.declined("account", "default", "1", number)
    assert ana.asks("account", "unblock", number, "--reason", "FRAUD_CLEARED")["description"] == "FRAUD_CLEARED"
    assert "is ACTIVE already" in ana.declined("account", "unblock", number, "--reason", "FRAUD_CLEARED")
    closed = ana.asks("account", "close", number, "--reason", "HOLDER_REQUEST")
    assert (closed["status"], closed["obstacles"]) == ("REQUESTED", [])
    for command, reason in (("close", "HOLDER_REQUEST"), ("block", "COURT_ORDER"), ("unblock", "COURT_ORDER")):
        assert "is CLOSED already" in ana.declined("account", command, number, "--reason", reason)


@pytest.mark.parametrize("wrong", [("--description", "a\nb"), ("--description", "x" * 141), ("--by", " ")])
def test_what_is_said_must_be_a_line(ana: Office, wrong: tuple[str, str]) -> None:
    number = ana.asks("account", "list", "1")[0]["number"]
    for command, reason in (("block", "COURT_ORDER"), ("close", "HOLDER_REQUEST")):
        assert wrong[0] in ana.declined("account", command, number, "--reason", reason, *wrong)
    assert ana.asks("account", "show", number)["status"] == "ACTIVE"
