"""A participant's settlement account at the SPI, day by day."""

import json
import sqlite3
from functools import partial

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from lastro_sim import amounts, statements
from lastro_sim.answers import Asked
from lastro_sim.clock import printed
from lastro_sim.guard import PARTICIPANT_ONLY
from lastro_sim.network import Network
from lastro_sim.statements import Movement

from . import original

PAYMENTS = """
SELECT * FROM payment WHERE status = 'ACCC' AND settled_at >= ? AND settled_at < ? AND (sender = ? OR receiver = ?)
 ORDER BY settled_at, seq
"""
RETURNS = """
SELECT g.*, p.sender AS payer_bank, p.amount AS paid, p.body, p.tx_id, p.receiver
  FROM giveback g JOIN payment p ON p.end_to_end_id = g.end_to_end_id
 WHERE g.status = 'ACCC' AND g.settled_at >= ? AND g.settled_at < ? AND (g.sender = ? OR p.sender = ?)
 ORDER BY g.settled_at, g.seq
"""


@get("/spi/v1/statements/{ispb:str}", opt=PARTICIPANT_ONLY)
async def statement(request: Asked, network: NamedDependency[Network], ispb: FromPath[str]) -> Response[bytes]:
    """Returns a page of the statement of a past day."""
    return statements.page(request, network, "pix", partial(movements, network, ispb))


def movements(network: Network, ispb: str, begin: int, end: int) -> list[Movement]:
    """Returns the payments and returns between two instants."""
    paid = network.store.rows(PAYMENTS, begin, end, ispb, ispb)
    given = network.store.rows(RETURNS, begin, end, ispb, ispb)
    found = [_payment(row, ispb) for row in paid] + [_return(row, ispb) for row in given]
    return sorted(found, key=lambda one: one.settled_at)


def _payment(row: sqlite3.Row, ispb: str) -> Movement:
    name, settled_at = row["end_to_end_id"], printed(row["settled_at"])
    message = {"msgId": f"S{name}"}
    if row["receiver"] == ispb:
        kind = "IN"
        message |= {"type": "camt.054", **json.loads(row["body"]), "settledAt": settled_at}
    else:
        kind = "OUT"
        message |= {"type": "pacs.002", "endToEndId": name, "status": "ACSC", "settledAt": settled_at}
        message |= original.of_payment(row)
    about = {"endToEndId": name, "txId": row["tx_id"]}
    return Movement(kind, name, row["tx_id"], row["amount"], row["settled_at"], message, about)


def _return(row: sqlite3.Row, ispb: str) -> Movement:
    name, of = row["return_id"], row["end_to_end_id"]
    message = {"msgId": f"S{name}", "returnId": name, "endToEndId": of, "settledAt": printed(row["settled_at"])}
    if row["sender"] == ispb:
        kind = "RETURN_OUT"
        message |= {"type": "pacs.002", "status": "ACSC", "amount": amounts.printed(row["amount"])}
    else:
        kind = "RETURN_IN"
        message |= {"type": "pacs.004", "amount": amounts.printed(row["amount"]), "reason": row["reason"]}
        message |= {"details": row["details"]} if row["details"] else {}
        body = json.loads(row["body"])
        payer, receiver = {"ispb": row["payer_bank"], **body["payer"]}, {"ispb": row["receiver"], **body["receiver"]}
        message |= original.of(row["paid"], payer, receiver, row["tx_id"])
    return Movement(kind, name, of, row["amount"], row["settled_at"], message, {"endToEndId": of, "returnId": name})
