"""The bank's own authority: it issues the certificates of the bank's socket and of each customer.

All is kept in files of the bank's folder, which their owner alone may read. A certificate near its end is issued anew at the
next start; the one before it stays good until its end.
"""

import os
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
    pkcs12,
)
from cryptography.x509.oid import ExtendedKeyUsageOID as Purpose
from cryptography.x509.oid import NameOID

from lastro_sim.clock import moment
from lastro_sim.network import Network

AUTHORITY, SERVER = "ca", "server"
NAMES = ("localhost", "127.0.0.1", "::1")
GOOD_FOR = timedelta(days=365)
AUTHORITY_GOOD_FOR = timedelta(days=3650)
RENEWED_BEFORE = timedelta(days=30)
SKEW = timedelta(hours=1)
_UNUSED = dict.fromkeys(
    ("content_commitment", "data_encipherment", "key_agreement", "encipher_only", "decipher_only"), False
)  # fmt: skip


@dataclass(frozen=True)
class Files:
    """The files of a certificate: alone, its key, both in one PEM, and both as PKCS#12 without a password."""

    certificate: Path
    key: Path
    bundle: Path
    pkcs12: Path


@dataclass(frozen=True)
class Pair:
    """A key with its certificate."""

    private: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    def lasts(self, now: datetime) -> bool:
        """Tells whether it is not near its end."""
        return self.certificate.not_valid_after_utc - now > RENEWED_BEFORE


def files(network: Network, name: str) -> Files:
    """Returns the files of a certificate by name: `ca`, `server`, or a client id."""
    folder = network.settings.bank_folder
    parent = folder if name in {AUTHORITY, SERVER} else folder / "customers"
    return Files(*(parent / f"{name}{end}" for end in (".crt", ".key", ".pem", ".p12")))


def ready(network: Network) -> None:
    """Makes all certificates that are missing or near their end."""
    names = [AUTHORITY, SERVER, *(row["client_id"] for row in network.store.every("bank_customer"))]
    for name in names:
        known = _read(files(network, name))
        # One that another authority signed is of no use: the folder of it was lost.
        if known is None or not known.lasts(moment(network.clock.machine())) or not _is_ours(network, known):
            issue(network, name)
        elif name not in {AUTHORITY, SERVER}:
            _remember(network, name, known.certificate)


def issue(network: Network, name: str, good_for: timedelta = GOOD_FOR) -> Files:
    """Issues a certificate and writes its files. good_for: from now; negative: it is over already."""
    private = ec.generate_private_key(ec.SECP256R1())
    if name == AUTHORITY:
        certificate = _signed(network, name, private, None, AUTHORITY_GOOD_FOR)
    else:
        above = _read(files(network, AUTHORITY))
        if above is None:
            issue(network, AUTHORITY)
            above = _read(files(network, AUTHORITY))
        certificate = _signed(network, name, private, above, good_for)
    made = files(network, name)
    key = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    pem = certificate.public_bytes(Encoding.PEM)
    # The key comes first: whoever loads both between the two writes has the new key with the old certificate, and is told.
    write(made.key, key)
    write(made.certificate, pem)
    write(made.bundle, pem + key)
    write(made.pkcs12, pkcs12.serialize_key_and_certificates(name.encode(), private, certificate, None, NoEncryption()))
    if name not in {AUTHORITY, SERVER}:
        _remember(network, name, certificate)
    return made


def _remember(network: Network, client_id: str, certificate: x509.Certificate) -> None:
    """Lets a certificate be a customer's at the socket."""
    fingerprint = certificate.fingerprint(SHA256()).hex()
    network.store.put("bank_certificate", fingerprint=fingerprint, client_id=client_id)


def _read(of: Files) -> Pair | None:
    """Reads a pair; None: a file is missing, or they do not belong together."""
    try:
        private = load_pem_private_key(of.key.read_bytes(), None)
        certificate = x509.load_pem_x509_certificate(of.certificate.read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(private, ec.EllipticCurvePrivateKey) or certificate.public_key() != private.public_key():
        return None
    return Pair(private, certificate)


def _is_ours(network: Network, known: Pair) -> bool:
    above = _read(files(network, AUTHORITY))
    if above is None:
        return False
    try:
        known.certificate.verify_directly_issued_by(above.certificate)
    except Exception:  # noqa: BLE001 a wrong signature is told in many ways, and each means no
        return False
    return True


def _signed(
    network: Network, name: str, private: ec.EllipticCurvePrivateKey, above: Pair | None, good_for: timedelta
) -> x509.Certificate:
    """Returns a certificate. above: the authority; None where it signs itself."""
    now, subject = moment(network.clock.machine()), _named(name)
    begins = min(now - SKEW, now + good_for - SKEW)
    signer = private if above is None else above.private
    uses = {"key_cert_sign": above is None, "crl_sign": above is None, "key_encipherment": above is not None}
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if above is None else above.certificate.subject)
        .public_key(private.public_key())
        .serial_number(int.from_bytes(network.chance.octets(19), "big") + 1)
        .not_valid_before(begins)
        .not_valid_after(now + good_for)
        .add_extension(x509.BasicConstraints(ca=above is None, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(digital_signature=True, **uses, **_UNUSED), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(private.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    if above is not None:
        purpose = Purpose.SERVER_AUTH if name == SERVER else Purpose.CLIENT_AUTH
        # The bank shows the same certificate where it calls a webhook.
        purposes = [purpose, Purpose.CLIENT_AUTH] if name == SERVER else [purpose]
        builder = builder.add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
    if name == SERVER:
        builder = builder.add_extension(x509.SubjectAlternativeName([_alternative(one) for one in NAMES]), critical=False)
    return builder.sign(signer, SHA256())


def _named(name: str) -> x509.Name:
    words = {AUTHORITY: "Banco de Empresas Simulado CA", SERVER: NAMES[0]}.get(name, name)
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, words)])


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def write(path: Path, data: bytes) -> None:
    """Writes a whole file that its owner alone may read."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = path.with_name(f".{path.name}.new")
    beside.unlink(missing_ok=True)
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
    beside.replace(path)
