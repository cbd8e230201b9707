"""What a production install is made of: lastro with its schema, and nothing of a sandbox."""

import ast
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

from .tree import PRODUCT, ROOT, Module, modules


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True, capture_output=True
    )
    (made,) = folder.glob("*.whl")
    return made


def test_the_wheel_carries_lastro_and_its_tools_alone(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "lastro/app/wiring.py" in names
    assert {n.partition("/")[0] for n in names if ".dist-info/" not in n} == {"lastro", "lastro_tools"}


def test_the_wheel_carries_the_guide_and_no_measurement(wheel: Path) -> None:
    carried = {n.removeprefix("lastro/") for n in zipfile.ZipFile(wheel).namelist() if n.startswith("lastro/docs/")}
    there = {
        p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").rglob("*") if p.is_file() and p.parent.name != "__pycache__"
    }
    measured = {n for n in there if n.startswith("docs/measured/")}
    assert measured
    assert carried == there - measured
    kinds = [re.sub(r"^[\d-]+", "", Path(n).stem) for n in measured]
    assert len(set(kinds)) == len(kinds), f"one newest file a kind: {sorted(kinds)}"


def test_the_wheel_carries_the_migrations(wheel: Path) -> None:
    carried = {n for n in zipfile.ZipFile(wheel).namelist() if n.startswith("lastro/schema/")}
    wanted = {f"lastro/{p.relative_to(ROOT).as_posix()}" for p in (ROOT / "schema").rglob("*.sql")}
    assert wanted <= carried, f"missing: {sorted(wanted - carried)}"


def test_the_wheel_carries_every_file_that_is_read_beside_the_code(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    files = {
        p.relative_to(ROOT / "src").as_posix()
        for p in (ROOT / "src" / "lastro").rglob("*")
        if p.is_file() and "__pycache__" not in p.parts
    }
    assert files <= names, sorted(files - names)


def test_every_command_of_the_wheel_is_in_it(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (entries,) = (n for n in archive.namelist() if n.endswith("entry_points.txt"))
    targets = re.findall(r"= ([\w.]+):", archive.read(entries).decode())
    missing = [t for t in targets if f"{t.replace('.', '/')}.py" not in archive.namelist()]
    assert targets
    assert not missing, f"a production install has commands without their code: {missing}"


def test_an_installed_wheel_says_its_version(wheel: Path, tmp_path: Path) -> None:
    """Without the checkout: -S keeps its path out, as in an environment of its own."""
    install = [
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--no-compile",
        "--target",
        str(tmp_path / "here"),
        str(wheel),
    ]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True, capture_output=True)
    path = os.pathsep.join((str(tmp_path / "here"), sysconfig.get_paths()["purelib"]))
    said = subprocess.run([sys.executable, "-S", str(tmp_path / "here" / "bin" / "lastro"), "--version"], cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": path}, check=True, capture_output=True, text=True)  # fmt: skip
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert said.stdout == f"lastro {known}\n"


def test_lastro_never_names_the_sandbox_in_an_import() -> None:
    """Only app and cli may look whether it is there, by name, at run time."""
    for m in PRODUCT:
        assert not [i for i in _imports(m) if i.startswith(("lastro_sandbox", "lastro_sim"))], m.name
        named = [line for line, text in m.strings() if re.match(r"lastro_(sandbox|sim)\b", text)]
        assert not named or m.name.startswith(("src/lastro/app/", "src/lastro/cli/")), f"{m.name}:{named}"


def test_what_only_a_sandbox_needs_is_no_dependency_of_production() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.split(r"[^\w-]", d)[0].lower() for d in project["dependencies"]}
    extra = {re.split(r"[^\w-]", d)[0].lower() for d in project["optional-dependencies"]["sandbox"]}
    assert not needed & extra
    used = {n.partition(".")[0] for m in modules("src/lastro") for n in _imports(m)}
    assert not used & {e.replace("-", "_") for e in extra}


def _imports(module: Module) -> list[str]:
    names = [a.name for n in module.nodes if isinstance(n, ast.Import) for a in n.names]
    return names + [n.module for n in module.nodes if isinstance(n, ast.ImportFrom) and n.module]
