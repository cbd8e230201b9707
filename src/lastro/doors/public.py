"""What is served without a bearer token: tokens themselves, published keys, Pix locations and their pictures, health."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote_plus

import msgspec

from lastro import companies, orders
from lastro.base import forms
from lastro.base.commit import Caller
from lastro.base.errors import Kind, Problem, Refused
from lastro.base.run import Door
from lastro.doors.http import Response, refusal
from lastro.standards import jws, pix_ids

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from litestar.types import HTTPScope

    from lastro.base.db import Database
    from lastro.base.ids import Chance
    from lastro.companies import Login, SigningKeys
    from lastro.doors.limits import Limits
    from lastro.orders import Place

LIFETIME_SECONDS = companies.LIFETIME_SECONDS
_SCOPES = frozenset({companies.SCOPE, f"{companies.SCOPE}/.default"})
_COMPANY = "SELECT company_id FROM company_numbers WHERE number = $1"


class TokenForm(forms.Form):
    """POST /auth/v1/token."""

    client_id: str
    client_secret: str
    scopes: list[str] | None = None


@dataclass(frozen=True)
class Tokens:
    """Both ways to a token."""

    login: Login
    limits: Limits

    async def ours(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """POST /auth/v1/token, JSON."""
        taken = self.limits.take(str(scope["state"]["source"]))
        if taken.retry_after_seconds is not None:
            return refusal(Refused(Kind.TOO_MANY, retry_after_seconds=taken.retry_after_seconds))
        try:
            body = forms.parsed(raw)
        except forms.NotJson as error:
            return refusal(Refused(Kind.INVALID, (Problem("body", "INVALID", str(error)),)))
        problems = _token_problems(body)
        if problems:
            return refusal(Refused(Kind.INVALID, tuple(problems)))
        token = await self.login.token(body["clientId"], body["clientSecret"])
        if token is None:
            return refusal(Refused(Kind.UNAUTHORIZED))
        return _json(200, {"tokenType": "Bearer", "expiresIn": LIFETIME_SECONDS, "token": token})

    async def oauth(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """POST /oauth2/token, RFC 6749 §4.4 with the client in Basic or in the body; errors as §5.2."""
        taken = self.limits.take(str(scope["state"]["source"]))
        if taken.retry_after_seconds is not None:
            later = ((b"retry-after", b"%d" % taken.retry_after_seconds),)
            return Response(429, msgspec.json.encode({"error": "temporarily_unavailable"}), headers=(*later, *_NO_STORE))
        fields = dict(parse_qsl(raw.decode("latin-1"), keep_blank_values=True))
        client = _basic(headers) or (fields.get("client_id", ""), fields.get("client_secret", ""))
        if "grant_type" not in fields:
            return _json(400, {"error": "invalid_request"})
        if fields["grant_type"] != "client_credentials":
            return _json(400, {"error": "unsupported_grant_type"})
        asked = fields.get("scope", "").split()
        if any(s not in _SCOPES for s in asked):
            return _json(400, {"error": "invalid_scope"})
        token = await self.login.token(*client)
        if token is None:
            challenge = ((b"www-authenticate", b'Basic realm="lastro"'),)
            return Response(401, msgspec.json.encode({"error": "invalid_client"}), headers=(*challenge, *_NO_STORE))
        answer = {"access_token": token, "token_type": "Bearer", "expires_in": LIFETIME_SECONDS, "scope": companies.SCOPE}
        return _json(200, answer)


_NO_STORE = ((b"cache-control", b"no-store"), (b"pragma", b"no-cache"))


def _json(status: int, value: Any) -> Response:
    return Response(status, msgspec.json.encode(value), headers=_NO_STORE)


def _token_problems(body: Mapping[str, Any]) -> list[Problem]:
    problems = []
    for name in ("clientId", "clientSecret"):
        if body.get(name) is None:
            problems.append(Problem(name, "REQUIRED", "is required"))
        elif not isinstance(body[name], str) or len(body[name]) > 256:
            problems.append(Problem(name, "INVALID", "must be a text of at most 256 characters"))
    scopes = body.get("scopes")
    if scopes is not None and (
        not isinstance(scopes, list) or not scopes or any(not isinstance(s, str) or s not in _SCOPES for s in scopes)
    ):
        problems.append(Problem("scopes", "INVALID", f"may name {companies.SCOPE}/.default alone"))
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


@dataclass(frozen=True)
class Published:
    """Keys, locations and pictures."""

    database: Database
    keys: SigningKeys
    place: Place
    chance: Chance

    async def token_keys(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /.well-known/jwks.json: who trusts our tokens verifies them by these."""
        return Response(200, msgspec.json.encode(companies.jwks(companies.public_keys(self.keys.tokens))))

    async def location_keys(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /.well-known/pix-jwks.json: the jku of our locations."""
        return Response(200, msgspec.json.encode(jws.public_jwks(self.keys.locations)))

    async def location(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /qr/v2/{token}: the signed charge while it can be paid, 410 once it never can be again, 404 for nothing."""
        found = await self._find(str(scope["path_params"]["token"]))
        if found is None:
            return Response(404, b"", b"text/plain")
        order, _, door = found
        charge = orders.charge(order, door)
        if charge is None:
            return Response(410, b"", b"text/plain")
        signed = jws.sign(charge, self.keys.location)
        return Response(200, signed.encode(), b"application/jose", ((b"cache-control", b"no-store"),))

    async def picture(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /qr/image/{token}.png: the QR itself, as long as the order is known."""
        name = str(scope["path_params"]["name"])
        found = await self._find(name.removesuffix(".png")) if name.endswith(".png") else None
        if found is None:
            return refusal(Refused(Kind.NOT_FOUND))
        order, account, _ = found
        return Response(200, orders.image(order, account, self.place), b"image/png")

    async def health(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /health: 200 when a request can be served."""
        async with self.database.session() as session:
            await session.value("SELECT 1")
        return Response(200, b'{"status":"ready"}')

    async def _find(self, token: str) -> tuple[Any, Any, Door] | None:
        if len(token) != 22 or not token.isascii() or not token.isalnum():
            return None
        async with self.database.session() as session:
            company_id: UUID | None = await session.value(_COMPANY, pix_ids.from_base62(token[:5]))
            if company_id is None:
                return None
            await session.enter(company_id)
            found = await orders.by_location(session, company_id, token)
            now = await session.value("SELECT business_now()")
        if found is None:
            return None
        return (*found, Door(company_id, now, self.chance, Caller()))
