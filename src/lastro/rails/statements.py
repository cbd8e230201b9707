"""Statements as JSON, the same for every partner that speaks it: an adapter adds the reader of its own messages.

`GET {path}?day=2026-11-22&limit=2000&after=…` answers
`{"day", "lines", "in", "out", "opening", "closing", "next", "entries": [{"id", "kind", "networkId", "reference", "amount",
"settledAt", "message": {…}}]}`; 404: not issued yet. `message` is what the partner has told, or would have, on its stream.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from lastro.core.money import Money, MoneyError
from lastro.rails import port
from lastro.rails.messages import Instant, Malformed, decoded
from lastro.rails.network_client import Adapter
from lastro.rails.port.statements import KINDS, Totals

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from lastro.rails.network_client import NetworkClient

TIMEOUT_SECONDS = 10.0
AT_ONCE = 2000  # lines of a page; so many are well below the largest answer that a line takes
_LONGEST_ID = 100
_SUM = re.compile(r"-?\d{1,15}\.\d{2}", re.ASCII)


class _Entry(msgspec.Struct, rename="camel"):
    id: str
    kind: str
    network_id: str
    amount: str
    settled_at: Instant
    message: msgspec.Raw = msgspec.Raw(b"")
    reference: str | None = None


class _Page(msgspec.Struct, rename={"came_in": "in", "went_out": "out", "following": "next"}):
    day: str
    lines: int
    came_in: str
    went_out: str
    opening: str
    closing: str
    entries: list[_Entry]
    following: str | None = None


class JsonStatements(Adapter):
    """The statements of a partner that speaks this JSON: a port.Statements.

    path: of its statements. read: the reader of its stream's messages. currency: of every amount.
    """

    def __init__(
        self, line: NetworkClient, path: str, read: Callable[[bytes], port.NetworkMessage], currency: str = "BRL"
    ) -> None:
        super().__init__(line)
        self._path = path
        self._read = read
        self._currency = currency

    async def statement(self, day: date, after: str | None) -> port.StatementPage | None:
        """Returns one page. Transient also where it cannot be read, or is of another day."""
        place = "" if after is None else f"&after={after}"
        path = f"{self._path}?day={day.isoformat()}&limit={AT_ONCE}{place}"
        answer = await self._line.found(path, TIMEOUT_SECONDS)
        if answer is None:
            return None
        try:
            return self._page(decoded(answer, _Page), day)
        except (Malformed, MoneyError) as unread:
            raise port.Transient(f"the statement cannot be read: {unread}") from unread

    def _page(self, told: _Page, day: date) -> port.StatementPage:
        if told.day != day.isoformat():
            raise Malformed("day")
        totals = Totals(
            told.lines, self._sum(told.came_in), self._sum(told.went_out), self._sum(told.opening), self._sum(told.closing),
        )  # fmt: skip
        following = told.following
        if following is not None and not (following.isascii() and following.isalnum()):
            raise Malformed("next")
        return port.StatementPage(tuple(self._line_of(entry) for entry in told.entries), totals, following)

    def _line_of(self, entry: _Entry) -> port.StatementLine:
        amount = Money.parse(entry.amount, self._currency)
        if entry.kind not in KINDS or amount.minor <= 0:
            raise Malformed("kind" if entry.kind not in KINDS else "amount")
        for text in (entry.id, entry.network_id):
            if not text or len(text) > _LONGEST_ID or not text.isprintable():
                raise Malformed("id")
        message = bytes(entry.message)
        told = self._read(message) if message else port.NetworkMessage(port.UNKNOWN, "", entry.network_id, b"")
        return port.StatementLine(
            entry.id, entry.kind, entry.network_id, entry.reference, amount, entry.settled_at, told
        )  # fmt: skip

    def _sum(self, text: str) -> Money:
        """Returns a sum of amounts, which may be nothing, or below it."""
        if _SUM.fullmatch(text) is None:
            raise Malformed("sum")
        return Money(int(text.replace(".", "")), self._currency)
