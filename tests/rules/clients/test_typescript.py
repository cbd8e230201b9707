"""The client for TypeScript: made of the document as it is now, compiled strictly, and tried by its own tests."""

from pathlib import Path

import pytest
from clients.generate.__main__ import made_for_typescript
from tests import typescript
from tests.house.tree import ROOT


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, compiled by its strictest rules."""
    folder = tmp_path_factory.mktemp("client")
    typescript.compiled(folder)
    return folder


def test_the_committed_code_is_what_is_made() -> None:
    made = made_for_typescript(typescript.programs())
    different = [str(path) for path, text in made.items() if (ROOT / path).read_text(encoding="utf-8") != text]
    assert not different, f"{different} are not of this document: run `make clients`"


def test_it_compiles_strictly_and_its_tests_pass(client: Path) -> None:
    tests = client / "dist/test"
    said = typescript.run(
        "node", "--test", str(tests), folder=client, LASTRO_VECTORS=str(ROOT / "docs/examples/webhooks/vectors.json")
    )
    assert "\n# fail 0\n" in said
    assert "\n# pass 13\n" in said


def test_the_programs_to_copy_compile_in_a_shop_of_its_own(client: Path, tmp_path: Path) -> None:
    """By the compiler's plain strict rules, against the package as it is installed."""
    shop = tmp_path / "shop"
    modules = shop / "node_modules"
    (modules / "@lastro").mkdir(parents=True)
    (modules / "@lastro/client").symlink_to(client)
    (modules / "@types").symlink_to(typescript.programs() / "@types")
    (shop / "package.json").write_text('{"type": "module"}')
    names = []
    for path in sorted((ROOT / "docs/examples/typescript").glob("*.ts")):
        (shop / path.name).write_text(path.read_text(encoding="utf-8"))
        names.append(path.name)
    options = ("--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--types", "node")
    typescript.run("node", str(typescript.programs() / "typescript/bin/tsc"), *options, *names, folder=shop)
    assert len(names) > 8
