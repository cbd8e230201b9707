"""The payer's own statement: all payments, newest first."""

import sqlite3
from dataclasses import dataclass

from lastro_sim import amounts
from lastro_sim.bank.payers import PhoneOwner
from lastro_sim.bank.paying import WORDS
from lastro_sim.clock import printed
from lastro_sim.network import Network
from lastro_sim.partners import PARTNERS

# Each reads the newest of one kind. way: its effect on the balance.
_SENT = """
SELECT 'out' AS way, end_to_end_id AS id, accepted_at AS at, amount, status, body ->> '$.receiver.name' AS who FROM payment
 WHERE body ->> '$.payer.document.number' = ? ORDER BY seq DESC LIMIT ?
"""
_RECEIVED = """
SELECT 'in' AS way, end_to_end_id AS id, settled_at AS at, amount, status, body ->> '$.payer.name' AS who FROM payment
 WHERE body ->> '$.receiver.document.number' = ? AND status = 'ACCC' ORDER BY seq DESC LIMIT ?
"""
_GIVEN_BACK = """
SELECT 'in' AS way, p.end_to_end_id AS id, g.settled_at AS at, g.amount, g.status, p.body ->> '$.receiver.name' AS who
  FROM giveback g JOIN payment p ON p.end_to_end_id = g.end_to_end_id
 WHERE p.body ->> '$.payer.document.number' = ? AND g.status = 'ACCC' ORDER BY g.seq DESC LIMIT ?
"""
_ITEMS = """
SELECT 'out' AS way, payment_id AS id, taken_at AS at, amount, status, partner, reference AS who FROM item_payment
 WHERE body ->> '$.payer.document.number' = ? ORDER BY seq DESC LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class Movement:
    """A line of the statement.

    way: out or in. status: its state; say: the page's word for it. page: the address of its details. who: a name, or a
    number.
    """

    at: str
    way: str
    amount: str
    currency: str
    status: str
    say: str
    who: str
    page: str


def movements(network: Network, payer: PhoneOwner, limit: int) -> list[Movement]:
    """Returns the customer's newest movements, newest first."""

    def rows(sql: str) -> list[sqlite3.Row]:
        return network.store.rows(sql, payer.document, limit)

    found = [_of_pix(row) for sql in (_SENT, _RECEIVED, _GIVEN_BACK) for row in rows(sql)]
    found += [_of_item(row) for row in rows(_ITEMS)]
    return sorted(found, key=lambda one: one.at, reverse=True)[:limit]


def _of_pix(row: sqlite3.Row) -> Movement:
    status = WORDS[row["status"]]
    return _movement(row, "BRL", status, status, f"/phone/result/{row['id']}")


def _of_item(row: sqlite3.Row) -> Movement:
    currency = PARTNERS[row["partner"]].currency
    return _movement(row, currency, row["status"], f"slip-{row['status']}", f"/phone/slip/{row['id']}")


def _movement(row: sqlite3.Row, currency: str, status: str, say: str, page: str) -> Movement:
    amount, who = amounts.printed(row["amount"]), row["who"] or ""
    return Movement(printed(row["at"]), row["way"], amount, currency, status, say, who, page)
