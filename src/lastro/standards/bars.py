"""Linear bar codes as bars and as a picture. A code is its widths in modules: bar, space, bar, ..., and a bar at the end."""

from collections.abc import Iterator, Sequence
from struct import pack
from zlib import compress, crc32

QUIET_MODULES = 10  # on each side: ISO/IEC 16390 and ISO/IEC 15417 ask for ten

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def bars(widths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yields the start and width of each bar, in modules. The quiet zone comes first."""
    at = QUIET_MODULES
    for number, width in enumerate(widths):
        if number % 2 == 0:
            yield at, width
        at += width


def png(widths: Sequence[int], height: int, scale: int = 2) -> bytes:
    """Returns a 1-bit greyscale PNG with the quiet zones left and right: `height` modules high, `scale` pixels a module."""
    modules = sum(widths) + 2 * QUIET_MODULES
    row_bytes = (modules * scale + 7) // 8
    light = (1 << 8 * row_bytes) - 1
    for at, width in bars(widths):
        light ^= ((1 << width * scale) - 1) << 8 * row_bytes - (at + width) * scale
    # The first row as it is (filter None), each other one as the row above it (filter Up).
    rows = b"\x00" + light.to_bytes(row_bytes, "big") + (b"\x02" + bytes(row_bytes)) * (height * scale - 1)
    head = pack(">IIBBBBB", modules * scale, height * scale, 1, 0, 0, 0, 0)
    return _SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", compress(rows, 9)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return pack(">I", len(data)) + kind + data + pack(">I", crc32(kind + data))
