"""The two banks of account numbers: what they call things, and that they bring the money at once, day and night.

Whoever sends a transfer types its amount, as often as he likes and whatever is asked. What is sent to a number that is
closed, or whose time is over, they send back by themselves, so that the phone is refused; under a fault it comes all the
same.
"""

import json
from collections.abc import Callable

from lastro_sim import amounts, scenarios
from lastro_sim.clock import printed, printed_or_none
from lastro_sim.collecting import terms
from lastro_sim.collecting.partner import Fields, Partner, Row, as_it_is

TRACKING_KEY_LENGTH = 30


def digits_of(text: str) -> str:
    """A number as people type it, with blanks, dots and hyphens in it."""
    return "".join(one for one in text if one not in " .-")


def tracking_key(unique: str) -> str:
    """A clave de rastreo of the payer's bank: up to thirty letters and digits."""
    return unique.replace("-", "").upper()[:TRACKING_KEY_LENGTH]


def _partner(name: str, field: str, currency: str, named: Callable[[str], str]) -> Partner:
    """field: in which it names an account number."""

    def item(row: Row) -> Fields:
        return {
            field: row["reference"],
            "amount": amounts.printed(row["amount"]),
            "currency": currency,
            "expiresAt": printed_or_none(row["expires_at"]),
            **json.loads(row["body"]),
        }

    def payment(row: Row) -> Fields:
        return {
            "paymentId": row["payment_id"],
            field: row["reference"],
            "amount": amounts.printed(row["amount"]),
            "currency": currency,
            "paidAt": printed(row["taken_at"]),
            "settledAt": printed_or_none(row["settled_at"]),
            **json.loads(row["body"]),
        }

    def returned(row: Row) -> Fields:
        return {
            "returnId": row["return_id"],
            "paymentId": row["payment_id"],
            field: row["reference"],
            "amount": amounts.printed(row["amount"]),
            "currency": currency,
        }

    return Partner(
        name,
        name.upper(),
        currency,
        terms.after(0),
        item,
        payment,
        returned,
        magic=scenarios.for_transfer,
        takes_any_amount=True,
        takes_again=True,
        typed=digits_of,
        named=named,
    )


SPEI = _partner("spei", "clabe", "MXN", tracking_key)
DEPOSIT = _partner("deposit", "account", "BRL", as_it_is)
PARTNERS = (SPEI, DEPOSIT)
