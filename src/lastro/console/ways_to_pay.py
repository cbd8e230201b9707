"""Shows how an order is paid: picture, codes to copy, dates and links."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lastro.standards import qrcode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.console.terms import Terms

# By the block of the answer: its codes, in the order in which they are of use; and what is beside them.
_CODES: Final[Mapping[str, tuple[str, ...]]] = {
    "pix": ("qrcodeData",), "boleto": ("digitableLine", "qrcodeData"), "spei": ("clabe", "reference"),
    "deposit": ("branchNumber", "accountNumber", "reference"), "cash": ("reference",), "crypto": ("qrcodeData",),
}  # fmt: skip
_BESIDE: Final[Mapping[str, tuple[str, ...]]] = {
    "boleto": ("dueDate", "payableUntil"), "spei": ("beneficiary", "bankCode"), "deposit": ("bank", "holder"),
    "crypto": ("asset", "assetAmount", "rate"),
}  # fmt: skip
_PICTURES: Final[Mapping[str, str]] = {"pix": "qrcodeImageBase64", "cash": "barcodeImageBase64"}
_DECIMAL: Final = re.compile(r"\d+\.\d+")
_UNTIL: Final = ("expireDateTime", "rateValidUntil")
_LINKS: Final[Mapping[str, tuple[str, str]]] = {
    "boleto": ("pdfUrl", "charge.open-slip"), "cash": ("voucherUrl", "charge.open-voucher"),
    "crypto": ("universalUrl", "charge.open-app"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Code:
    """A text that is pasted elsewhere. name: of the element; label: in words."""

    name: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class WayToPay:
    """The way in which an order is paid. picture: a PNG in base64; is_bars: of a bar code, else of a QR code."""

    codes: tuple[Code, ...]
    facts: tuple[tuple[str, str], ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    picture: str | None = None
    is_bars: bool = False


def of(answer: Mapping[str, Any], say: Terms) -> WayToPay:
    """Returns what the API's answer about an order has for its payer."""
    name = next((one for one in _CODES if answer.get(one)), "")
    block = answer.get(name) or {}
    codes = [Code(one, say(f"charge.pay.{name}.{one}"), str(block[one])) for one in _CODES.get(name, ()) if block.get(one)]
    facts = [(say.field(one), _written(str(block[one]), say)) for one in _BESIDE.get(name, ()) if block.get(one)]
    facts += [(say("charge.until"), say.moment(block[one])) for one in _UNTIL if block.get(one)]
    field, text = _LINKS.get(name, ("", ""))
    links = [(say(text), block[field])] if block.get(field) else []
    if page := answer.get("checkoutUrl"):
        codes.append(Code("checkoutUrl", say("charge.link"), page))
        links.append((say("charge.open-link"), page))
    picture = block.get(_PICTURES.get(name, "")) or (_drawn(block["qrcodeData"]) if block.get("qrcodeData") else None)
    return WayToPay(tuple(codes), tuple(facts), tuple(links), picture, name == "cash")


def _drawn(text: str) -> str | None:
    """Draws a code that the answer has as a text alone: a slip's Pix, an app's. None: no picture holds it."""
    try:
        return base64.b64encode(qrcode.png(text)).decode()
    except ValueError:
        return None


def _written(text: str, say: Terms) -> str:
    """Writes a day or a decimal number as people do; another text stays."""
    return say.decimal(text) if _DECIMAL.fullmatch(text) else say.date(text)
