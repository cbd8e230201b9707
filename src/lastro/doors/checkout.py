"""Serving the hosted pages of orders, and what a page that waits asks."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from lastro.base.errors import Kind, Refused
from lastro.doors.http import Response, refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from litestar.types import HTTPScope

    from lastro.doors.http import Answer
    from lastro.doors.located import Located
    from lastro.orders import CheckoutPages

# The picture of a code stands in the page itself; everything else comes from here, or is not loaded.
_POLICY = (
    b"default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; connect-src 'self'; base-uri 'none';"
    b" form-action 'none'; frame-ancestors 'none'"
)
_HTML = b"text/html; charset=utf-8"
# Whoever has the address sees the page: it is kept nowhere, found by no search, and told to nobody who is linked to.
_PAGE: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", _POLICY), (b"referrer-policy", b"no-referrer"), (b"x-robots-tag", b"noindex, nofollow"),
    (b"cache-control", b"no-store"), (b"vary", b"accept-language"),
)  # fmt: skip


@dataclass(frozen=True)
class Checkout:
    """What answers /checkout/{token} and what belongs to it."""

    located: Located
    pages: CheckoutPages

    def paths(self) -> dict[str, Mapping[str, Answer]]:
        """Every path, and what answers each of its methods."""
        style = _File(self.pages.style, b"text/css; charset=utf-8")
        script = _File(self.pages.script, b"text/javascript; charset=utf-8")
        return {
            "/checkout/{token}": {"GET": self.page},
            "/checkout/{token}/state": {"GET": self.state},
            "/checkout.css": {"GET": style.answer},
            "/checkout.js": {"GET": script.answer},
        }

    async def page(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /checkout/{token}: the page; for a token that leads nowhere, whatever it looks like, another one with 404."""
        asked = dict(parse_qsl(scope["query_string"].decode("latin-1")[:500])).get("lang")
        language = self.pages.language(headers.get(b"accept-language", b"").decode("latin-1"), asked)
        told = (*_PAGE, (b"content-language", self.pages.tag(language).encode()))
        seen = await self.located.checkout(str(scope["path_params"]["token"]))
        if seen is None:
            return Response(404, self.pages.missing(language), _HTML, told)
        return Response(200, self.pages.order(seen, language), _HTML, told)

    async def state(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /checkout/{token}/state: how the order stands, or that the caller has it (RFC 9110 §13.1.2)."""
        standing = await self.located.standing(str(scope["path_params"]["token"]))
        if standing is None:
            return refusal(Refused(Kind.NOT_FOUND))
        body, tag = self.pages.state(standing)
        return _unless_held(Response(200, body, headers=_tagged(tag.encode(), b"no-store")), tag.encode(), headers)


class _File:
    """A style or a script: the same for all pages."""

    def __init__(self, body: bytes, content_type: bytes) -> None:
        self._tag = b'"%s"' % hashlib.sha256(body).hexdigest()[:32].encode()
        self._response = Response(200, body, content_type, _tagged(self._tag, b"no-cache"))

    async def answer(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """The file, or that the caller has it."""
        return _unless_held(self._response, self._tag, headers)


def _tagged(tag: bytes, kept: bytes) -> tuple[tuple[bytes, bytes], ...]:
    return ((b"etag", tag), (b"cache-control", kept))


def _unless_held(response: Response, tag: bytes, headers: Mapping[bytes, bytes]) -> Response:
    held = [one.strip().removeprefix(b"W/") for one in headers.get(b"if-none-match", b"").split(b",")]
    if tag not in held and b"*" not in held:
        return response
    return Response(304, b"", response.content_type, response.headers)
