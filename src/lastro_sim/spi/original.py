"""The payment fields that messages about it repeat, for comparison. Source: ISO 20022, OrgnlTxRef."""

import sqlite3
from typing import Any

import msgspec

from lastro_sim import amounts


def of_payment(payment: sqlite3.Row) -> dict[str, Any]:
    """Returns a Pix's amount, txid and both sides."""
    body = msgspec.json.decode(payment["body"])
    return of(
        payment["amount"],
        {"ispb": payment["sender"], **body["payer"]},
        {"ispb": payment["receiver"], **body["receiver"]},
        payment["tx_id"],
    )


def of(amount: int, debtor: dict[str, Any], creditor: dict[str, Any], tx_id: str | None = None) -> dict[str, Any]:
    """Returns the same for anything with two sides. amount: minor units."""
    said = {"amount": amounts.printed(amount), "debtor": _side(debtor), "creditor": _side(creditor)}
    return {"originalTransaction": said | ({"txId": tx_id} if tx_id else {})}


def _side(party: dict[str, Any]) -> dict[str, Any]:
    return {name: party[name] for name in ("ispb", "branch", "account", "document") if party.get(name)}
