"""Assembly of what a worker speaks to networks with: one rail each, and which methods of payment they make possible."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lastro.rails import port
from lastro.rails.boleto import Boleto
from lastro.rails.book import Book
from lastro.rails.inbox import Inbox
from lastro.rails.line import Line
from lastro.rails.ted import Ted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from lastro.base.db import Database
    from lastro.base.ids import Chance
    from lastro.doors.settings import Settings

Closers = tuple["Callable[[], Awaitable[None]]", ...]


def methods_of(settings: Settings) -> frozenset[str]:
    """The methods by which orders can be paid here."""
    return frozenset({"PIX"} if settings.boleto is None else {"PIX", "BOLETO"})


def rails_of(
    settings: Settings, pix: port.Rail, database: Database, work: Database, chance: Chance
) -> tuple[dict[str, port.Rail], Closers]:
    """Every rail by its name, and what ends the connections of all but the Pix's own."""
    ted = Ted(Line(settings.network_url, settings.network_token), settings.ispb, partial(_business_now, work))
    rails: dict[str, port.Rail] = {
        port.PIX: pix, port.TED: ted, port.BOOK: Book(work, Inbox(database, work, chance, settings.ispb, port.BOOK)),
    }  # fmt: skip
    closers: Closers = (ted.close,)
    if (bank := settings.boleto) is not None:
        boleto = Boleto(Line(bank.url, bank.token))
        rails[port.BOLETO] = boleto
        closers = (*closers, boleto.close)
    return rails, closers


async def _business_now(work: Database) -> datetime:
    async with work.session() as session:
        now: datetime = await session.value("SELECT business_now()")
        return now
