"""Calls of webhooks: `{"pix": […]}` at the registered base and `/pix`, for Pix with a txid alone.

Faults of the operation `bank_webhook`: none, twice, late, out-of-order (behind the next one), forged (a Pix that nobody
paid), and wrong-customer (told to another customer's webhook). Source: API Pix 2.9.0, callback listaPix; retries are each
bank's.
"""

import json
from dataclasses import dataclass
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


@dataclass(frozen=True)
class News:
    """News for a webhook. path: behind the registered base; name: of the list in the body.

    forged: fields of something that never happened. table, kind: where other customers' webhooks of its kind stand.
    """

    path: str
    name: str
    item: dict[str, Any]
    forged: dict[str, Any]
    table: str
    kind: str | None = None
    delay: int = 0


def tell(network: Network, pix: Row) -> None:
    """Queues a notice of a Pix; it needs a txid and a webhook of its key."""
    hook = None if pix["key"] is None else network.store.find("bank_webhook", key=pix["key"])
    if hook is None or pix["tx_id"] is None:
        return
    about = {"endToEndId": pix["end_to_end_id"], "txId": pix["tx_id"], "key": pix["key"]}
    forged = {"endToEndId": f"E{'0' * 31}", "valor": "9999.99"}
    send(network, hook, about, News("/pix", "pix", received.shown(network, pix), forged, "bank_webhook"))


def send(network: Network, hook: Row, about: dict[str, str | None], news: News) -> None:
    """Queues news for a webhook; an ordered fault decides what becomes of it."""
    customer = customers.find(network, hook["client_id"])
    if customer is None:
        return
    fault = faults.strike(network, OPERATION, about | {"clientId": customer.client_id, "route": news.path}, BEHAVIOURS)
    behaviour, url, item = faults.behaviour_of(fault), hook["url"], news.item
    if behaviour == "none":
        return
    if behaviour == "wrong-customer":
        others = network.store.every(news.table, **({} if news.kind is None else {"kind": news.kind}))
        other = next((one for one in others if one["client_id"] != customer.client_id), None)
        if other is None:
            return
        url = other["url"]
    if behaviour == "forged":
        item = item | news.forged
    late = fault.delay if fault is not None and behaviour == "late" else 0
    again = DIALECTS[customer.dialect].retries
    for _ in range(2 if behaviour == "twice" else 1):
        put(network, address(url, news.path), {news.name: [item]}, again, delay=news.delay + late,
            held=behaviour == "out-of-order")  # fmt: skip


def put(
    network: Network, url: str, body: dict[str, Any], again: tuple[int, ...] = (), *, delay: int = 0, held: bool = False
) -> None:
    """Queues a notice. again: seconds to each further try; delay: business microseconds; held: until the next is queued."""
    now = network.clock.business()
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


def address(base: str, path: str = "/pix") -> str:
    """Returns the address that the bank calls: the base and a path, but for Efí's mark."""
    return base if base.endswith(_MARK) else f"{base.rstrip('/')}{path}"


def listed(network: Network, limit: int) -> list[dict[str, Any]]:
    """Lists the newest notices, oldest first, with the answer that each got."""
    return [
        {
            "url": row["url"], "body": json.loads(row["body"]), "tries": row["tries"], "answered": row["answered"],
            "waits": row["due_at"] is not None or bool(row["held"]),
        }
        for row in network.store.newest("bank_notice", limit)
    ]  # fmt: skip
