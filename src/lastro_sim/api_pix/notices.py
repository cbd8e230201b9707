"""Calls of webhooks: `{"pix": […]}` at the registered base and `/pix`, for Pix with a txid alone.

Faults of the operation `bank_webhook`: none, twice, late, out-of-order (behind the next one), forged (a Pix that nobody
paid), and wrong-customer (told to another customer's webhook). Source: API Pix 2.9.0, callback listaPix; retries are each
bank's.
"""

import json
from typing import Any, Final

from lastro_sim import faults
from lastro_sim.network import Network

from . import customers, received
from .calls import Row
from .dialects import DIALECTS

OPERATION = "bank_webhook"
BEHAVIOURS: Final = frozenset({"none", "twice", "late", "out-of-order", "forged", "wrong-customer"})
BELL = "bank-notices"
_MARK = "?ignorar="  # Efí appends nothing to an address that ends so


def tell(network: Network, pix: Row) -> None:
    """Queues a notice of a Pix; it needs a txid and a webhook of its key."""
    hook = None if pix["key"] is None else network.store.find("bank_webhook", key=pix["key"])
    customer = None if hook is None else customers.find(network, hook["client_id"])
    if hook is None or customer is None or pix["tx_id"] is None:
        return
    about = {"endToEndId": pix["end_to_end_id"], "txId": pix["tx_id"], "key": pix["key"], "clientId": customer.client_id}
    fault = faults.strike(network, OPERATION, about, BEHAVIOURS)
    behaviour, url, body = faults.behaviour_of(fault), hook["url"], received.shown(network, pix)
    if behaviour == "none":
        return
    if behaviour == "wrong-customer":
        other = network.store.row("SELECT * FROM bank_webhook WHERE client_id <> ? LIMIT 1", customer.client_id)
        if other is None:
            return
        url = other["url"]
    if behaviour == "forged":
        body |= {"endToEndId": f"E{'0' * 31}", "valor": "9999.99"}
    delay = fault.delay if fault is not None and behaviour == "late" else 0
    again = DIALECTS[customer.dialect].retries
    for _ in range(2 if behaviour == "twice" else 1):
        put(network, url, {"pix": [body]}, again, delay=delay, held=behaviour == "out-of-order")


def put(
    network: Network, base: str, body: dict[str, Any], again: tuple[int, ...] = (), *, delay: int = 0, held: bool = False
) -> None:
    """Queues a notice. again: seconds to each further try; delay: business microseconds; held: until the next is queued."""
    now, url = network.clock.business(), address(base)
    network.store.run("UPDATE bank_notice SET held = 0, due_at = ? WHERE held", now + 1)
    network.store.insert(
        "bank_notice",
        url=url,
        body=json.dumps(body),
        again=json.dumps(again),
        held=held,
        due_at=None if held else now + delay,
    )
    network.bells.ring(BELL)


def address(base: str) -> str:
    """Returns the address that the bank calls: the base and `/pix`, but for Efí's mark."""
    return base if base.endswith(_MARK) else f"{base.rstrip('/')}/pix"


def listed(network: Network, limit: int) -> list[dict[str, Any]]:
    """Lists the newest notices, oldest first, with the answer that each got."""
    return [
        {
            "url": row["url"], "body": json.loads(row["body"]), "tries": row["tries"], "answered": row["answered"],
            "waits": row["due_at"] is not None or bool(row["held"]),
        }
        for row in network.store.newest("bank_notice", limit)
    ]  # fmt: skip
