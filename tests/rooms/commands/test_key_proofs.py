"""Keys are proved, not named: other bytes under a known id start nothing, rotate nothing and seal nothing."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from tests.house.office import Office, environment

from lastro.app import wiring
from lastro.config.settings import read
from lastro.core.db import Database
from lastro.core.declined import StartRefused
from lastro.core.secrets import KeyRing
from lastro.ops import key_proofs
from lastro.ops.keys_file import key_ring_of
from lastro.ops.start_checks import admit

_SIGNING = "SELECT kid, generation, private_key FROM signing_keys ORDER BY 1, 2"


class Installation:
    """A database with what its first API process sealed, and the keys file."""

    def __init__(self, database: Any, home: Path) -> None:
        self.database = database
        self.office = Office(read(environment(database, home)))
        self.file = self.office.settings.keys_file
        self.right = self.file.read_text()

    def starts(self) -> None:
        """What an API or a worker does before anything else, and an API's first keys."""

        async def start() -> None:
            app, work = Database(self.database.app), Database(self.database.work)
            try:
                await admit(app, work, self.office.settings, key_ring_of(self.office.settings), asyncio.Event())
                await wiring.keychain_of(self.office.settings, app).load_or_make()
            finally:
                await app.close()
                await work.close()

        asyncio.run(start())

    def forgets(self) -> None:
        """As a database is that comes from a version without fingerprints."""
        self.does("DELETE FROM sealing_keys")

    def does(self, statement: str) -> list[Any]:
        async def done() -> list[Any]:
            admin = await self.database.connect()
            try:
                return [tuple(row) for row in await admin.fetch(statement)]
            finally:
                await admin.close()

        return asyncio.run(done())

    def mistakes(self) -> None:
        """Puts other bytes under the same id into the file."""
        self.file.write_text(KeyRing.generate("k1", os.urandom).text().reveal())


@pytest.fixture
def installation(own_database: Any, tmp_path: Path) -> Installation:
    made = Installation(own_database, tmp_path)
    made.starts()
    return made


def test_other_bytes_under_a_known_id_start_nothing(installation: Installation) -> None:
    installation.starts()
    installation.mistakes()
    with pytest.raises(StartRefused, match="has other bytes under k1 than this database was sealed with"):
        installation.starts()


@pytest.mark.parametrize(
    "words",
    [("keys", "rotate", "token"), ("keys", "reseal"), ("keys", "seals"), ("keys", "add-seal", "k2"), ("company", "add", "Ana"),
     ("admin", "invite", "ana@ana.example")],
    ids=" ".join,
)  # fmt: skip
def test_other_bytes_seal_nothing(installation: Installation, words: tuple[str, ...]) -> None:
    before = installation.does(_SIGNING)
    installation.mistakes()
    wrong = installation.file.read_text()
    with pytest.raises(StartRefused, match="has other bytes under k1"):
        installation.office.types(*words)
    assert (installation.does(_SIGNING), installation.file.read_text()) == (before, wrong)
    installation.file.write_text(installation.right)
    installation.starts()


def test_an_older_database_knows_its_keys_by_what_they_sealed(installation: Installation) -> None:
    installation.forgets()
    installation.mistakes()
    with pytest.raises(StartRefused, match="has other bytes under k1"):
        installation.starts()
    assert installation.does("SELECT key_id FROM sealing_keys") == [], "the wrong key has left nothing"
    installation.file.write_text(installation.right)
    installation.starts()
    assert installation.does("SELECT key_id FROM sealing_keys") == [("k1",)]


async def test_of_two_that_start_at_once_with_other_bytes_one_starts(own_database: Any, tmp_path: Path) -> None:
    async def starts() -> bool:
        database = Database(own_database.app)
        try:
            await key_proofs.prove(database, KeyRing.generate("k1", os.urandom), tmp_path)
        except StartRefused:
            return False
        finally:
            await database.close()
        return True

    assert sorted(await asyncio.gather(*(starts() for _ in range(4)))) == [False, False, False, True]


def test_an_id_is_given_to_one_key_alone(installation: Installation) -> None:
    installation.office.types("keys", "add-seal", "k2")
    assert installation.does("SELECT key_id FROM sealing_keys ORDER BY 1") == [("k1",), ("k2",)]
    installation.office.types("keys", "drop-seal", "k2")
    assert "has met another key k2" in installation.office.declined("keys", "add-seal", "k2")
    assert installation.file.read_text() == installation.right


def test_a_key_proves_itself_alone() -> None:
    ring = KeyRing.generate("a", os.urandom).with_waiting_key("b")
    assert ring.proves("a", ring.proof("a"))
    assert ring.proves("b", ring.proof("b"))
    assert not ring.proves("a", ring.proof("b"))
    assert not ring.proves("b", ring.proof("a"))
    assert not ring.proves("a", b"")
    assert not KeyRing.generate("a", os.urandom).proves("a", ring.proof("a"))
