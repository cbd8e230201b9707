"""The keys of a connection that subscriptions need: refused at the start, each with its key."""

from pathlib import Path

import pytest

from .test_banks_file import folder, good, problems, toml

__all__ = ["folder"]
MISTAKES: list[tuple[str, dict[str, str | None], str]] = [
    ("no branch", {"bank_branch": '"00011"'}, "[efi1] bank_branch must be up to 4 digits"),
    ("no kind", {"account_kind": '"SALARIO"'}, "[efi1] account_kind must be one of CORRENTE, POUPANCA, PAGAMENTO"),
    ("subscriptions without an account", {"capabilities": '["cob", "rec"]'}, "[efi1] bank_account is not set"),
    (
        "subscriptions without orders",
        {"capabilities": '["rec"]', "bank_account": '"1"'},
        "[efi1] capabilities has rec without",
    ),
    (
        "subscriptions without scopes",
        {"capabilities": '["cob", "rec"]', "bank_account": '"1"', "scopes": '["cob.read", "rec.read"]'},
        "[efi1] scopes lacks cobr.read, cobr.write, payloadlocationrec.read, payloadlocationrec.write, rec.write",
    ),
]


@pytest.mark.parametrize(("changes", "sentence"), [row[1:] for row in MISTAKES], ids=[row[0] for row in MISTAKES])
def test_each_mistake_is_named_with_its_key(folder: Path, changes: dict[str, str | None], sentence: str) -> None:
    [told] = problems(folder, toml(**changes))
    assert told.startswith(sentence)


def test_with_the_capability_the_scopes_are_asked_for(folder: Path) -> None:
    made = good(folder, toml(capabilities='["cob", "refund", "rec"]', bank_account='"400001"'))
    assert made.makes_subscriptions
    assert {"rec.write", "cobr.write", "payloadlocationrec.write", "webhookrec.write", "cob.write"} <= set(made.scopes)
    assert made.webhooks[-2:] == ("webhookrec", "webhookcobr")
    plain = good(folder, toml())
    assert not plain.makes_subscriptions
    assert "rec.write" not in plain.scopes
    assert plain.receiver_account is None
