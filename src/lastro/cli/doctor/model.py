"""The findings of an examination, and how they are printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

State = Literal["passed", "failed", "skipped"]


class Finding(NamedTuple):
    """The outcome of one check. cure: what the operator does about it; None: nothing."""

    check: str
    state: State
    says: str
    cure: str | None = None


def passed(check: str, says: str) -> Finding:
    """Returns the finding that all is well."""
    return Finding(check, "passed", says)


def failed(check: str, says: str, cure: str) -> Finding:
    """Returns a fault, and its cure."""
    return Finding(check, "failed", says.rstrip("."), cure)


def skipped(check: str, says: str) -> Finding:
    """Returns the finding that there was nothing to look at."""
    return Finding(check, "skipped", says)


def as_lines(findings: Sequence[Finding]) -> str:
    """Returns a line a finding, and how many of them are faults."""
    width = max((len(one.check) for one in findings), default=0)
    lines = [
        f"{one.state:<7}  {one.check:<{width}}  {one.says}" + (f". Cure: {one.cure}" if one.cure else "") for one in findings
    ]
    counted = {state: sum(one.state == state for one in findings) for state in ("passed", "failed", "skipped")}
    faults = "no fault" if not counted["failed"] else f"{counted['failed']} fault{'s' if counted['failed'] > 1 else ''}"
    return "\n".join([*lines, f"{faults}; passed {counted['passed']}, left out {counted['skipped']}"])


def as_rows(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Returns the same for machines."""
    return [one._asdict() for one in findings]
