"""All that a customer's client needs: addresses, client id, and the files of his secret and certificates."""

from pathlib import Path
from typing import Any

from lastro_sim.network import Network
from lastro_sim.settings import COMPANY_BANK_ISPB

from . import authority, customers, server
from .calls import Customer

PORT = "bank-port"  # the number in the store under which the socket is found


def of(network: Network, customer: Customer) -> dict[str, Any]:
    """Returns all that this customer's client needs, secrets by file."""
    url = f"https://127.0.0.1:{network.store.number(PORT) or network.settings.bank_port}"
    row = network.store.get("bank_customer", client_id=customer.client_id)
    made = authority.files(network, customer.client_id)
    return {
        "base_url": f"{url}/v2",
        "token_url": f"{url}{server.TOKEN_PATH}",
        "client_id": customer.client_id,
        "client_secret_file": str(_secret_file(network, customer, row["secret"])),
        "certificate_file": str(made.certificate),
        "key_file": str(made.key),
        "bundle_file": str(made.bundle),
        "pkcs12_file": str(made.pkcs12),
        "ca_file": str(authority.files(network, authority.AUTHORITY).certificate),
        "dialect": customer.dialect,
        "ispb": COMPANY_BANK_ISPB,
        "name": customer.name,
        "document": customer.document,
        "branch": customer.branch,
        "account": customer.account,
        "keys": customers.keys_of(network, customer),
    }


def _secret_file(network: Network, customer: Customer, secret: str) -> Path:
    path = authority.files(network, customer.client_id).key.with_suffix(".secret")
    authority.write(path, secret.encode())
    return path
