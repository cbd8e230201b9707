"""Signatures of the outside bank's locations, by each bank habit in turn.

It signs by joserfc and writes its key set by itself, so that a reader here meets signatures which lastro has not made.
Source of the habits: docs/decisions/signatures.md.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID
from joserfc import jws
from joserfc.jwk import ECKey, RSAKey

from lastro_sim.clock import moment
from lastro_sim.network import Network
from lastro_sim.settings import BANK_NAMES, OUTSIDE_BANK_ISPB

AUTHORITY = "authority"
GOOD_FOR = timedelta(days=3650)
RSA_BITS = 2048
Private = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

_HEADERS = jws.JWSRegistry(algorithms=["ES256", "PS256", "RS256"], strict_check_header=False)
_USES = (
    "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "key_cert_sign",
    "crl_sign", "encipher_only", "decipher_only",
)  # fmt: skip
_DIGESTS: Mapping[str, Any] = {"x5t": hashlib.sha1, "x5t#S256": hashlib.sha256}


@dataclass(frozen=True)
class Habit:
    """A way to sign. kid: of the key; thumbprints: in the header; padded: `x5t` in plain base64."""

    algorithm: str
    kid: str
    thumbprints: tuple[str, ...]
    kind: str = "JWS"
    padded: bool = False


HABITS: Mapping[str, Habit] = {
    "RS256-x5t": Habit("RS256", "outside-rsa", ("x5t",)),
    "ES256": Habit("ES256", "outside-1", ("x5t", "x5t#S256"), "JOSE"),
    "RS256-x5t#S256": Habit("RS256", "outside-rsa", ("x5t#S256",)),
    "PS256-x5t#S256": Habit("PS256", "outside-pss", ("x5t#S256",)),
    "ES256-x5t": Habit("ES256", "outside-1", ("x5t",), "JWT"),
    "RS256-x5t-padded": Habit("RS256", "outside-rsa", ("x5t",), padded=True),
}
# Faults of the certificate: the key set has both of these at all times, and a location signs with one when a test asks.
OVER = Habit("ES256", "outside-over", ("x5t#S256",))
MISTAKEN = Habit("ES256", "outside-mistaken", ("x5t#S256",))
MISUSED = Habit("ES256", "outside-misused", ("x5t#S256",))
FAULTY: Mapping[str, Habit] = {
    "expired-certificate": OVER, "wrong-certificate": MISTAKEN, "misused-certificate": MISUSED,
}  # fmt: skip


@dataclass(frozen=True)
class _Published:
    """A key under its kid in the published set.

    kept: the key in the store; words: of its JWK, beside numbers and certificates.
    """

    kept: str
    kind: str
    words: Mapping[str, str]
    ended: timedelta | None = None
    """So long ago its certificate has ended."""
    mistaken: bool = False
    """The certificate is another key's."""
    uses: frozenset[str] = frozenset({"digital_signature"})
    """That its certificate has."""


# Authorities issue them to participants that ask for one certificate for all their purposes.
_OF_RSA = frozenset({"digital_signature", "content_commitment", "key_encipherment"})
_SET: Mapping[str, _Published] = {
    "outside-1": _Published("outside-1", "EC", {}),
    "outside-rsa": _Published("outside-rsa", "RSA", {"alg": "RSA", "use": "sig"}, uses=_OF_RSA),
    "outside-pss": _Published("outside-rsa", "RSA", {"alg": "PS256"}, uses=_OF_RSA),
    OVER.kid: _Published(OVER.kid, "EC", {"alg": "ES256"}, ended=timedelta(days=30)),
    MISTAKEN.kid: _Published(MISTAKEN.kid, "EC", {"alg": "ES256"}, mistaken=True),
    MISUSED.kid: _Published(MISUSED.kid, "EC", {"alg": "ES256"}, uses=frozenset({"key_agreement"})),
}


@dataclass(frozen=True)
class Signer:
    """The bank's keys, made on first use and kept in the store. jku: the address of their public half."""

    network: Network
    jku: str

    def signed(self, body: bytes, habit: Habit, **said: str) -> str:
        """Returns the compact JWS of a body. said: false values for its header."""
        private, chain = self._key(habit.kid)
        return _compact(body, habit, private, chain, {"jku": self.jku} | said)

    def forged(self, body: bytes, habit: Habit, **said: str) -> str:
        """Signs with a new key, which nobody publishes."""
        private = _new_key(_SET[habit.kid].kind)
        chain = (_certificate(self.network, private, private, _SET[habit.kid]),)
        return _compact(body, habit, private, chain, {"jku": self.jku} | said)

    def published(self) -> dict[str, Any]:
        """Returns the key set.

        Each chain goes up to the authority; certificates of the RSA key are in lines of 76 characters.
        """
        keys = []
        for kid, one in _SET.items():
            private, chain = self._key(kid)
            printed = base64.encodebytes if one.kind == "RSA" else base64.b64encode
            chained = [printed(der).decode().strip() for der in chain]
            keys.append(_jose(private).as_dict(private=False) | {"kid": kid, "x5c": chained, **one.words})
        return {"keys": keys}

    def _key(self, kid: str) -> tuple[Private, tuple[bytes, ...]]:
        """Returns a key and the certificates of its JWK."""
        authority, above = self._kept(_Published(AUTHORITY, "EC", {}), None)
        one = _SET[kid]
        private, certificate = self._kept(one, authority)
        return private, (above,) if one.mistaken else (certificate, above)

    def _kept(self, one: _Published, authority: Private | None) -> tuple[Private, bytes]:
        known = self.network.store.find("location_key", kid=one.kept)
        if known is not None:
            return _opened(known["private_pem"]), known["certificate"]
        private = _new_key(one.kind)
        certificate = _certificate(self.network, private, authority, one)
        pem = _pem(private).decode()
        self.network.store.insert("location_key", kid=one.kept, private_pem=pem, certificate=certificate)
        return private, certificate


def habit_of(name: str | None, number: int) -> Habit:
    """Returns the named habit, or else the next in turn."""
    return HABITS[name] if name is not None else tuple(HABITS.values())[number % len(HABITS)]


def _compact(body: bytes, habit: Habit, private: Private, chain: tuple[bytes, ...], said: Mapping[str, str]) -> str:
    named = {name: _thumbprint(chain[0], name, padded=habit.padded) for name in habit.thumbprints}
    header: dict[str, Any] = {"alg": habit.algorithm, "typ": habit.kind, "kid": habit.kid, **named, **said}
    return jws.serialize_compact(header, body, _jose(private), registry=_HEADERS)


def _new_key(kind: str) -> Private:
    if kind == "EC":
        return ec.generate_private_key(ec.SECP256R1())
    return rsa.generate_private_key(public_exponent=65537, key_size=RSA_BITS)


def _certificate(network: Network, private: Private, authority: Private | None, one: _Published) -> bytes:
    """Returns a certificate of the bank's key in DER.

    It is valid since yesterday, or ended as long ago as the published key says. authority: None where it signs itself.
    """
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, BANK_NAMES[OUTSIDE_BANK_ISPB])])
    now = moment(network.clock.machine())
    start, end = now - timedelta(days=1), now + GOOD_FOR
    if one.ended is not None:
        start, end = now - one.ended - timedelta(days=365), now - one.ended
    uses = {"key_cert_sign", "crl_sign"} if authority is None else one.uses
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(int.from_bytes(network.chance.octets(19), "big") + 1)
        .not_valid_before(start)
        .not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca=authority is None, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(**{name: name in uses for name in _USES}), critical=True)
        .sign(authority or private, hashes.SHA256())
        .public_bytes(serialization.Encoding.DER)
    )


def _pem(private: Private) -> bytes:
    return private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


@lru_cache(maxsize=16)
def _opened(pem: str) -> Private:
    # It is our own key, and checking an RSA key takes longer than a signature by it.
    private = serialization.load_pem_private_key(pem.encode(), password=None, unsafe_skip_rsa_key_validation=True)
    assert isinstance(private, ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey)
    return private


@lru_cache(maxsize=16)
def _jose(private: Private) -> ECKey | RSAKey:
    return ECKey(private, private) if isinstance(private, ec.EllipticCurvePrivateKey) else RSAKey(private, private)


def _thumbprint(certificate: bytes, name: str, *, padded: bool) -> str:
    digest = _DIGESTS[name](certificate).digest()
    return base64.b64encode(digest).decode() if padded else base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
