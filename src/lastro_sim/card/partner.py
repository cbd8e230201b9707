"""The acquirer, as one of the partners that collect: what it calls things. A charge is in at once."""

from lastro_sim import amounts
from lastro_sim.clock import printed, printed_or_none
from lastro_sim.collecting import terms
from lastro_sim.collecting.partner import SETTLED, WORDS, Fields, Partner, Row

CURRENCY = "MXN"


def _nothing(_: Row) -> Fields:
    """What is registered is kept in a table of its own, and nobody types it."""
    return {}


def _payment(row: Row) -> Fields:
    return {
        "paymentId": row["payment_id"],
        "reference": row["reference"],
        "amount": amounts.printed(row["amount"]),
        "currency": CURRENCY,
        "capturedAt": printed_or_none(row["settled_at"]),
        "chargedAt": printed(row["taken_at"]),
    }


def _returned(row: Row) -> Fields:
    return {
        "returnId": row["return_id"],
        "paymentId": row["payment_id"],
        "reference": row["reference"],
        "amount": amounts.printed(row["amount"]),
        "currency": CURRENCY,
    }


CARD = Partner(
    "card", "CREDIT_CARD", CURRENCY, terms.after(0), _nothing, _payment, _returned, words=WORDS | {SETTLED: "CAPTURED"}
)
