"""Texts that are made once and sent to callers that lack them."""

from __future__ import annotations

import gzip
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from lastro.api_kit.http import Response

if TYPE_CHECKING:
    from collections.abc import Mapping


_WORTH_PACKING = 1_000  # bytes: below, a packet is sent either way
_LONGEST = 500  # bytes of a header that are read: it is the caller's to fill
_GZIP = re.compile(rb"(?:^|,)\s*(?:x-)?gzip\s*(?:;\s*q=([01](?:\.[0-9]{0,3})?)\s*)?(?=,|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Text:
    """One of them. headers: beside its tag, length and type. packed: the same by gzip, for who takes that."""

    body: bytes
    etag: bytes
    content_type: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    packed: bytes | None = None

    @classmethod
    def of(cls, body: bytes, content_type: bytes, *headers: tuple[bytes, bytes], pack: bool = False) -> Self:
        """Returns a text of this type. headers: beside its tag. pack: also kept compressed; nothing in it is secret."""
        etag = b'"%s"' % hashlib.sha256(body).hexdigest()[:32].encode()
        packed = gzip.compress(body, 9, mtime=0) if pack and len(body) >= _WORTH_PACKING else None
        kept = ((b"cache-control", b"no-cache"), *(_by_encoding(headers) if pack else headers))
        return cls(body, etag, content_type, kept, packed)

    def for_(self, headers: Mapping[bytes, bytes]) -> Response:
        """Returns the text; 304 if the caller has it (RFC 9110 §13.1.2)."""
        body, etag, own = self.body, self.etag, self.headers
        if self.packed is not None and _takes_gzip(headers.get(b"accept-encoding", b"")):
            # A strong tag is of the bytes that are sent (RFC 9110 §8.8.3).
            body, etag, own = self.packed, self.etag[:-1] + b'-gzip"', ((b"content-encoding", b"gzip"), *own)
        held = [tag.strip().removeprefix(b"W/") for tag in headers.get(b"if-none-match", b"").split(b",")]
        if etag in held or b"*" in held:
            return Response(304, b"", self.content_type, ((b"etag", etag), *self.headers))
        return Response(200, body, self.content_type, ((b"etag", etag), *own))


def _by_encoding(headers: tuple[tuple[bytes, bytes], ...]) -> tuple[tuple[bytes, bytes], ...]:
    """Adds to `vary` what the compressed form depends on."""
    others = tuple(header for header in headers if header[0] != b"vary")
    named = [value for name, value in headers if name == b"vary"]
    return (*others, (b"vary", b", ".join((*named, b"accept-encoding"))))


def _takes_gzip(accepted: bytes) -> bool:
    """Tells whether an Accept-Encoding names gzip: with a weight above 0 (RFC 9110 §12.5.3)."""
    found = _GZIP.search(accepted[:_LONGEST])
    return found is not None and float(found[1] or 1) > 0
