"""What a person does in the app: sees what a quote asks, pays it or declines."""

from typing import Any

from lastro_sim.collecting import items, phone
from lastro_sim.collecting.partner import Partner
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import not_found

from . import quotes
from .api import QUOTED, standing


def shown(network: Network, partner: Partner, reference: str) -> dict[str, Any]:
    """A quote and how it stands."""
    known = quotes.find(network, partner, reference)
    if known is None:
        raise not_found()
    return known | {"status": standing(network, partner, reference)}


def pay(network: Network, partner: Partner, reference: str, form: Form) -> dict[str, Any]:
    """Pay exactly what is asked; one that has no order yet is paid by nobody."""
    known = items.find(network, partner, reference)
    if known is None:
        status = shown(network, partner, reference)["status"]
        code = "CHARGE_NOT_OPEN" if status == QUOTED else "CHARGE_REMOVED"
        return {"paymentId": network.chance.uuid(), "status": "REJECTED", "code": code}
    return phone.pay(network, partner, known, form)


def decline(network: Network, partner: Partner, reference: str) -> None:
    """Whoever declines in the app cannot pay it any more."""
    if shown(network, partner, reference)["status"] != items.PAID:
        items.close(network, partner, reference)
