"""Another key seals: everything that was sealed moves to it, is read as before, and only then the old key may go."""

import asyncio
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.cast import Cast, Seller
from tests.house.office import Office, environment
from tests.house.tree import SRC
from tests.rooms.accounts.openings import Desk, photo
from tests.rooms.keys.proof import asked_proof
from tests.signing import signing_secrets

from lastro.accounts.opening import SealedDocuments
from lastro.app import wiring
from lastro.config.settings import read
from lastro.core.commit import commit
from lastro.core.secrets import KeyRing
from lastro.ops import key_proofs, key_rotation
from lastro.ops.keys_file import key_ring_of
from lastro.people import Entered, Entrance, Register, Role
from lastro.standards import totp
from lastro.webhooks.actions.rotate import RotateSecret

_BYTES = """
SELECT table_name::text AS table_name, column_name::text AS column_name FROM information_schema.columns
  JOIN information_schema.tables USING (table_schema, table_name)
 WHERE table_schema = 'public' AND data_type = 'bytea' AND table_type = 'BASE TABLE' AND table_name <> $1 ORDER BY 1, 2
"""
_EMAIL, _PASSWORD = "rita@ana.example", "four unlike grey horses"


_NOTICE = """
INSERT INTO med_objects (company_id, id, object_type, role, account_id, status, end_to_end_id, amount_minor, deadline, created_at,
  updated_at, occurred_at)
VALUES ($1, $2, 'INFRINGEMENT_NOTIFICATION', 'RECEIVER', $3, 'RECEIVED', 'E1', 1, now(), now(), now(), now())
"""
_PROOF = """
INSERT INTO med_documents (company_id, id, object_id, number, content_type, size, digest, kept_digest, sealed, created_at)
VALUES ($1, $2, $2, 1, 'image/png', 5, 'x', 'x', $3, now())
"""


@dataclass
class Vault:
    """A company with a sealed value in every place, and the commands. kept: what was sealed, in clear."""

    office: Office
    database: Any
    kept: dict[str, Any] = field(default_factory=dict)

    @property
    def ring(self) -> KeyRing:
        return key_ring_of(self.office.settings)

    def cast(self) -> Cast:
        return replace(Cast.of(self.database.app), key_ring=self.ring)

    async def fill(self) -> Seller:
        cast = self.cast()
        try:
            ana = await cast.ana()
            self.kept["fingerprint"] = (await self._chain(cast).load_or_make()).fingerprint
            self.kept["rotated"] = (await self.rotated(cast, ana)).body
            self.kept["secrets"] = await self._secrets(cast, ana)
            self.kept["factor"] = await self._add_factor(cast)
            desk = Desk(cast, ana)
            await desk.upload(await desk.ask(), "selfieHolder", photo(7))
            await commit(cast.database, asked_proof(cast, ana, datetime.now(UTC)))
            await self._defend(cast, ana)
            return ana
        finally:
            await cast.close()

    async def shown(self, ana: Seller) -> dict[str, Any]:
        """The same, read again by what reads it in the running system."""
        cast = self.cast()
        try:
            async with cast.database.session(ana.company_id) as session:
                page = await session.value("SELECT id FROM account_documents")
                proof = (await session.fetch("SELECT id, sealed FROM med_documents"))[0]
            place = {"table": "med_documents", "column": "sealed", "company_id": ana.company_id, "row_id": proof["id"]}
            assert self.ring.open(proof["sealed"], **place) == b"proof"
            assert await SealedDocuments(cast.database, self.ring).content(ana.company_id, page) is not None
            return {
                "fingerprint": (await self._chain(cast).load()).fingerprint,
                "rotated": (await self.rotated(cast, ana)).body,
                "secrets": await self._secrets(cast, ana),
                "factor": await self._factor_shown(cast),
            }
        finally:
            await cast.close()

    async def _defend(self, cast: Cast, ana: Seller) -> None:
        """A notice with a document of its defense."""
        one, admin = cast.chance.uuid(datetime.now(UTC)), await self.database.connect()
        proof = self.ring.seal(b"proof", table="med_documents", column="sealed", company_id=ana.company_id, row_id=one)
        await admin.execute(_NOTICE, ana.company_id, one, ana.account_id)
        await admin.execute(_PROOF, ana.company_id, one, proof)
        await admin.close()

    async def under(self, key_id: str) -> list[str]:
        """Every column of bytes in which a value begins as one that this key has sealed."""
        admin = await self.database.connect()
        begins = bytes([len(key_id)]) + key_id.encode()
        found = []
        for column in await admin.fetch(_BYTES, key_proofs.TABLE):
            table, name = column["table_name"], column["column_name"]
            count = f"SELECT count(*) FROM {table} WHERE substr({name}, 1, {len(begins)}) = $1 AND length({name}) > 28"
            found += [f"{table}.{name}"] if await admin.fetchval(count, begins) else []
        await admin.close()
        return found

    async def forget_codes(self) -> None:
        admin = await self.database.connect()
        await admin.execute("UPDATE pix_key_validations SET sealed_by = 'second'")
        await admin.close()

    def _chain(self, cast: Cast) -> Any:
        return wiring.keychain_of(self.office.settings, cast.database)

    async def rotated(self, cast: Cast, ana: Seller) -> Any:
        verb = RotateSecret(ana.company_id, cast.key_ring, lambda: datetime.now(UTC), "once")
        return await cast.run(ana.client, verb, operation="rotate_webhook_secret", key="once", permission="webhooks:write")

    def _entrance(self, cast: Cast) -> Entrance:
        return Entrance(cast.database, self.ring, cast.chance, partial(datetime.now, UTC))

    async def _add_factor(self, cast: Cast) -> bytes:
        """Somebody of the console with a second factor; its secret."""
        context = self._entrance(cast)
        register = Register(context)
        made = await register.invite(_EMAIL, "Rita", (Role.READ,), None)
        assert isinstance(made, tuple)
        entered = await context.by_invitation(made[1].reveal(), _PASSWORD, "test")
        assert isinstance(entered, Entered)
        who, secret = await context.present(entered.cookie.reveal()), register.new_factor()
        assert who is not None
        now = totp.code_at(secret, totp.step_of(datetime.now(UTC).timestamp()))
        assert isinstance(await register.add_factor(who, secret, now, _PASSWORD, "test", ""), list)
        return secret

    async def _factor_shown(self, cast: Cast) -> bytes | None:
        """The same secret, if the next code of it lets its person in: the one that was shown counts no more."""
        context, secret = self._entrance(cast), self.kept["factor"]
        whom = await Register(context).of_email(_EMAIL)
        assert whom is not None
        code = totp.code_at(secret, totp.step_of(datetime.now(UTC).timestamp()) + 1)
        shown: bytes | None = secret if await context.shows(whom, code, "test") is True else None
        return shown

    async def _secrets(self, cast: Cast, ana: Seller) -> tuple[str, ...]:
        return await signing_secrets(cast.database, cast.key_ring, ana.company_id, datetime.now(UTC) - timedelta(hours=1))


@pytest.fixture
def vault(own_database: Any, tmp_path: Path) -> Vault:
    file = tmp_path / "keys"
    file.touch(mode=0o600)
    file.write_text(KeyRing.generate("k", os.urandom).text().reveal())
    return Vault(Office(read(environment(own_database, tmp_path))), own_database)


# Every place that the code has: one that no vault fills fails the tests below.
EVERYWHERE = sorted(f"{place.table}.{place.column}" for place in key_rotation.PLACES)


def test_another_key_seals_everything_and_the_old_one_may_go(vault: Vault) -> None:
    ana = asyncio.run(vault.fill())
    office = vault.office
    assert [(k["id"], k["state"], k["values"]) for k in office.asks("keys", "seals")] == [("k", "seals", 12)]
    assert asyncio.run(vault.under("k")) == EVERYWHERE

    office.types("keys", "add-seal", "second")
    assert office.asks("keys", "reseal")["sealed"] == 0, "a key that waits seals nothing"
    office.types("keys", "seal-with", "second")
    assert "is the one that seals" in office.declined("keys", "drop-seal", "second")
    needed = office.declined("keys", "drop-seal", "k")
    assert all(place in needed for place in (*EVERYWHERE, key_rotation.CODES))

    assert office.asks("keys", "reseal") == {"id": "second", "sealed": 11}
    assert office.asks("keys", "reseal")["sealed"] == 0
    assert asyncio.run(vault.under("k")) == []
    assert asyncio.run(vault.under("second")) == EVERYWHERE
    assert key_rotation.CODES in office.declined("keys", "drop-seal", "k"), "a code that was sent is still good"
    asyncio.run(vault.forget_codes())
    office.types("keys", "drop-seal", "k")
    assert vault.ring.key_ids == ("second",)
    assert (office.settings.keys_file.stat().st_mode & 0o777) == 0o600
    assert asyncio.run(vault.shown(ana)) == vault.kept


def test_what_no_key_opens_is_said_and_left(vault: Vault) -> None:
    asyncio.run(vault.fill())
    file = vault.office.settings.keys_file
    file.write_text(KeyRing.generate("second", os.urandom).text().reveal())
    assert "11 could not be opened" in vault.office.declined("keys", "reseal")
    states = {k["id"]: k["state"] for k in vault.office.asks("keys", "seals")}
    assert states == {"second": "seals", "k": "lacking"}
    assert asyncio.run(vault.under("k")) == EVERYWHERE


class CutOffError(Exception):
    pass


class CutOff(KeyRing):
    """A ring whose process ends after three values."""

    left = 3

    def seal(self, *arguments: Any, **named: Any) -> bytes:
        if not CutOff.left:
            raise CutOffError
        CutOff.left -= 1
        return super().seal(*arguments, **named)


async def test_it_may_be_cut_off_anywhere(vault: Vault) -> None:
    ana = await vault.fill()
    ring = vault.ring.with_new_key("second")
    cast = replace(vault.cast(), key_ring=ring)
    with pytest.raises(CutOffError):
        await key_rotation.reseal(cast.database, CutOff.parse(ring.text().reveal(), os.urandom), 2)
    assert {one.key_id for one in await key_rotation.held(cast.database)} == {"k", "second"}
    assert (await vault.rotated(cast, ana)).body == vault.kept["rotated"]
    assert await key_rotation.reseal(cast.database, ring, 1) == (8, 0)
    assert (await vault.rotated(cast, ana)).body == vault.kept["rotated"]
    await cast.close()


class Overtaken(KeyRing):
    """A ring during whose work a client rotates its secret: between the look at the old one and the write."""

    meanwhile: Any = None

    def open(self, value: bytes, *, table: str, **place: Any) -> bytes:
        if table == "companies" and Overtaken.meanwhile is not None:
            happens, Overtaken.meanwhile = Overtaken.meanwhile, None
            with ThreadPoolExecutor(1) as thread:
                thread.submit(asyncio.run, happens()).result()
        return super().open(value, table=table, **place)


async def test_what_was_rotated_meanwhile_stays(vault: Vault) -> None:
    ana = await vault.fill()
    ring = vault.ring.with_new_key("second")
    rotated = ring.seal(
        b"whsec_rotated", table="companies", column="webhook_secret", company_id=ana.company_id, row_id=ana.company_id
    )

    async def rotate() -> None:
        admin = await vault.database.connect()
        await admin.execute("UPDATE companies SET webhook_secret = $1 WHERE company_id = $2", rotated, ana.company_id)
        await admin.close()

    Overtaken.meanwhile = rotate
    cast = vault.cast()
    assert await key_rotation.reseal(cast.database, Overtaken.parse(ring.text().reveal(), os.urandom), 50) == (10, 0)
    async with cast.database.session(ana.company_id) as session:
        assert await session.value("SELECT webhook_secret FROM companies") == rotated
    await cast.close()


def test_whatever_seals_is_among_the_places() -> None:
    sealing_files = {
        file.relative_to(SRC / "lastro").as_posix()
        for file in (SRC / "lastro").rglob("*.py")
        if re.search(r"key_ring\.seal\(", file.read_text(encoding="utf-8"))
    }
    assert sealing_files == {place.made_in for place in key_rotation.PLACES}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("keys", "add-seal", "k"), "has a key k already"),
        (("keys", "seal-with", "other"), "has no key other"),
        (("keys", "drop-seal", "other"), "has no key other"),
        (("keys", "drop-seal", "k"), "is the one that seals"),
    ],
)
def test_a_no_is_a_sentence(vault: Vault, words: tuple[str, ...], said: str) -> None:
    before = vault.office.settings.keys_file.read_bytes()
    assert said in vault.office.declined(*words)
    assert vault.office.settings.keys_file.read_bytes() == before
