"""Timed work: silence becomes a refusal, slow payments end. The store keeps the due times, so that a restart goes on."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from lastro_sim import partners
from lastro_sim.analysis import requests as analyses
from lastro_sim.api_pix import returns as bank_returns
from lastro_sim.api_pix.recurring import confirmations, instructing, recurrence_states
from lastro_sim.bank import charging
from lastro_sim.card import charges as card_charges
from lastro_sim.clock import SECOND
from lastro_sim.directory import claims
from lastro_sim.med import late as late_disputes
from lastro_sim.network import LOOKS_EVERY_SECONDS, Network
from lastro_sim.spi import payments, returns
from lastro_sim.ted import transfers

LOG = logging.getLogger("lastro_sim")


class Timed(NamedTuple):
    """A kind of timed work: the rows of a table that have a due time.

    end: ends a due row, in one transaction. room: returns the most rows that may end now; -1 for all.
    """

    table: str
    end: Callable[[Network, sqlite3.Row], None]
    room: Callable[[Network], int] = lambda _: -1


BY_MACHINE_TIME = (
    Timed("payment", payments.end_due),
    Timed("giveback", returns.end_due),
    Timed("ted", transfers.end_due),
)
BY_BUSINESS_TIME = (
    Timed("instruction", charging.end_due, charging.room),
    Timed("card_charge", card_charges.end_due),
    Timed("item_payment", partners.end_payment),
    Timed("item_return", partners.end_return),
    Timed("analysis", analyses.end_due),
    Timed("bank_return", bank_returns.end_due),
    Timed("bank_confirmation", confirmations.end_due),
    Timed("bank_scheduled_charge", instructing.end_due),
    Timed("bank_recurrence", recurrence_states.expire),
    Timed("claim", claims.end_due),
    Timed("med_late", late_disputes.end_due),
)


async def run(network: Network) -> None:
    """Ends the due work and sleeps until the next, for ever."""
    while True:
        try:
            _end_due(network)
        except Exception:
            LOG.exception("what is due could not be ended; it is tried again")
            await asyncio.sleep(LOOKS_EVERY_SECONDS)
        await network.bells.wait("timer", _seconds_to_sleep(network))


def earliest(network: Network, kinds: tuple[Timed, ...]) -> int | None:
    """Returns the time of the next due row that has room."""
    dues = (network.store.next_due(kind.table) for kind in kinds if kind.room(network))
    return min((due for due in dues if due is not None), default=None)


def _end_due(network: Network) -> None:
    for kinds, now in ((BY_MACHINE_TIME, network.clock.machine), (BY_BUSINESS_TIME, network.clock.business)):
        for kind in kinds:
            for row in network.store.due(kind.table, now(), kind.room(network)):
                with network.store.writing():
                    kind.end(network, row)


def _seconds_to_sleep(network: Network) -> float:
    dated = earliest(network, BY_BUSINESS_TIME)
    dues = (earliest(network, BY_MACHINE_TIME), None if dated is None else dated - network.clock.offset)
    due = min((due for due in dues if due is not None), default=None)
    left = LOOKS_EVERY_SECONDS if due is None else (due - network.clock.machine()) / SECOND
    return min(max(left, 0.001), LOOKS_EVERY_SECONDS)
