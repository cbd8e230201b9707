"""How often a decision is made again when others were faster, and how rivals keep out of each other's way."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lastro.base.ids import Chance

TRIES = 8  # each round of many that are after one row has a winner; whoever loses them all is told to come back
OVERTAKEN = "every decision was overtaken"
_LONGEST_ASIDE_SECONDS = 0.1


async def step_aside(tries: int, chance: Chance) -> None:
    """Nothing before the first two tries; then a pause of random length, so that rivals do not meet again at once."""
    if tries > 1:
        await asyncio.sleep(chance.bytes(1)[0] / 256 * min(_LONGEST_ASIDE_SECONDS, 0.005 * 2**tries))
