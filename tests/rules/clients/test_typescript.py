"""The client for TypeScript: made of the document as it is now, compiled strictly, and tried by its own tests."""

from pathlib import Path

from clients.generate.__main__ import made_for_typescript
from tests import typescript
from tests.house.tree import ROOT


def test_the_committed_code_is_what_is_made() -> None:
    made = made_for_typescript(typescript.programs())
    different = [str(path) for path, text in made.items() if (ROOT / path).read_text(encoding="utf-8") != text]
    assert not different, f"{different} are not of this document: run `make clients`"


def test_it_compiles_strictly_and_its_tests_pass(tmp_path: Path) -> None:
    tests = typescript.compiled(tmp_path) / "test"
    said = typescript.run(
        "node", "--test", str(tests), folder=tmp_path, LASTRO_VECTORS=str(ROOT / "docs/examples/webhooks/vectors.json")
    )
    assert "\n# fail 0\n" in said
    assert "\n# pass 13\n" in said
