"""Signatures of the bank's locations: one ES256 key with a certificate of its own, kept in the store.

It signs by joserfc, and its key set is fetched where its location's host is. Source: Manual de Segurança do Pix, JWS.
"""

import base64
import hashlib
from datetime import timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from joserfc import jws
from joserfc.jwk import ECKey

from lastro_sim.clock import moment
from lastro_sim.network import Network
from lastro_sim.settings import BANK_NAMES, COMPANY_BANK_ISPB

from . import locations

KEY = "company-bank-1"
KEYS = "/bank/.well-known/pix-jwks.json"
GOOD_FOR = timedelta(days=3650)
_HEADERS = jws.JWSRegistry(algorithms=["ES256"], strict_check_header=False)


def address(network: Network) -> str:
    """Returns the URL of the key set (jku)."""
    return f"http://{locations.host(network)}{KEYS}"


def signed(network: Network, body: bytes) -> str:
    """Returns the compact JWS of a payload."""
    private, certificate = _kept(network)
    thumbprint = base64.urlsafe_b64encode(hashlib.sha256(certificate).digest()).rstrip(b"=").decode()
    header = {"alg": "ES256", "typ": "JOSE", "kid": KEY, "x5t#S256": thumbprint, "jku": address(network)}
    return jws.serialize_compact(header, body, ECKey(private, private), registry=_HEADERS)


def published(network: Network) -> dict[str, Any]:
    """Returns the key set."""
    private, certificate = _kept(network)
    public = ECKey(private, private).as_dict(private=False)
    return {"keys": [public | {"kid": KEY, "alg": "ES256", "x5c": [base64.b64encode(certificate).decode()]}]}


def _kept(network: Network) -> tuple[ec.EllipticCurvePrivateKey, bytes]:
    known = network.store.find("location_key", kid=KEY)
    if known is None:
        private = ec.generate_private_key(ec.SECP256R1())
        pem = private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode()
        network.store.insert("location_key", kid=KEY, private_pem=pem, certificate=_certificate(network, private))
        known = network.store.get("location_key", kid=KEY)
    opened = serialization.load_pem_private_key(known["private_pem"].encode(), password=None)
    assert isinstance(opened, ec.EllipticCurvePrivateKey)
    return opened, known["certificate"]


def _certificate(network: Network, private: ec.EllipticCurvePrivateKey) -> bytes:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, BANK_NAMES[COMPANY_BANK_ISPB])])
    now = moment(network.clock.machine())
    uses = ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "key_cert_sign", "crl_sign")
    usage = x509.KeyUsage(
        digital_signature=True, encipher_only=False, decipher_only=False, **dict.fromkeys(uses, False)
    )  # fmt: skip
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(int.from_bytes(network.chance.octets(19), "big") + 1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + GOOD_FOR)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .sign(private, hashes.SHA256())
        .public_bytes(serialization.Encoding.DER)
    )
