"""Files as they are stored: the content alone tells the media type."""

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
    """A stored file, and its SHA-256."""

    content_type: str
    content: bytes
    digest: bytes


def kind_of(content: bytes) -> str | None:
    """Returns the media type by the first bytes, after any BOM. None: not supported."""
    return next((kind for begin, kind in _BEGINS if content.removeprefix(BOM_UTF8).startswith(begin)), None)


def kept(content: bytes) -> StoredFile:
    """Returns the file to store: a picture drawn anew, a PDF's pages. FileRefused: none. Slow: run it in a thread."""
    kind = kind_of(content)
    assert kind is not None, "what is of no kind was refused before"
    content = content.removeprefix(BOM_UTF8)
    made = papers.written_anew(content) if kind == PDF else pictures.drawn_anew(content, kind)
    return StoredFile(kind, made, sha256(made).digest())
