"""What of a file is kept: its kind is known by its content, whatever it is called and said to be."""

from __future__ import annotations

from codecs import BOM_UTF8
from dataclasses import dataclass
from hashlib import sha256

from lastro.accounts.opening import papers, pictures
from lastro.core.media import PDF

PNG, JPEG = "image/png", "image/jpeg"
_BEGINS = ((b"%PDF-", PDF), (b"\x89PNG\r\n\x1a\n", PNG), (b"\xff\xd8\xff", JPEG))


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as it is kept, and its SHA-256."""

    content_type: str
    content: bytes
    digest: bytes


def kind_of(content: bytes) -> str | None:
    """The media type that the first bytes say, a byte order mark passed over; None: nothing that is taken."""
    return next((kind for begin, kind in _BEGINS if content.removeprefix(BOM_UTF8).startswith(begin)), None)


def kept(content: bytes) -> StoredFile:
    """What is kept of a file: a picture drawn anew, a PDF's pages. FileRefused: nothing. It takes a while: for a thread."""
    kind = kind_of(content)
    assert kind is not None, "what is of no kind was refused before"
    content = content.removeprefix(BOM_UTF8)
    made = papers.written_anew(content) if kind == PDF else pictures.drawn_anew(content, kind)
    return StoredFile(kind, made, sha256(made).digest())
