"""Customers of the bank, their keys and certificates. Keys are in the directory, as everybody's."""

from lastro.standards import pix_keys
from lastro_sim.directory import entries
from lastro_sim.directory.entries import Account, Entry, Owner
from lastro_sim.network import Network
from lastro_sim.settings import COMPANY_BANK_ISPB

from .calls import Customer, Row

BRANCH = "0001"
# The account of the sandbox's second demo company; CNPJ and keys with valid check digits, of nobody.
DEMO = Customer("lastro-demo", "Dora Servicos SA", "16727230000197", BRANCH, "400001", "standard")
DEMO_KEYS = ("loja@dora.example", "5f0c2b8e-6d1a-4c53-8f7e-2b9d40a1c7e6")
ACCOUNT_TYPE = "CACC"


def open_account(network: Network, customer: Customer, secret: str, keys: tuple[str, ...]) -> Customer:
    """Adds a customer with keys that nobody has; one of his client id stays as he is, but for his dialect."""
    with network.store.writing():
        known = network.store.find("bank_customer", client_id=customer.client_id)
        if known is not None:
            network.store.change("bank_customer", known, dialect=customer.dialect)
            return of_row(network.store.get("bank_customer", client_id=customer.client_id))
        network.store.insert(
            "bank_customer", client_id=customer.client_id, secret=secret, name=customer.name, document=customer.document,
            branch=customer.branch, account=customer.account, dialect=customer.dialect,
        )  # fmt: skip
        for key in keys:
            _register(network, customer, key)
    return customer


def of_row(row: Row) -> Customer:
    """Returns the customer in a row."""
    return Customer(
        row["client_id"], row["name"], row["document"], row["branch"], row["account"], row["dialect"],
    )  # fmt: skip


def find(network: Network, client_id: str) -> Customer | None:
    """Returns a customer by client id."""
    row = network.store.find("bank_customer", client_id=client_id)
    return None if row is None else of_row(row)


def by_account(network: Network, account: str) -> Customer | None:
    """Returns the customer of an account."""
    row = network.store.find("bank_customer", account=account)
    return None if row is None else of_row(row)


def by_certificate(network: Network, fingerprint: str) -> Customer | None:
    """Returns the customer whose certificate has this SHA-256."""
    row = network.store.find("bank_certificate", fingerprint=fingerprint)
    return None if row is None else find(network, row["client_id"])


def keys_of(network: Network, customer: Customer) -> list[str]:
    """Returns the keys of a customer's account."""
    return [row["key"] for row in network.store.every("entry", ispb=COMPANY_BANK_ISPB, account=customer.account)]


def has_key(network: Network, customer: Customer, key: str) -> bool:
    """Tells whether a key belongs to the customer's account."""
    return pix_keys.canonical(key) in keys_of(network, customer)


def next_account(network: Network) -> str:
    """Returns a new account's number."""
    return str(410_000 + network.store.next_number("bank-account"))


def _register(network: Network, customer: Customer, key: str) -> None:
    name = pix_keys.canonical(key)
    if entries.find(network, name) is not None:
        return
    owner = Owner(customer.name, "CNPJ" if len(customer.document) == 14 else "CPF", customer.document)
    place = Account(COMPANY_BANK_ISPB, customer.branch, customer.account, ACCOUNT_TYPE, "2020-01-02T12:00:00.000000Z")
    entries.add(network, Entry(name, pix_keys.key_type(name) or "EVP", owner, place))
