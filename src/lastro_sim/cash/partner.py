"""The three networks of tills: what they call things, and when they bring the money.

OXXO brings it on the next business day; OXXO Pay and Paynet tell of it at once, and then it is in. A till takes the amount
on its screen and knows nobody's name. What was taken is not given back there.
"""

import json

from lastro_sim import amounts, scenarios
from lastro_sim.clock import printed, printed_or_none
from lastro_sim.collecting import terms
from lastro_sim.collecting.partner import Fields, Partner, Row

CURRENCY = "MXN"


def _charge(row: Row) -> Fields:
    return {
        "reference": row["reference"],
        "amount": amounts.printed(row["amount"]),
        "currency": CURRENCY,
        "expiresAt": printed_or_none(row["expires_at"]),
        **json.loads(row["body"]),
    }


def _payment(row: Row) -> Fields:
    return {
        "paymentId": row["payment_id"],
        "reference": row["reference"],
        "amount": amounts.printed(row["amount"]),
        "currency": CURRENCY,
        "paidAt": printed(row["taken_at"]),
        "settledAt": printed_or_none(row["settled_at"]),
    }


def _nothing(_: Row) -> Fields:
    """There are no returns."""
    return {}


AT_ONCE = terms.after(0)
OXXO, OXXOPAY, PAYNET, PAYNET2 = (
    Partner(name, kind, CURRENCY, settles_at, _charge, _payment, _nothing, magic=scenarios.for_voucher)
    for name, kind, settles_at in (
        ("oxxo", "OXXO", terms.next_morning),
        ("oxxopay", "OXXOPAY", AT_ONCE),
        ("paynet", "PAYNET", AT_ONCE),
        ("paynet2", "PAYNET", AT_ONCE),
    )
)
PARTNERS = (OXXO, OXXOPAY, PAYNET, PAYNET2)
