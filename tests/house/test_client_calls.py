"""The calls that the reference shows in Python and TypeScript are right: mypy and tsc read them all, against the clients."""

import ast
from pathlib import Path
from typing import Any

from clients.generate.document import served
from mypy import api as mypy
from tests import typescript

from lastro.web.openapi import calls, reference

from .tree import ROOT

_PYTHON = '''"""Every call of the reference."""

from pathlib import Path

from lastro_client import Client, File


def called(lastro: Client) -> None:
'''
_TYPESCRIPT = """import { readFile } from "node:fs/promises";

import { createClient } from "../src/index.js";

const lastro = createClient({ baseUrl: "", clientId: "", clientSecret: "" });
void readFile;
"""


def operations() -> list[Any]:
    document = reference.inlined(served())
    every = [one for item in document["paths"].values() for one in item.values()]
    return [one for one in every if calls.by_clients(one)]


def test_every_operation_of_the_clients_has_both() -> None:
    every = operations()
    assert len(every) > 80
    for one in every:
        assert [name for name, _ in calls.by_clients(one)] == ["Python", "TypeScript"]
        (call,) = [node for node in ast.walk(ast.parse(calls.python(one))) if isinstance(node, ast.Call)][:1]
        assert isinstance(call.func, ast.Attribute)
        assert call.func.attr == one["operationId"]


def test_python_takes_them(tmp_path: Path) -> None:
    lines = [f"    def _{one['operationId']}() -> None:\n" + indented(calls.python(one), 8) for one in operations()]
    names = [f"    _{one['operationId']}()\n" for one in operations()]
    file = tmp_path / "calls.py"
    file.write_text(_PYTHON + "\n".join(lines) + "\n" + "".join(names), encoding="utf-8")
    said, complained, status = mypy.run(["--strict", "--config-file", str(ROOT / "pyproject.toml"), str(file)])
    assert status == 0, said + complained


def test_typescript_takes_them(tmp_path: Path) -> None:
    (tmp_path / "examples").mkdir()
    for name in ("src", "tsconfig.json", "package.json"):
        (tmp_path / name).symlink_to(typescript.PACKAGE / name)
    (tmp_path / "node_modules").symlink_to(typescript.programs())
    text = "".join(f"{{\n{used(calls.typescript(one))}\n}}\n" for one in operations())
    (tmp_path / "examples" / "calls.ts").write_text(_TYPESCRIPT + text, encoding="utf-8")
    options = ("--preserveSymlinks", "--noEmit", "--project", "tsconfig.json")
    typescript.run("node", "node_modules/typescript/bin/tsc", *options, folder=tmp_path)


def used(call: str) -> str:
    return call + ("\nvoid found;" if "const found" in call else "")


def indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


def test_a_wrong_call_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "calls.py"
    file.write_text(_PYTHON + '    lastro.create_refund({"orderId": 1})\n    lastro.nothing()\n', encoding="utf-8")
    said, _, status = mypy.run(["--strict", "--config-file", str(ROOT / "pyproject.toml"), str(file)])
    assert (status, "nothing" in said, "Missing key" in said) == (1, True, True)
