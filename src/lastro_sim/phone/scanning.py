"""Reading of QR codes and slips' bars in camera pictures."""

import io
from typing import Any, Final

import zxingcpp
from PIL import Image

MOST_BYTES: Final = 12 * 1024 * 1024
_MOST_PIXELS: Final = 60_000_000  # more than a phone's camera takes; looked at before anything is decoded
_LONGEST_SIDE: Final = 2000  # enough to find a code that fills a tenth of the picture, and looked through in a moment
_KINDS: Final = ("JPEG", "PNG", "WEBP")
# Not the set of them: a module's object of the decoder that outlives the interpreter is complained of as leaked.
_CODES: Final = (zxingcpp.BarcodeFormat.QRCode, zxingcpp.BarcodeFormat.ITF)


def code_in(picture: bytes) -> str | None:
    """Returns the text of the code in a picture. None where it shows none, or is no picture (JPEG, PNG or WebP)."""
    try:
        with Image.open(io.BytesIO(picture), formats=_KINDS) as opened:
            if opened.width * opened.height > _MOST_PIXELS:
                return None
            seen = _grey(opened)
    except Exception:  # noqa: BLE001 hostile bytes make a decoder fail in any way; each means that there is no code
        return None
    found = zxingcpp.read_barcodes(seen, formats=zxingcpp.BarcodeFormats(_CODES))
    return found[0].text if found else None


def _grey(opened: Any) -> Image.Image:
    """Makes a picture small and grey; transparent parts become white."""
    opened.draft("L", (_LONGEST_SIDE, _LONGEST_SIDE))
    opened.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
    if opened.has_transparency_data:
        paper = Image.new("RGBA", opened.size, "white")
        paper.alpha_composite(opened.convert("RGBA"))
        return paper.convert("L")
    grey: Image.Image = opened.convert("L")
    return grey
