# ruff: noqa: INP001
"""Asks pip-audit for known holes in the locked dependencies, and says whether it got an answer about each of them.

pip-audit ends with 0 and "no known vulnerabilities" also where its service knew none of the packages, as behind a mirror
of the index; and with 1 both for a hole and for no answer. So its report is what counts. A hole ends this with 1; what
could not be asked is said loudly, and ends it with 1 only where LASTRO_AUDIT_REQUIRED is 1: before a release, say.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LOCK = Path(__file__).parents[1] / "requirements-dev.lock"
REQUIRED = "LASTRO_AUDIT_REQUIRED"
_SHOWN = 3


def main() -> int:
    """Asks, says, and gives the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        asked = subprocess.run(  # noqa: S603 words of our own
            [sys.executable, "-m", "pip_audit", "--requirement", LOCK, "--disable-pip", "--require-hashes",
             "--progress-spinner", "off", "--timeout", "15", "--format", "json", "--output", report],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        told = json.loads(report.read_text(encoding="utf-8")) if report.exists() and report.stat().st_size else None
    status, said = judge(told, asked.stderr, is_required=os.environ.get(REQUIRED) == "1")
    sys.stdout.write(said + "\n")
    return status


def judge(report: dict[str, Any] | None, complaint: str, *, is_required: bool = False) -> tuple[int, str]:
    """Exit status and words. report: pip-audit's JSON, None where it wrote none; complaint: what it said beside it.

    is_required: what nobody could be asked about ends with 1 as well.
    """
    unasked = int(is_required)
    if report is None or not report["dependencies"]:
        return unasked, f"NOT AUDITED: the service that knows holes did not answer. {_last_line(complaint)}".rstrip()
    named = [d for d in report["dependencies"] if "vulns" in d]
    skipped = [d for d in report["dependencies"] if "vulns" not in d]
    lines = [
        f"{d['name']} {d['version']}: {hole['id']}, mended in {', '.join(hole['fix_versions']) or 'no version yet'}"
        for d in named
        for hole in d["vulns"]
    ]
    if skipped:
        some = ", ".join(d["name"] for d in skipped[:_SHOWN]) + (", …" if len(skipped) > _SHOWN else "")
        count = f"{len(skipped)} of {len(report['dependencies'])}"
        lines.append(f"NOT AUDITED: the service knows nothing of {count} dependencies: {some}")
    holes = sum(len(d["vulns"]) for d in named)
    if not lines:
        lines.append(f"no known holes in {len(named)} dependencies")
    return (1 if holes or (skipped and is_required) else 0), "\n".join(lines)


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:300] if lines else ""


if __name__ == "__main__":
    sys.exit(main())
