"""The institution's own signing keys: one for tokens, one for the locations of Pix charges, sealed in the database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from lastro.companies import store
from lastro.companies.tokens import SigningKey, new_signing_key
from lastro.standards.jws import LocationKey

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from lastro.base.db import Database, Session
    from lastro.base.secrets import KeyRing

_CERTIFICATE_YEARS = 3


@dataclass(frozen=True)
class SigningKeys:
    """The newest key of each purpose signs; all are published."""

    tokens: tuple[SigningKey, ...]
    locations: tuple[LocationKey, ...]
    fingerprint: bytes  # what stored requests are recognised by

    @property
    def token(self) -> SigningKey:
        """Signs tokens."""
        return self.tokens[-1]

    @property
    def location(self) -> LocationKey:
        """Signs locations."""
        return self.locations[-1]


async def load_or_make(
    database: Database, key_ring: KeyRing, *, jku: str, institution: str, random: Callable[[int], bytes]
) -> SigningKeys:
    """The keys of this database; what is missing is made, once, however many processes start together.

    jku: where the locations' keys are published. A certificate of our own making identifies the key to those who were told
    of it; where an arrangement demands one of an authority, it is put in its place.
    """
    async with database.session() as session:
        keys = await _load(session, key_ring, jku)
        if not keys.tokens:
            made = new_signing_key(random)
            await _add(session, key_ring, made.kid, "token", made.private, None)
        if not keys.locations:
            private, certificate = _new_location_key(institution, await store.machine_now(session), random)
            await _add(session, key_ring, sha256(certificate).hexdigest()[:32], "location", private, certificate)
        if not keys.fingerprint:
            await _add(session, key_ring, "fingerprint", "fingerprint", random(32), None)
        return await _load(session, key_ring, jku)


async def _add(
    session: Session, key_ring: KeyRing, kid: str, purpose: str, private: bytes, certificate: bytes | None
) -> None:
    sealed = key_ring.seal(private, table="signing_keys", column="private_key", company_id=None, row_id=kid)
    await store.add_signing_key(session, kid, purpose, sealed, certificate)


async def _load(session: Session, key_ring: KeyRing, jku: str) -> SigningKeys:
    tokens, locations, fingerprint = [], [], b""
    for row in await store.signing_keys(session):
        kid = row["kid"]
        private = key_ring.open(row["private_key"], table="signing_keys", column="private_key", company_id=None, row_id=kid)
        if row["purpose"] == "token":
            tokens.append(SigningKey(kid, private))
        elif row["purpose"] == "location":
            locations.append(LocationKey(kid, private, row["certificate"], jku))
        else:
            fingerprint = private
    return SigningKeys(tuple(tokens), tuple(locations), fingerprint)


def _new_location_key(institution: str, now: datetime, random: Callable[[int], bytes]) -> tuple[bytes, bytes]:
    private = ec.generate_private_key(ec.SECP256R1())
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
