"""An authority of a test's own: certificates of servers and clients that it vouches for, as PEM or PKCS#12."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)


class Authority:
    """Its certificate stands in `file`."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        self.folder = folder
        self.file = folder / f"{name}.pem"
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named(name)
        self.certificate = self._signed(self._name, self._key, days=(-90.0, 90.0), ca=True)
        self.file.write_bytes(self.certificate.public_bytes(Encoding.PEM))

    def pair(self, name: str, host: str = "127.0.0.1", days: tuple[float, float] = (-1.0, 30.0)) -> Path:
        """Writes certificate and key as one PEM file, and returns it. days: from and until, from today on."""
        certificate, key = self._made(name, host, days)
        return private(self.folder / f"{name}.pem", certificate.public_bytes(Encoding.PEM) + pem(key))

    def halves(
        self, name: str, days: tuple[float, float] = (-1.0, 30.0), password: bytes | None = None
    ) -> tuple[Path, Path]:
        """Writes certificate and key as two PEM files."""
        certificate, key = self._made(name, "127.0.0.1", days)
        return (
            private(self.folder / f"{name}.crt", certificate.public_bytes(Encoding.PEM)),
            private(self.folder / f"{name}.key", pem(key, password)),
        )

    def bundle(self, name: str, password: bytes | None = None, days: tuple[float, float] = (-1.0, 30.0)) -> Path:
        """Writes both as PKCS#12."""
        certificate, key = self._made(name, "127.0.0.1", days)
        sealed = BestAvailableEncryption(password) if password else NoEncryption()
        raw = pkcs12.serialize_key_and_certificates(name.encode(), key, certificate, [self.certificate], sealed)
        return private(self.folder / f"{name}.p12", raw)

    def _made(self, name: str, host: str, days: tuple[float, float]) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
        key = ec.generate_private_key(ec.SECP256R1())
        return self._signed(_named(name), key, days=days, host=host), key

    def _signed(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, *, days: tuple[float, float],
        ca: bool = False, host: str | None = None,
    ) -> x509.Certificate:  # fmt: skip
        now = datetime.now(UTC)
        made = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + timedelta(days=days[0]))
            .not_valid_after(now + timedelta(days=days[1]))
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )
        if host is not None:
            address = x509.IPAddress(ip_address(host)) if host[0].isdigit() else x509.DNSName(host)
            made = made.add_extension(x509.SubjectAlternativeName([address]), critical=False)
        if ca:
            usage = x509.KeyUsage(
                digital_signature=False, content_commitment=False, key_encipherment=False, data_encipherment=False,
                key_agreement=False, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False,
            )  # fmt: skip
            made = made.add_extension(usage, critical=True)
        return made.sign(self._key, SHA256())


def pem(key: ec.EllipticCurvePrivateKey, password: bytes | None = None) -> bytes:
    sealed = BestAvailableEncryption(password) if password else NoEncryption()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, sealed)


def private(path: Path, content: bytes) -> Path:
    """Writes a file that nobody else may read."""
    path.touch(mode=0o600)
    path.write_bytes(content)
    return path


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
