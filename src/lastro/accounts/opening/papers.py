"""PDFs as they are kept: byte for byte, since a page drawn anew is no longer the page that somebody signed; so what may be
in one is limited instead (ISO 32000-2). None is ever rendered here.

The whole file is searched, not its structure as one reader would follow it: two readers may follow two. Names are compared
with their escapes undone, and whatever is deflated, but for pictures, is searched inflated.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Final

from lastro.accounts.opening.refusing import FileRefused

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_STREAMS: Final = 20_000
MOST_INFLATED: Final = 64 * 1024 * 1024  # bytes, of all streams of a file together
_STEP: Final = 1024 * 1024
_OVERLAP: Final = 64  # longer than any name that is looked for
_BEFORE_A_STREAM: Final = 1024  # bytes in which the dictionary of a stream is looked for
_LONGEST_COMMENT: Final = 65_535 + 22  # of a ZIP's end, with the end itself

_HEAD = re.compile(rb"%PDF-[12]\.[0-9][\r\n \t]")
_END = re.compile(rb"startxref[\r\n \t]+([0-9]{1,10})[\r\n \t]+%%EOF[\r\n \t\0\f]*\Z")
_TABLE = re.compile(rb"xref[\r\n \t]|[0-9]{1,10}[\r\n \t]+[0-9]{1,5}[\r\n \t]+obj")
_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")
_STREAM = re.compile(rb"stream\r?\n")
# What does something by itself, hides something, or asks for a password. `/JS` alone is a name of two letters that any
# deflated bytes may hold; what it stands in is named JavaScript or Rendition.
_UNWANTED = re.compile(
    rb"/(Encrypt|JavaScript|Launch|EmbeddedFiles?|RichMedia|XFA|SubmitForm|ImportData|GoToE|Rendition)(?![A-Za-z0-9_.-])"
)
_WHY = {b"Encrypt": "is encrypted: send it without a password"}
# Where objects may lie in streams, a filter that is not undone here would hide them.
_OBJECTS_IN_STREAMS = re.compile(rb"/(ObjStm|XRef)(?![A-Za-z0-9_.-])")
_OTHER_FILTERS = re.compile(rb"/(LZWDecode|ASCIIHexDecode|ASCII85Decode|RunLengthDecode|Crypt)(?![A-Za-z0-9_.-])")
_PICTURE = re.compile(rb"/Subtype[\r\n \t]*/Image(?![A-Za-z0-9_.-])")


def demand_harmless(content: bytes) -> None:
    """FileRefused: it is no whole PDF, is something else besides, or can do more than be read."""
    if _HEAD.match(content) is None:
        raise FileRefused("INVALID", "is no PDF of version 1 or 2 from its first byte on")
    end = _END.search(content, max(0, len(content) - 4096))
    if end is None or _TABLE.match(content, int(end[1])) is None:
        raise FileRefused("INVALID", "is no whole PDF: something is missing at its end, or stands behind it")
    if b"PK\x05\x06" in content[-_LONGEST_COMMENT:]:
        raise FileRefused("INVALID", "is an archive as well")
    _demand_plain(content)
    names = _unescaped(content)
    if _OBJECTS_IN_STREAMS.search(names) is not None and _OTHER_FILTERS.search(names) is not None:
        raise FileRefused("NOT_SUPPORTED", "packs its objects in a way that cannot be looked into: print it anew")
    for inflated in _streams(content):
        _demand_plain(inflated)


def _demand_plain(part: bytes) -> None:
    found = _UNWANTED.search(part) or _UNWANTED.search(_unescaped(part))
    if found is not None:
        raise FileRefused("NOT_ALLOWED", _WHY.get(found[1], f"has something that acts by itself: {found[1].decode()}"))


def _unescaped(part: bytes) -> bytes:
    return _ESCAPE.sub(lambda two: bytes.fromhex(two[1].decode()), part) if b"#" in part else part


def _streams(content: bytes) -> Iterator[bytes]:
    """What is deflated, inflated and in pieces that overlap, but for pictures. FileRefused: there is too much of it."""
    inflated = 0
    for number, stream in enumerate(_STREAM.finditer(content)):
        if number >= MOST_STREAMS:
            raise FileRefused("TOO_LONG", "has more parts than a document of a few pages")
        before = content[max(0, stream.start() - _BEFORE_A_STREAM) : stream.start()]
        if _PICTURE.search(before, max(0, before.rfind(b"obj"))) is not None:
            continue
        packed, last = memoryview(content)[stream.end() :], b""
        inflater = zlib.decompressobj()
        given: bytes | memoryview = packed[:_STEP]
        taken = len(given)
        while not inflater.eof:
            try:
                piece = inflater.decompress(given, _STEP)
            except zlib.error:
                break
            inflated += len(piece)
            if inflated > MOST_INFLATED:
                raise FileRefused("TOO_LONG", "unpacks to more than a document of a few pages")
            yield last + piece
            last = piece[-_OVERLAP:]
            given = inflater.unconsumed_tail
            if not given:
                given = packed[taken : taken + _STEP]
                taken += len(given)
            if not given:
                break
