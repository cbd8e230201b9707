"""Finds a JWS header's key, and its certificate, in a JWK Set.

RFC 7517, RFC 5280. Participants write thumbprints and certificates in several ways; docs/decisions/signatures.md names those
that are read, and the reasons. Trust lies in the host of the set, which a participant has registered: a chain above the
certificate is not judged.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey

# The kind of key that each algorithm takes. A header that asks for one with a key of another kind is refused.
ALGORITHMS = {"ES256": "EC", "PS256": "RSA", "RS256": "RSA"}
MIN_RSA_BITS = 2048
MAX_RSA_BITS = 8192
MAX_KEYS = 64
MAX_CHAIN = 8
MAX_CERTIFICATE = 12_000  # characters of its text

_CURVE = "P-256"
_MAX_EXPONENT_BITS = 32
# Names of algorithms that a JWK may restrict itself to (RFC 7518 §3.1). Another word, as "RSA", restricts nothing.
_JWA = {f"{family}{bits}" for family in ("HS", "RS", "PS", "ES") for bits in (256, 384, 512)} | {"none", "EdDSA"}


def _sha1(data: bytes) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()


def _sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


_DIGESTS = {"x5t#S256": _sha256, "x5t": _sha1}


class JwkError(ValueError):
    """The set lacks a single fitting key for a header. The key's certificate must fit too."""


@dataclass(frozen=True, slots=True)
class _Certificate:
    """The relevant parts of a certificate. digests: of its DER, by header name. unfit: the reason its key may not sign."""

    digests: Mapping[str, bytes]
    public_key: EllipticCurvePublicKey | RSAPublicKey
    starts: datetime
    ends: datetime
    unfit: str | None


def named_key(jwks: Mapping[str, Any], header: Mapping[str, Any], at: datetime) -> ECKey | RSAKey:
    """Returns the key that `kid` and a thumbprint name. JwkError: none or several, or its certificate is not in force."""
    given = {name: header[name] for name in _DIGESTS if header.get(name) is not None}
    if not given:
        raise JwkError("the header names no certificate: it has neither x5t#S256 nor x5t")
    problems: list[str] = []
    found: list[ECKey | RSAKey] = []
    for jwk in _of_kid(jwks, header.get("kid")):
        try:
            found.append(_fitting(jwk, given, header["alg"], at))
        except JwkError as problem:
            problems.append(str(problem))
    if len(found) != 1:
        raise JwkError("; ".join(problems) or f"several keys of the set are named {header.get('kid')!r}")
    return found[0]


def thumbprints(der: bytes) -> dict[str, str]:
    """`x5t` and `x5t#S256` of a certificate, as RFC 7515 writes them."""
    return {name: base64.urlsafe_b64encode(_DIGESTS[name](der)).rstrip(b"=").decode() for name in ("x5t", "x5t#S256")}


def unfit_to_sign(certificate: x509.Certificate) -> str | None:
    """Returns the reason that a certificate's key may not sign locations.

    None: it may, also if the certificate says nothing of it. ValueError: the certificate's extensions cannot be read.
    """
    try:
        values = [one.value for one in certificate.extensions]
    except (x509.DuplicateExtension, x509.UnsupportedGeneralNameType) as problem:
        raise ValueError(str(problem)) from problem
    if any(isinstance(one, x509.BasicConstraints) and one.ca for one in values):
        return "the certificate is that of an authority, whose key signs certificates"
    if any(isinstance(one, x509.KeyUsage) and not one.digital_signature for one in values):
        return "the certificate's key usage has no digital signature"
    return None


def unb64(text: str) -> bytes:
    """Returns the bytes of base64url without padding."""
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _of_kid(jwks: Mapping[str, Any], kid: object) -> list[dict[str, Any]]:
    keys = jwks.get("keys")
    if not isinstance(keys, list) or len(keys) > MAX_KEYS:
        raise JwkError(f"the set has no list of at most {MAX_KEYS} keys")
    found = [jwk for jwk in keys if isinstance(jwk, dict) and jwk.get("kid") == kid]
    if not isinstance(kid, str) or not found:
        raise JwkError(f"no key of the set is named {kid!r}")
    return found


def _fitting(jwk: dict[str, Any], given: Mapping[str, object], algorithm: str, at: datetime) -> ECKey | RSAKey:
    """Returns the key of a JWK if type, use and certificate fit."""
    if jwk.get("kty") != ALGORITHMS[algorithm]:
        raise JwkError(f"a key of the type {jwk.get('kty')!r} does not sign {algorithm}")
    own = jwk.get("alg")
    if isinstance(own, str) and own in _JWA and own != algorithm:
        raise JwkError(f"the key is for {own}, not for {algorithm}")
    if jwk.get("use") not in (None, "sig"):
        raise JwkError("the key is not one that signs")
    chain = jwk.get("x5c")
    key = _imported(jwk)
    if chain is None:
        _agree(given, {name: _digest(jwk.get(name), name) for name in given})
        return key
    certificate = _leaf(chain)
    _agree(given, certificate.digests)
    if certificate.public_key != key.public_key:
        raise JwkError("the certificate is of another key")
    if not certificate.starts <= at <= certificate.ends:
        raise JwkError(f"the certificate holds from {certificate.starts:%Y-%m-%d} to {certificate.ends:%Y-%m-%d}")
    if certificate.unfit is not None:
        raise JwkError(certificate.unfit)
    return key


def _agree(given: Mapping[str, object], known: Mapping[str, bytes | None]) -> None:
    for name, text in given.items():
        claimed = _digest(text, name)
        if claimed is None or claimed != known[name]:
            raise JwkError(f"{name} does not name the certificate of the key")


def _digest(text: object, name: str) -> bytes | None:
    """Reads a thumbprint: base64url or base64, padded or not. It is of the thumbprint's bytes or of their hexadecimal."""
    if not isinstance(text, str) or not text.isascii() or len(text) > 100:
        return None
    size = len(_DIGESTS[name](b""))
    try:
        data = unb64(text.rstrip("=").replace("+", "-").replace("/", "_"))
        return bytes.fromhex(data.decode("ascii")) if len(data) == 2 * size else data
    except ValueError:
        return None


def _leaf(chain: object) -> _Certificate:
    """Returns the first certificate of `x5c`; those above it are counted and measured, no more."""
    if not isinstance(chain, list) or not 1 <= len(chain) <= MAX_CHAIN:
        raise JwkError(f"x5c is not a list of 1 to {MAX_CHAIN} certificates")
    if any(not isinstance(one, str) or len(one) > MAX_CERTIFICATE for one in chain):
        raise JwkError(f"x5c has a certificate that is no text of at most {MAX_CERTIFICATE} characters")
    return _certificate(chain[0])


@lru_cache(maxsize=256)
def _certificate(text: str) -> _Certificate:
    """Returns a certificate as x5c has it: base64 of DER, in one line or, as some print it, in several."""
    try:
        der = base64.b64decode("".join(text.split()), validate=True)
        read = x509.load_der_x509_certificate(der)
        public, unfit = read.public_key(), unfit_to_sign(read)
    except (ValueError, TypeError, x509.InvalidVersion, UnsupportedAlgorithm) as problem:
        raise JwkError("the certificate of the key cannot be read") from problem
    if not isinstance(public, EllipticCurvePublicKey | RSAPublicKey):
        raise JwkError("the certificate is of a key that signs no location")
    digests = {name: make(der) for name, make in _DIGESTS.items()}
    return _Certificate(digests, public, read.not_valid_before_utc, read.not_valid_after_utc, unfit)


def _imported(jwk: dict[str, Any]) -> ECKey | RSAKey:
    names = ("kty", "crv", "x", "y") if jwk["kty"] == "EC" else ("kty", "n", "e")
    values = tuple(jwk.get(name) for name in names)
    if any(not isinstance(value, str) or len(value) > 2 * MAX_RSA_BITS // 8 for value in values):
        raise JwkError("the key is not complete")
    try:
        return _key(names, values)
    except (JoseError, KeyError, TypeError, ValueError) as problem:
        raise JwkError(f"the key cannot be read: {problem}") from problem


@lru_cache(maxsize=256)
def _key(names: tuple[str, ...], values: tuple[str, ...]) -> ECKey | RSAKey:
    """Returns a public key, ready to verify. A participant signs all its locations by one, whose numbers are read once."""
    numbers: Any = dict(zip(names, values, strict=True))
    if numbers["kty"] == "EC":
        if numbers["crv"] != _CURVE:
            raise ValueError(f"ES256 needs a key on {_CURVE}")
        return ECKey.import_key(numbers)
    modulus, exponent = (int.from_bytes(unb64(numbers[name].rstrip("=")), "big") for name in ("n", "e"))
    if not MIN_RSA_BITS <= modulus.bit_length() <= MAX_RSA_BITS:
        raise ValueError(f"an RSA key has {MIN_RSA_BITS} to {MAX_RSA_BITS} bits")
    if exponent.bit_length() > _MAX_EXPONENT_BITS:
        raise ValueError(f"an exponent has at most {_MAX_EXPONENT_BITS} bits")
    return RSAKey.import_key(numbers)
