"""Crypto: paid in another asset at a rate that its partner has quoted and that holds for half an hour (contract.md §10)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.api_kit.routes import stamp
from lastro.orders.instruments.model import Made
from lastro.orders.model import Instrument
from lastro.standards.own_numbers import own_digits

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.orders.instruments.model import Basis

_HOLDS_FOR = timedelta(minutes=30)
_TOLD_WITHIN = timedelta(seconds=60)  # the partner's message may reach us that much later


def reference_of(company_number: int, sequence: int) -> str:
    """Returns the partner's reference of a quote and its payment. Its twenty digits find the company."""
    return own_digits(company_number, sequence)


def rate_ends(asked_at: datetime) -> datetime:
    """Returns the time until which the order's rate has to hold."""
    return asked_at + _HOLDS_FOR


def crypto(basis: Basis) -> Made:
    """Makes the instrument of the partner's quote. The order ends with its rate: nobody pays at another one."""
    quote = basis.quote
    assert quote is not None, "a quote is asked for before the order is made"
    details = {
        "asset": quote.asset, "assetAmount": quote.asset_amount, "rate": quote.rate,
        "rateValidUntil": stamp(quote.valid_until), "deeplink": quote.deeplink, "universalUrl": quote.universal_url,
        "qrcodeData": quote.qr_text,
    }  # fmt: skip
    return Made(
        Instrument(basis.rail, quote.reference, details=details), quote.valid_until, quote.valid_until + _TOLD_WITHIN
    )
