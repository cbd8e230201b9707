"""Two keys are published of each kind; a rotation hands the pen over, and no process has to be started again for it."""

import asyncio
import base64
import os
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from tests import signatures

from lastro.app import wiring
from lastro.companies import (
    LIFETIME_SECONDS,
    LOCATION,
    TOKEN,
    Callers,
    CertificateRefused,
    Keychain,
    Login,
    OwnKeys,
    SigningKeys,
    TokenRefused,
    certificate_end,
    issue,
)
from lastro.config.settings import read
from lastro.core.db import Database
from lastro.core.declined import StartRefused
from lastro.core.secrets import KeyRing, SecretUnreadable
from lastro.standards import jws
from lastro.worker.upkeep import rotating

ISSUER = "https://lastro.test"


@dataclass
class Vault:
    """The keys of one database, as its owner may look at them and age them."""

    chain: Keychain
    owner: Any

    async def process(self) -> OwnKeys:
        """What an API process knows after its start."""
        return OwnKeys(await self.chain.load_or_make(), self.chain.load, ISSUER, time.monotonic)

    async def rows(self, purpose: str = TOKEN) -> list[Any]:
        return list(await self.owner.fetch("SELECT * FROM signing_keys WHERE purpose = $1 ORDER BY generation", purpose))

    async def age(self, by: timedelta) -> None:
        """Machine time goes by for every key."""
        await self.owner.execute(
            "UPDATE signing_keys SET created_at = created_at - $1::interval, signs_from = signs_from - $1::interval,"
            " retired_at = retired_at - $1::interval",
            by,
        )

    async def rotate(self, purpose: str = TOKEN, **how: Any) -> str:
        kid = await self.chain.rotate(purpose, **how)
        assert kid is not None
        return kid


@pytest.fixture
async def vault(own_database: Any) -> AsyncIterator[Vault]:
    database = Database(own_database.app, size=8)
    owner = await own_database.connect()
    await owner.execute("SET ROLE lastro_owner")
    yield Vault(
        Keychain(database, KeyRing.generate("k", os.urandom), "https://lastro.test/jku", "Lastro", os.urandom), owner
    )
    await owner.close()
    await database.close()


def token(keys: SigningKeys) -> str:
    return issue(keys.token, issuer=ISSUER, client_id="c", company_id="x", now_machine=time.time(), jti="j")


async def claims(own: OwnKeys, text: str) -> str:
    return (await Callers(own).claims(text, time.time())).client_id


async def test_the_first_start_makes_one_that_signs_and_one_that_will(vault: Vault) -> None:
    own = await vault.process()
    for purpose in (TOKEN, LOCATION):
        first, second = await vault.rows(purpose)
        assert (first["generation"], second["generation"]) == (1, 2)
        assert first["signs_from"] is not None
        assert (second["signs_from"], first["retired_at"], second["retired_at"]) == (None, None, None)
    keys = own.current()
    first, second = await vault.rows()
    assert keys.token.kid == first["kid"]
    assert {k.kid for k in keys.tokens} == {first["kid"], second["kid"]}
    assert keys.location.kid == (await vault.rows(LOCATION))[0]["kid"]
    assert len(keys.locations) == 2
    assert len({k.private for k in keys.tokens}) == 2
    sealed = b"".join([bytes(first["private_key"]), bytes(second["private_key"])])
    assert not [k.kid for k in keys.tokens if k.private in sealed]
    assert await vault.chain.load_or_make() == keys


async def test_many_that_start_together_make_the_same_keys(vault: Vault) -> None:
    made = await asyncio.gather(*(vault.chain.load_or_make() for _ in range(8)))
    assert [len(await vault.rows(p)) for p in (TOKEN, LOCATION, "fingerprint")] == [2, 2, 1]
    assert all(keys == made[0] for keys in made)


async def test_a_rotation_hands_over(vault: Vault) -> None:
    before = (await vault.process()).current()
    first, second = await vault.rows()
    assert await vault.rotate() == second["kid"]
    old, signer, standby = await vault.rows()
    assert (signer["kid"], signer["retired_at"], standby["generation"], standby["signs_from"]) == (
        second["kid"],
        None,
        3,
        None,
    )
    assert signer["signs_from"] is not None
    stays = old["retired_at"] - signer["signs_from"]
    assert timedelta(seconds=LIFETIME_SECONDS, minutes=9) < stays < timedelta(seconds=LIFETIME_SECONDS, minutes=11)
    after = await vault.chain.load()
    assert after.token.kid == second["kid"]
    assert {k.kid for k in after.tokens} == {first["kid"], second["kid"], standby["kid"]}
    assert after.locations == before.locations


async def test_what_the_old_key_signed_is_good_until_it_is_retired(vault: Vault) -> None:
    own = await vault.process()
    text = token(own.current())
    await vault.rotate()
    await own.refresh()
    assert token(own.current()) != text
    assert await claims(own, text) == "c"
    await vault.age(timedelta(hours=1))
    await own.refresh()
    assert await claims(own, text) == "c"
    await vault.age(timedelta(minutes=11))
    await own.refresh()
    with pytest.raises(TokenRefused):
        await claims(own, text)
    assert len(own.current().tokens) == 2


async def test_a_process_from_before_the_rotation_knows_the_new_key(vault: Vault) -> None:
    """The one that was published ahead at once; one that it has never heard of, when a token names it."""
    behind, ahead = await vault.process(), await vault.process()
    known = behind.verifier
    await vault.rotate()
    await ahead.refresh()
    assert await claims(behind, token(ahead.current())) == "c"
    assert behind.verifier is known, "no look was needed"
    await vault.rotate()
    await ahead.refresh()
    assert ahead.current().token.kid not in {k.kid for k in behind.current().tokens}
    assert await claims(behind, token(ahead.current())) == "c"
    assert behind.current() == ahead.current()


async def test_a_login_signs_with_the_key_of_now(vault: Vault, own_database: Any) -> None:
    own = await vault.process()
    login = Login(vault.chain.database, own.current, ISSUER, os.urandom)
    assert login.keys().token.kid == (await vault.rows())[0]["kid"]
    await vault.rotate()
    await own.refresh()
    assert login.keys().token.kid == (await vault.rows())[1]["kid"]


async def test_at_once_means_that_old_tokens_are_good_no_more(vault: Vault) -> None:
    own = await vault.process()
    text = token(own.current())
    await vault.rotate()  # the first key is on its way out already
    await vault.rotate(at_once=True)
    await own.refresh()
    with pytest.raises(TokenRefused):
        await claims(own, text)
    assert len(own.current().tokens) == 2


async def test_many_that_rotate_together_rotate_once(vault: Vault) -> None:
    await vault.process()
    turns = [rotating(vault.chain, timedelta(days=90)) for _ in range(8)]
    await asyncio.gather(*(turn() for turn in turns))  # each has a connection from here on
    assert len(await vault.rows()) == 2
    for round_ in range(3, 13):
        await vault.age(timedelta(days=91))
        await asyncio.gather(*(turn() for turn in turns))
        await asyncio.gather(*(turn() for turn in turns))
        assert [r["generation"] for r in await vault.rows()] == [*range(1, round_ + 1)]
        assert [r["signs_from"] is None for r in await vault.rows()] == [False] * (round_ - 1) + [True]


async def test_keys_rotate_by_themselves_when_it_is_time(vault: Vault) -> None:
    turn = rotating(vault.chain, timedelta(days=90))
    await turn()
    assert await vault.rows() == [], "a worker that starts first makes none"
    await vault.process()
    for days, generations in ((89, 2), (2, 3), (89, 3), (2, 4)):
        await vault.age(timedelta(days=days))
        await turn()
        assert len(await vault.rows()) == generations, days
    assert len(await vault.rows(LOCATION)) == 2


async def test_a_database_from_before_there_were_two_gets_the_second(vault: Vault) -> None:
    await vault.process()
    await vault.owner.execute("DELETE FROM signing_keys WHERE generation = 2")
    (only,) = await vault.rows()
    kid = await vault.rotate()
    assert [r["signs_from"] is not None for r in await vault.rows()] == [True, True, False]
    assert kid != only["kid"]
    await vault.owner.execute("DELETE FROM signing_keys WHERE signs_from IS NULL")
    keys = await vault.chain.load_or_make()
    assert keys.token.kid == kid
    assert [len(await vault.rows(p)) for p in (TOKEN, LOCATION)] == [3, 2]


async def test_a_location_is_signed_and_read_through_a_rotation(vault: Vault) -> None:
    before = (await vault.process()).current()
    signed = jws.sign(b"a charge", before.location)
    await vault.rotate(LOCATION)
    after = await vault.chain.load()
    assert after.location.kid != before.location.kid
    published = jws.public_jwks(after.locations)
    assert jws.verify(signed, published, datetime.now(UTC)) == b"a charge"
    assert jws.verify(jws.sign(b"another", after.location), published, datetime.now(UTC)) == b"another"
    await vault.age(timedelta(days=1, seconds=1))
    with pytest.raises(jws.JwsError):
        jws.verify(signed, jws.public_jwks((await vault.chain.load()).locations), datetime.now(UTC))


async def test_a_certificate_lasts_years_and_names_the_institution(vault: Vault) -> None:
    keys = (await vault.process()).current()
    for key in keys.locations:
        certificate = x509.load_der_x509_certificate(key.certificate_der)
        assert "Lastro" in certificate.subject.rfc4514_string()
        assert certificate_end(key.certificate_der) - certificate.not_valid_before_utc == timedelta(days=3 * 365)


@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "ES256"])
async def test_locations_are_signed_by_the_algorithm_that_is_wanted(vault: Vault, algorithm: str) -> None:
    chain = replace(vault.chain, algorithm=algorithm)
    keys = await chain.load_or_make()
    assert [k.algorithm for k in keys.locations] == [algorithm, algorithm]
    published = jws.public_jwks(keys.locations)
    assert [k["alg"] for k in published["keys"]] == [algorithm, algorithm]
    assert jws.verify(jws.sign(b"a charge", keys.location), published, datetime.now(UTC)) == b"a charge"


async def test_another_algorithm_comes_with_the_next_rotations(vault: Vault) -> None:
    """Keys that are there stay what they are; the padding of an RSA key is whichever is wanted now."""
    await vault.process()
    rsa = replace(vault.chain, algorithm="RS256")
    assert (await rsa.load()).location.algorithm == "ES256"
    for wanted in ("ES256", "RS256"):
        await rsa.rotate(LOCATION)
        assert (await rsa.load()).location.algorithm == wanted
    assert (await replace(rsa, algorithm="PS256").load()).location.algorithm == "PS256"
    assert (await vault.chain.load()).location.algorithm == "RS256"


async def waiting(vault: Vault) -> str:
    kid: str = (await vault.rows(LOCATION))[-1]["kid"]
    return kid


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
async def test_a_key_takes_the_certificate_of_an_authority(vault: Vault, algorithm: str) -> None:
    chain = replace(vault.chain, algorithm=algorithm)
    before = await chain.load_or_make()
    kid = await waiting(vault)
    csr = x509.load_pem_x509_csr((await chain.request_certificate(kid, "pix.lastro.example")).encode())
    assert csr.is_signature_valid
    assert csr.subject.rfc4514_string() == "CN=pix.lastro.example,O=Lastro,C=BR"
    given = await chain.certify(kid, signatures.issued(csr, signatures.ec_private()))
    loaded = await chain.load()
    assert loaded.location == before.location, "the key that signs has kept its certificate"
    await chain.rotate(LOCATION)
    keys = await chain.load()
    assert (keys.location.kid, keys.location.certificate_der, keys.location.chain) == (kid, given[0], given[1:])
    published = jws.public_jwks(keys.locations)
    (jwk,) = [one for one in published["keys"] if one["kid"] == kid]
    assert [base64.b64decode(one) for one in jwk["x5c"]] == list(given)
    assert len(given) == 2
    assert jws.verify(jws.sign(b"a charge", keys.location), published, datetime.now(UTC)) == b"a charge"


async def test_a_certificate_that_does_not_fit_is_refused(vault: Vault) -> None:
    await vault.process()
    kid, authority = await waiting(vault), signatures.ec_private()
    csr = x509.load_pem_x509_csr((await vault.chain.request_certificate(kid, "pix.lastro.example")).encode())
    good = signatures.issued(csr, authority)
    leaf, above = good.split(b"-----END CERTIFICATE-----\n")[:2]
    end = b"-----END CERTIFICATE-----\n"
    stranger = signatures.certificate(signatures.ec_private(), name="AC")
    foreign = x509.load_der_x509_certificate(stranger).public_bytes(Encoding.PEM)
    refused = [
        (kid, b"nothing", "no certificates"),
        (kid, foreign, "not of this key"),
        (kid, above + end + leaf + end, "not of this key"),
        (kid, leaf + end + foreign, "does not hold together"),
        (kid, good * 8, "at most 8"),
        (kid, signatures.issued(csr, authority, end=datetime.now(UTC) - timedelta(days=1)), "not in force"),
        (kid, signatures.issued(csr, authority, uses=("key_encipherment",)), "no digital signature"),
        ("nobody", good, "no key of locations"),
        ((await vault.rows(TOKEN))[-1]["kid"], good, "no key of locations"),
    ]
    for name, text, says in refused:
        with pytest.raises(CertificateRefused, match=says):
            await vault.chain.certify(name, text)
    await vault.rotate(LOCATION)
    with pytest.raises(CertificateRefused, match="signs already"):
        await vault.chain.certify(kid, good)


async def test_another_key_ring_opens_nothing(vault: Vault) -> None:
    own = await vault.process()
    stranger = replace(vault.chain, key_ring=KeyRing.generate("k", os.urandom))
    with pytest.raises(SecretUnreadable):
        await stranger.load()
    other = OwnKeys(own.current(), stranger.load, ISSUER, time.monotonic)
    await other.refresh()
    assert other.current() == own.current()


async def test_a_key_that_was_moved_to_another_name_is_not_opened(vault: Vault) -> None:
    await vault.process()
    await vault.owner.execute("UPDATE signing_keys SET kid = 'renamed' WHERE purpose = 'token' AND generation = 2")
    with pytest.raises(SecretUnreadable):
        await vault.chain.load()


async def test_a_start_with_the_wrong_keys_file_is_a_sentence(vault: Vault, own_database: Any, tmp_path: Path) -> None:
    await vault.process()
    file = tmp_path / "keys"
    file.touch(mode=0o600)
    file.write_text(KeyRing.generate("other", os.urandom).text().reveal())
    settings = read({"LASTRO_DATABASE_URL": own_database.admin.url, "LASTRO_KEYS_FILE": str(file)})
    with pytest.raises(StartRefused, match=r"lacks the key that this database was sealed with\.$"):
        await wiring.open_house(settings, vault.chain.database, lambda _: None)
