"""How often a decision is made again when others were faster, and how rivals keep out of each other's way."""

from __future__ import annotations

import asyncio
from random import random

TRIES = 8  # each round of many that are after one row has a winner; whoever loses them all is told to come back
OVERTAKEN = "every decision was overtaken"
_LONGEST_ASIDE_SECONDS = 0.1


async def step_aside(tries: int) -> None:
    """Nothing before the first two tries; then a pause of random length, so that rivals do not meet again at once."""
    if tries > 1:
        await asyncio.sleep(random() * min(_LONGEST_ASIDE_SECONDS, 0.005 * 2**tries))  # noqa: S311 no secret
