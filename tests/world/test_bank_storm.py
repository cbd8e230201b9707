"""One short storm over a company's own bank, always the same; `make storm ARGS=--bank` blows as many others as anybody likes."""

import asyncio
from pathlib import Path

from tests.world.bank.storm import BANK
from tests.world.storms import place, told
from tests.world.whole.town import built
from tests.world.whole_storm import Report, storm_over

SEED, ACTS = 3, 14


def test_the_banks_books_are_ours() -> None:
    async def blow(folder: Path) -> Report:
        async with built(folder, BANK.town) as town:
            return await storm_over(town, SEED, ACTS, BANK)

    with place() as folder:
        (folder / "town").mkdir(mode=0o711)
        report = asyncio.run(blow(folder / "town"))
    assert not report.broken, told(report)
    assert report.faults
    assert report.done["payments at the bank that are ours"]
