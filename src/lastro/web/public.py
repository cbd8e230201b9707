"""Serves paths without a bearer token: tokens, published keys, Pix locations and their pictures."""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal
from urllib.parse import parse_qsl, unquote_plus

import msgspec

from lastro import accounts, companies, orders
from lastro.api_kit import forms
from lastro.api_kit.http import Response, refusal
from lastro.api_kit.proxies import counted_as
from lastro.api_kit.routes import Answer
from lastro.core.errors import Kind, Problem, Refused
from lastro.standards import jws

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from litestar.types import HTTPScope

    from lastro.api_kit.http import Answer as Answering
    from lastro.api_kit.rate_limits import Limits
    from lastro.companies import Login, SigningKeys
    from lastro.orders import Installation
    from lastro.web.public_tokens import OrdersByToken

LIFETIME_SECONDS = companies.LIFETIME_SECONDS
# There is one scope. Clients name it by this platform's id, by their own, or by that of the platform they come from.
_SCOPE_PATTERN = r"^api://(?!/)[!-~]{1,160}$(?!\n)"
_is_scope = re.compile(_SCOPE_PATTERN).match
_Scope = Annotated[str, msgspec.Meta(pattern=_SCOPE_PATTERN, examples=[f"{companies.SCOPE}/.default"])]
_BEARER: Final = "Bearer"
_MOST_FIELDS = 16  # of a form; four are known


class TokenForm(forms.Form):
    """A client and its secret."""

    client_id: Annotated[str, msgspec.Meta(max_length=256, examples=["lc_9fJ2mQ7xKp4sTz1VbN8cRw"])]
    client_secret: Annotated[str, msgspec.Meta(max_length=256, examples=["lsk_…"])]
    scopes: Annotated[
        Annotated[list[_Scope], msgspec.Meta(min_length=1)] | None,
        msgspec.Meta(
            description="There is one scope; what a client may do within it are its permissions. `api://<id>/.default` is"
            " taken of any id.",
            examples=[[f"{companies.SCOPE}/.default"]],
        ),
    ] = None


class Token(Answer, frozen=True, kw_only=True):
    """A bearer token."""

    token_type: Literal["Bearer"]
    expires_in: Annotated[int, msgspec.Meta(description="Seconds.", examples=[LIFETIME_SECONDS])]
    token: Annotated[str, msgspec.Meta(description="A JWT (EdDSA). Send it as `authorization: Bearer …`.")]


class OAuthForm(msgspec.Struct, kw_only=True):
    """RFC 6749 §4.4. The client stands in Basic or in the body."""

    grant_type: Literal["client_credentials"]
    client_id: str | None = None
    client_secret: str | None = None
    scope: _Scope | None = None


class OAuthToken(msgspec.Struct, kw_only=True):
    """The same token, in the words of RFC 6749 §5.1."""

    access_token: str
    token_type: Literal["Bearer"]
    expires_in: int
    scope: str


class OAuthError(msgspec.Struct, kw_only=True):
    """RFC 6749 §5.2."""

    error: Literal["invalid_request", "invalid_client", "unsupported_grant_type", "invalid_scope", "temporarily_unavailable"]


@dataclass(frozen=True)
class Tokens:
    """The two endpoints that issue tokens."""

    login: Login
    limits: Limits

    async def ours(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers POST /auth/v1/token, JSON."""
        taken = self.limits.take(counted_as(scope["state"]["peer"].address))
        if taken.retry_after_seconds is not None:
            return refusal(Refused(Kind.TOO_MANY, retry_after_seconds=taken.retry_after_seconds))
        try:
            body = forms.parsed(raw)
        except forms.NotJson as error:
            return refusal(Refused(Kind.INVALID, (Problem("body", "INVALID", str(error)),)))
        problems = _token_problems(body)
        if problems:
            return refusal(Refused(Kind.INVALID, tuple(problems)))
        token = await self.login.token(body["clientId"], body["clientSecret"], scope["state"]["peer"])
        if token is None:
            return refusal(Refused(Kind.UNAUTHORIZED))
        return _json(200, Token(token_type=_BEARER, expires_in=LIFETIME_SECONDS, token=token))

    async def oauth(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers POST /oauth2/token (RFC 6749 §4.4). The client is in Basic or in the body; errors as §5.2."""
        taken = self.limits.take(counted_as(scope["state"]["peer"].address))
        if taken.retry_after_seconds is not None:
            later = ((b"retry-after", b"%d" % taken.retry_after_seconds),)
            return _json(429, OAuthError(error="temporarily_unavailable"), later)
        try:
            given = parse_qsl(raw.decode("latin-1"), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
        except ValueError:
            return _json(400, OAuthError(error="invalid_request"))
        fields = dict(given)
        if len(fields) != len(given):  # RFC 6749 §3.2: no parameter more than once
            return _json(400, OAuthError(error="invalid_request"))
        client = _basic(headers) or (fields.get("client_id", ""), fields.get("client_secret", ""))
        if "grant_type" not in fields or _authenticates_twice(headers, fields, client[0]):
            return _json(400, OAuthError(error="invalid_request"))
        if fields["grant_type"] != "client_credentials":
            return _json(400, OAuthError(error="unsupported_grant_type"))
        asked = fields.get("scope", "").split()
        if any(_is_scope(s) is None for s in asked):
            return _json(400, OAuthError(error="invalid_scope"))
        token = await self.login.token(*client, scope["state"]["peer"])
        if token is None:
            challenge = ((b"www-authenticate", b'Basic realm="lastro"'),)
            return _json(401, OAuthError(error="invalid_client"), challenge)
        answer = OAuthToken(access_token=token, token_type=_BEARER, expires_in=LIFETIME_SECONDS, scope=companies.SCOPE)
        return _json(200, answer)


_NO_STORE = ((b"cache-control", b"no-store"), (b"pragma", b"no-cache"))


def _json(status: int, value: msgspec.Struct, headers: tuple[tuple[bytes, bytes], ...] = ()) -> Response:
    return Response(status, msgspec.json.encode(value), headers=(*headers, *_NO_STORE))


def _token_problems(body: Mapping[str, Any]) -> list[Problem]:
    problems = []
    for name in ("clientId", "clientSecret"):
        if body.get(name) is None:
            problems.append(Problem(name, "REQUIRED", "is required"))
        elif not isinstance(body[name], str) or len(body[name]) > 256:
            problems.append(Problem(name, "INVALID", "must be a text of at most 256 characters"))
    scopes = body.get("scopes")
    if scopes is not None and (
        not isinstance(scopes, list) or not scopes or any(not isinstance(s, str) or _is_scope(s) is None for s in scopes)
    ):
        problems.append(Problem("scopes", "INVALID", f"must name scopes such as {companies.SCOPE}/.default"))
    return problems


def _basic(headers: Mapping[bytes, bytes]) -> tuple[str, str] | None:
    scheme, _, value = headers.get(b"authorization", b"").partition(b" ")
    if scheme.lower() != b"basic":
        return None
    try:
        client, _, secret = base64.b64decode(value, validate=True).decode("utf-8").partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return "", ""
    return unquote_plus(client), unquote_plus(secret)  # RFC 6749 §2.3.1: form-encoded before Basic


def _authenticates_twice(headers: Mapping[bytes, bytes], fields: Mapping[str, str], client: str) -> bool:
    """Tells whether a client authenticates twice or names two clients. RFC 6749 §2.3 forbids it."""
    return b"authorization" in headers and ("client_secret" in fields or fields.get("client_id", client) != client)


# It names people, and what it says changes when it is paid.
_PRINTED_HEADERS = ((b"cache-control", b"no-store"), (b"x-robots-tag", b"noindex"))


_TERMS_HEADERS = ((b"cache-control", b"public, max-age=86400"), (b"content-disposition", b"inline"))


@dataclass(frozen=True)
class Published:
    """Serves keys, locations, pictures, slips and vouchers."""

    orders_by_token: OrdersByToken
    keys: Callable[[], SigningKeys]
    place: Installation

    def paths(self) -> dict[str, Mapping[str, Answering]]:
        """Returns the handlers of its paths, by method."""
        return {
            "/.well-known/jwks.json": {"GET": self.token_keys},
            "/.well-known/pix-jwks.json": {"GET": self.location_keys},
            "/qr/v2/{token}": {"GET": self.location},
            "/qr/v2/rec/{token}": {"GET": self.recurrence},
            "/qr/image/{name}": {"GET": self.picture},
            "/slip/{name}": {"GET": self.slip},
            "/voucher/{name}": {"GET": self.voucher},
            "/terms/{name}": {"GET": self.terms},
        }

    async def token_keys(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /.well-known/jwks.json with the token keys. Systems that trust our tokens verify them by these."""
        return Response(200, msgspec.json.encode(companies.jwks(companies.public_keys(self.keys().tokens))))

    async def location_keys(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /.well-known/pix-jwks.json, the jku of our locations."""
        return Response(200, msgspec.json.encode(jws.public_jwks(self.keys().locations)))

    async def location(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /qr/v2/{token} with the signed charge. 410 if it can never be paid again, 404 for an unknown token."""
        found = await self.orders_by_token.find(str(scope["path_params"]["token"]))
        if found is None:
            return Response(404, b"", b"text/plain")
        shown, context = found
        charge = orders.charge(shown, context)
        if charge is None:
            return Response(410, b"", b"text/plain")
        return self._signed(charge)

    async def recurrence(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /qr/v2/rec/{token} with the signed recurrence. 410 once it has ended, 404 for an unknown token."""
        found = await self.orders_by_token.recurrence(str(scope["path_params"]["token"]), self.place.institution.ispb)
        if found is None:
            return Response(404, b"", b"text/plain")
        (says,) = found
        return Response(410, b"", b"text/plain") if says is None else self._signed(says)

    def _signed(self, says: bytes) -> Response:
        signed = jws.sign(says, self.keys().location)
        return Response(200, signed.encode(), b"application/jose", ((b"cache-control", b"no-store"),))

    async def picture(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /qr/image/{token}.png with the QR, if the order is known. 410 while its key leads elsewhere."""
        name = str(scope["path_params"]["name"])
        found = await self.orders_by_token.pictured(name.removesuffix(".png")) if name.endswith(".png") else None
        if found is None or found[0].order.subscription_id is not None:  # a subscription has the code of its first charge
            return refusal(Refused(Kind.NOT_FOUND))
        drawn = orders.image(found[0], self.place)
        return Response(410, b"", b"text/plain") if drawn is None else Response(200, drawn, b"image/png")

    async def slip(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /slip/{token}.pdf with the slip of an order. A slip that has ended says so."""
        name = str(scope["path_params"]["name"])
        slip = await self.orders_by_token.slip(name.removesuffix(".pdf"), self.place) if name.endswith(".pdf") else None
        if slip is None:
            return refusal(Refused(Kind.NOT_FOUND))
        pdf = await asyncio.to_thread(orders.slip_pdf, slip)
        return _printed(pdf, b"boleto.pdf")

    async def voucher(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /voucher/{token}.pdf with the voucher of a cash order. A voucher that has ended says so."""
        name = str(scope["path_params"]["name"])
        voucher = await self.orders_by_token.voucher(name.removesuffix(".pdf")) if name.endswith(".pdf") else None
        if voucher is None:
            return refusal(Refused(Kind.NOT_FOUND))
        pdf = await asyncio.to_thread(orders.voucher_pdf, voucher)
        return _printed(pdf, b"ficha.pdf")

    async def terms(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /terms/{fileName} with the terms of an account as a PDF."""
        pdf = await asyncio.to_thread(accounts.opening.terms_pdf, str(scope["path_params"]["name"]))
        return refusal(Refused(Kind.NOT_FOUND)) if pdf is None else Response(200, pdf, b"application/pdf", _TERMS_HEADERS)


def _printed(pdf: bytes, name: bytes) -> Response:
    shown = (b"content-disposition", b'inline; filename="' + name + b'"')
    return Response(200, pdf, b"application/pdf", (*_PRINTED_HEADERS, shown))
