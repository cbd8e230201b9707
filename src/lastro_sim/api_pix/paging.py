"""Lists of API Pix: their period, their page, and the `parametros` that answer them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lastro_sim.clock import moment

from .calls import Row
from .reading import MOST_INT32, MOST_INT64, MOST_ITEMS, USUAL_ITEMS, Query


@dataclass(frozen=True)
class Period:
    """A period of business microseconds, both ends in it; None: open."""

    begins: int | None
    ends: int | None

    @property
    def around(self) -> tuple[int, int]:
        """A range of instants that is no narrower, for an index."""
        begins = 0 if self.begins is None else self.begins
        return begins, MOST_INT64 if self.ends is None else self.ends + 1000

    def holds(self, at: int) -> bool:
        """Tells whether an instant is in the period; ends count in milliseconds."""
        at -= at % 1000
        return (self.begins is None or at >= self.begins) and (self.ends is None or at <= self.ends)


@dataclass(frozen=True)
class Page:
    """The page that is asked for, from 0. shift: so many items have moved to the page before since that was read."""

    number: int
    size: int
    shift: int = 0

    def of(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Returns the page's items."""
        first = self.number * self.size + (self.shift if self.number else 0)
        return rows[first : first + self.size]

    def shown(self, total: int) -> dict[str, int]:
        """Returns the Paginacao of a list of so many items."""
        return {
            "paginaAtual": self.number,
            "itensPorPagina": self.size,
            "quantidadeDePaginas": max(1, -(-total // self.size)),
            "quantidadeTotalDeItens": total,
        }


def printed(microseconds: int) -> str:
    """Formats an instant as the bank does: UTC, milliseconds and Z."""
    return f"{moment(microseconds).isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"


def period(query: Query, *, required: bool = True, milliseconds: bool = True) -> Period:
    """Reads inicio and fim; the end may not lie before the beginning."""
    begins = query.moment("inicio", required=required, milliseconds=milliseconds)
    ends = query.moment("fim", required=required, milliseconds=milliseconds)
    if begins is not None and ends is not None and ends < begins:
        query.refuse("fim", "é anterior ao timestamp representado pelo parâmetro inicio.")
    return Period(begins, ends)


def page(query: Query, most: int = MOST_ITEMS, shift: int = 0) -> Page:
    """Reads the page. most: the items that this bank gives at once; a larger wish is cut without a word."""
    number = query.whole("paginacao.paginaAtual", 0, MOST_INT32) or 0
    size = query.whole("paginacao.itensPorPagina", 1, MOST_ITEMS) or USUAL_ITEMS
    return Page(number, min(size, most), shift)


def parameters(span: Period, wanted: Page, total: int, **filters: Any) -> dict[str, Any]:
    """Returns the `parametros` of an answer."""
    ends = {"inicio": span.begins, "fim": span.ends}
    said = {name: printed(at) for name, at in ends.items() if at is not None}
    given = {name: value for name, value in filters.items() if value is not None}
    return {**said, **given, "paginacao": wanted.shown(total)}
