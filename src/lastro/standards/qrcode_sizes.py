"""The common parts of all QR Codes of one version.

They are the places of modules, the drawing of each codeword and the masks. A drawing is one integer. From its low end: four
light modules, every row and then every column of the symbol, each followed by four light modules (1 is dark); above them the
deflated picture. Numbers in brackets are sections of ISO/IEC 18004:2015.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import compress
from struct import pack
from zlib import adler32, crc32, decompressobj

from .qrcode_deflate import BORDER, SCALE, plan

# Level M of table 9: error correction codewords of a block, and blocks. Version 18 holds the 512 characters of a BR Code.
_BLOCKS = (
    *((10, 1), (16, 1), (26, 1), (18, 2), (24, 2), (16, 4), (18, 4), (22, 4), (22, 5)),
    *((26, 5), (30, 5), (22, 8), (22, 9), (24, 9), (24, 10), (28, 10), (28, 11), (26, 13)),
)
# 7.1: the modules left by the function patterns, eight to a codeword, less those for correction.
_MODULES = [
    (16 * version + 128) * version
    + 64
    - (0 if version == 1 else 25 * (version // 7 + 2) ** 2 - 10 * (version // 7 + 2) - 55)
    - (36 if version >= 7 else 0)
    for version in range(1, len(_BLOCKS) + 1)
]
CAPACITIES = [modules // 8 - each * blocks for modules, (each, blocks) in zip(_MODULES, _BLOCKS, strict=True)]

_GAP = 4
_NEAR = 512  # drawings kept to start from, 1.5 kB each
# Parts kept of one version, 1.4 kB each in version 8: all that there are up to version 9. Those of one bit are always
# kept, the others are an XOR away.
_PARTS = 6_000

Module = tuple[int, int]  # row and column

# Table 10.
_CONDITIONS: tuple[Callable[[int, int], bool], ...] = (
    lambda row, column: (row + column) % 2 == 0,
    lambda row, _: row % 2 == 0,
    lambda _, column: column % 3 == 0,
    lambda row, column: (row + column) % 3 == 0,
    lambda row, column: (row // 2 + column // 3) % 2 == 0,
    lambda row, column: row * column % 2 + row * column % 3 == 0,
    lambda row, column: (row * column % 2 + row * column % 3) % 2 == 0,
    lambda row, column: ((row + column) % 2 + row * column % 3) % 2 == 0,
)


@dataclass(frozen=True, slots=True)
class Mask:
    """The drawing that a mask adds, with all unchanging modules."""

    lines: int
    stream: int
    alike: int  # set if a module of a line has the colour of the one before it
    below: int  # set if a module of a row has the colour of the one above it


# Function patterns (6.3) and the places of codewords (7.7.3).


def _fixed(version: int) -> dict[Module, bool]:
    """Returns the modules that hold no data, and whether they are dark; format information (7.9) is light here."""
    side = 17 + 4 * version
    fixed = {(8, at): False for at in (*range(9), *range(side - 8, side))}
    fixed |= {(column, row): dark for (row, column), dark in fixed.items()}
    fixed[side - 8, 8] = True
    for at in range(8, side - 8):  # timing
        fixed[6, at] = fixed[at, 6] = at % 2 == 0
    for top, left in ((0, 0), (0, side - 7), (side - 7, 0)):  # finders, with their separators
        for row in range(max(top - 1, 0), min(top + 8, side)):
            for column in range(max(left - 1, 0), min(left + 8, side)):
                fixed[row, column] = max(abs(row - top - 3), abs(column - left - 3)) not in (2, 4)
    for middle in _alignments(version):
        for row in range(middle[0] - 2, middle[0] + 3):
            for column in range(middle[1] - 2, middle[1] + 3):
                fixed[row, column] = max(abs(row - middle[0]), abs(column - middle[1])) != 1
    if version >= 7:  # 7.10
        bits = version << 12 | _remainder(version << 12, 0x1F25)
        for bit in range(18):
            place = bit // 3, side - 11 + bit % 3
            fixed[place] = fixed[place[1], place[0]] = bool(bits >> bit & 1)
    return fixed


def _alignments(version: int) -> Iterator[Module]:
    """Yields the middles of alignment patterns (annex E). The annex's table follows this rule up to version 31."""
    if version == 1:
        return
    last, count = 10 + 4 * version, version // 7 + 2
    step = -(-(last - 6) // (2 * (count - 1))) * 2
    middles = [6, *(last - step * at for at in reversed(range(count - 1)))]
    for row in middles:
        for column in middles:
            if (row, column) not in {(6, 6), (6, last), (last, 6)}:
                yield row, column


def _format(mask: int, side: int) -> Iterator[Module]:
    """Yields the dark modules of the format information (7.9): level M is 00."""
    bits = (mask << 10 | _remainder(mask << 10, 0x537)) ^ 0x5412
    down = [(row, 8) for row in (0, 1, 2, 3, 4, 5, 7, 8)] + [(8, column) for column in (7, 5, 4, 3, 2, 1, 0)]
    along = [(8, side - 1 - bit) for bit in range(8)] + [(side - 7 + bit, 8) for bit in range(7)]
    for bit in range(15):
        if bits >> bit & 1:
            yield down[bit]
            yield along[bit]


def _remainder(bits: int, polynomial: int) -> int:
    degree = polynomial.bit_length()
    while bits.bit_length() >= degree:
        bits ^= polynomial << bits.bit_length() - degree
    return bits


def _places(side: int, fixed: dict[Module, bool]) -> list[Module]:
    """Returns the modules of codewords, in their order: pairs of columns from the right, upwards and downwards in turn."""
    rights = [*range(side - 1, 6, -2), 5, 3, 1]
    order = (
        (row, column)
        for at, right in enumerate(rights)
        for row in (range(side) if at % 2 else range(side - 1, -1, -1))
        for column in (right, right - 1)
    )
    return [place for place in order if place not in fixed]


# Error correction (7.5): arithmetic of GF(256), in which 2 generates all.

_POWERS = [1]
while len(_POWERS) < 255:
    _POWERS.append(_POWERS[-1] << 1 ^ (0x11D if _POWERS[-1] & 0x80 else 0))
_LOGARITHMS = {power: at for at, power in enumerate(_POWERS)}


def _times(left: int, right: int) -> int:
    return _POWERS[(_LOGARITHMS[left] + _LOGARITHMS[right]) % 255] if left and right else 0


def _corrections(length: int, count: int) -> list[list[int]]:
    """Returns the correction codewords of each data codeword of a block. They are those for the value 1."""
    generator = [1]
    for at in range(count):
        times = [_times(value, _POWERS[at]) for value in generator]
        generator = [a ^ b for a, b in zip([*generator, 0], [0, *times], strict=True)]
    last = generator[1:]  # the remainder of x^count; each further codeword multiplies it by x
    found = [last]
    for _ in range(length - 1):
        last = [a ^ _times(last[0], b) for a, b in zip([*last[1:], 0], generator[1:], strict=True)]
        found.append(last)
    return found[::-1]


class _Parts(dict[int, int]):
    """The drawings of halves of data codewords, made on demand.

    The key is 32 times the codeword's place, 16 for the upper half, and the half's value, added up.
    """

    def __init__(self, version: int, places: list[Module], draw: Callable[[list[Module]], int]) -> None:
        """`places`: the modules of codewords, in their order. `draw`: the drawing of dark modules."""
        super().__init__()
        correction, blocks = _BLOCKS[version - 1]
        total = CAPACITIES[version - 1]
        self._places, self._draw = places, draw
        lengths = [(total + at) // blocks for at in range(blocks)]  # the longer blocks are the last
        # 7.6: the first codewords of all blocks, then the second ones, and the same again for the correction.
        self._interleaved = [
            (sum(min(length, at) for length in lengths) + sum(length > at for length in lengths[:block]), block, at)
            for block, length in enumerate(lengths)
            for at in range(length)
        ]
        self._corrections = {length: _corrections(length, correction) for length in set(lengths)}
        self._lengths, self._blocks, self._total = lengths, blocks, total

    def __missing__(self, key: int) -> int:
        half, value = key & ~15, key & 15
        lowest = value & -value
        if value == lowest:
            self[key] = drawn = self._draw(self._dark(key >> 5, value << 4 if key & 16 else value))
            return drawn
        drawn = self[half | lowest] ^ self[half | value - lowest]
        if len(self) < _PARTS:
            self[key] = drawn
        return drawn

    def _dark(self, number: int, value: int) -> list[Module]:
        """Returns the dark modules of a data codeword and its corrections."""
        place, block, at = self._interleaved[number]
        dark = self.codeword(place, value)
        for row, factor in enumerate(self._corrections[self._lengths[block]][at]):
            dark += self.codeword(self._total + row * self._blocks + block, _times(value, factor))
        return dark

    def codeword(self, place: int, value: int) -> list[Module]:
        """Returns the dark modules of a codeword in the symbol. place: among all codewords. Its highest bit stands first."""
        return list(compress(self._places[8 * place : 8 * place + 8], map(int, f"{value:08b}")))


class Size:
    """One version: `draw` and `masks` together make a drawing; the rest is what the rules and the file are counted with."""

    def __init__(self, version: int) -> None:
        fixed = _fixed(version)
        self.side = side = 17 + 4 * version
        self.stride = stride = side + _GAP
        self.capacity = CAPACITIES[version - 1]
        self.lines = _GAP + 2 * side * stride
        self.every_line = (1 << self.lines) - 1
        self.every_row = (1 << _GAP + side * stride) - 1
        self._template, self._starts = plan(side)
        self.stream_bytes = len(self._template)
        places = _places(side, fixed)
        inside = [(row, column) for row in range(side) for column in range(side)]
        self.fifth = self._lines_of((row, column) for row, column in inside if column >= 4) & self.every_row
        self.fifth |= self._lines_of((row, column) for row, column in inside if row >= 4) & ~self.every_row
        self.inner = self._lines_of((row, column) for row, column in inside if row and column) & self.every_row
        self._parts = _Parts(version, places, self._drawn)
        self._near: dict[object, tuple[int, int]] = {}
        always = [place for place, dark in fixed.items() if dark]
        self.masks = tuple(self._mask(number, always, places) for number in range(8))
        self._sums(inside)

    def draw(self, codewords: int, like: object) -> int:
        """Draws data codewords, without function patterns and mask.

        `like`: the common part of similar payloads. Only the difference from the first drawing of the same `like` is drawn.
        """
        known, drawn = self._near.get(like, (0, 0))
        changed = (known ^ codewords).to_bytes(self.capacity, "big")
        parts = self._parts
        for place in compress(range(self.capacity), changed):
            byte, key = changed[place], place << 5
            if byte & 15:
                drawn ^= parts[key | byte & 15]
            if byte > 15:
                drawn ^= parts[key | 16 | byte >> 4]
        if not known:
            if len(self._near) >= _NEAR:
                self._near.clear()
            self._near[like] = codewords, drawn
        return drawn

    def _lines_of(self, modules: Iterable[Module]) -> int:
        """Returns the bits of modules, first in rows, then in columns."""
        bits = bytearray(self.lines // 8 + 1)
        columns = _GAP + self.side * self.stride
        for row, column in modules:
            for bit in (_GAP + row * self.stride + column, columns + column * self.stride + row):
                bits[bit >> 3] |= 1 << (bit & 7)
        return int.from_bytes(bits, "little")

    def _drawn(self, modules: list[Module]) -> int:
        """Returns a drawing of these modules. A pair of modules is three bits of the stream: 0, left, right."""
        bits = bytearray(self.stream_bytes)
        for row, column in modules:
            bit = self._starts[row] + column // 2 * 3 + 1 + column % 2
            bits[bit >> 3] |= 1 << (bit & 7)
        return self._lines_of(modules) | int.from_bytes(bits, "little") << self.lines

    def _mask(self, number: int, always: list[Module], places: list[Module]) -> Mask:
        condition = _CONDITIONS[number]
        turned = [place for place in places if condition(*place)]
        drawn = self._drawn([*always, *_format(number, self.side), *turned])
        lines = drawn & self.every_line
        rows = lines & self.every_row
        return Mask(
            lines=lines,
            stream=drawn >> self.lines ^ int.from_bytes(self._template, "little"),
            alike=self.every_line ^ lines ^ lines << 1,
            below=self.every_row ^ rows ^ rows << self.stride,
        )

    def _sums(self, inside: list[Module]) -> None:
        """Computes the Adler-32 of an all-light picture and each module's part.

        A dark module lowers it. The lower half of an Adler-32 is the sum of all bytes, the upper half that of each byte
        times the number of bytes from it to the end. `weights` hold, for each bit of what a module takes from the upper
        half, the modules with that bit set.
        """
        light = decompressobj(wbits=-15).decompress(self._template[2:])
        total = adler32(light)
        self.adler_high, self.adler_low = total >> 16, total & 0xFFFF
        self.even = self._lines_of(place for place in inside if place[1] % 2 == 0) & self.every_row
        self.odd = self._lines_of(place for place in inside if place[1] % 2) & self.every_row
        row_bytes = len(light) // (self.side + 2 * BORDER)  # of a row of modules: SCALE rows of pixels
        weight = {}
        for row, column in inside:
            rest = len(light) - (BORDER + row) * row_bytes - 1 - (BORDER + column) // 2
            weight[row, column] = rest * (15 if column % 2 else 240) % 65521
        self.weights = [
            self._lines_of(place for place in inside if weight[place] >> bit & 1) & self.every_row for bit in range(16)
        ]
        self.file_start = _file_start((self.side + 2 * BORDER) * SCALE, self.stream_bytes + 4)


def _file_start(pixels: int, data_bytes: int) -> bytes:
    header = b"IHDR" + pack(">IIBBBBB", pixels, pixels, 1, 0, 0, 0, 0)
    parts = (b"\x89PNG\r\n\x1a\n", pack(">I", 13), header, pack(">I", crc32(header)), pack(">I", data_bytes))
    return b"".join(parts)


@cache
def size_of(version: int) -> Size:
    """Returns the version's size, made once: some ten milliseconds."""
    return Size(version)
