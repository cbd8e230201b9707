"""Two crypto partners of one protocol: what they call things, and when they bring the money.

An app pays a quote exactly or not at all; its partner sees it at once and brings reais when the chain has confirmed it.
"""

import json

from lastro_sim import amounts, scenarios
from lastro_sim.clock import MINUTE, printed, printed_or_none
from lastro_sim.collecting import terms
from lastro_sim.collecting.partner import ANNOUNCED, VOID, WORDS, Fields, Partner, Row

CURRENCY = "BRL"
CONFIRMED_AFTER = MINUTE


def reference_in(text: str) -> str:
    """The reference in what an app reads: the code's address ends with it."""
    return text.strip().rpartition("/")[2]


def _opened(row: Row) -> Fields:
    return {
        "reference": row["reference"],
        "amount": amounts.printed(row["amount"]),
        "expiresAt": printed_or_none(row["expires_at"]),
        **json.loads(row["body"]),
    }


def _payment(row: Row) -> Fields:
    return {
        "paymentId": row["payment_id"],
        "reference": row["reference"],
        "amount": amounts.printed(row["amount"]),
        "seenAt": printed(row["taken_at"]),
        "settledAt": printed_or_none(row["settled_at"]),
        **json.loads(row["body"]),
    }


def _returned(row: Row) -> Fields:
    return {
        "returnId": row["return_id"],
        "paymentId": row["payment_id"],
        "reference": row["reference"],
        "amount": amounts.printed(row["amount"]),
    }


CRYPTO, CRYPTO2 = (
    Partner(
        name,
        "CRYPTO",
        CURRENCY,
        terms.after(CONFIRMED_AFTER),
        _opened,
        _payment,
        _returned,
        magic=scenarios.for_crypto,
        typed=reference_in,
        words={**WORDS, ANNOUNCED: "SEEN", VOID: "DROPPED"},
    )
    for name in ("crypto", "crypto2")
)
PARTNERS = (CRYPTO, CRYPTO2)
BEFORE = {CRYPTO.name: "", CRYPTO2.name: "/second"}  # what stands before the paths of each


def at(path: str) -> list[str]:
    """A path of both partners, each at its own place."""
    return [before + path for before in BEFORE.values()]


def whose(path: str) -> Partner:
    """The partner that a path is of."""
    return CRYPTO2 if path.startswith(f"{BEFORE[CRYPTO2.name]}/") else CRYPTO
