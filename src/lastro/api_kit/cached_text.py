"""Texts that are made once and sent to callers that lack them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from lastro.api_kit.http import Response

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Text:
    """One of them. headers: beside its length and type."""

    body: bytes
    etag: bytes
    content_type: bytes
    headers: tuple[tuple[bytes, bytes], ...]

    @classmethod
    def of(cls, body: bytes, content_type: bytes, *headers: tuple[bytes, bytes]) -> Self:
        """Returns a text of this type. headers: beside its tag."""
        etag = b'"%s"' % hashlib.sha256(body).hexdigest()[:32].encode()
        return cls(body, etag, content_type, ((b"etag", etag), (b"cache-control", b"no-cache"), *headers))

    def for_(self, headers: Mapping[bytes, bytes]) -> Response:
        """Returns the text; 304 if the caller has it (RFC 9110 §13.1.2)."""
        held = [tag.strip().removeprefix(b"W/") for tag in headers.get(b"if-none-match", b"").split(b",")]
        if self.etag in held or b"*" in held:
            return Response(304, b"", self.content_type, self.headers)
        return Response(200, self.body, self.content_type, self.headers)
