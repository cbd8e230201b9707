"""The STR's hours for customers' transfers, by business time."""

from lastro.standards import calendar
from lastro_sim.clock import moment
from lastro_sim.network import Network


def is_open(network: Network) -> bool:
    """Tells whether the STR takes transfers now.

    It does from 06:30 to 17:00 in Brasilia on a business day (Celcoin; QI Tech from 07:00).
    """
    now = moment(network.clock.business())
    return calendar.ted_opens_at(now) == now


def day(network: Network) -> str:
    """Returns the day in Brasilia as STR numbers have it: yyyyMMdd."""
    return f"{calendar.brasilia_day(moment(network.clock.business())):%Y%m%d}"
