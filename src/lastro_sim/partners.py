"""Every partner that collects and is kept by `collecting`, by its name: the timer and the phone know them by this list."""

from lastro_sim.card.partner import CARD
from lastro_sim.cash.partner import PARTNERS as CASH
from lastro_sim.collecting import payments, returns
from lastro_sim.collecting.partner import Partner
from lastro_sim.crypto.partner import PARTNERS as CRYPTO
from lastro_sim.network import Network
from lastro_sim.transfers.partner import PARTNERS as TRANSFERS

PARTNERS: dict[str, Partner] = {partner.name: partner for partner in (*CASH, *TRANSFERS, *CRYPTO, CARD)}


def run_due(network: Network) -> None:
    """End the payments and returns whose time has come."""
    payments.run_due(network, PARTNERS)
    returns.run_due(network, PARTNERS)


def wakes_at(network: Network) -> int | None:
    """The business time of the next such end."""
    return min((*payments.dues(network), *returns.dues(network)), default=None)
