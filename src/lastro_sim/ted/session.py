"""When a customer's transfer may go through the STR, by business time."""

from lastro.standards import calendar
from lastro_sim.clock import moment
from lastro_sim.network import Network


def is_open(network: Network) -> bool:
    """Whether a transfer is taken now: 06:30 to 17:00 in Brasilia on a business day (Celcoin; QI Tech from 07:00)."""
    now = moment(network.clock.business())
    return calendar.ted_opens_at(now) == now


def day(network: Network) -> str:
    """The civil day in Brasilia as the STR writes it into its numbers: yyyyMMdd."""
    return f"{calendar.brasilia_day(moment(network.clock.business())):%Y%m%d}"
