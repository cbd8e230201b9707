"""Access tokens: JSON Web Tokens (RFC 7519) signed with Ed25519 (RFC 8037).

A token proves who asks and for which company, nothing else: whether the client is still alive, what it may do and
from when its tokens count is read with each request, so that revoking works at once.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import msgspec
from joserfc import jws
from joserfc.jwk import OKPKey

from lastro.companies.verifying import Claims, KeyUnknown, OneAlgorithm, PinnedKey, SignedTokens, TokenRefused
from lastro.core.secrets import RandomBytes

__all__ = [
    "LIFETIME_SECONDS", "SCOPE", "Claims", "KeyUnknown", "SigningKey", "TokenRefused", "Verifier", "issue", "jwks",
    "new_signing_key", "public_keys",
]  # fmt: skip

SCOPE: Final = "api://app-order-prd"
LIFETIME_SECONDS: Final = 3600
_ALGORITHM: Final = "EdDSA"
_CURVE: Final = "Ed25519"
_SEED_BYTES: Final = 32
_MOST_CHARACTERS: Final = 4096  # a token of ours has about 500; more is not worth hashing


_registry = OneAlgorithm(_ALGORITHM)


@dataclass(frozen=True)
class SigningKey:
    """A private key that signs tokens: 32 bytes (the seed of RFC 8032) under an id that tokens carry as `kid`."""

    kid: str
    private: bytes = field(repr=False)

    @cached_property
    def _key(self) -> OKPKey:
        # RFC 8410 §7 wraps a seed in these sixteen bytes, and so the whole key needs no point arithmetic of ours.
        der = bytes.fromhex("302e020100300506032b657004220420") + self.private
        if len(self.private) != _SEED_BYTES:
            raise ValueError("an Ed25519 private key is 32 bytes")
        return OKPKey.import_key(der)

    @property
    def public(self) -> bytes:
        """The public key, 32 bytes (RFC 8032 §5.1.5), for `Verifier` and `jwks`."""
        return self._key.public_key.public_bytes_raw()


def new_signing_key(random: RandomBytes) -> SigningKey:
    """Makes a new key. Its id is its thumbprint (RFC 7638), so that two keys never share one."""
    private = random(_SEED_BYTES)
    return SigningKey(SigningKey("", private)._key.thumbprint(), private)  # noqa: SLF001 - its own module


def _public_key(public: bytes) -> OKPKey:
    # RFC 8410 §4 wraps a public key in these twelve bytes.
    return OKPKey.import_key(bytes.fromhex("302a300506032b6570032100") + public)


def issue(
    key: SigningKey,
    *,
    issuer: str,
    client_id: str,
    company_id: str,
    now_machine: float,
    jti: str,
    scope: str = SCOPE,
    audience: str = SCOPE,
    lifetime_seconds: int = LIFETIME_SECONDS,
    certificate: str | None = None,
) -> str:
    """Signs a token. `now_machine` is Unix machine time in seconds, best with its fraction.

    certificate: its SHA-256 (`x5t#S256`), where the token counts only with it (RFC 8705 §3.1).

    `iat` keeps the milliseconds, as RFC 7519 §2 allows: clients' tokens are revoked by an instant, and a token issued in
    the same second but after it must count. They are cut, never rounded up, so that no token is from the future.
    """
    issued = math.floor(now_machine * 1000) / 1000
    claims: dict[str, object] = {
        "iss": issuer,
        "sub": client_id,
        "aud": audience,
        "scp": scope,
        "company": company_id,
        "iat": int(issued) if issued.is_integer() else issued,
        "exp": math.floor(now_machine) + lifetime_seconds,
        "jti": jti,
    }
    if certificate is not None:
        claims["cnf"] = {"x5t#S256": certificate}
    header = {"alg": _ALGORITHM, "kid": key.kid, "typ": "JWT"}
    return jws.serialize_compact(header, msgspec.json.encode(claims), key._key, registry=_registry)  # noqa: SLF001


class Bound(msgspec.Struct):
    """`cnf` of RFC 7800: the proof that a token belongs to its sender. We know certificates, and no other way."""

    certificate: str = msgspec.field(name="x5t#S256")


class _Payload(msgspec.Struct):
    iss: str
    sub: str
    aud: str | list[str]
    scp: str
    company: str
    iat: float
    exp: float
    jti: str
    nbf: float | None = None
    cnf: Bound | None = None


_payload = msgspec.json.Decoder(_Payload)


class Verifier(SignedTokens):
    """Checks our own tokens: published keys, one issuer and one audience."""

    def __init__(self, keys: Mapping[str, bytes], issuer: str, audience: str = SCOPE, cache_size: int = 4096) -> None:
        """Takes public keys of 32 bytes by their id. ValueError: one is not a key."""
        self._issuer = issuer
        self._audience = audience
        pinned = {kid: PinnedKey(_public_key(public), _registry) for kid, public in keys.items()}
        super().__init__(pinned, self._payload, cache_size=cache_size, most_characters=_MOST_CHARACTERS)

    def _payload(self, raw: bytes) -> Claims:
        payload = _payload.decode(raw)
        audiences = payload.aud if isinstance(payload.aud, list) else [payload.aud]
        if payload.iss != self._issuer or self._audience not in audiences:
            raise TokenRefused
        return Claims(
            client_id=payload.sub,
            company_id=payload.company,
            scope=payload.scp,
            jti=payload.jti,
            issued_at=payload.iat,
            expires_at=payload.exp,
            not_before=payload.nbf,
            certificate=None if payload.cnf is None else payload.cnf.certificate,
        )


def jwks(keys: Mapping[str, bytes]) -> dict[str, list[dict[str, str]]]:
    """Returns the key set (RFC 7517) of public keys, by id. Each key has 32 bytes."""
    return {"keys": [_public_jwk(kid, public) for kid, public in keys.items()]}


def _public_jwk(kid: str, public: bytes) -> dict[str, str]:
    x = str(_public_key(public).as_dict(private=False)["x"])
    return {"kty": "OKP", "crv": _CURVE, "x": x, "kid": kid, "use": "sig", "alg": _ALGORITHM}


def public_keys(keys: Iterable[SigningKey]) -> dict[str, bytes]:
    """Returns the public halves by their id, for `Verifier` and `jwks`."""
    return {key.kid: key.public for key in keys}
