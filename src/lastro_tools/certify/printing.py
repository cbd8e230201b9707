"""The output of a certificate: lines for people, one JSON document for machines."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import msgspec

from lastro.api_kit.routes import Answer
from lastro_tools.certify.checks import CERTIFICATE, DUTIES
from lastro_tools.certify.model import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lastro_tools.certify.model import Finding

_COLUMNS = 110
_VERDICT_COLUMNS = max(len(verdict) for verdict in Verdict) + 2
_TITLE_COLUMNS = max(len(duty.title) for duty in (CERTIFICATE, *DUTIES)) + 2
_COUNTED = {
    Verdict.PASS: "passed", Verdict.MEND: "to mend", Verdict.ADVICE: "with advice", Verdict.SKIPPED: "not judged",
}  # fmt: skip


class _Duty(Answer, frozen=True, kw_only=True):
    name: str
    verdict: str
    title: str
    sent: str
    seen: str
    mend: str | None = None
    documented: str


class _Certificate(Answer, frozen=True, kw_only=True):
    url: str
    certified_at: str
    passed: int
    to_mend: int
    advice: int
    not_judged: int
    duties: list[_Duty]


def heading(url: str, at: str) -> str:
    """Returns the heading. at: the time, as people read it."""
    return f"Certificate of {url}, {at}\nAll that is sent is marked x-lastro-environment: certification.\n"


def line(finding: Finding) -> str:
    """Formats a finding: verdict, title and observation. The remedy stands below, and where it is documented."""
    first = f"{finding.verdict:<{_VERDICT_COLUMNS}}{finding.title:<{_TITLE_COLUMNS}}"
    lines = _folded(finding.seen, first, " " * len(first))
    if finding.mend:
        margin = " " * _VERDICT_COLUMNS
        lines += _folded(f"→ {finding.mend}", margin, margin + "  ")
        lines.append(f"{margin}  {finding.documented}  ({finding.name})")
    return "\n".join(lines)


def ending(findings: Sequence[Finding]) -> str:
    """Returns the counts of the verdicts."""
    counts = [(sum(f.verdict is verdict for f in findings), word) for verdict, word in _COUNTED.items()]
    return "\n" + ", ".join(f"{count} {word}" for count, word in counts if count)


def as_json(url: str, at: str, findings: Sequence[Finding]) -> str:
    """Returns the whole certificate as indented JSON. at: ISO 8601."""
    count = {verdict: sum(f.verdict is verdict for f in findings) for verdict in Verdict}
    made = _Certificate(
        url=url,
        certified_at=at,
        passed=count[Verdict.PASS],
        to_mend=count[Verdict.MEND],
        advice=count[Verdict.ADVICE],
        not_judged=count[Verdict.SKIPPED],
        duties=[
            _Duty(
                name=f.name, verdict=f.verdict.value, title=f.title, sent=f.sent, seen=f.seen, mend=f.mend or None,
                documented=f.documented,
            )
            for f in findings
        ],
    )  # fmt: skip
    return msgspec.json.format(msgspec.json.encode(made), indent=2).decode()


def _folded(text: str, first: str, later: str) -> list[str]:
    return textwrap.wrap(
        text, _COLUMNS, initial_indent=first, subsequent_indent=later, break_on_hyphens=False
    ) or [first.rstrip()]  # fmt: skip
