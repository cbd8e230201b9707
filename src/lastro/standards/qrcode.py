"""Draws a payload as a QR Code (ISO/IEC 18004): a small PNG.

Its error correction level is M. All that lies between a payload's bits and the file's is linear over GF(2): error
correction, the place of every module, the masks, and with the Huffman code of qrcode_sizes even the deflated picture. So a
picture is one integer, the XOR of what its codewords draw, and a payload that differs little from another of its payee costs
little. Numbers in brackets are sections of ISO/IEC 18004:2015. Measurements, and the reasons for the mask:
docs/decisions/qr-code-mask.md.
"""

import re
from binascii import crc32
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import cycle, islice
from struct import pack

from .qrcode_sizes import CAPACITIES, Size, size_of

_DIGITS = re.compile(r"([0-9]{7,})")
_ALPHANUMERICS = re.compile(r"([0-9A-Z $%*+\-./:]{11,})")
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
_PAIRS = {a + b: 45 * i + j for i, a in enumerate(_ALPHABET) for j, b in enumerate(_ALPHABET)}
_SINGLES = {a: i for i, a in enumerate(_ALPHABET)}

# Table 3: the bits of a character count in versions 1 to 9 and from 10 on, for digits, alphanumerics and bytes.
_SMALL, _SMALL_COUNTS, _LARGE_COUNTS = 9, (10, 9, 8), (12, 11, 16)
_CAPACITY_BITS = [8 * capacity for capacity in CAPACITIES]

_COUNTRY, _NAME_AND_CITY = "5802BR", 44
_END = b"\x00\x00\x00\x00IEND\xaeB`\x82"
_ADLER = 65521


def png(payload: str) -> bytes:
    """Draws `payload` as a 1-bit greyscale PNG.

    It has 4 pixels a module, 4 modules of quiet zone on each side, no ancillary data. A payload is printable ASCII of at
    most 512 characters, as BR Code makes it; ValueError if no symbol holds it.
    """
    version, codewords = _codewords(payload)
    size = size_of(version)
    drawn = size.draw(codewords, _payee(payload))
    lines = drawn & size.every_line
    mask = size.masks[_best_mask(lines, size)]
    return _file((lines ^ mask.lines) & size.every_row, drawn >> size.lines ^ mask.stream, size)


def _payee(payload: str) -> tuple[int, str]:
    """Returns the common part of one payee's payloads.

    It is their length, and from the country on (ids 58 to 60 of a BR Code) name and city. Before and behind that stand
    locations, which differ in every code. A text without a country belongs to no payee.
    """
    return len(payload), payload[payload.find(_COUNTRY) :][:_NAME_AND_CITY]


def prepare(versions: Iterable[int] = (7, 8, 9)) -> None:
    """Precomputes the parts of these versions' pictures, some fifty milliseconds each. Orders need 7 to 9."""
    for version in versions:
        size = size_of(version)
        for bits in (b"\x11", b"\x22", b"\x44", b"\x88"):  # every bit once: the rest is XORs of these
            size.draw(int.from_bytes(bits * size.capacity, "big"), None)


# From characters to data codewords.


def _codewords(payload: str) -> tuple[int, int]:
    """Returns the smallest fitting version and the data codewords (7.4). The codewords are one integer."""
    if not payload:
        raise ValueError("a QR Code of nothing")
    segments = list(_segments(payload))
    bits, length = _bit_stream(segments, _SMALL_COUNTS)
    version = bisect_left(_CAPACITY_BITS, length) + 1
    if version > _SMALL:
        bits, length = _bit_stream(segments, _LARGE_COUNTS)
        version = max(bisect_left(_CAPACITY_BITS, length), _SMALL) + 1
    if version > len(CAPACITIES):
        raise ValueError(f"{len(payload)} characters do not fit in a QR Code of version {len(CAPACITIES)}")
    # 7.4.9 and 7.4.10: four zeros or what room there is, zeros up to the next codeword, then two codewords in turn.
    capacity = CAPACITIES[version - 1]
    used = min((length + 11) // 8, capacity)
    padding = bytes(islice(cycle((0xEC, 0x11)), capacity - used))
    return version, bits << 8 * capacity - length | int.from_bytes(padding, "big")


def _segments(payload: str) -> Iterator[tuple[int, str]]:
    """Pieces of `payload`, each with its mode: 0 digits, 1 alphanumerics, 2 bytes (annex J).

    A piece in the middle of bytes costs two headers: from 7 digits or 11 alphanumerics on it is worth them. The
    shortest division there is would be 0.8 % shorter, and costs more to find than the whole picture.
    """
    for at, part in enumerate(_DIGITS.split(payload)):
        if at % 2:
            yield 0, part
        elif len(part) < 11:
            if part:
                yield 2, part
        else:
            for mode, piece in zip(cycle((2, 1)), _ALPHANUMERICS.split(part), strict=False):
                if piece:
                    yield mode, piece


def _bit_stream(segments: list[tuple[int, str]], counts: tuple[int, int, int]) -> tuple[int, int]:
    """Returns the bits of all segments and how many they are: mode, character count, characters (7.4.3 to 7.4.5)."""
    bits = length = 0
    for mode, text in segments:
        count = len(text)
        packed, added = (int.from_bytes(text.encode("ascii"), "big"), 8 * count) if mode == 2 else _packed(mode, text)
        # The mode indicator is 0001, 0010 or 0100.
        bits = ((bits << 4 | 1 << mode) << counts[mode] | count) << added | packed
        length += 4 + counts[mode] + added
    return bits, length


@lru_cache(maxsize=1024)
def _packed(mode: int, text: str) -> tuple[int, int]:
    """Packs text into bits, and returns their number too.

    Three digits take ten bits, two alphanumerics eleven. It is cached, since most payloads have the same pieces.
    """
    packed, count = 0, len(text)
    if mode == 0:
        for at in range(0, count - 2, 3):
            packed = packed << 10 | int(text[at : at + 3])
        rest, last = count % 3, (0, 4, 7)[count % 3]
        return packed << last | int(text[count - rest :] if rest else 0), count // 3 * 10 + last
    for at in range(0, count - 1, 2):
        packed = packed << 11 | _PAIRS[text[at : at + 2]]
    return (packed << 6 | _SINGLES[text[-1]], count // 2 * 11 + 6) if count % 2 else (packed, count // 2 * 11)


# The choice of the mask.


def _best_mask(lines: int, size: Size) -> int:
    """Returns the first mask of the smallest penalty (7.8.3). `lines` holds every row and every column."""
    # A module and the one before it, alike or not; a row and the one before it. A mask changes both by one XOR.
    alike_unmasked = lines ^ lines << 1
    rows = lines & size.every_row
    below_unmasked = rows ^ rows << size.stride
    best, least = 0, 1 << 30
    for number, mask in enumerate(size.masks):
        penalty = _penalty(lines ^ mask.lines, alike_unmasked ^ mask.alike, below_unmasked ^ mask.below, size)
        if penalty < least:
            best, least = number, penalty
    return best


def _penalty(dark: int, alike: int, below: int, size: Size) -> int:
    """Returns the penalty of a symbol, by the rules of table 11.

    A bit stands for a module and those before it in its row, or its column: `alike` is set if it has the colour of the
    module before, `below` (rows only) if it has that of the module above.
    """
    # Rule 1: a run of n >= 5 modules of one colour costs n - 2. It shows as n - 4 places where five modules are alike,
    # which have n - 5 neighbours among themselves.
    before = alike << 1
    three = alike & before
    four = three & three << 1
    five = four & four << 1 & size.fifth
    six = five & five << 1
    # Rule 2: three points for each 2 by 2 block of one colour.
    across = alike & size.every_row
    blocks = across & across << size.stride & below & size.inner
    # Rule 3: forty points for dark-light-dark-dark-dark-light-dark with four light modules before or after it. Ends of
    # rows are kept apart by four light modules, which stand for the quiet zone. A light module between two dark ones is
    # alike neither with the one before nor with the one after.
    lone = size.every_line ^ (alike | before)
    finder = dark & three << 2 & lone & lone << 4
    light = four ^ four & dark
    beside = finder & (light << 7 | light >> 4)
    # Rule 4: ten points for each 5 % that the dark part is away from half.
    total = size.side * size.side
    balance = abs(20 * (dark & size.every_row).bit_count() - 10 * total) // total
    points = 3 * five.bit_count() - 2 * six.bit_count() + 3 * blocks.bit_count()
    return points + 40 * beside.bit_count() + 10 * balance


# The file.


def _file(rows: int, stream: int, size: Size) -> bytes:
    """Writes the PNG whose deflated picture is `stream`. zlib's Adler-32 is a weighted sum over the dark modules."""
    low = size.adler_low - 240 * (rows & size.even).bit_count() - 15 * (rows & size.odd).bit_count()
    high = size.adler_high
    for bit, modules in enumerate(size.weights):
        high -= (rows & modules).bit_count() << bit
    data = b"".join((b"IDAT", stream.to_bytes(size.stream_bytes, "little"), pack(">HH", high % _ADLER, low % _ADLER)))
    return b"".join((size.file_start, data, pack(">I", crc32(data)), _END))
