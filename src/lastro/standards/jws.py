"""The signature over what a Pix location serves: compact JWS (ES256, RS256 or PS256), media type `application/jose`.

Signing goes straight to `cryptography`, because the header of a key never changes and is encoded once; reading what
strangers signed goes through joserfc, after `certificates` has found the key that the header names.
Source: API Pix 2.9.0 (CobPayload, JWKS); RFC 7515, RFC 7517, RFC 7518; docs/decisions/signatures.md.
"""

import base64
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS, AsymmetricPadding, PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from joserfc import jws as jose
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey

from .jwk import ALGORITHMS, MAX_RSA_BITS, MIN_RSA_BITS, JwkError, named_key, thumbprints, unb64

# The limit of an outgoing request's answer (64 KiB), more than any charge needs.
MAX_COMPACT = 65_536

_SHA256 = ECDSA(hashes.SHA256())
_PADDINGS: dict[str, AsymmetricPadding] = {
    "RS256": PKCS1v15(),
    "PS256": PSS(mgf=MGF1(hashes.SHA256()), salt_length=hashes.SHA256.digest_size),  # RFC 7518 §3.5
}


class _Headers(jose.JWSRegistry):
    # A header may carry a certificate chain, and names this reader does not know; `crit` still has to be understood.
    max_header_length = 16_384


_HEADERS = _Headers(algorithms=list(ALGORITHMS), strict_check_header=False)


class JwsError(ValueError):
    """An invalid JWS of a Pix location. It is no JWS, or its signature, key or certificate cannot be accepted."""


@dataclass(frozen=True, slots=True)
class LocationKey:
    """The key that signs our locations: PEM of a private key, DER of its certificate, and the JWKS address.

    The key is on P-256 and signs ES256, or it is RSA and signs `rsa_algorithm`. chain: DER of the certificates that stand
    above its own, each above the one before it; the set publishes them. TypeError for a key of another kind, ValueError
    for another curve, a short RSA key or a certificate of another key. `signer`, `algorithm` and `protected` (the encoded
    header) are made here, once, so that a signature costs one operation. The private key stays out of repr.
    """

    kid: str
    private_pem: bytes = field(repr=False)
    certificate_der: bytes = field(repr=False)
    jku: str
    chain: tuple[bytes, ...] = field(default=(), repr=False)
    rsa_algorithm: str = "RS256"
    signer: EllipticCurvePrivateKey | RSAPrivateKey = field(init=False, repr=False, compare=False)
    algorithm: str = field(init=False)
    protected: bytes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Looking for primes anew takes 30 ms at each load; that the key is its certificate's is checked below.
        private = load_pem_private_key(self.private_pem, password=None, unsafe_skip_rsa_key_validation=True)
        if isinstance(private, EllipticCurvePrivateKey):
            if private.curve.name != SECP256R1.name:
                raise ValueError("ES256 needs a key on P-256")
            algorithm = "ES256"
        elif isinstance(private, RSAPrivateKey):
            if not MIN_RSA_BITS <= private.key_size <= MAX_RSA_BITS:
                raise ValueError(f"an RSA key has {MIN_RSA_BITS} to {MAX_RSA_BITS} bits")
            if self.rsa_algorithm not in _PADDINGS:
                raise ValueError("an RSA key signs RS256 or PS256")
            algorithm = self.rsa_algorithm
        else:
            raise TypeError("a location is signed with a key on P-256 or an RSA key")
        if x509.load_der_x509_certificate(self.certificate_der).public_key() != private.public_key():
            raise ValueError("the certificate belongs to another key")
        protected = {"alg": algorithm, "kid": self.kid, "jku": self.jku, **thumbprints(self.certificate_der), "typ": "JOSE"}
        object.__setattr__(self, "signer", private)
        object.__setattr__(self, "algorithm", algorithm)
        object.__setattr__(self, "protected", _b64(json.dumps(protected, separators=(",", ":")).encode()).encode())


def sign(payload: bytes, key: LocationKey) -> str:
    """Signs `payload` as a compact JWS. Its header has `alg`, `kid`, `jku`, `x5t`, `x5t#S256` and `typ`."""
    signed = key.protected + b"." + _b64(payload).encode()
    return f"{signed.decode()}.{_b64(_signature(signed, key))}"


def verify(compact: str, jwks: dict[str, Any], at: datetime) -> bytes:
    """Returns the payload of `compact`, verified by a key of `jwks`.

    Raises JwsError in every other case. `kid` and the thumbprints of the header name the key; its kind must be that of the
    header's algorithm, and its certificate in force `at` this (real) time. The caller checks that `jku` belongs to a
    participant before it fetches `jwks` from there.
    """
    claimed = header(compact)
    try:
        key = named_key(jwks, claimed, at)
        return jose.deserialize_compact(compact, key, registry=_HEADERS).payload
    except JwkError as problem:
        raise JwsError(str(problem)) from problem
    except (JoseError, KeyError, TypeError, ValueError) as problem:
        raise JwsError(f"the signature cannot be accepted: {problem}") from problem


def public_jwks(keys: Iterable[LocationKey]) -> dict[str, Any]:
    """Returns the JWK Set of `jku` (API Pix 2.9.0): public halves only, each with `kid`, both thumbprints and `x5c`."""
    return {"keys": [_public_jwk(key) for key in keys]}


def header(compact: str) -> dict[str, Any]:
    """Returns the protected header of `compact`, read but not verified: to learn `kid` and `jku`, never to trust them.

    JwsError if it is not the header of a compact JWS, or asks for an algorithm that signs no location.
    """
    if len(compact) > MAX_COMPACT:
        raise JwsError(f"a JWS of more than {MAX_COMPACT} characters is not read")
    parts = compact.split(".")
    if len(parts) != 3:
        raise JwsError("a compact JWS has three parts")
    try:
        read = json.loads(unb64(parts[0]))
    except (ValueError, RecursionError) as problem:
        raise JwsError("the header is not base64url of JSON") from problem
    if not isinstance(read, dict):
        raise JwsError("the header is not a JSON object")
    algorithm = read.get("alg")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise JwsError(f"only {', '.join(ALGORITHMS)} are accepted, not {algorithm!r}")
    return read


def _signature(signed: bytes, key: LocationKey) -> bytes:
    if isinstance(key.signer, RSAPrivateKey):
        return key.signer.sign(signed, _PADDINGS[key.algorithm], hashes.SHA256())
    r, s = decode_dss_signature(key.signer.sign(signed, _SHA256))
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def _public_jwk(key: LocationKey) -> dict[str, Any]:
    public = key.signer.public_key()
    numbers = RSAKey(public, public) if isinstance(public, RSAPublicKey) else ECKey(public, public)
    return {
        **numbers.as_dict(private=False),
        "kid": key.kid,
        "alg": key.algorithm,
        "use": "sig",
        "key_ops": ["verify"],
        **thumbprints(key.certificate_der),
        "x5c": [base64.b64encode(one).decode() for one in (key.certificate_der, *key.chain)],
    }


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
