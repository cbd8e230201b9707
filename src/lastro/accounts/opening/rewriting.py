"""A program of its own: rewrites a PDF as its pages alone.

Actions, hidden parts and embedded files are left out. papers.py runs it, by its path and without this package: the bytes are
hostile, so they are read by a process that has no secrets and no connections, little time and little memory, and that may
die. Of the document only the tree of its pages stays, of a page what it is drawn with; forms, stamps and notes become part
of the picture. So two readers that follow different structures of one file do no harm: only the structure that was followed
here is left. Nothing is rendered.

Sources, in ISO 32000-2: actions 12.6, annotations 12.5, forms 12.7, embedded files 7.11.4, streams in other files 7.3.8.2.
"""

from __future__ import annotations

import io
import resource
import sys
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import pikepdf

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

MOST_PAGES: Final = 300
MOST_OBJECTS: Final = 50_000
MOST_INFLATED: Final = 64 * 1024 * 1024  # bytes, of all streams together but for pictures
CPU_SECONDS: Final = 8  # a document of a few pages takes a tenth of one
MEMORY: Final = 768 * 1024 * 1024  # bytes of addresses, those of the libraries among them
_STEP: Final = 1024 * 1024

_OF_THE_DOCUMENT = frozenset({"/Type", "/Pages"})
_OF_THE_TREE = frozenset({"/Type", "/Kids", "/Count", "/Parent", "/Resources", "/MediaBox", "/CropBox", "/Rotate"})
_OF_A_PAGE = frozenset({
    "/Type", "/Parent", "/Resources", "/MediaBox", "/CropBox", "/BleedBox", "/TrimBox", "/ArtBox", "/Rotate", "/Contents",
    "/UserUnit", "/Group",
})  # fmt: skip
# Data in another file, alternate pictures, and the notes of programs.
_NOT_OF_A_STREAM = (
    "/F", "/FFilter", "/FDecodeParms", "/Ref", "/OPI", "/Alternates", "/AF", "/Metadata", "/PieceInfo", "/PtData",
)  # fmt: skip
# Keys that no page is drawn with. The rewritten file is searched for them, so that no way into it is forgotten.
_KEYS = frozenset({
    "/AA", "/OpenAction", "/JS", "/EF", "/EmbeddedFiles", "/JavaScript", "/XFA", "/AcroForm", "/Annots", "/RichMediaContent",
    "/AF", "/Names", "/Outlines", "/Threads", "/PresSteps",
})  # fmt: skip
_KINDS = {
    "/Type": frozenset({"/Action", "/Filespec", "/EmbeddedFile", "/Annot", "/Rendition"}),
    "/S": frozenset({
        "/JavaScript", "/Launch", "/URI", "/SubmitForm", "/ImportData", "/ResetForm", "/GoTo", "/GoToR", "/GoToE", "/GoToDp",
        "/Thread", "/Rendition", "/Movie", "/Sound", "/Hide", "/Named", "/SetOCGState", "/Trans", "/GoTo3DView",
        "/RichMediaExecute",
    }),
    "/Subtype": frozenset({"/PS"}),
    "/Subtype2": frozenset({"/PS"}),
}  # fmt: skip
# A page chooses the names of its resources: a font may be called AA.
_NAMED = frozenset({"/Font", "/XObject", "/ExtGState", "/ColorSpace", "/Pattern", "/Shading", "/Properties"})


class Refuse(Exception):  # noqa: N818 it says what happens to the document
    """A document that is not taken. issue: a word of the interface."""

    def __init__(self, issue: str, why: str) -> None:
        super().__init__(why)
        self.issue = issue


def rewritten(content: bytes) -> bytes:
    """Rewrites the pages in new bytes. Refuse: it is locked, too large, or acts by itself. Other errors happen, too."""
    try:
        opened = pikepdf.open(io.BytesIO(content), attempt_recovery=False, suppress_warnings=True)
    except pikepdf.PasswordError as locked:
        raise Refuse("NOT_ALLOWED", "is encrypted: send it without a password") from locked
    made = io.BytesIO()
    with opened as pdf:
        _demand_pages(pdf)
        pdf.generate_appearance_streams()
        pdf.flatten_annotations("screen")
        _leave_pages_alone(pdf)
        pdf.save(
            made, encryption=False, object_stream_mode=pikepdf.ObjectStreamMode.disable,
            stream_decode_level=pikepdf.StreamDecodeLevel.generalized, deterministic_id=True,
        )  # fmt: skip
    with pikepdf.open(made, attempt_recovery=False, suppress_warnings=True) as kept:
        _demand_harmless(kept)
        _demand_small(kept)
    return made.getvalue()


def _demand_pages(pdf: pikepdf.Pdf) -> None:
    """Refuses PDFs too large, without pages, or with other content than pages."""
    if len(pdf.objects) > MOST_OBJECTS or len(pdf.pages) > MOST_PAGES:
        raise Refuse("TOO_LONG", "has more parts than a document of a few pages")
    if not len(pdf.pages):
        raise Refuse("INVALID", "is no PDF with a page")
    form = pdf.Root.get("/AcroForm")
    if isinstance(form, pikepdf.Dictionary) and "/XFA" in form:
        raise Refuse("NOT_ALLOWED", "is a form that programs draw (XFA): print it to a PDF")
    if "/Collection" in pdf.Root:
        raise Refuse("NOT_ALLOWED", "is a folder of files: send each by itself")


def _leave_pages_alone(pdf: pikepdf.Pdf) -> None:
    for page in pdf.pages:
        _leave(page.obj, _OF_A_PAGE)
        above = page.obj.get("/Parent")  # no loop: the tree was walked from above
        while isinstance(above, pikepdf.Dictionary):
            _leave(above, _OF_THE_TREE)
            above = above.get("/Parent")
    _leave(pdf.Root, _OF_THE_DOCUMENT)
    _leave(pdf.trailer, frozenset({"/Root", "/Size"}))
    for each in _streams(pdf):
        for key in _NOT_OF_A_STREAM:
            if key in each:
                del each[key]


def _leave(each: pikepdf.Object, keys: Container[str]) -> None:
    for key in list(each.keys()):
        if key not in keys:
            del each[key]


def _streams(pdf: pikepdf.Pdf) -> Iterator[pikepdf.Stream]:
    return (each for each in pdf.objects if isinstance(each, pikepdf.Stream))


def _demand_small(pdf: pikepdf.Pdf) -> None:
    """Refuses a PDF that unpacks to too much. Pictures do not count: their declared size bounds them."""
    left = MOST_INFLATED
    for each in _streams(pdf):
        if each.get("/Subtype") != "/Image":
            left -= _inflated(each, left)
        if left <= 0:
            raise Refuse("TOO_LONG", "unpacks to more than a document of a few pages")


def _inflated(each: pikepdf.Stream, most: int) -> int:
    """Counts the bytes that a stream unpacks to, up to `most`."""
    if each.get("/Filter") not in ("/FlateDecode", pikepdf.Array([pikepdf.Name.FlateDecode])):
        return len(each.read_bytes(pikepdf.StreamDecodeLevel.generalized))
    inflater, given, counted = zlib.decompressobj(), each.read_raw_bytes(), 0
    while given and counted < most and not inflater.eof:
        counted += len(inflater.decompress(given, _STEP))
        given = inflater.unconsumed_tail
    return counted


def _demand_harmless(pdf: pikepdf.Pdf) -> None:
    seen: set[tuple[int, int]] = set()
    stack: list[tuple[pikepdf.Object, bool]] = [(pdf.trailer, False)]
    while stack:
        each, is_named = stack.pop()
        if each.is_indirect and each.objgen in seen:
            continue
        seen.add(each.objgen)
        if isinstance(each, pikepdf.Array):
            stack += [(one, False) for one in each if _has_parts(one)]
            continue
        for key, value in each.items():
            kinds = _KINDS.get(key, frozenset())
            if not is_named and (key in _KEYS or (isinstance(value, pikepdf.Name) and str(value) in kinds)):
                raise Refuse("NOT_ALLOWED", f"has something that acts by itself: {key[1:]}")
            if _has_parts(value):
                stack.append((value, key in _NAMED))


def _has_parts(value: object) -> bool:
    return isinstance(value, (pikepdf.Array, pikepdf.Dictionary, pikepdf.Stream))


def _limit() -> None:
    with suppress(ValueError):  # macOS knows no such limit
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def said(content: bytes) -> bytes:
    """Returns a PDF; or a word of the interface, and the reason in a second line."""
    try:
        return rewritten(content)
    except Refuse as refused:
        return f"{refused.issue}\n{refused}".encode()
    except MemoryError:
        return b"TOO_LONG\ntakes more memory than a document of a few pages"
    except Exception:  # noqa: BLE001 hostile bytes make a reader fail in any way; each means the same
        return b"INVALID\nis no whole PDF: print it anew"


if __name__ == "__main__":
    _limit()
    sys.stdout.buffer.write(said(sys.stdin.buffer.read()))
