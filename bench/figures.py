"""Figures: each with its floor, its bar and its aim, printed as a table and kept as JSON."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, slots=True)
class Rounds:
    """One quantity measured several times."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle one."""
        return statistics.median(self.values)

    def text(self, digits: int = 0) -> str:
        """Median and range."""
        if len(self.values) == 1:
            return f"{self.median:,.{digits}f}"
        return f"{self.median:,.{digits}f} [{min(self.values):,.{digits}f}-{max(self.values):,.{digits}f}]"


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured. floor: what the machine can do at most, in the same interleaved rounds.

    bar and aim: of the ratio to the floor where there is one, of the value itself where there is none; at_most where less
    is better. No bar: for information.
    """

    what: str
    unit: str
    value: Rounds
    floor: Rounds | None = None
    bar: float | None = None
    aim: float | None = None
    at_most: bool = False
    digits: int = 0
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Of the medians."""
        return None if self.floor is None else self.value.median / self.floor.median

    @property
    def verdict(self) -> str:
        """aim, bar or MISSED."""
        measured = self.value.median if self.ratio is None else self.ratio

        def reaches(limit: float | None) -> bool:
            return limit is not None and (measured <= limit if self.at_most else measured >= limit)

        if self.bar is None:
            return ""
        return "aim" if reaches(self.aim) else "bar" if reaches(self.bar) else "MISSED"

    def _limit(self, limit: float | None) -> str:
        if limit is None:
            return ""
        return f"{limit:.0%}" if self.floor is not None else f"{limit:g}"

    def cells(self) -> list[str]:
        """One line of the table."""
        ratio = "" if self.ratio is None else f"{self.ratio:.1%}"
        floor = "" if self.floor is None else self.floor.text(self.digits)
        value = f"{self.value.text(self.digits)} {self.unit}"
        return [self.what, value, floor, ratio, self._limit(self.bar), self._limit(self.aim), self.verdict, self.note]


@dataclass
class Report:
    """One run. beside: what the figures stand beside."""

    mode: str
    neighbours: float
    beside: str = "floor"
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    figures: list[Figure] = field(default_factory=list)
    shares: dict[str, float] = field(default_factory=dict)

    def table(self) -> str:
        """All figures for people."""
        head = ["figure", "measured", self.beside, "ratio", "bar", "aim", "reached", ""]
        lines = [head, *(f.cells() for f in self.figures)]
        widths = [max(len(line[n]) for line in lines) for n in range(len(head))]
        return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines)

    def save(self) -> Path:
        """Writes the run to bench/results."""
        RESULTS.mkdir(exist_ok=True)
        file = RESULTS / f"{self.started_at:%Y-%m-%dT%H%M%SZ}.json"
        figures = [{**asdict(f), "ratio": f.ratio, "reached": f.verdict} for f in self.figures]
        told = {
            "startedAt": self.started_at.isoformat(),
            "mode": self.mode,
            "machine": machine(),
            "coresUsedByOthers": self.neighbours,
            "figures": figures,
            "shares": self.shares,
        }
        file.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
        return file


def neighbours(seconds: float = 2.0) -> float:
    """How many cores other programs use, looked at before anything of ours runs: above a tenth the run says little."""
    before = _cpu_times()
    time.sleep(seconds)
    spent = [after - earlier for after, earlier in zip(_cpu_times(), before, strict=True)]
    idle = spent[3] + spent[4]  # of user, nice, system, idle, waiting for disks, …
    return (1 - idle / sum(spent)) * (os.cpu_count() or 1)


def busy_seconds() -> float:
    """What all cores together have worked since the machine began."""
    spent = _cpu_times()
    return (sum(spent) - spent[3] - spent[4]) / os.sysconf("SC_CLK_TCK")


def _cpu_times() -> list[int]:
    return [int(field) for field in Path("/proc/stat").read_text(encoding="utf-8").split("\n", 1)[0].split()[1:9]]


def machine() -> str:
    """Processor, number of cores, kernel, Python."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    model = models[0] if models else platform.machine()
    return f"{len(models)} x {model}, Linux {platform.release()}, Python {platform.python_version()}"
