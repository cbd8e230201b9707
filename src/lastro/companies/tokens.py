"""Access tokens: JSON Web Tokens (RFC 7519) signed with Ed25519 (RFC 8037).

A token proves who asks and for which company, nothing else: whether the client is still alive, what it may do and
from when its tokens count is read with each request, so that revoking works at once.
"""

import hashlib
import math
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import msgspec
from joserfc import jws
from joserfc.errors import JoseError, UnsupportedAlgorithmError
from joserfc.jwa import JWSAlgModel
from joserfc.jwk import OKPKey
from joserfc.jws import JWSRegistry

from lastro.base.secrets import RandomBytes

SCOPE: Final = "api://app-order-prd"
LIFETIME_SECONDS: Final = 3600
_ALGORITHM: Final = "EdDSA"
_CURVE: Final = "Ed25519"
_SEED_BYTES: Final = 32
_MOST_CHARACTERS: Final = 4096  # a token of ours has about 500; more is not worth hashing


class TokenRefused(Exception):  # noqa: N818 - reads as what happened
    """A token does not count. It never says why: the reason would help only who forges one."""


class _EdDsaAlone(JWSRegistry):
    """Knows one algorithm, whatever the header of a token names.

    RFC 9864 renames EdDSA to Ed25519 and the library warns at each use of the old name. Our keys have that one curve,
    and the old name is the one that clients' libraries read today.
    """

    def get_alg(self, name: str) -> JWSAlgModel:
        """Raise UnsupportedAlgorithmError for any other name."""
        if name != _ALGORITHM:
            raise UnsupportedAlgorithmError(name)
        return self.algorithms[_ALGORITHM]


_registry = _EdDsaAlone()


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
    """A new key; its id is its thumbprint (RFC 7638), so that two keys never share one."""
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
) -> str:
    """A signed token. `now_machine` is Unix machine time in seconds, best with its fraction.

    `iat` keeps the milliseconds, as RFC 7519 §2 allows: clients' tokens are revoked by an instant, and a token issued
    in the same second but after it must count. They are cut, never rounded up, so that no token is from the future.
    """
    issued = math.floor(now_machine * 1000) / 1000
    claims = {
        "iss": issuer,
        "sub": client_id,
        "aud": audience,
        "scp": scope,
        "company": company_id,
        "iat": int(issued) if issued.is_integer() else issued,
        "exp": math.floor(now_machine) + lifetime_seconds,
        "jti": jti,
    }
    header = {"alg": _ALGORITHM, "kid": key.kid, "typ": "JWT"}
    return jws.serialize_compact(header, msgspec.json.encode(claims), key._key, registry=_registry)  # noqa: SLF001


@dataclass(frozen=True, slots=True)
class Claims:
    """Who asks. Times are Unix machine time in seconds; `issued_at` has milliseconds."""

    client_id: str
    company_id: str
    scope: str
    jti: str
    issued_at: float
    expires_at: float
    not_before: float | None = None


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


_payload = msgspec.json.Decoder(_Payload)


class Verifier:
    """Checks tokens against published keys, one issuer and one audience.

    It remembers of `cache_size` tokens, by SHA-256, that their signature was good and what they claim, which is what
    takes long; times are looked at each time. It belongs to one event loop. When keys change, make a new one: that
    forgets what the withdrawn keys signed.
    """

    def __init__(self, keys: Mapping[str, bytes], issuer: str, audience: str = SCOPE, cache_size: int = 4096) -> None:
        """`keys` are public keys, 32 bytes, by their id. Raise ValueError when one is not a key."""
        self._keys = {kid: _public_key(public) for kid, public in keys.items()}
        self._issuer = issuer
        self._audience = audience
        self._cache_size = cache_size
        self._good: OrderedDict[bytes, Claims] = OrderedDict()

    def verify(self, token: str, now: float) -> Claims:
        """What a token claims. `now` is Unix machine time in seconds. Raise TokenRefused if it does not count."""
        if len(token) > _MOST_CHARACTERS or not token.isascii():
            raise TokenRefused
        digest = hashlib.sha256(token.encode()).digest()
        claims = self._good.get(digest)
        if claims is None:
            claims = self._read(token)
            self._good[digest] = claims
            if len(self._good) > self._cache_size:
                self._good.popitem(last=False)
        else:
            self._good.move_to_end(digest)
        if now >= claims.expires_at or (claims.not_before is not None and now < claims.not_before):
            raise TokenRefused
        return claims

    def _read(self, token: str) -> Claims:
        """The claims of a token whose signature, issuer and audience are right. Raise TokenRefused otherwise."""
        try:
            signed = jws.extract_compact(token.encode())
            key = self._keys.get(signed.headers().get("kid", ""))
            # The names of protected headers are all there is: with an unknown extension marked critical, or another
            # algorithm, the library refuses.
            if key is None or not jws.validate_compact(signed, key, registry=_registry):
                raise TokenRefused
            payload = _payload.decode(signed.payload)
        except (JoseError, msgspec.DecodeError, ValueError, TypeError, KeyError, RecursionError):
            raise TokenRefused from None
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
        )


def jwks(keys: Mapping[str, bytes]) -> dict[str, list[dict[str, str]]]:
    """The published set (RFC 7517) of public keys, 32 bytes each, by their id."""
    return {"keys": [_public_jwk(kid, public) for kid, public in keys.items()]}


def _public_jwk(kid: str, public: bytes) -> dict[str, str]:
    x = str(_public_key(public).as_dict(private=False)["x"])
    return {"kty": "OKP", "crv": _CURVE, "x": x, "kid": kid, "use": "sig", "alg": _ALGORITHM}


def public_keys(keys: Iterable[SigningKey]) -> dict[str, bytes]:
    """The public halves by their id, as `Verifier` and `jwks` take them."""
    return {key.kid: key.public for key in keys}
