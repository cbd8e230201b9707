"""The signature over what a Pix location serves: compact JWS, ES256, media type `application/jose`.

Signing goes straight to `cryptography`, because the header of a key never changes and is encoded once; reading what
strangers signed goes through joserfc. Source: API Pix 2.9.0 (CobPayload, JWKS); RFC 7515, RFC 7517, RFC 7518.
"""

import base64
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from joserfc import jws as jose
from joserfc.errors import JoseError
from joserfc.jwk import ECKey

ALGORITHM = "ES256"
# What an outgoing request may bring back (64 KiB) is more than any charge needs.
MAX_COMPACT = 65_536

_SHA256 = ECDSA(hashes.SHA256())


class _Headers(jose.JWSRegistry):
    # A header may carry a certificate chain, and names this reader does not know; `crit` still has to be understood.
    max_header_length = 16_384


_HEADERS = _Headers(algorithms=[ALGORITHM], strict_check_header=False)


class JwsError(ValueError):
    """A text that is no JWS of a Pix location, or one whose signature, key or certificate cannot be accepted."""


@dataclass(frozen=True, slots=True)
class LocationKey:
    """The key that signs our locations: PEM of a P-256 private key, DER of its certificate, and the JWKS address.

    TypeError for a key of another kind, ValueError for another curve than P-256 or a certificate of another key.
    `signer` and `protected` (the encoded header) are made here, once, so that a signature costs one curve operation.
    The private key stays out of repr.
    """

    kid: str
    private_pem: bytes = field(repr=False)
    certificate_der: bytes = field(repr=False)
    jku: str
    signer: EllipticCurvePrivateKey = field(init=False, repr=False, compare=False)
    protected: bytes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        private = load_pem_private_key(self.private_pem, password=None)
        if not isinstance(private, EllipticCurvePrivateKey):
            raise TypeError("ES256 needs an elliptic-curve private key")
        if private.curve.name != SECP256R1.name:
            raise ValueError("ES256 needs a key on P-256")
        if x509.load_der_x509_certificate(self.certificate_der).public_key() != private.public_key():
            raise ValueError("the certificate belongs to another key")
        protected = {
            "alg": ALGORITHM,
            "kid": self.kid,
            "jku": self.jku,
            "x5t#S256": _thumbprint(self.certificate_der),
            "typ": "JOSE",
        }
        object.__setattr__(self, "signer", private)
        object.__setattr__(self, "protected", _b64(json.dumps(protected, separators=(",", ":")).encode()).encode())


def sign(payload: bytes, key: LocationKey) -> str:
    """The compact JWS of `payload`, with `alg`, `kid`, `jku`, `x5t#S256` and `typ` in its header."""
    signed = key.protected + b"." + _b64(payload).encode()
    r, s = decode_dss_signature(key.signer.sign(signed, _SHA256))
    return f"{signed.decode()}.{_b64(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def verify(compact: str, jwks: dict[str, Any]) -> bytes:
    """The payload of `compact`, once a key of `jwks` has confirmed it. JwsError in every other case.

    Only ES256 is accepted, whatever the header asks for; the key is the one named by `kid`, and the header's
    `x5t#S256` must be that of the key's certificate. That `jku` belongs to a participant is for the caller to check
    before fetching `jwks` from there.
    """
    claimed = header(compact)
    jwk = _named_key(jwks, claimed.get("kid"))
    if claimed.get("x5t#S256") != _certificate_of(jwk):
        raise JwsError("x5t#S256 does not name the certificate of the key")
    try:
        key = _imported(jwk["kty"], jwk["crv"], jwk["x"], jwk["y"])
        return jose.deserialize_compact(compact, key, registry=_HEADERS).payload
    except (JoseError, KeyError, TypeError, ValueError) as problem:
        raise JwsError(f"the signature cannot be accepted: {problem}") from problem


@lru_cache(maxsize=256)
def _imported(kty: str, crv: str, x: str, y: str) -> ECKey:
    """A public key, ready to verify. A participant signs all its locations by one, whose point is read once."""
    return ECKey.import_key({"kty": kty, "crv": crv, "x": x, "y": y})


def public_jwks(keys: Iterable[LocationKey]) -> dict[str, Any]:
    """The JWK Set that `jku` serves: public halves only, each with `kid`, `x5t#S256` and `x5c` (API Pix 2.9.0)."""
    return {"keys": [_public_jwk(key) for key in keys]}


def header(compact: str) -> dict[str, Any]:
    """The protected header of `compact`, read but not verified: to learn `kid` and `jku`, never to trust them.

    JwsError if it is not the header of a compact JWS, or asks for another algorithm than ES256.
    """
    if len(compact) > MAX_COMPACT:
        raise JwsError(f"a JWS of more than {MAX_COMPACT} characters is not read")
    parts = compact.split(".")
    if len(parts) != 3:
        raise JwsError("a compact JWS has three parts")
    try:
        read = json.loads(_unb64(parts[0]))
    except (ValueError, RecursionError) as problem:
        raise JwsError("the header is not base64url of JSON") from problem
    if not isinstance(read, dict):
        raise JwsError("the header is not a JSON object")
    if read.get("alg") != ALGORITHM:
        raise JwsError(f"only {ALGORITHM} is accepted, not {read.get('alg')!r}")
    return read


def _public_jwk(key: LocationKey) -> dict[str, Any]:
    numbers = key.signer.public_key().public_numbers()
    return {
        "kty": "EC",
        "crv": "P-256",
        "x": _b64(numbers.x.to_bytes(32, "big")),
        "y": _b64(numbers.y.to_bytes(32, "big")),
        "kid": key.kid,
        "alg": ALGORITHM,
        "key_ops": ["verify"],
        "x5t#S256": _thumbprint(key.certificate_der),
        "x5c": [base64.b64encode(key.certificate_der).decode()],
    }


def _named_key(jwks: dict[str, Any], kid: object) -> dict[str, Any]:
    keys = jwks.get("keys")
    found = [jwk for jwk in keys if isinstance(jwk, dict) and jwk.get("kid") == kid] if isinstance(keys, list) else []
    if not isinstance(kid, str) or len(found) != 1:
        raise JwsError(f"no single key of the set is named {kid!r}")
    return found[0]


def _certificate_of(jwk: dict[str, Any]) -> str:
    """The thumbprint of the JWK's certificate, computed where the certificate itself is given."""
    chain = jwk.get("x5c")
    if chain is None:
        stated = jwk.get("x5t#S256")
        if not isinstance(stated, str):
            raise JwsError("the key comes without a certificate")
        return stated
    try:
        return _thumbprint(base64.b64decode(chain[0], validate=True))
    except (TypeError, ValueError, LookupError) as problem:
        raise JwsError("the certificate of the key is not base64 of DER") from problem


def _thumbprint(certificate_der: bytes) -> str:
    return _b64(hashlib.sha256(certificate_der).digest())


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _unb64(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
