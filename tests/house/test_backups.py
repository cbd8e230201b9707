"""A backup is put back and every law holds over it; what is damaged, or would be written over, is refused in a sentence.

The server is one of this test's own: those of the run keep no log of what they write, so that nothing can be copied of them.
"""

import asyncio
import base64
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
import pytest
from tests.cast import Cast
from tests.watched import watched

from lastro.cli import CommandFailed, main
from lastro.config.settings import Settings, read
from lastro.core.commit import commit
from lastro.core.db import Dsn
from lastro.core.declined import StartRefused
from lastro.core.secrets import KeyRing
from lastro.core.write import Row, Write
from lastro.ops.backups import back_up, record, restore
from lastro.ops.backups.commands import lacking
from lastro.ops.backups.programs import Programs, passwords_around, without_password
from lastro.ops.backups.taking import copy
from lastro.ops.keys_file import key_ring_of
from lastro.ops.migrate import migrate
from lastro_sandbox.embedded import EmbeddedServer
from lastro_sandbox.embedded.account import SystemAccount, programs_for

_DATABASE = "lastro"
ROOT = Path(__file__).parents[2]


def brought() -> Path:
    return programs_for(SystemAccount.for_data(Path("/nonexistent"))).folder


@dataclass
class Keeping:
    """A home, its server, and what its operator types. said: every line of the last command."""

    home: Path
    url: str
    said: list[str] = field(default_factory=list)

    def settings(self, **change: str) -> Settings:
        told = {"LASTRO_HOME": str(self.home), "LASTRO_DATABASE_URL": self.url, "LASTRO_DATABASE_LOGIN": "role"}
        return read(told | change)

    def types(self, command: Callable[..., int], *words: object, **change: str) -> int:
        self.said = []
        return command([str(word) for word in words], lambda: self.settings(**change), brought, self.said.append)

    def declined(self, command: Callable[..., int], *words: object, **change: str) -> str:
        with pytest.raises((CommandFailed, StartRefused)) as declined:
            self.types(command, *words, **change)
        return str(declined.value)


@pytest.fixture(scope="module")
def keeping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keeping]:
    home = tmp_path_factory.mktemp("home")
    file = home / "keys"
    file.touch(mode=0o600)
    file.write_text(KeyRing.generate("k1", os.urandom).text().reveal())
    with EmbeddedServer.start(home) as server:
        asyncio.run(_scene(server, KeyRing.parse(file.read_text(), os.urandom)))
        yield Keeping(home, server.dsn(_DATABASE))


async def _scene(server: EmbeddedServer, ring: KeyRing) -> None:
    admin = await asyncpg.connect(server.dsn())
    await admin.execute(f"CREATE DATABASE {_DATABASE}")
    await admin.close()
    await migrate(server.dsn(_DATABASE))
    cast = replace(Cast.of(Dsn(server.dsn(_DATABASE, "lastro_app"))), key_ring=ring)
    ana = await cast.ana()
    await cast.credit(ana, 12345)
    await commit(cast.database, Write(ana.company_id, rows=tuple(_waiting(cast, n) for n in (0, 3))))
    await cast.close()


def _waiting(cast: Cast, sends: int) -> Row:
    """What is to be told to a network, and was taken in hand so often."""
    now = datetime.now(UTC)
    told = {"id": cast.id(), "rail": "pix", "kind": "x", "network_id": str(cast.id()), "reference_id": cast.id()}
    return Row("outbox", {**told, "body": b"{}", "created_at": now, "due_at": now, "sends": sends})


@pytest.fixture(scope="module")
def backup(keeping: Keeping) -> Path:
    folder = keeping.home / "backup"
    assert keeping.types(back_up, folder) == 0
    return folder


def test_what_comes_back_is_whole_and_lawful(keeping: Keeping, backup: Path) -> None:
    told = json.loads((backup / "lastro.json").read_text())
    assert (told["mode"], told["database"], told["keys"]) == ("sandbox", _DATABASE, ["k1"])
    assert (backup.stat().st_mode & 0o777) == 0o700
    home = keeping.home / "new" / "home"
    home.mkdir(parents=True)
    keys = {"LASTRO_HOME": str(home), "LASTRO_KEYS_FILE": str(keeping.home / "keys")}
    assert keeping.types(restore, backup, **keys) == 0
    assert any(line.endswith(" laws, 0 broken") for line in keeping.said)
    assert any(line.startswith("Messages that waited to be sent: 1.") for line in keeping.said)
    assert not (home / "postgres" / "postmaster.pid").exists(), "its own server has ended"

    with EmbeddedServer.start(home) as server:
        url = server.dsn(_DATABASE)
        assert asyncio.run(_value(url, "SELECT sum(amount_minor) FROM transfers")) == 12345
        # Since the backup it may have been sent, so that a worker is to ask before it sends.
        assert asyncio.run(_value(url, "SELECT array_agg(sends ORDER BY sends) FROM outbox")) == [1, 3]
    assert asyncio.run(_value(keeping.url, "SELECT array_agg(sends ORDER BY sends) FROM outbox")) == [0, 3]


async def _value(url: str, sql: str) -> Any:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


def test_how_far_it_is_is_seen_on_standard_error_alone(
    keeping: Keeping, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = watched(monkeypatch)
    assert keeping.types(back_up, tmp_path / "b") == 0
    assert [line for line in keeping.said if "%" in line] == []
    assert keeping.types(restore, tmp_path / "b", tmp_path / "data") == 0
    assert [line for line in keeping.said if "%" in line] == []
    for what in ("copied [", "put back [", "laws ["):
        assert what in screen.getvalue()


def test_no_key_is_in_a_backup(keeping: Keeping, backup: Path) -> None:
    key = (keeping.home / "keys").read_text().split()[1]
    wanted = (key.encode(), base64.b64decode(key))
    files = [file for file in backup.rglob("*") if file.is_file()]
    assert len(files) > 100
    assert [file for file in files if any(one in file.read_bytes() for one in wanted)] == []


def test_a_key_that_is_lacking_is_known(keeping: Keeping, backup: Path, tmp_path: Path) -> None:
    told, other = record.read(backup), tmp_path / "keys"
    assert lacking(told, key_ring_of(keeping.settings())) == []
    assert lacking(told, None) == ["k1"]
    other.touch(mode=0o600)
    other.write_text(KeyRing.generate("k2", os.urandom).text().reveal())
    assert lacking(told, key_ring_of(keeping.settings(LASTRO_KEYS_FILE=str(other)))) == ["k1"]


def test_a_key_with_other_bytes_is_told(keeping: Keeping, backup: Path, tmp_path: Path) -> None:
    other = tmp_path / "keys"
    other.touch(mode=0o600)
    other.write_text(KeyRing.generate("k1", os.urandom).text().reveal())
    said = f"The keys file {other} has other bytes under k1"
    assert keeping.types(restore, backup, tmp_path / "data", LASTRO_KEYS_FILE=str(other)) == 1
    assert any(line.startswith(said) for line in keeping.said)
    assert keeping.types(back_up, tmp_path / "b", LASTRO_KEYS_FILE=str(other)) == 1
    assert any(line.startswith(said) for line in keeping.said)


def test_no_configuration_comes_from_the_backup(keeping: Keeping, backup: Path, tmp_path: Path) -> None:
    """Neither what nobody checks (PostgreSQL's own program passes these by) nor the rest."""
    planted = tmp_path / "planted"
    shutil.copytree(backup, planted)
    with (planted / "data" / "postgresql.auto.conf").open("a") as file:
        file.write(f"work_mem = '77MB'\nrestore_command = 'touch {tmp_path}/ran; false'\n")
    (planted / "data" / "standby.signal").touch()
    (planted / "data" / "recovery.signal").touch()
    home = tmp_path / "home"
    home.mkdir()
    keys = {"LASTRO_HOME": str(home), "LASTRO_KEYS_FILE": str(keeping.home / "keys")}
    assert keeping.types(restore, planted, **keys) == 0
    data = home / "postgres"
    assert [file.name for file in data.glob("*.signal")] == []
    for name in ("postgresql.conf", "postgresql.auto.conf", "pg_hba.conf", "pg_ident.conf"):
        assert (data / name).read_text().startswith("# Written by lastro restore")
    assert not (tmp_path / "ran").exists()
    with EmbeddedServer.start(home) as server:
        assert asyncio.run(_value(server.dsn(_DATABASE), "SELECT current_setting('work_mem')")) != "77MB"


def test_nothing_is_written_over(keeping: Keeping, backup: Path, tmp_path: Path) -> None:
    assert "is not empty" in keeping.declined(restore, backup)
    (tmp_path / "theirs").write_text("x")
    assert "is not empty" in keeping.declined(restore, backup, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["theirs"]
    assert "is there already" in keeping.declined(back_up, backup)


def _a_file(data: Path) -> Path:
    return max((file for file in (data / "base").rglob("*") if file.is_file()), key=lambda file: file.stat().st_size)


def _flipped(content: bytes) -> bytes:
    return content[:100] + bytes([content[100] ^ 1]) + content[101:]


def _of_production(content: bytes) -> bytes:
    return content.replace(b'"sandbox"', b'"production"')


def test_what_is_damaged_is_not_put_back(keeping: Keeping, backup: Path, tmp_path: Path) -> None:
    copy, target = tmp_path / "backup", tmp_path / "data"
    # Links: what is harmed is written anew, so that the backup itself stays whole.
    shutil.copytree(backup, copy, copy_function=os.link)
    for file, harmed, said in (
        (_a_file(copy / "data"), _flipped, "pg_verifybackup failed"),
        (_a_file(copy / "data"), None, "pg_verifybackup failed"),
        (copy / "data" / "backup_manifest", _flipped, "its manifest of files is not the one"),
        (copy / "lastro.json", lambda _: b"{", "is damaged"),
        (copy / "lastro.json", None, "There is no backup in"),
        (copy / "lastro.json", _of_production, "This backup is of production"),
    ):
        whole = file.read_bytes()
        file.unlink()
        if harmed is not None:
            file.write_bytes(harmed(whole))
        assert said in keeping.declined(restore, copy, target)
        assert not target.exists()
        file.write_bytes(whole)
    (tmp_path / "file").touch()
    assert "could not be copied" in keeping.declined(restore, copy, tmp_path / "file" / "data")


def test_one_server_of_several_is_not_put_back_alone(keeping: Keeping, backup: Path, tmp_path: Path) -> None:
    one = tmp_path / "one"
    shutil.copytree(backup, one)
    record.write(one, msgspec.structs.replace(record.read(one), is_spread=True))
    with pytest.raises(CommandFailed, match="recover every server to one restore point"):
        keeping.types(restore, one, tmp_path / "restored")
    assert not (tmp_path / "restored").exists()


def test_the_command_finds_the_programs_that_the_sandbox_brings() -> None:
    assert main._sandbox_programs() == brought()


def test_a_server_that_cannot_be_copied_is_named(keeping: Keeping, tmp_path: Path) -> None:
    as_app = {"LASTRO_DATABASE_URL": keeping.url.replace("//postgres@", "//lastro_app@")}
    assert "may not copy the server" in keeping.declined(back_up, tmp_path / "b", **as_app)
    unknown = {"LASTRO_DATABASE_URL": keeping.url.replace("//postgres@", "//nobody@")}
    assert "--database names it" in keeping.declined(back_up, tmp_path / "b", **unknown)
    away = {"LASTRO_DATABASE_URL": f"postgresql://x@/y?host={tmp_path}"}
    assert "cannot be reached" in keeping.declined(back_up, tmp_path / "b", **away)
    assert "Looked at" in keeping.declined(back_up, tmp_path / "b", "--programs", tmp_path)
    assert list(tmp_path.iterdir()) == []


def _documented() -> list[str]:
    """What docs/operations.md has typed for the login of backups, without its password."""
    found = re.findall(
        r"^((?:CREATE|ALTER) ROLE lastro_backup .*;)$", (ROOT / "docs/operations.md").read_text(), re.MULTILINE
    )
    return [sql.replace("…", "y") for sql in found]


async def _told(keeping: Keeping, *sqls: str) -> None:
    admin = await asyncpg.connect(keeping.url)
    try:
        for sql in sqls:
            await admin.execute(sql)
    finally:
        await admin.close()


def _lets_in(keeping: Keeping, lines: str) -> None:
    (keeping.home / "postgres" / "pg_hba.conf").write_text(lines)
    asyncio.run(_told(keeping, "SELECT pg_reload_conf()", "SELECT pg_sleep(0.2)"))


def test_what_the_documented_login_lacks_is_said_with_its_cure(keeping: Keeping, tmp_path: Path) -> None:
    made, password = _documented()
    asyncio.run(_told(keeping, made.replace(" IN ROLE lastro_audit", ""), password))
    ask = (tmp_path / "b", "--database", keeping.url.replace("//postgres@", "//lastro_backup@"))
    assert "GRANT lastro_audit TO" in keeping.declined(back_up, *ask)
    asyncio.run(_told(keeping, "DROP ROLE lastro_backup", made, password))
    before = (keeping.home / "postgres" / "pg_hba.conf").read_text()
    _lets_in(keeping, "local all all trust\n")
    try:
        assert "`host replication lastro_backup" in keeping.declined(back_up, *ask)
    finally:
        _lets_in(keeping, before)
    assert keeping.types(back_up, *ask) == 0


def test_a_password_that_only_ordinary_connections_have_is_told(tmp_path: Path) -> None:
    program = tmp_path / "pg_basebackup"
    program.write_text("#!/bin/sh\necho 'fe_sendauth: no password supplied'\nexit 1\n")
    program.chmod(0o700)
    with pytest.raises(CommandFailed, match=r"needs \* as its database"):
        copy(Programs(tmp_path), [], {}, lambda _percent: None)


@pytest.mark.parametrize(
    ("url", "address", "secret"),
    [
        (
            "postgresql://ana:s%40e@db:5432/x?sslmode=require",
            "postgresql://ana@db:5432/x?sslmode=require",
            {"PGPASSWORD": "s@e"},
        ),
        ("postgresql://ana@/x?host=/run", "postgresql://ana@/x?host=/run", {}),
        ("postgresql:///x", "postgresql:///x", {}),
        ("postgresql:///x?host=/run&user=b&password=s%40e", "postgresql:///x?host=%2Frun&user=b", {"PGPASSWORD": "s@e"}),
        ("postgresql://b@h/x?password=s", "postgresql://b@h/x", {"PGPASSWORD": "s"}),
    ],
)
def test_a_password_is_not_among_the_arguments(url: str, address: str, secret: dict[str, str]) -> None:
    assert without_password(url) == (address, secret)


@pytest.mark.parametrize("url", ["postgresql://b:s@h/x", "postgresql:///x?user=b&password=s"])
def test_a_password_that_was_typed_is_refused(keeping: Keeping, url: str) -> None:
    said = keeping.declined(back_up, keeping.home / "never", "--database", url)
    assert "~/.pgpass" in said
    assert not (keeping.home / "never").exists()


def test_a_password_is_handed_on_from_the_environment() -> None:
    around = {"PGPASSFILE": "/f", "PGPASSWORD": "s", "PGHOST": "h", "HOME": "/"}
    assert passwords_around(around) == {"PGPASSFILE": "/f", "PGPASSWORD": "s"}
