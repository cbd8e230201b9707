"""Calls of webhooks: `{"pix": […]}` at the registered base and `/pix`, for Pix with a txid alone.

Faults of the operation `bank_webhook`: none, twice, late, out-of-order (behind the next one), forged (a Pix that nobody
paid), and wrong-customer (told to another customer's webhook). Source: API Pix 2.9.0, callback listaPix; retries are each
bank's.
"""

import json
import logging
from typing import Any, Final

import aiohttp

from lastro_sim import faults
from lastro_sim.clock import SECOND
from lastro_sim.network import LOOKS_EVERY_SECONDS, Network

from . import customers, received
from .calls import Row
from .dialects import DIALECTS

LOG = logging.getLogger("lastro_sim")
OPERATION = "bank_webhook"
BEHAVIOURS: Final = frozenset({"none", "twice", "late", "out-of-order", "forged", "wrong-customer"})
BELL = "bank-notices"
LONGEST_WAIT = 60.0
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
    now = network.clock.business()
    url = base if base.endswith(_MARK) else f"{base.rstrip('/')}/pix"
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


def listed(network: Network, limit: int) -> list[dict[str, Any]]:
    """Lists the newest notices, oldest first, with the answer that each got."""
    return [
        {
            "url": row["url"], "body": json.loads(row["body"]), "tries": row["tries"], "answered": row["answered"],
            "waits": row["due_at"] is not None or bool(row["held"]),
        }
        for row in network.store.newest("bank_notice", limit)
    ]  # fmt: skip


async def run(network: Network, client: aiohttp.ClientSession) -> None:
    """Sends the due notices and sleeps until the next, for ever."""
    while True:
        for row in network.store.due("bank_notice", network.clock.business()):
            await _send(network, client, row)
        due = network.store.next_due("bank_notice")
        left = LOOKS_EVERY_SECONDS if due is None else (due - network.clock.business()) / SECOND
        await network.bells.wait(BELL, min(max(left, 0.001), LOOKS_EVERY_SECONDS))


async def _send(network: Network, client: aiohttp.ClientSession, row: Row) -> None:
    """Calls a webhook once; a failure is tried again as long as the bank does so."""
    timeout = aiohttp.ClientTimeout(total=LONGEST_WAIT)
    headers = {"Content-Type": "application/json"}
    answered: int | None = None
    try:
        async with client.post(
            row["url"], data=row["body"].encode(), headers=headers, timeout=timeout, allow_redirects=False
        ) as got:
            answered = got.status
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        LOG.info("a webhook of the bank could not be called: %s", type(error).__name__)
    again: list[int] = json.loads(row["again"])
    done = answered is not None and 200 <= answered < 300
    wait = None if done or row["tries"] >= len(again) else again[row["tries"]] * SECOND
    due_at = None if wait is None else network.clock.business() + wait
    network.store.change("bank_notice", row, tries=row["tries"] + 1, answered=answered, due_at=due_at)
