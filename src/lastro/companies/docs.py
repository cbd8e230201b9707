"""The documentation of the room's operation, for callers."""

from __future__ import annotations

from lastro.api_kit.routes import Doc
from lastro.companies.rendering import FeesOfCompany


def _reais(value: str) -> dict[str, str]:
    return {"currency": "BRL", "value": value}


FEES = Doc(
    "List fees",
    "What your company pays, by direction and payment method: the plan that holds now and those that will, each until"
    " the next one of its method begins. A method that is not named is free.\n\n"
    "The fee of an amount is `fixed` + `variablePercent` of the amount, rounded half to even to the cent, + `additional`."
    " An order's `finalAmount` is its `amount`, and the fee on top of it where `feePayer` is `CUSTOMER`. The plan that holds"
    " when an order or payout is created is the one that it keeps; money that comes for no order pays what holds when it is"
    " settled.",
    None, FeesOfCompany, (), None,
    {
        "data": [
            {
                "direction": "IN", "paymentMethod": "PIX", "fixed": _reais("0.10"), "variablePercent": "0.99",
                "additional": _reais("0.00"), "feePayer": "RECEIVER", "validFrom": "2026-01-05T12:00:00.000000Z",
                "validUntil": "2026-03-01T03:00:00.000000Z",
            },
            {
                "direction": "IN", "paymentMethod": "PIX", "fixed": _reais("0.00"), "variablePercent": "0.89",
                "additional": _reais("0.00"), "feePayer": "RECEIVER", "validFrom": "2026-03-01T03:00:00.000000Z",
            },
            {
                "direction": "OUT", "paymentMethod": "PIX", "fixed": _reais("0.50"), "variablePercent": "0.00",
                "additional": _reais("0.00"), "validFrom": "2026-01-05T12:00:00.000000Z",
            },
        ]
    },
)  # fmt: skip
