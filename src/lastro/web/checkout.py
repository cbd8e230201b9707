"""Serves the hosted pages of orders and their polling."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from lastro.api_kit.http import Response, refusal
from lastro.core.errors import Kind, Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from litestar.types import HTTPScope

    from lastro.api_kit.http import Answer
    from lastro.orders import CheckoutPages
    from lastro.web.public_tokens import OrdersByToken

# The picture of a code stands in the page itself; everything else comes from here, or is not loaded.
_POLICY = (
    b"default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; connect-src 'self'; base-uri 'none';"
    b" form-action 'none'; frame-ancestors 'none'"
)
_HTML = b"text/html; charset=utf-8"
# Anybody with the address sees the page: it is stored nowhere, not indexed, and not disclosed to the sites it links to.
_PAGE: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", _POLICY), (b"referrer-policy", b"no-referrer"), (b"x-robots-tag", b"noindex, nofollow"),
    (b"cache-control", b"no-store"), (b"vary", b"accept-language"),
)  # fmt: skip


@dataclass(frozen=True)
class Checkout:
    """Handlers of /checkout/{token}, /3ds/{token} and their files."""

    orders_by_token: OrdersByToken
    pages: CheckoutPages

    def paths(self) -> dict[str, Mapping[str, Answer]]:
        """Returns the handlers of its paths, by method."""
        style = _File(self.pages.style, b"text/css; charset=utf-8")
        script = _File(self.pages.script, b"text/javascript; charset=utf-8")
        return {
            "/checkout/{token}": {"GET": self.page},
            "/checkout/{token}/state": {"GET": self.state},
            "/3ds/{token}": {"GET": self.challenge},
            "/checkout.css": {"GET": style.answer},
            "/checkout.js": {"GET": script.answer},
        }

    async def page(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /checkout/{token} with the page. Any token that leads nowhere gets another page with 404."""
        asked = dict(parse_qsl(scope["query_string"].decode("latin-1")[:500])).get("lang")
        language = self.pages.language(headers.get(b"accept-language", b"").decode("latin-1"), asked)
        told = (*_PAGE, (b"content-language", self.pages.tag(language).encode()))
        seen = await self.orders_by_token.checkout(str(scope["path_params"]["token"]))
        if seen is None:
            return Response(404, self.pages.missing(language), _HTML, told)
        return Response(200, self.pages.order(seen, language), _HTML, told)

    async def challenge(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /3ds/{token}: redirects to the payer's bank.

        Before that and after it the order's own page is shown. Until it is known whether the bank asks, the page reloads by
        itself (HTML, §4.2.5.3, here as a header).
        """
        seen = await self.orders_by_token.checkout(str(scope["path_params"]["token"]))
        if seen is None or seen.shown.order.card is None:
            return await self.page({**scope, "path_params": {"token": ""}}, raw, headers)
        order = seen.shown.order
        assert order.order_token is not None
        if order.card is not None and order.card.challenge_url is not None:
            return _on_to(order.card.challenge_url)
        if order.state != "INITIAL":
            return _on_to(self.pages.place.checkout_url(order.order_token))
        return (await self.page(scope, raw, headers)).with_headers(_AGAIN)

    async def state(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /checkout/{token}/state with the order's state. 304: the caller has it (RFC 9110 §13.1.2)."""
        standing = await self.orders_by_token.standing(str(scope["path_params"]["token"]))
        if standing is None:
            return refusal(Refused(Kind.NOT_FOUND))
        body, tag = self.pages.state(standing)
        return _unless_held(Response(200, body, headers=_tagged(tag.encode(), b"no-store")), tag.encode(), headers)


# The payer waits for a bank that answers in a moment.
_AGAIN = ((b"refresh", b"1"),)


def _on_to(url: str) -> Response:
    """Redirects to another page; no cache keeps its address."""
    return Response(303, b"", b"text/plain", (*_PAGE, (b"location", url.encode("ascii"))))


class _File:
    """A style or a script: the same for all pages."""

    def __init__(self, body: bytes, content_type: bytes) -> None:
        self._tag = b'"%s"' % hashlib.sha256(body).hexdigest()[:32].encode()
        self._response = Response(200, body, content_type, _tagged(self._tag, b"no-cache"))

    async def answer(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Returns the file, or 304 if the caller has it."""
        return _unless_held(self._response, self._tag, headers)


def _tagged(tag: bytes, kept: bytes) -> tuple[tuple[bytes, bytes], ...]:
    return ((b"etag", tag), (b"cache-control", kept))


def _unless_held(response: Response, tag: bytes, headers: Mapping[bytes, bytes]) -> Response:
    held = [one.strip().removeprefix(b"W/") for one in headers.get(b"if-none-match", b"").split(b",")]
    if tag not in held and b"*" not in held:
        return response
    return Response(304, b"", response.content_type, response.headers)
