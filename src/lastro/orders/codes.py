"""The codes that an order is paid by, as pictures and text: with Pix a QR code, at a till bars."""

from __future__ import annotations

from base64 import b64encode
from functools import lru_cache
from typing import TYPE_CHECKING

from lastro.standards import bars, code128, qrcode
from lastro.standards.brcode import BrCode, ascii_text, encode

if TYPE_CHECKING:
    from lastro.orders import model
    from lastro.orders.model import Installation

_BARS_HEIGHT, _BARS_SCALE = 40, 3


def is_payable_by_pix(order: model.Order) -> bool:
    """Tells whether an order has a Pix code that may be shown. None may while its key leads to somebody else."""
    return order.pix_key is not None and order.leads_here


def payload(order: model.Order, holder_name: str, city: str, place: Installation) -> str:
    """Returns the text of an order's QR. It is dynamic, for one use, with the location that serves the signed charge.

    Of an order by a connection it is the bank's own.
    """
    if order.bank_code is not None:
        return order.bank_code
    assert order.location_token is not None
    return encode(
        BrCode(
            location=place.location(order.location_token),
            amount=None if order.final_amount is None else str(order.final_amount),
            merchant_name=merchant(holder_name, 25),
            merchant_city=merchant(city, 15),
            single_use=True,
        )
    )


@lru_cache(maxsize=4096)
def merchant(text: str, longest: int) -> str:
    """Returns a name or city for a code: ASCII, cut to `longest`, never empty."""
    return ascii_text(text, longest) or "NAO INFORMADO"


@lru_cache(maxsize=2048)
def picture(text: str) -> str:
    """Returns the PNG in base64, from a cache: clients that wait read the same order again and again."""
    return b64encode(qrcode.png(text)).decode()


@lru_cache(maxsize=2048)
def bars_picture(reference: str) -> str:
    """Draws a reference in Code 128: a PNG in base64, 40 modules high, three pixels a module."""
    return b64encode(bars.png(code128.widths(reference), _BARS_HEIGHT, _BARS_SCALE)).decode()


def grouped(reference: str) -> str:
    """Groups a reference's digits in fours, as people read it out."""
    return " ".join(reference[at : at + 4] for at in range(0, len(reference), 4))
