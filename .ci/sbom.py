# ruff: noqa: INP001
"""Writes the bill of materials: CycloneDX 1.6, of what a production install fetches and of what is vendored.

The same lock file and files give the same bytes, so that two people can compare what they have. It is checked against the
standard's own schema before it is written.
"""

import hashlib
import json
import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
TARGET = ROOT / "dist" / "lastro.cdx.json"
# Files of somebody else's in the wheel (docs/decisions/dependencies.md): name, version, licence and purl.
VENDORED = {
    "src/lastro/console/static/vendor/htmx.min.js": ("htmx.org", "2.0.11", "0BSD", "pkg:npm/htmx.org@2.0.11"),
    "src/lastro/pdf/fonts/DejaVuSans.ttf": (
        "DejaVuSans.ttf", "2.37", "Bitstream-Vera", "pkg:generic/dejavu-fonts@2.37?file_name=DejaVuSans.ttf",
    ),
    "src/lastro/pdf/fonts/DejaVuSans-Bold.ttf": (
        "DejaVuSans-Bold.ttf", "2.37", "Bitstream-Vera", "pkg:generic/dejavu-fonts@2.37?file_name=DejaVuSans-Bold.ttf",
    ),
}  # fmt: skip
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+?)(?:\s*;\s*(.+?))?\s*\\?$", re.MULTILINE)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def main() -> int:
    """Writes it, says where, and gives the exit status."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    made = bill(LOCK.read_text(encoding="utf-8"), project, {path: (ROOT / path).read_bytes() for path in VENDORED})
    text = json.dumps(made, indent=2) + "\n"
    if wrong := faults(text):
        sys.stdout.write(f"the bill of materials is not CycloneDX 1.6: {wrong}\n")
        return 1
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{TARGET.relative_to(ROOT)}: {len(made['components'])} components, CycloneDX 1.6\n")
    return 0


def bill(lock: str, project: dict[str, Any], files: Mapping[str, bytes] = MappingProxyType({})) -> dict[str, Any]:
    """The bill of a lock file. project: pyproject.toml, which says what only the sandbox and the build ask for.

    files: the bytes of those of VENDORED.
    """
    about = project["project"]
    root = f"pkg:pypi/{about['name']}@{about['version']}"
    scopes = {_normal(one): "optional" for group in about["optional-dependencies"].values() for one in group}
    scopes |= {_normal(one): "excluded" for one in project["dependency-groups"]["build"]}
    components = [_component(*found, scopes) for found in _pinned(lock)]
    components += [_vendored(path, content) for path, content in files.items()]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, root + lock)}",
        "version": 1,
        "metadata": {
            "component": {
                "bom-ref": root, "type": "application", "name": about["name"], "version": about["version"], "purl": root,
                "description": about["description"], "licenses": [{"license": {"id": about["license"]}}],
            }
        },
        "components": components,
        # The lock file says what is installed, not who asked for it.
        "dependencies": [{"ref": root, "dependsOn": [one["bom-ref"] for one in components]}],
    }  # fmt: skip


def faults(text: str) -> str | None:
    """What the standard's schema has against it; None: nothing."""
    found = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    return None if found is None else str(found)[:300]


def _pinned(lock: str) -> list[tuple[str, str, str | None, list[str]]]:
    """Name, version, marker and the SHA-256 of each file, of every package of a lock file."""
    heads = list(_PINNED.finditer(lock))
    ends = [head.start() for head in heads[1:]] + [len(lock)]
    return [
        (head[1], head[2], head[3], _HASH.findall(lock[head.end() : end])) for head, end in zip(heads, ends, strict=True)
    ]


def _component(name: str, version: str, marker: str | None, hashes: list[str], scopes: dict[str, str]) -> dict[str, Any]:
    purl = f"pkg:pypi/{_normal(name)}@{version}"
    files = {
        "type": "distribution",
        "url": f"https://pypi.org/project/{_normal(name)}/{version}/",
        "hashes": [{"alg": "SHA-256", "content": one} for one in hashes],
    }
    made = {
        "bom-ref": purl, "type": "library", "name": name, "version": version, "purl": purl,
        "scope": scopes.get(_normal(name), "required"), "externalReferences": [files],
    }  # fmt: skip
    return made if marker is None else {**made, "properties": [{"name": "lastro:marker", "value": marker}]}


def _vendored(path: str, content: bytes) -> dict[str, Any]:
    name, version, licence, purl = VENDORED[path]
    return {
        "bom-ref": purl, "type": "file", "name": name, "version": version, "purl": purl, "scope": "required",
        "licenses": [{"license": {"id": licence}}],
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(content).hexdigest()}],
    }  # fmt: skip


def _normal(requirement: str) -> str:
    """The name of a requirement as the package index spells it (PEP 503)."""
    found = _NAME.match(requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found[0]).lower()


if __name__ == "__main__":
    sys.exit(main())
