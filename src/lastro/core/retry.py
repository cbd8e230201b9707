"""Retries decisions that lost a conflict, with back-off."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from lastro.core.concurrency_slot import rest
from lastro.core.errors import NoMove, NotYet, Refused, Stale, Wait

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lastro.core.ids import Chance
    from lastro.core.runner import Done, RequestContext, Verb

K = TypeVar("K")

TRIES = 8  # each round of many requests for one row has a winner; one that loses them all is told to come back
ALWAYS_CONFLICTED = "every decision was overtaken"
_WAITS = 3  # as often somebody who waits for the answer is told that it is too early
_LONGEST_ASIDE_SECONDS = 0.1


async def back_off(tries: int, chance: Chance) -> None:
    """Pauses for a random time, but not before the first two tries. So conflicting requests do not meet again at once."""
    if tries > 1:
        await asyncio.sleep(chance.bytes(1)[0] / 256 * min(_LONGEST_ASIDE_SECONDS, 0.005 * 2**tries))


async def patiently(ask: Callable[[], Awaitable[K]]) -> K:
    """Asks again until the answer is there. No connection is held meanwhile."""
    waits = 0
    while True:
        try:
            return await ask()
        except Wait as wait:
            await wait.pause()
        except NotYet as early:
            waits += 1
            if waits == _WAITS:
                raise Stale(ALWAYS_CONFLICTED) from early
            await rest(early.seconds)


def decided(verb: Verb[Any], looked: K | Refused, context: RequestContext, tries: int) -> Done | Refused:
    """Returns the verb's decision on what was read.

    Stale: the object's table lacks the move, as may happen if several statements read several moments. NoMove: the move is
    lacking in the last try too, which is a mistake of ours.
    """
    if isinstance(looked, Refused):
        return looked
    try:
        return verb.decide(looked, context)
    except NoMove as torn:
        if tries == TRIES - 1:
            raise
        raise Stale(ALWAYS_CONFLICTED) from torn
