"""What happens by itself: silence becomes a refusal, slow payments end. The store says when, so a restart goes on."""

import asyncio
import logging

from .clock import SECOND
from .network import Network
from .spi import payments, returns
from .ted import transfers

LOG = logging.getLogger("lastro_sim")
LONGEST_SLEEP_SECONDS = 1.0
TIMED = (payments, returns, transfers)


async def run(network: Network) -> None:
    """End what is due, sleep until the next thing is, for ever."""
    while True:
        try:
            for part in TIMED:
                part.run_due(network)
        except Exception:
            LOG.exception("what is due could not be ended; it is tried again")
            await asyncio.sleep(LONGEST_SLEEP_SECONDS)
        await network.bells.wait("timer", _seconds_to_sleep(network))


def _seconds_to_sleep(network: Network) -> float:
    now = network.clock.machine()
    dues = [due for due in (part.next_due(network) for part in TIMED) if due is not None]
    left = (min(dues) - now) / SECOND if dues else LONGEST_SLEEP_SECONDS
    return min(max(left, 0.001), LONGEST_SLEEP_SECONDS)
