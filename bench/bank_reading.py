"""Reads a bank's list of very many Pix as a poll does, and tells its memory: `python -m bench.bank_reading FILE ITEMS`.

FILE: of connections. A line for each hundredth of the items: how many were read, and the bytes that the process holds.
"""

from __future__ import annotations

import asyncio
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastro.rails.api_pix import Ambient, BankLine, read
from lastro.rails.api_pix.lists import Lists
from lastro.rails.api_pix.opening import terms_of
from lastro.rails.api_pix.polling import PaymentRouter
from lastro.rails.api_pix.recurring import Recurring

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from lastro.rails.port.foreign import AskedOf


class Nobody:
    """Knows no instrument, and takes foreign payments without keeping them."""

    async def asked(self, _: str, _txids: Collection[str]) -> dict[str, AskedOf]:
        """Tells that no order of ours asked for any."""
        return {}

    async def keep(self, _: Sequence[Any]) -> None:
        """Forgets them."""

    async def claimed(self, _: str, _ids: Collection[str]) -> frozenset[str]:
        """Tells that none is claimed."""
        return frozenset()

    async def unclaimed(self, _: str, _ids: Collection[str]) -> frozenset[str]:
        """Tells that none is claimed."""
        return frozenset()


def resident() -> int:
    """The bytes that this process holds now."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS"))


async def run(file: Path, text: str, items: int) -> None:
    """Reads the list once, page by page. text: of the file."""
    found, problems = read(text, file.parent, is_sandbox=True)
    if problems:
        raise RuntimeError(str(problems))
    line = BankLine(found[0], Ambient(time.monotonic, lambda: datetime.now(UTC), lambda: "bench"))
    terms, nobody, seen = terms_of(found[0]), Nobody(), 0
    router = PaymentRouter(terms, nobody, nobody, Recurring(found[0].name, line, terms.clock, found[0].company))

    async def keep(_: object) -> None:
        pass

    async def take(rows: tuple[bytes, ...]) -> None:
        nonlocal seen
        await router.store(rows, keep)
        seen += len(rows)
        if seen % (items // 100) == 0:
            sys.stdout.write(f"{seen} {resident()}\n")
            sys.stdout.flush()

    at = datetime(2026, 1, 2, tzinfo=UTC)
    await Lists(terms, line).payments(at, at + timedelta(days=1), take, items=str(items))
    await line.close()


if __name__ == "__main__":
    name = Path(sys.argv[1])
    asyncio.run(run(name, name.read_text(), int(sys.argv[2])))
