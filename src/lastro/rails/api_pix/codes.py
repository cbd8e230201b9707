"""The BR Code of a bank's charge: what the payer scans, checked before anybody sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.rails.messages import Malformed
from lastro.standards import brcode

if TYPE_CHECKING:
    from lastro.core.money import Money
    from lastro.rails.api_pix.wire import BankCharge

_SCHEMES = ("https://", "http://")
_ZERO = "0.00"


@dataclass(frozen=True, slots=True)
class Merchant:
    """The receiver as a code that we build names him: for people to read, since the signed charge decides."""

    name: str
    city: str


def code_of(charge: BankCharge, amount: Money, merchant: Merchant) -> tuple[str, str]:
    """Returns the code of a charge and its location, without a scheme.

    The bank's own code is taken (pixCopiaECola, brcode); where it gives none, one is built on its location. Malformed: it
    has neither, or the code is damaged, is no dynamic code of Pix, leads elsewhere than the location, or names another
    amount. Source: BR Code manual; API Pix 2.9.0.
    """
    location = _location(charge)
    text = (charge.pix_copia_e_cola or charge.brcode or "").strip()
    if not text:
        if location is None:
            raise Malformed("loc.location")
        return _built(location, amount, merchant), location
    try:
        code = brcode.decode(text)
    except brcode.BrCodeError as error:
        raise Malformed(f"pixCopiaECola ({error.reason})") from error
    if code.location is None or code.recurrence_location is not None:
        raise Malformed("pixCopiaECola (TARGET)")
    if location is not None and code.location != location:
        raise Malformed("loc.location")
    if code.amount not in {None, _ZERO, str(amount)}:
        raise Malformed("pixCopiaECola (AMOUNT)")
    return text, code.location


def _location(charge: BankCharge) -> str | None:
    """Returns the location that the bank names beside the code. Malformed: it names two."""
    told = (None if charge.loc is None else charge.loc.location, charge.location)
    named = {_bare(text) for text in told if text}
    if len(named) > 1:
        raise Malformed("location")
    return named.pop() if named else None


def _bare(location: str) -> str:
    for scheme in _SCHEMES:
        if location.lower().startswith(scheme):
            return location[len(scheme) :]
    return location


def _built(location: str, amount: Money, merchant: Merchant) -> str:
    code = brcode.BrCode(
        merchant_name=merchant.name, merchant_city=merchant.city, location=location, amount=str(amount), single_use=True
    )
    try:
        return brcode.encode(code)
    except brcode.BrCodeError as error:
        raise Malformed("loc.location") from error
