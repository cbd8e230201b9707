"""How an order of each payment method is paid. A new method adds its function here, and no template."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.orders.checkout.model import HowToPay, Line, Link, Picture
from lastro.orders.rendering import payload, picture
from lastro.standards.boleto import digitable_line, printed_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lastro.orders.model import Place, Shown


def _pix(shown: Shown, place: Place) -> HowToPay:
    """The code as a picture and as text."""
    text = payload(shown.order, shown.holder_name, shown.city, place)
    return HowToPay(
        steps=("pix-open", "pix-read", "pix-check"),
        lines=(Line("pix-code", text, copied=True),),
        picture=Picture(picture(text), "pix-picture"),
    )


def _slip(shown: Shown, place: Place) -> HowToPay:
    """The line as people type it, the slip to print, and the Pix code on it where it has one."""
    order = shown.order
    assert order.instrument is not None
    assert order.order_token is not None
    line, drawn = printed_line(digitable_line(order.instrument.code)), None
    lines = [Line("slip-line", line, copied=True)]
    if order.pix_key is not None:
        text = payload(order, shown.holder_name, shown.city, place)
        lines.append(Line("pix-code", text, copied=True))
        drawn = Picture(picture(text), "pix-picture")
    link = Link("slip-print", place.slip_url(order.order_token))
    return HowToPay(steps=("slip-open", "slip-line-read", "slip-settles"), lines=tuple(lines), picture=drawn, link=link)


VIEWS: Mapping[str, Callable[[Shown, Place], HowToPay]] = {"PIX": _pix, "BOLETO": _slip}


def how_to_pay(shown: Shown, place: Place) -> HowToPay | None:
    """How this order is paid; None where its method has nothing to show to who pays."""
    view = VIEWS.get(shown.order.payment_method)
    return None if view is None else view(shown, place)
