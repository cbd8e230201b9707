"""The file formats of a statement. Each writes a head, then entries as they come, then a foot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from lastro.accounts.statements.formats.camt053 import Camt053
from lastro.accounts.statements.formats.cnab240 import MOST_ENTRIES, Cnab240
from lastro.accounts.statements.formats.ofx import Ofx
from lastro.accounts.statements.formats.table import PortugueseTable, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from asyncpg import Record

    from lastro.accounts.statements.model import Statement

__all__ = ["CSV_PT", "MOST_ENTRIES", "WRITERS", "Writer"]


class Writer(Protocol):
    """One file. It may be called from any thread, one call after the other."""

    def head(self) -> bytes:
        """Returns the part before the entries."""

    def entries(self, rows: Sequence[Record]) -> bytes:
        """Returns the next entries, oldest first."""

    def foot(self) -> bytes:
        """Returns the part behind the entries."""


CSV_PT = "csv-pt"  # format=csv with excel=pt
# By format: the file's ending, the media type with its parameters, and the writer.
WRITERS: Mapping[str, tuple[str, str, Callable[[Statement], Writer]]] = {
    "csv": ("csv", "text/csv; charset=utf-8", Table),
    CSV_PT: ("csv", "text/csv; charset=utf-8", PortugueseTable),
    "ofx": ("ofx", "application/x-ofx; charset=windows-1252", Ofx),
    "cnab240": ("ret", "text/plain; charset=us-ascii", Cnab240),
    "camt053": ("xml", "application/xml", Camt053),
}
