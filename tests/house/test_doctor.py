"""`lastro doctor` on a real database and real files: it finds no fault where there is none, and each one by its line."""

import asyncio
import hashlib
import json
import os
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.in_one import in_one_test
from tests.self_signed import self_signed

from lastro.cli import doctor
from lastro.cli.doctor.database import of_server
from lastro.cli.doctor.files import of_backups, of_room
from lastro.cli.doctor.late import of_backlog
from lastro.cli.doctor.model import Finding, as_lines, failed, passed, skipped
from lastro.cli.doctor.reach import of_the_way_in
from lastro.config.settings import read
from lastro.core.db import Database, Dsn
from lastro.core.notify import OF_A_WORKER
from lastro.core.secrets import KeyRing
from lastro.core.servers import with_login
from lastro.observability.bank_figures import BankRecord
from lastro.observability.gauges import Gauges
from lastro.ops import key_proofs, rollback_check

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)


@asynccontextmanager
async def served(statuses: dict[str, int], tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server that answers each path with its status; gives its port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        writer.write(f"HTTP/1.1 {statuses.get(path, 404)} \r\ncontent-length: 0\r\n\r\n".encode())
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=tls)
    async with server:
        yield server.sockets[0].getsockname()[1]


@dataclass
class Installation:
    """One installation with nothing wrong, for as long as it is used. environment: of lastro; admin: of its database."""

    environment: dict[str, str]
    admin: Any
    home: Path
    worker: Any

    async def findings(self, backups: Path | None = None) -> list[Finding]:
        return [one async for one in doctor.examine(self.environment, backups)]

    async def faults(self) -> list[Finding]:
        return [one for one in await self.findings() if one.state == "failed"]


@pytest.fixture
async def installation(own_database: Any, tmp_path: Path) -> AsyncIterator[Installation]:
    if own_database.is_external:
        pytest.skip("one login takes on each role of that server")
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    for name in ("keys", "token", "pgpass"):
        (tmp_path / name).touch(mode=0o600)
    (tmp_path / "keys").write_text(KeyRing.generate("k1", os.urandom).text().reveal())
    (tmp_path / "token").write_text("hush")
    app = Database(Dsn(own_database.app.url))
    async with served({"/health": 200}) as port:
        environment = {
            "LASTRO_HOME": str(home), "LASTRO_DATABASE_URL": own_database.admin.url, "LASTRO_DATABASE_LOGIN": "role",
            "LASTRO_KEYS_FILE": str(tmp_path / "keys"), "LASTRO_NETWORK_TOKEN_FILE": str(tmp_path / "token"),
            "LASTRO_NETWORK_URL": f"http://127.0.0.1:{port}", "LASTRO_PUBLIC_URL": f"http://127.0.0.1:{port}",
            "PGPASSFILE": str(tmp_path / "pgpass"),
        }  # fmt: skip
        await rollback_check.Heart(app, rollback_check.Memory(home), "sandbox").start()
        worker = await asyncpg.connect(own_database.app.url, server_settings={"application_name": OF_A_WORKER})
        admin = await own_database.connect()
        try:
            yield Installation(environment, admin, tmp_path, worker)
        finally:
            await admin.close()
            await worker.close()
            await app.close()


async def test_of_a_good_installation_it_says_no_fault(installation: Installation) -> None:
    found = await installation.findings()
    assert [one for one in found if one.state == "failed"] == []
    assert {one.check for one in found if one.state == "passed"} == {
        "files", "disk", "login", "schema", "rights", "clock", "keys", "processes", "worker", "due work", "network", "public URL",
    }  # fmt: skip


Spoil = Callable[[Installation], Awaitable[object]]


def sets(**changed: str) -> Spoil:
    async def spoil(one: Installation) -> None:
        one.environment |= {
            f"LASTRO_{name}": value.format(home=one.home, **one.environment) for name, value in changed.items()
        }

    return spoil


def opens(name: str, mode: int = 0o644) -> Spoil:
    async def spoil(one: Installation) -> None:
        (one.home / name).chmod(mode)

    return spoil


def says(sql: str) -> Spoil:
    return lambda one: one.admin.execute(sql)


def address(role: str) -> Spoil:
    """Another login in the address of the role that finds work."""

    async def spoil(one: Installation) -> None:
        one.environment["LASTRO_WORK_DATABASE_URL"] = with_login(one.environment["LASTRO_DATABASE_URL"], role)

    return spoil


async def other_keys(one: Installation) -> None:
    """The database has met other bytes under this id."""
    app = Database(Dsn(one.environment["LASTRO_DATABASE_URL"]))
    try:
        await key_proofs.prove(app, KeyRing.generate("k1", os.urandom), one.home / "keys")
    finally:
        await app.close()


FAULTS: list[tuple[str, Spoil, str, str, str]] = [
    ("a misspelled setting", sets(PROXYS="x"), "settings", "LASTRO_PROXYS is no setting", "take it out"),
    ("an open keys file", opens("keys"), "files", "has mode 0644 and must have 0600", "mode 0600"),
    ("an open token", opens("token"), "files", "token is open to everybody: mode 0644", "chmod o= "),
    ("an open password file", opens("pgpass", 0o640), "files", "mode 0640, so that it is passed over", "chmod 600 "),
    ("no home", sets(HOME="{home}/nowhere"), "home", "nowhere is not there", "install -d -m 0700"),
    ("a login that is not there", address("nobody_here"), "login", "lastro_work: The database does not let", "ALTER ROLE lastro_work"),
    ("another role's login", address("lastro_audit"), "login", "lastro_work lets in as lastro_audit", "name lastro_work"),
    ("a server that is away", sets(AUDIT_DATABASE_URL="postgresql://x@127.0.0.1:9/x"), "login", "lastro_audit does not reach", "start"),
    ("a migration that lacks", says("DELETE FROM migrations"), "schema", "it lacks 0001_baseline.sql", "lastro migrate"),
    (
        "a newer schema", says("INSERT INTO migrations VALUES ('9999_more.sql', '', now())"), "schema", "9999_more.sql of a newer",
        "install that version",
    ),
    ("another institution", says("UPDATE clock SET ispb = '12345678'"), "schema", "institution 12345678", "mend"),
    ("a right too many", says("GRANT UPDATE ON transfers TO lastro_app"), "rights", "lastro_app may UPDATE transfers", "again"),
    ("a right that lacks", says("REVOKE SELECT ON orders FROM lastro_audit"), "rights", "lastro_audit may not read orders", "again"),
    ("an INSERT that lacks", says("REVOKE INSERT ON orders FROM lastro_app"), "rights", "lastro_app may not INSERT into orders", "again"),
    ("an UPDATE that lacks", says("REVOKE UPDATE ON refunds FROM lastro_app"), "rights", "lastro_app may not UPDATE refunds", "again"),
    (
        "tenants that see each other", says("ALTER TABLE orders DISABLE ROW LEVEL SECURITY"), "rights",
        "row-level security of orders is off", "again",
    ),
    ("security that the owner passes", says("ALTER TABLE payouts NO FORCE ROW LEVEL SECURITY"), "rights", "of payouts is off", "again"),
    (
        "a policy that lets all in", says("ALTER POLICY tenant ON refunds USING (true)"), "rights",
        "policy tenant of refunds is not there, or another", "again",
    ),
    (
        "a policy beside the tenant's", says("CREATE POLICY more ON events TO lastro_app USING (true)"), "rights",
        "policy more lets lastro_app read other companies' rows of events", "again",
    ),
    ("keys of another database", other_keys, "keys", "has other bytes under k1", "keys file in place"),
    ("no heartbeat", says("UPDATE beats SET at = at - interval '1 hour'"), "processes", "a heartbeat for 360", "systemctl start"),
    ("no worker", lambda one: one.worker.close(), "worker", "none works", "systemctl start lastro-worker"),
    ("a network that is away", sets(NETWORK_URL="http://127.0.0.1:9"), "network", "http://127.0.0.1:9 is not reached", "let"),
    ("a proxy that is away", sets(OUTGOING_PROXY="http://127.0.0.1:9"), "outgoing proxy", "127.0.0.1:9 of LASTRO_OUT", "start it"),
    ("nobody at our name", sets(PUBLIC_URL="http://127.0.0.1:9"), "public URL", "http://127.0.0.1:9 is not reached", "see DNS"),
    ("another name", sets(PUBLIC_URL="{LASTRO_PUBLIC_URL}/v1"), "public URL", "/v1/health answers 404", "Host header"),
]  # fmt: skip


@pytest.mark.parametrize(("spoil", "check", "said", "cure"), [one[1:] for one in FAULTS], ids=[one[0] for one in FAULTS])
async def test_each_fault_has_its_line_and_its_cure(
    installation: Installation, spoil: Spoil, check: str, said: str, cure: str
) -> None:
    await spoil(installation)
    (fault,) = await installation.faults()
    assert (fault.check, said in fault.says, cure in (fault.cure or "")) == (check, True, True), fault


async def test_a_server_that_is_away_is_one_fault(installation: Installation) -> None:
    installation.environment["LASTRO_DATABASE_URL"] = "postgresql://x@127.0.0.1:9/x"
    (fault,) = await installation.faults()
    assert fault.says.startswith("lastro_app, lastro_work, lastro_audit do not reach the database: ")


async def test_a_sandbox_where_none_is_installed(tmp_path: Path) -> None:
    """A production install whose LASTRO_MODE is not set."""
    (fault,) = [one async for one in doctor.examine({"LASTRO_HOME": str(tmp_path)}, None, has_sandbox=False)]
    assert (fault.check, fault.cure) == ("settings", "LASTRO_MODE=production")


async def test_it_says_every_fault_at_once(installation: Installation) -> None:
    chosen = [one for one in FAULTS if one[2] in ("files", "rights", "keys", "processes", "network", "outgoing proxy")]
    for _, spoil, *_ in chosen:
        await spoil(installation)
    found = {one.check for one in await installation.faults()}
    assert found >= {"files", "rights", "processes", "network", "outgoing proxy"}


async def test_settings_that_make_no_sense_are_all_said(tmp_path: Path) -> None:
    environment = {"LASTRO_MODE": "production", "LASTRO_HOME": str(tmp_path), "LASTRO_BRANCH": "x"}
    found = [one async for one in doctor.examine(environment, None)]
    assert {one.check for one in found} == {"settings"}
    assert any(one.says.startswith("LASTRO_KEYS_FILE is not set") for one in found)
    assert any(one.says.startswith("LASTRO_BRANCH must be") for one in found)


async def test_two_clocks_that_differ(own_database: Any) -> None:
    app = Database(Dsn(own_database.app.url, own_database.app.role))
    try:
        found = [one async for one in of_server(read({}), app, app, lambda: time.time() + 60)]
    finally:
        await app.close()
    (fault,) = [one for one in found if one.state == "failed"]
    assert (fault.check, fault.says[:20]) == ("clock", "the database's is 60")


@in_one_test(
    ("gauges", "said"),
    [
        (Gauges(), None),
        (Gauges(due={"inbox": (3, 299.0)}), None),
        (Gauges(due={"inbox": (3, 600.0)}), "3 of inbox are due, the oldest for 10 minutes"),
        (Gauges(waiting={"unnumbered": (7, 90.0)}), "7 events wait for their number, the oldest for 2 minutes"),
        (Gauges(laws=(("each_balance_is_its_transfers", 2, NOW.timestamp()),)), "each_balance_is_its_transfers is broken 2 times"),
        (Gauges(laws=(("a", 0, (NOW - timedelta(hours=30)).timestamp()),)), None),
        (Gauges(laws=(("a", 0, (NOW - timedelta(hours=40)).timestamp()),)), "a was not read last night"),
        (Gauges(partners=(("ted", True), ("card", False))), "ted takes nothing now"),
        (Gauges(banks=(BankRecord("efi1", 9000.0, 0, 0, 0, None, None),)), "efi1 was last polled 2 hours ago"),
    ],
)  # fmt: skip
def test_what_is_late(gauges: Gauges, said: str | None) -> None:
    found = [one.says for one in of_backlog(gauges, NOW, reads_laws=True) if one.state == "failed"]
    assert found == ([] if said is None else [said])


@in_one_test(
    ("free", "total", "state"),
    [(50, 100, "passed"), (5, 100, "failed"), (0, 100, "failed"), (200, 1000, "passed"), (90, 1000, "failed")],
)
def test_room_on_a_disk(free: int, total: int, state: str) -> None:
    assert of_room(free * 1024**3, total * 1024**3, Path("/x")).state == state


@in_one_test(("hours", "state"), [(1, "passed"), (25, "passed"), (27, "failed"), (None, "failed")])
def test_the_newest_backup(tmp_path: Path, hours: int | None, state: str) -> None:
    folder = tmp_path / str(hours)
    folder.mkdir()
    for age in (hours, 400) if hours is not None else ():
        (folder / str(age)).mkdir()
        record = {
            "format": 1, "lastro": "0.1.0", "madeAt": (NOW - timedelta(hours=age)).isoformat(), "mode": "production",
            "database": "lastro", "server": "15.1", "major": 15, "migrations": [], "keys": [], "size": 1, "files": 1,
            "manifestSha256": hashlib.sha256(b"{}").hexdigest(),
        }  # fmt: skip
        (folder / str(age) / "lastro.json").write_text(json.dumps(record))
        (folder / str(age) / "data").mkdir()
        (folder / str(age) / "data" / "backup_manifest").write_bytes(b"{}")
    assert of_backups(folder, NOW).state == state


@pytest.mark.parametrize(
    ("statuses", "days", "is_trusted", "said"),
    [
        ({"/health": 200}, 90, True, None),
        ({"/health": 200}, 3, True, "ends in "),
        ({"/health": 200}, 90, False, "its certificate is refused: self-signed certificate"),
        ({"/health": 503}, 90, True, "/health answers 503"),
        ({"/health": 200, "/metrics": 200}, 90, True, "/metrics shows figures to the world"),
    ],
)
async def test_the_way_in(tmp_path: Path, statuses: dict[str, int], days: int, is_trusted: bool, said: str | None) -> None:
    made = self_signed(tmp_path / "server.pem", "127.0.0.1", until_days=days)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(made)
    trusting = ssl.create_default_context(cafile=str(made)) if is_trusted else None
    async with served(statuses, serving) as port:
        settings = replace(read({}), mode="production", public_url=f"https://127.0.0.1:{port}")
        found = [one async for one in of_the_way_in(settings, datetime.now(UTC), trusting)]
    faults = [one.says for one in found if one.state == "failed"]
    assert len(faults) == (said is not None)
    assert said is None or said in faults[0]


def test_a_line_a_finding() -> None:
    found = [passed("disk", "50 GiB"), failed("keys", "They are open.", "chmod 600 keys"), skipped("backups", "say where")]
    assert as_lines(found).splitlines() == [
        "passed   disk     50 GiB",
        "failed   keys     They are open. Cure: chmod 600 keys",
        "skipped  backups  say where",
        "1 fault; passed 1, left out 1",
    ]


def test_the_command_ends_with_one_where_there_is_a_fault(tmp_path: Path) -> None:
    said: list[str] = []
    environment = {"LASTRO_MODE": "production", "LASTRO_HOME": str(tmp_path)}
    assert doctor.perform(["--json"], environment, said.append) == 1
    assert {one["state"] for one in json.loads(said[0])} == {"failed"}


async def test_the_command_looks_again_while_a_process_starts(installation: Installation) -> None:
    class Starting(dict[str, int]):
        """The proxy's answers: nothing is behind it the first time."""

        def get(self, path: str, otherwise: Any = None) -> Any:
            return self.pop(path, None) or (200 if path == "/health" else otherwise)

    said: list[str] = []
    async with served(Starting({"/health": 502})) as port:
        environment = {**installation.environment, "LASTRO_PUBLIC_URL": f"http://127.0.0.1:{port}"}
        assert await asyncio.to_thread(doctor.perform, ["--wait", "60"], environment, said.append) == 0
    assert said[0].splitlines()[-1].startswith("no fault; ")
