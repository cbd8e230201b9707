"""The clients in clients/: what is made of the document is as it is made now, and everything has its place."""

import json
import tomllib

from clients.generate.__main__ import made_for_python
from clients.generate.document import operations, prepared, served

from lastro_client import AsyncClient, Client
from lastro_client.cures import cure_of

from .tree import ROOT


def test_the_committed_code_is_what_is_made() -> None:
    made = made_for_python()
    different = [str(path) for path, text in made.items() if (ROOT / path).read_text(encoding="utf-8") != text]
    assert not different, f"{different} are not of this document: run `make clients`"


def test_every_operation_behind_a_token_is_a_method() -> None:
    document = prepared(served())
    ids = {one.id for one in operations(document)}
    assert len(ids) > 80
    for client in (Client, AsyncClient):
        assert [name for name in ids if not callable(getattr(client, name, None))] == []
    lists = {one.id for one in operations(document) if any(p["name"] == "cursor" for p in one.parameters("query"))}
    assert {name for name in lists if not hasattr(Client, f"iterate_{name.partition('_')[2]}")} == set()


def test_every_refusal_has_its_cure() -> None:
    assert cure_of("create_refund", 400, "amount", "INSUFFICIENT_FUNDS")
    assert cure_of("create_order", 400, "host", "NOT_ALLOWED") == cure_of("read_order", 400, "host", "NOT_ALLOWED") != ""
    assert cure_of("read_order", 404, "", "") == "Look at the id."
    assert cure_of("read_order", 400, "colour", "BLUE") == ""


def test_its_version_is_lastros() -> None:
    ours, client = (
        tomllib.loads((ROOT / p / "pyproject.toml").read_text(encoding="utf-8")) for p in (".", "clients/python")
    )
    assert client["project"]["version"] == ours["project"]["version"]
    package = json.loads((ROOT / "clients/typescript/package.json").read_text(encoding="utf-8"))
    assert package["version"] == ours["project"]["version"]
    assert "dependencies" not in package
