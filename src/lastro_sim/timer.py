"""Timed work: silence becomes a refusal, slow payments end. The store keeps the due times, so that a restart goes on."""

import asyncio
import logging

from lastro_sim import partners
from lastro_sim.analysis import requests as analyses
from lastro_sim.bank import charging
from lastro_sim.card import charges as card_charges
from lastro_sim.clock import SECOND
from lastro_sim.directory import claims
from lastro_sim.med import late as late_disputes
from lastro_sim.network import LOOKS_EVERY_SECONDS, Network
from lastro_sim.spi import payments, returns
from lastro_sim.ted import transfers

LOG = logging.getLogger("lastro_sim")
TIMED = (payments, returns, transfers)  # each by machine time
# Each by business time.
DATED = (charging, card_charges, partners, analyses, claims, late_disputes)


async def run(network: Network) -> None:
    """Ends the due work and sleeps until the next, for ever."""
    while True:
        try:
            for part in (*TIMED, *DATED):
                part.run_due(network)
        except Exception:
            LOG.exception("what is due could not be ended; it is tried again")
            await asyncio.sleep(LOOKS_EVERY_SECONDS)
        await network.bells.wait("timer", _seconds_to_sleep(network))


def _seconds_to_sleep(network: Network) -> float:
    now = network.clock.machine()
    dues = [due for due in (part.next_due(network) for part in TIMED) if due is not None]
    dues += [due - network.clock.offset for due in (part.wakes_at(network) for part in DATED) if due is not None]
    left = (min(dues) - now) / SECOND if dues else LOOKS_EVERY_SECONDS
    return min(max(left, 0.001), LOOKS_EVERY_SECONDS)
