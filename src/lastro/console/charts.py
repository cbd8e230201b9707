"""Pictures of numbers, drawn on the server as SVG: bars, stacked bars and lines. The numbers stand in a table beside.

No style is written into the picture, which the pages' policy would refuse: classes name its parts, console.css colours them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WIDTH, HEIGHT = 640, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 96, 8, 12, 28  # of the plot's frame: space for the numbers at its left, the hours below
_STEPS = (1, 2, 5, 10)
_GRID = 4  # lines, at most, above the lowest
_MOST_LABELS = 8
_GAP = 0.28  # of a bar's place

Kind = Literal["bars", "stack", "line"]


@dataclass(frozen=True, slots=True)
class Series:
    """One row of numbers. values: None where nothing is known."""

    name: str
    values: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture and its table. name: unique on its page. about: one sentence that says what is seen. labels: of the columns.

    shown: a number as the table and the axis write it. tones: of each series, in place of a colour by its place.
    """

    name: str
    title: str
    about: str
    kind: Kind
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    shown: Callable[[int], str]
    tones: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True where there is nothing to see."""
        return not any(value for one in self.series for value in one.values)

    @property
    def svg(self) -> Markup:
        """The chart as SVG."""
        return draw(self)

    @property
    def rows(self) -> list[tuple[str, list[str]]]:
        """The table: each label with its numbers, one of each series."""
        return [
            (label, ["" if (value := one.values[n]) is None else self.shown(value) for one in self.series])
            for n, label in enumerate(self.labels)
        ]

    def tone(self, place: int) -> str:
        """Returns the class of a series."""
        return self.tones[place] if self.tones else f"series-{place + 1}"


def step_of(highest: int, lowest: int = 0) -> int:
    """Returns the distance of the grid's lines.

    1, 2 or 5 times a power of ten, so that few of them reach over the numbers.
    """
    power = 1
    while True:
        for one in _STEPS:
            if one * power * _GRID >= max(highest, 0) - min(lowest, 0):
                return one * power
        power *= 10


def bounds_of(chart: Chart) -> tuple[int, int, int]:
    """Returns the grid's lowest and highest line, and their distance. Zero is always between them."""
    columns = [[one.values[n] or 0 for one in chart.series] for n in range(len(chart.labels))]
    if chart.kind == "stack":
        reached = [sum(column) for column in columns]
    else:
        reached = [value for column in columns for value in column]
    highest, lowest = max((0, *reached)), min((0, *reached))
    step = step_of(highest, lowest)
    return -(-lowest // -step) * -step if lowest < 0 else 0, max(-(-highest // step), 1) * step, step


def draw(chart: Chart) -> Markup:
    """Draws a chart as SVG: title and sentence for screen readers, grid, series."""
    low, high, step = bounds_of(chart)

    def y(value: float) -> float:
        return _TOP + (HEIGHT - _TOP - _BOTTOM) * (high - value) / (high - low)

    parts = [*_grid(chart, range(low, high + 1, step), y), *_below(chart)]
    parts += _line(chart, y) if chart.kind == "line" else _bars(chart, y)
    name = escape(chart.name)
    return Markup(  # noqa: S704 every text in it is escaped, every number one of ours
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="{name}-title {name}-about">'
        f'<title id="{name}-title">{escape(chart.title)}</title><desc id="{name}-about">{escape(chart.about)}</desc>'
        f"{''.join(parts)}</svg>"
    )


def _grid(chart: Chart, lines: range, y: Callable[[float], float]) -> list[str]:
    drawn = []
    for value in lines:
        at, axis = y(value), " axis" if value == 0 else ""
        drawn.append(f'<line class="grid{axis}" x1="{_LEFT}" y1="{at:.1f}" x2="{WIDTH - _RIGHT}" y2="{at:.1f}"/>')
        text = chart.shown(value).removesuffix(",00").removesuffix(".00")  # an axis needs no cents where there are none
        drawn.append(f'<text class="tick" x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{escape(text)}</text>')
    return drawn


def _place(chart: Chart) -> float:
    """Returns the width of one column."""
    return (WIDTH - _LEFT - _RIGHT) / max(len(chart.labels), 1)


def _below(chart: Chart) -> list[str]:
    """Draws the labels of some columns, as many as fit."""
    every = -(-len(chart.labels) // _MOST_LABELS) or 1
    wide = _place(chart)
    return [
        f'<text class="tick" x="{_LEFT + wide * (n + 0.5):.1f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(label)}</text>'
        for n, label in enumerate(chart.labels)
        if n % every == 0
    ]


def _bars(chart: Chart, y: Callable[[float], float]) -> list[str]:
    """Draws a bar for each number: side by side, or stacked."""
    wide, drawn = _place(chart), []
    beside = 1 if chart.kind == "stack" else max(len(chart.series), 1)
    thick = wide * (1 - _GAP) / beside
    for n in range(len(chart.labels)):
        below = 0
        for m, one in enumerate(chart.series):
            value = one.values[n]
            if not value:
                continue
            left = _LEFT + wide * n + wide * _GAP / 2 + (0 if chart.kind == "stack" else m * thick)
            start = below if chart.kind == "stack" else 0
            top, bottom = sorted((y(start), y(start + value)))
            drawn.append(
                f'<rect class="{chart.tone(m)}" x="{left:.1f}" y="{top:.1f}" width="{thick:.1f}"'
                f' height="{max(bottom - top, 0.5):.1f}"/>'
            )
            below = start + value
    return drawn


def _line(chart: Chart, y: Callable[[float], float]) -> list[str]:
    """Draws a line through each series. The line breaks at unknown values; a number without a neighbour becomes a dot."""
    wide, drawn = _place(chart), []
    for m, one in enumerate(chart.series):
        points = [None if v is None else (_LEFT + wide * (n + 0.5), y(v)) for n, v in enumerate(one.values)]
        for run in _runs(points):
            if len(run) == 1:
                drawn.append(f'<circle class="{chart.tone(m)}" cx="{run[0][0]:.1f}" cy="{run[0][1]:.1f}" r="3"/>')
            else:
                through = " ".join(f"{x:.1f},{at:.1f}" for x, at in run)
                drawn.append(f'<polyline class="line {chart.tone(m)}" points="{through}"/>')
    return drawn


def _runs(points: Sequence[tuple[float, float] | None]) -> list[list[tuple[float, float]]]:
    """Returns the stretches without a gap."""
    gaps = [-1, *(n for n, point in enumerate(points) if point is None), len(points)]
    runs = [[point for point in points[before + 1 : after] if point is not None] for before, after in pairwise(gaps)]
    return [run for run in runs if run]
