"""The institution's own signing keys: for tokens and for the locations of Pix charges, sealed in the database.

Of each there are always two at least: one that signs, and one that is published already and will sign next, so that a
verifier knows a key before anything is signed with it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from lastro.companies import store
from lastro.companies.certificates import CertificateRefused, judged_chain, new_location_key, request
from lastro.companies.tokens import LIFETIME_SECONDS, SigningKey, new_signing_key
from lastro.standards.jws import LocationKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from asyncpg import Record

    from lastro.core.db import Database, Session
    from lastro.core.secrets import KeyRing

TOKEN: Final = "token"  # noqa: S105 a purpose
LOCATION: Final = "location"
_FINGERPRINT: Final = "fingerprint"
# For how long a key that no longer signs is published: as long as anything it signed is good, and processes that have not
# looked yet go on signing with it. A charge is signed anew each time its location is asked.
_STAYS: Final = {TOKEN: timedelta(seconds=LIFETIME_SECONDS, minutes=10), LOCATION: timedelta(days=1)}


@dataclass(frozen=True)
class SigningKeys:
    """The published keys; the last of each kind signs."""

    tokens: tuple[SigningKey, ...]
    locations: tuple[LocationKey, ...]
    fingerprint: bytes  # by it stored requests are recognised

    @property
    def token(self) -> SigningKey:
        """Signs tokens."""
        return self.tokens[-1]

    @property
    def location(self) -> LocationKey:
        """Signs locations."""
        return self.locations[-1]


@dataclass(frozen=True)
class Keychain:
    """The store of signing keys.

    jku: the URL where those of the locations are published. institution: named in certificates. A certificate of our own
    making identifies a location's key to those who were told of it; where an arrangement demands one of an authority, it
    is put in its place. algorithm: of new location keys; an RSA key signs RS256 unless it says PS256.
    """

    database: Database
    key_ring: KeyRing
    jku: str
    institution: str
    random: Callable[[int], bytes]
    algorithm: str = "ES256"

    async def load(self) -> SigningKeys:
        """Returns the keys that are published now. SecretUnreadable: the key ring lacks the key that sealed one."""
        async with self.database.session() as session:
            return await self._load(session)

    async def load_or_make(self) -> SigningKeys:
        """Returns this database's keys, and makes the missing ones.

        They are made once, however many processes start together.
        """
        async with self.database.session() as session:
            for purpose in (TOKEN, LOCATION):
                found = await store.generations(session, purpose)
                if found.newest == 0:
                    await self._add(session, purpose, 1, signs=True)
                if found.standby == 0:
                    await self._add(session, purpose, found.newest + 1 if found.newest else 2)
            keys = await self._load(session)
            if not keys.fingerprint:
                sealed = self._sealed(_FINGERPRINT, self.random(32))
                await store.add_signing_key(session, _FINGERPRINT, _FINGERPRINT, 1, sealed, None, signs=True)
                keys = await self._load(session)
            return keys

    async def rotate(self, purpose: str, *, older_than: timedelta | None = None, at_once: bool = False) -> str | None:
        """Rotates keys: the standby signs, a new standby is made.

        The key that signed goes on being published for a while. older_than: only where the present one has signed for so
        long. at_once: signatures of the older keys are good no more. Returns the id of the key that signs now; None where
        nothing was done: it was too early, or another process was first.
        """
        async with self.database.session() as session:
            found = await store.generations(session, purpose)
            if found.newest == 0 or (older_than is not None and found.signs_for < older_than):
                return None
            if found.standby == 0:  # a database from before there was one
                await self._add(session, purpose, found.newest + 1)
                return await self._rotated(session, purpose, found.newest + 2, at_once=at_once)
            return await self._rotated(session, purpose, found.newest + 1, at_once=at_once)

    async def request_certificate(self, kid: str, host: str) -> str:
        """Returns a request for a certificate (PEM) of a key of locations. CertificateRefused: there is none of that id."""
        async with self.database.session() as session:
            row = await store.location_key(session, kid)
            return request(self._opened(kid, row), self.institution, host)

    async def certify(self, kid: str, text: bytes) -> tuple[bytes, ...]:
        """Replaces a waiting key's certificate by an authority's.

        text: PEM, the key's own first. Returns them as DER. CertificateRefused: they do not fit, or the key is none that
        waits.
        """
        async with self.database.session() as session:
            row = await store.location_key(session, kid)
            private = self._opened(kid, row)
            chain = judged_chain(text, private, await store.machine_now(session))
            if not await store.certify_key(session, kid, chain):
                raise CertificateRefused(f"The key {kid} signs already, or did: only the one that waits can be certified.")
            return chain

    def _opened(self, kid: str, row: Record | None) -> bytes:
        if row is None:
            raise CertificateRefused(f"There is no key of locations with the id {kid}.")
        return self.key_ring.open(
            row["private_key"], table="signing_keys", column="private_key", company_id=None, row_id=kid
        )

    async def _rotated(self, session: Session, purpose: str, generation: int, *, at_once: bool) -> str | None:
        kid, private, certificate = await self._new(session, purpose)
        stays = timedelta(0) if at_once else _STAYS[purpose]
        return await store.rotate(session, kid, purpose, generation, self._sealed(kid, private), certificate, stays)

    async def _add(self, session: Session, purpose: str, generation: int, *, signs: bool = False) -> None:
        kid, private, certificate = await self._new(session, purpose)
        await store.add_signing_key(session, kid, purpose, generation, self._sealed(kid, private), certificate, signs=signs)

    async def _new(self, session: Session, purpose: str) -> tuple[str, bytes, bytes | None]:
        """Makes a new key; returns its id, private half and certificate."""
        if purpose == TOKEN:
            made = new_signing_key(self.random)
            return made.kid, made.private, None
        now = await store.machine_now(session)
        private, certificate = await asyncio.to_thread(new_location_key, self.algorithm, self.institution, now, self.random)
        return sha256(certificate).hexdigest()[:32], private, certificate

    def _sealed(self, kid: str, private: bytes) -> bytes:
        return self.key_ring.seal(private, table="signing_keys", column="private_key", company_id=None, row_id=kid)

    async def _load(self, session: Session) -> SigningKeys:
        tokens, locations, fingerprint = [], [], b""
        for row in await store.signing_keys(session):
            kid = row["kid"]
            private = self.key_ring.open(
                row["private_key"], table="signing_keys", column="private_key", company_id=None, row_id=kid
            )
            if row["purpose"] == TOKEN:
                tokens.append(SigningKey(kid, private))
            elif row["purpose"] == LOCATION:
                padding = "PS256" if self.algorithm == "PS256" else "RS256"
                locations.append(LocationKey(kid, private, row["certificate"], self.jku, tuple(row["chain"]), padding))
            else:
                fingerprint = private
        return SigningKeys(tuple(tokens), tuple(locations), fingerprint)
