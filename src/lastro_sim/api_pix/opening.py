"""The bank's start: it joins the network, and its first customer has an account."""

from lastro_sim.directory import entries
from lastro_sim.network import Network
from lastro_sim.settings import BANK_NAMES, COMPANY_BANK_ISPB

from . import customers, locations, signing

SECRET_LENGTH = 40


def open_bank(network: Network) -> None:
    """Registers the bank as a participant; opens the account of its first customer."""
    entries.seed(network)
    name = BANK_NAMES[COMPANY_BANK_ISPB]
    network.store.put(
        "participant", ispb=COMPANY_BANK_ISPB, name=name, jku=signing.address(network), host=locations.host(network)
    )
    if customers.find(network, customers.DEMO.client_id) is None:
        secret = network.chance.letters(SECRET_LENGTH)
        customers.open_account(network, customers.DEMO, secret, customers.DEMO_KEYS)
