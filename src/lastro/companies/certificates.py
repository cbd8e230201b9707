"""The keys that sign Pix locations, and the checks of their certificates."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from lastro.standards.jwk import MAX_CERTIFICATE, MAX_CHAIN, unfit_to_sign

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

_CERTIFICATE_YEARS: Final = 3
_RSA_BITS: Final = 2048  # every reader takes it; a signature costs 0.6 ms
_MAX_DER: Final = MAX_CERTIFICATE * 3 // 4


class CertificateRefused(ValueError):  # noqa: N818 it says what becomes of the certificate
    """An authority's certificate does not fit the key. The text says the reason, as a sentence."""


def new_location_key(algorithm: str, institution: str, now: datetime, random: Callable[[int], bytes]) -> tuple[bytes, bytes]:
    """Makes a key (PEM) and a self-signed certificate (DER). algorithm: ES256, RS256 or PS256."""
    private = _new_key(algorithm)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, institution[:64])])
    start = now - timedelta(days=1)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(int.from_bytes(random(19), "big") + 1)  # RFC 5280 §4.1.2.2: positive, at most 20 octets
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=365 * _CERTIFICATE_YEARS))
        .sign(private, hashes.SHA256())
    )
    pem = private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return pem, certificate.public_bytes(serialization.Encoding.DER)


def certificate_end(certificate: bytes) -> datetime:
    """Returns the end of a location certificate's (DER) validity."""
    return x509.load_der_x509_certificate(certificate).not_valid_after_utc


def key_kind(certificate: bytes) -> str:
    """Returns the kind of a certificate's key (DER). It has the size where kinds have several."""
    public = x509.load_der_x509_certificate(certificate).public_key()
    return f"RSA {public.key_size}" if isinstance(public, rsa.RSAPublicKey) else "P-256"


def request(private_pem: bytes, institution: str, host: str) -> str:
    """Returns a certificate request (PKCS#10, PEM). It is of this key, for the host where its locations are."""
    private = _private(private_pem)
    subject = x509.Name(
        [
            x509.NameAttribute(NameOID.COUNTRY_NAME, "BR"),
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, institution[:64]),
            x509.NameAttribute(NameOID.COMMON_NAME, host[:64]),
        ]
    )
    made = (
        x509.CertificateSigningRequestBuilder()
        .subject_name(subject)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(_DIGITAL_SIGNATURE, critical=True)
        .sign(private, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM).decode()


def judged_chain(text: bytes, private_pem: bytes, now: datetime) -> tuple[bytes, ...]:
    """Returns the certificates (DER) of a PEM file: the key's own first, then each that stands above the one before it.

    CertificateRefused: it is another key's, not in force, or the chain does not hold together.
    """
    try:
        found = x509.load_pem_x509_certificates(text)
        chain = tuple(one.public_bytes(serialization.Encoding.DER) for one in found)
        public, unfit = found[0].public_key(), unfit_to_sign(found[0])
    except ValueError as unread:
        raise CertificateRefused("The file holds no certificates in PEM.") from unread
    if len(chain) > MAX_CHAIN or any(len(one) > _MAX_DER for one in chain):
        raise CertificateRefused(f"The file must hold at most {MAX_CHAIN} certificates of at most {_MAX_DER} bytes each.")
    if public != _private(private_pem).public_key():
        raise CertificateRefused("The first certificate of the file is not of this key.")
    if unfit is not None:
        raise CertificateRefused(f"Other banks would refuse what this key signs: {unfit}.")
    for one in found:
        if not one.not_valid_before_utc <= now <= one.not_valid_after_utc:
            raise CertificateRefused(f"The certificate of {one.subject.rfc4514_string()} is not in force today.")
    for one, above in pairwise(found):
        try:
            one.verify_directly_issued_by(above)
        except (ValueError, TypeError, InvalidSignature) as broken:
            told = f"{one.subject.rfc4514_string()} was not issued by {above.subject.rfc4514_string()}"
            raise CertificateRefused(f"The chain does not hold together: {told}.") from broken
    return chain


def _new_key(algorithm: str) -> ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey:
    if algorithm == "ES256":
        return ec.generate_private_key(ec.SECP256R1())
    return rsa.generate_private_key(public_exponent=65537, key_size=_RSA_BITS)


def _private(pem: bytes) -> ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey:
    private = serialization.load_pem_private_key(pem, password=None)
    assert isinstance(private, ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey)
    return private


# The use that the Manual de Segurança do Pix (§5.1) asks of a certificate that signs locations.
_DIGITAL_SIGNATURE = x509.KeyUsage(
    digital_signature=True, content_commitment=False, key_encipherment=False, data_encipherment=False, key_agreement=False,
    key_cert_sign=False, crl_sign=False, encipher_only=False, decipher_only=False,
)  # fmt: skip
