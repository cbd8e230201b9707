"""The key that signs what the outside bank's locations serve: made once, kept in the store, published as JWKS."""

from datetime import timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from lastro.standards import jws

from ..clock import moment
from ..network import Network
from ..settings import BANK_NAMES, OUTSIDE_BANK_ISPB

KID = "outside-1"
GOOD_FOR = timedelta(days=3650)


def ensure(network: Network, jku: str) -> jws.LocationKey:
    """The bank's key, made at the first start. jku: where its public half is published."""
    known = network.store.row("SELECT * FROM location_key WHERE kid = ?", KID)
    if known is None:
        made = stranger(network, KID, jku)
        network.store.run(
            "INSERT INTO location_key (kid, private_pem, certificate) VALUES (?, ?, ?)",
            KID,
            made.private_pem.decode(),
            made.certificate_der,
        )
        return made
    return jws.LocationKey(KID, known["private_pem"].encode(), known["certificate"], jku)


def stranger(network: Network, kid: str, jku: str) -> jws.LocationKey:
    """A new key, which nobody publishes unless somebody keeps it."""
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, BANK_NAMES[OUTSIDE_BANK_ISPB])])
    start = moment(network.clock.machine()) - timedelta(days=1)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(int.from_bytes(network.chance.octets(19), "big") + 1)
        .not_valid_before(start)
        .not_valid_after(start + GOOD_FOR)
        .sign(private, hashes.SHA256())
    )
    pem = private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return jws.LocationKey(kid, pem, certificate.public_bytes(serialization.Encoding.DER), jku)
