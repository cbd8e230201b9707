"""Writes the deflated picture of a QR Code, all modules light.

It is made once for each size. One Huffman code (RFC 1951, 3.2.7) is fixed for all pictures such that a pair of modules,
which is one byte of four black or white pixels each, always takes three bits: 0, then the left module, then the right one (1
is light). So every picture of a size has the same length, and a module turned over is one bit turned over, with nothing to
compress.
"""

from typing import NamedTuple

SCALE = 4
BORDER = 4

_PIXELS = (0x00, 0x0F, 0xF0, 0xFF)  # the bytes of two modules, black being 0
_UP = 2  # PNG's filter Up: a row of zeros repeats the row above
_END = 256
# The order in which a block tells the lengths of the codes of code lengths, as far as they are used here, and ours:
# a length of 0 and a run of zeros (18) take two bits, lengths of 1 to 4 three.
_ORDER = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1)
_LENGTH_LENGTHS = {0: 2, 18: 2, 1: 3, 2: 3, 3: 3, 4: 3}


class _Symbol(NamedTuple):
    """A length or a distance: its symbol, and the bits that follow it."""

    symbol: int
    extra: int
    bits: int


class _Bits:
    """A stream of deflate: its first bit is the lowest one of the integer."""

    def __init__(self) -> None:
        self.value = self.count = 0

    def number(self, value: int, bits: int) -> None:
        """Writes a number, its lowest bit first."""
        self.value |= value << self.count
        self.count += bits

    def code(self, code: str) -> None:
        """Writes a Huffman code, its highest bit first."""
        self.number(int(code[::-1], 2), len(code))


def plan(side: int) -> tuple[bytes, list[int]]:
    """Returns the zlib stream of an all-light picture and its row offsets.

    The stream lacks its checksum. The offsets are those of each row of modules, in bits.
    """
    row = 1 + (side + 2 * BORDER + 1) // 2  # bytes of a row of pixels, with its filter
    middle = side // 2 + 1  # those of them with modules in them; three before and two after are the same in all rows
    # A row of modules is a row of pixels and three that repeat it, which look the same everywhere. So from the middle of
    # one row of modules to that of the next all is a copy. In the quiet zone a whole row of modules is.
    between, whole = _length(SCALE * row - middle), _length(SCALE * row)
    last, zeros, again = _length(SCALE * row - 3), _length(row - 2), _length((SCALE - 2) * row)
    above, before, run = _distance(SCALE * row), _distance(row), _distance(1)
    # There are eight codes of three bits: five are given away, the others are six codes of four bits.
    literals = dict.fromkeys((*_PIXELS, between.symbol), 3)
    rare = (_UP, _END, whole.symbol, last.symbol, zeros.symbol, again.symbol, *range(280, 286))
    literals |= dict.fromkeys([symbol for symbol in dict.fromkeys(rare) if symbol not in literals][:6], 4)
    distances = {above.symbol: 1, before.symbol: 2, run.symbol: 2}
    bits = _Bits()
    bits.number(0x0178, 16)  # zlib's header
    _start_block(bits, literals, distances)
    literal_codes, distance_codes = _codes(literals), _codes(distances)

    def copy(length: _Symbol, distance: _Symbol) -> None:
        bits.code(literal_codes[length.symbol])
        bits.number(length.extra, length.bits)
        bits.code(distance_codes[distance.symbol])
        bits.number(distance.extra, distance.bits)

    def light(count: int) -> None:
        for _ in range(count):
            bits.code(literal_codes[0xFF])

    bits.code(literal_codes[0])
    light(row - 1)
    bits.code(literal_codes[_UP])
    bits.code(literal_codes[0])
    copy(zeros, run)
    copy(again, before)
    for _ in range(BORDER - 1):
        copy(whole, above)
    bits.code(literal_codes[0])
    light(2)
    starts = []
    for _ in range(side + 1):  # and the first row of the quiet zone below
        starts.append(bits.count)
        light(middle)
        copy(between, above)
    for _ in range(BORDER - 2):
        copy(whole, above)
    copy(last, above)
    bits.code(literal_codes[_END])
    return bits.value.to_bytes((bits.count + 7) // 8, "little"), starts


def _start_block(bits: _Bits, literals: dict[int, int], distances: dict[int, int]) -> None:
    """Writes the start of the only block. It is the block's kind, and the length of the code of every symbol."""
    bits.number(0b101, 3)
    bits.number(max(literals) - 256, 5)
    bits.number(max(distances), 5)
    bits.number(len(_ORDER) - 4, 4)
    for symbol in _ORDER:
        bits.number(_LENGTH_LENGTHS.get(symbol, 0), 3)
    codes = _codes(_LENGTH_LENGTHS)
    for lengths in (literals, distances):
        after = 0
        for symbol in sorted(lengths):
            zeros = symbol - after
            while zeros >= 11:
                run = min(zeros, 138)
                bits.code(codes[18])
                bits.number(run - 11, 7)
                zeros -= run
            for _ in range(zeros):
                bits.code(codes[0])
            bits.code(codes[lengths[symbol]])
            after = symbol + 1


def _codes(lengths: dict[int, int]) -> dict[int, str]:
    """Returns the codes that follow from their lengths (RFC 1951, 3.2.2)."""
    codes, code, before = {}, 0, 0
    for symbol, length in sorted(lengths.items(), key=lambda item: (item[1], item[0])):
        code <<= length - before
        codes[symbol] = f"{code:0{length}b}"
        code, before = code + 1, length
    return codes


def _length(length: int) -> _Symbol:
    """Returns the symbol for 3 to 257 bytes (RFC 1951, 3.2.5)."""
    rest = length - 3
    bits = max(rest.bit_length() - 3, 0)
    return _Symbol(257 + 4 * bits + (rest >> bits), rest & (1 << bits) - 1, bits)


def _distance(distance: int) -> _Symbol:
    rest = distance - 1
    bits = max(rest.bit_length() - 2, 0)
    return _Symbol(2 * bits + (rest >> bits), rest & (1 << bits) - 1, bits)
