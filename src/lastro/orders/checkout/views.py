"""The payment steps of each method. A new method adds its function here, and no template."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.orders.checkout.model import CheckoutLine, HowToPay, Link, Picture
from lastro.orders.codes import bars_picture, grouped, is_payable_by_pix, payload, picture
from lastro.orders.methods import known_method
from lastro.standards.boleto import digitable_line, printed_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lastro.orders.model import Installation, OrderShown


def _pix(shown: OrderShown, place: Installation) -> HowToPay:
    """Shows the code as a picture and as text."""
    text = payload(shown.order, shown.holder_name, shown.city, place)
    return HowToPay(
        steps=("pix-open", "pix-read", "pix-check"),
        lines=(CheckoutLine("pix-code", text, copied=True),),
        picture=Picture(picture(text), "pix-picture"),
    )


def _slip(shown: OrderShown, place: Installation) -> HowToPay:
    """Shows the line to type, the slip, and its Pix code."""
    order = shown.order
    assert order.instrument is not None
    assert order.instrument.face is not None
    assert order.order_token is not None
    line, drawn = printed_line(digitable_line(order.instrument.face.code)), None
    lines = [CheckoutLine("slip-line", line, copied=True)]
    if is_payable_by_pix(order):
        text = payload(order, shown.holder_name, shown.city, place)
        lines.append(CheckoutLine("pix-code", text, copied=True))
        drawn = Picture(picture(text), "pix-picture")
    link = Link("slip-print", place.slip_url(order.order_token))
    return HowToPay(steps=("slip-open", "slip-line-read", "slip-settles"), lines=tuple(lines), picture=drawn, link=link)


def _crypto(shown: OrderShown, place: Installation) -> HowToPay:
    """Shows the link and picture for the app, and the amount there."""
    del place  # the partner's data suffices
    made = shown.order.instrument
    assert made is not None
    assert made.details is not None
    said = made.details
    return HowToPay(
        steps=("crypto-open", "crypto-check", "crypto-confirms"),
        lines=(
            CheckoutLine("crypto-gives", f"{said['assetAmount']} {said['asset']}"),
            CheckoutLine("crypto-rate", f"1 {said['asset']} = {said['rate']} BRL"),
            CheckoutLine("crypto-code", said["qrcodeData"], copied=True),
        ),
        picture=Picture(picture(said["qrcodeData"]), "crypto-picture"),
        link=Link("crypto-app", said["universalUrl"]),
    )


_AT_THE_TILL = {
    "OXXO": ("cash-oxxo", "cash-show", "cash-settles"), "OXXOPAY": ("cash-oxxopay", "cash-show", "cash-at-once"),
    "PAYNET": ("cash-paynet", "cash-show", "cash-at-once"),
}  # fmt: skip


def _voucher(shown: OrderShown, place: Installation) -> HowToPay:
    """Shows the reference, its bars and the voucher to print."""
    order = shown.order
    assert order.instrument is not None
    assert order.order_token is not None
    reference = order.instrument.reference
    return HowToPay(
        steps=_AT_THE_TILL[order.payment_method],
        lines=(CheckoutLine("cash-reference", grouped(reference), copied=True),),
        picture=Picture(bars_picture(reference), "cash-bars", is_bars=True),
        link=Link("cash-print", place.voucher_url(order.order_token)),
    )


def _spei(shown: OrderShown, place: Installation) -> HowToPay:
    """Shows the CLABE and the payee, also while a part is missing."""
    del place
    assert shown.order.instrument is not None
    assert shown.order.instrument.details is not None
    own = shown.order.instrument.details
    lines = (
        CheckoutLine("spei-clabe", own["clabe"], copied=True), CheckoutLine("transfer-holder", own["beneficiary"]),
        CheckoutLine("transfer-reference", own["reference"], copied=True),
    )  # fmt: skip
    return HowToPay(("spei-open", "spei-send", "transfer-parts"), lines, shown_in=("INITIAL", "PENDING"))


def _deposit(shown: OrderShown, place: Installation) -> HowToPay:
    """Shows bank, branch, account and payee, also while a part is missing."""
    del place
    assert shown.order.instrument is not None
    assert shown.order.instrument.details is not None
    own = shown.order.instrument.details
    lines = (
        CheckoutLine("deposit-bank", f"{own['bankCode']} {own['bankName']}"),
        CheckoutLine("deposit-branch", own["branchNumber"], copied=True),
        CheckoutLine("deposit-account", own["accountNumber"], copied=True), CheckoutLine("transfer-holder", own["holder"]),
        CheckoutLine("transfer-reference", own["reference"], copied=True),
    )  # fmt: skip
    return HowToPay(("deposit-open", "deposit-send", "transfer-parts"), lines, shown_in=("INITIAL", "PENDING"))


def _card(shown: OrderShown, place: Installation) -> HowToPay:
    """Shows the charged card, and the way to its bank's confirmation."""
    order = shown.order
    assert order.instrument is not None
    assert order.instrument.details is not None
    assert order.order_token is not None
    own, waits = order.instrument.details, order.card is not None and order.card.challenge_url is not None
    lines = [CheckoutLine("card", f"{own['brand']} •••• {own['lastFour']}")]
    if own["installments"] != "1":
        lines.append(CheckoutLine("card-installments", own["installments"]))
    link = Link("card-confirm", place.challenge_url(order.order_token)) if waits else None
    return HowToPay((), tuple(lines), link=link, shown_in=("INITIAL", "AUTHENTICATING", "PENDING"))


VIEWS: Mapping[str, Callable[[OrderShown, Installation], HowToPay]] = {
    "PIX": _pix, "BOLETO": _slip, "CREDIT_CARD": _card, "SPEI": _spei, "DEPOSIT": _deposit,
    **dict.fromkeys(_AT_THE_TILL, _voucher),
}  # fmt: skip


def how_to_pay(shown: OrderShown, place: Installation) -> HowToPay | None:
    """Returns the payment steps of an order; None: its method has none."""
    method = known_method(shown.order.payment_method)
    view = _crypto if method.is_quoted else VIEWS.get(method.name)
    return None if view is None else view(shown, place)
