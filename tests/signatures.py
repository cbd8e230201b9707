"""Keys, certificates and signatures as other banks make them: by a library that lastro does not sign with."""

import base64
import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from joserfc import jws as jose
from joserfc.jwk import ECKey, RSAKey

from lastro.standards.jws import LocationKey

Private = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
START, END = datetime(2020, 1, 1, tzinfo=UTC), datetime(2090, 1, 1, tzinfo=UTC)
# Each way that a participant may sign: the algorithm, and the thumbprints that its header has.
WAYS = [
    (algorithm, names)
    for algorithm in ("RS256", "PS256", "ES256")
    for names in (("x5t",), ("x5t#S256",), ("x5t", "x5t#S256"))
]
USES = (
    "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "key_cert_sign",
    "crl_sign", "encipher_only", "decipher_only",
)  # fmt: skip
_DIGESTS: dict[str, Any] = {"x5t": hashlib.sha1, "x5t#S256": hashlib.sha256}


@cache
def rsa_private(number: int = 0, bits: int = 2048) -> rsa.RSAPrivateKey:
    """An RSA key of a process; the same one for the same number, since making one takes long."""
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def ec_private() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def pem(private: Private) -> bytes:
    return private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def certificate(
    private: Private, *, start: datetime = START, end: datetime = END, authority: Private | None = None, name: str = "pix",
    uses: Collection[str] | None = None, is_authority: bool | None = None,
) -> bytes:  # fmt: skip
    """DER of a certificate: signed by itself, or by an authority. uses, is_authority: None where it says nothing of that."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    issuer = subject if authority is None else x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "AC")])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(end)
    )
    if uses is not None:
        assert set(uses) <= set(USES)
        builder = builder.add_extension(x509.KeyUsage(**{use: use in uses for use in USES}), critical=True)
    if is_authority is not None:
        builder = builder.add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
    return builder.sign(authority or private, hashes.SHA256()).public_bytes(Encoding.DER)


def issued(
    csr: x509.CertificateSigningRequest,
    authority: Private,
    *,
    end: datetime = END,
    uses: Collection[str] = ("digital_signature",),
) -> bytes:
    """What an authority makes of a request: PEM of the certificate and of its own."""
    above = x509.load_der_x509_certificate(certificate(authority, name="AC"))
    made = (
        x509.CertificateBuilder()
        .subject_name(csr.subject)
        .issuer_name(above.subject)
        .public_key(csr.public_key())
        .serial_number(7)
        .not_valid_before(START)
        .not_valid_after(end)
        .add_extension(x509.KeyUsage(**{use: use in uses for use in USES}), critical=True)
        .sign(authority, hashes.SHA256())
    )
    return b"".join(one.public_bytes(Encoding.PEM) for one in (made, above))


@cache
def _key(private: Private) -> Any:
    """The key as joserfc has it; to read one takes longer than to sign with it a hundred times."""
    kind: Any = ECKey if isinstance(private, ec.EllipticCurvePrivateKey) else RSAKey
    return kind.import_key(pem(private))


def thumbprint(der: bytes, name: str) -> str:
    return base64.urlsafe_b64encode(_DIGESTS[name](der).digest()).rstrip(b"=").decode()


def location_key(kid: str, jku: str, private: Private | None = None, **how: Any) -> LocationKey:
    """A key as lastro holds one."""
    private = private or ec_private()
    return LocationKey(kid, pem(private), certificate(private), jku, **how)


@dataclass(frozen=True)
class Foreign:
    """The key of another bank. chain: DER, its own certificate first."""

    kid: str
    jku: str
    private: Private
    chain: tuple[bytes, ...]

    @classmethod
    def new(cls, kid: str, jku: str, algorithm: str, **dates: Any) -> "Foreign":
        private = ec_private() if algorithm == "ES256" else rsa_private()
        authority = ec_private()
        above = certificate(authority, name="AC")
        return cls(kid, jku, private, (certificate(private, authority=authority, **dates), above))

    def header(self, algorithm: str, names: tuple[str, ...] = ("x5t#S256",)) -> dict[str, Any]:
        """What the Manual de Segurança asks for, and the type that many banks write."""
        named = {name: thumbprint(self.chain[0], name) for name in names}
        return {"alg": algorithm, "kid": self.kid, "jku": self.jku, "typ": "JWS", **named}

    def signed(self, payload: bytes, algorithm: str, names: tuple[str, ...] = ("x5t#S256",), **changes: Any) -> str:
        header = self.header(algorithm, names) | changes
        registry = jose.JWSRegistry(algorithms=[algorithm], strict_check_header=False)
        registry.max_header_length = 100_000
        return jose.serialize_compact(header, payload, _key(self.private), registry=registry)

    def jwk(self, **changes: Any) -> dict[str, Any]:
        """Its public half as many banks publish it: no algorithm, a chain, no thumbprint."""
        public: dict[str, Any] = _key(self.private).as_dict(private=False)
        chain = [base64.b64encode(one).decode() for one in self.chain]
        return public | {"kid": self.kid, "use": "sig", "x5c": chain} | changes

    def jwks(self, **changes: Any) -> dict[str, Any]:
        return {"keys": [self.jwk(**changes)]}
