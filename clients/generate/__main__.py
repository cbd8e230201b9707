"""`make clients`: writes what of the clients is made of the OpenAPI document. See docs/decisions/clients.md."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from clients.generate import cures, python_calls, snippets, typescript
from clients.generate.document import prepared, served

_TYPES = ("--root-types", "--root-types-no-schema-prefix", "--root-types-keep-casing")
ROOT = Path(__file__).parents[2]
PYTHON = Path("clients/python/src/lastro_client")
TYPESCRIPT = Path("clients/typescript")
_MODELS = (
    "--input-file-type", "openapi", "--output-model-type", "typing.TypedDict", "--target-python-version", "3.11",
    "--disable-timestamp", "--use-union-operator", "--use-standard-collections", "--enum-field-as-literal", "all",
    "--use-schema-description", "--use-field-description", "--formatters", "builtin", "--custom-file-header",
    '"""What is sent and answered. Made by `make clients`: change the document, not this file."""',
)  # fmt: skip


def made_for_python() -> dict[Path, str]:
    """Returns the text of each file of the Python client that is made, by its path."""
    document = prepared(served())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
        files = {
            "models.py": _models(folder), "operations.py": python_calls.module(document, is_async=False),
            "async_operations.py": python_calls.module(document, is_async=True), "cures.py": cures.python(document),
        }  # fmt: skip
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        _run("ruff", "format", "--quiet", "--line-length=125", "--no-cache", *files, folder=folder)
        return {PYTHON / file: (folder / file).read_text(encoding="utf-8") for file in files}


def made_for_typescript(programs: Path) -> dict[Path, str]:
    """Returns the text of each file of the TypeScript client that is made. programs: the folder `node_modules`."""
    document = prepared(served())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "openapi.json").write_text(json.dumps(typescript.for_types(document)), encoding="utf-8")
        command = [str(programs / ".bin/openapi-typescript"), "openapi.json", "--output", "schema.ts", *_TYPES]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 as the lock file
        if done.returncode:
            sys.exit(f"openapi-typescript: {done.stderr.strip()}")
        types = (folder / "schema.ts").read_text(encoding="utf-8")
    files = {"schema.ts": types, "table.ts": typescript.table(document), "cures.ts": cures.typescript(document)}
    return {TYPESCRIPT / "src" / file: text for file, text in files.items()}


def _models(folder: Path) -> str:
    _run("datamodel_code_generator", "--input", "openapi.json", "--output", "models.py", *_MODELS, folder=folder)
    return (folder / "models.py").read_text(encoding="utf-8")


def _run(*command: str, folder: Path) -> None:
    """Runs a module of ours. What it warns of ends the making: the document is to be understood without doubt."""
    done = subprocess.run(  # noqa: S603 modules that the lock file names
        [sys.executable, "-W", "error", "-m", *command], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode or done.stderr.strip():
        sys.exit(f"{' '.join(command[:2])}: {done.stderr.strip()}")


def write() -> None:
    """Writes every file; those for TypeScript where npm is."""
    made = made_for_python()
    npm = shutil.which("npm")
    if npm is None:
        print("npm is not on this machine: the client for TypeScript is left as it is")  # noqa: T201 a command
    else:
        install = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]
        subprocess.run(install, cwd=ROOT / TYPESCRIPT, check=True)  # noqa: S603 by the lock file
        made |= made_for_typescript(ROOT / TYPESCRIPT / "node_modules")
    for path, text in made.items():
        (ROOT / path).write_text(text, encoding="utf-8")
    snippets.write(ROOT)


if __name__ == "__main__":
    write()
