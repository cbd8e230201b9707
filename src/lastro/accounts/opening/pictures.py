"""Pictures as they are stored: decoded whole and drawn anew, pixels alone.

Metadata is gone: place and author, colour profiles, bytes hidden behind the end. Pillow decodes; the limits on its formats
and pixels are set here, before anything is decoded.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Final

from PIL import Image, ImageOps

from lastro.accounts.opening.refusing import FileRefused

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MOST_PIXELS: Final = 40_000_000  # pictures of telephones have 12 to 24 million
LONGEST_SIDE: Final = 20_000
MOST_SCANS: Final = 100  # of a JPEG; each is a pass over all its pixels; telephones and programs write up to 10
_SCAN: Final = b"\xff\xda"  # ISO/IEC 10918-1 B.1.1.3; a scan's own data have a zero after each 0xFF
_QUALITY: Final = 90
_FORMATS: Final = {"image/png": "PNG", "image/jpeg": "JPEG"}


def drawn_anew(content: bytes, content_type: str) -> bytes:
    """Draws the picture anew in its format. FileRefused: it is none, is cut off, or has too many pixels."""
    form = _FORMATS[content_type]
    if form == "JPEG" and content.count(_SCAN) > MOST_SCANS:
        raise FileRefused("TOO_LONG", f"the picture has more than {MOST_SCANS} passes: save it anew, not progressive")
    try:
        with warnings.catch_warnings():
            # Pillow warns of a possible bomb; the limit here is lower, and is checked before anything is decoded.
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=(form,)) as opened:
                _demand_small(*opened.size)
                opened.load()
                ImageOps.exif_transpose(opened, in_place=True)
                return _written(_plain(opened), form)
    except FileRefused:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as bomb:
        raise _too_large() from bomb
    except Exception as broken:  # hostile bytes make a decoder fail in any way; each means the same
        raise FileRefused("INVALID", "is no whole picture of its kind") from broken


def _demand_small(width: int, height: int) -> None:
    if width * height > MOST_PIXELS or max(width, height) > LONGEST_SIDE:
        raise _too_large()


def _too_large() -> FileRefused:
    return FileRefused("TOO_LONG", f"the picture has more than {MOST_PIXELS // 1_000_000} million pixels")


def _plain(picture: Picture) -> Picture:
    """Converts a picture to colours or greys on white, without metadata; such a one stays the same object."""
    if picture.mode in ("L", "RGB"):
        plain = picture  # a copy would hold all pixels twice
    elif picture.mode == "1":
        plain = picture.convert("L")
    elif picture.mode in ("LA", "RGBA", "PA", "P", "La", "RGBa"):
        seen = picture if picture.mode == "RGBA" else picture.convert("RGBA")
        plain = Image.new("RGB", seen.size, "white")
        plain.paste(seen, mask=seen.getchannel("A"))
    else:
        plain = picture.convert("RGB")
    plain.info = {}
    return plain


def _written(picture: Picture, form: str) -> bytes:
    written = io.BytesIO()
    if form == "PNG":
        picture.save(written, "PNG", compress_level=3)
    else:
        picture.save(written, "JPEG", quality=_QUALITY)
    return written.getvalue()
