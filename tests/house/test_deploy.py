"""What docs/install.md lays out fits the program: settings, units, commands, the database's roles, images."""

import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from configparser import RawConfigParser
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import yaml

from lastro.config.settings import read
from lastro.config.table import rows, unknown
from lastro.core.db import Database, Dsn
from lastro.ops.migrate import migrate
from lastro_sandbox.embedded import EmbeddedServer

from .test_cli import unknown_of
from .tree import ROOT

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
PAGE = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
SCRIPTS = ("lastro", "make-database", "make-secrets", "rehearsal-bank", "compose-database", "try-in-clean-root")


def environment(text: str) -> dict[str, str]:
    """The variables of an environment file, as systemd and a shell read it."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {name: "".join(shlex.split(value)) for name, _, value in (line.partition("=") for line in lines)}


def test_the_example_is_an_environment_of_production(tmp_path: Path) -> None:
    given = environment((DEPLOY / "lastro.env.example").read_text(encoding="utf-8"))
    assert not unknown(given)
    assert {name for name, row in rows().items() if row.is_needed and row.form != "secret"} <= set(given)
    (tmp_path / "banks.toml").write_text('[mybank]\ncompany = 1\nbase_url = "https://127.0.0.1:9"\n'
        'token_url = "https://127.0.0.1:9/token"\nclient_id = "a"\nclient_secret_file = "secret"\nissuing = false\n', encoding="utf-8")  # fmt: skip
    (tmp_path / "secret").touch(mode=0o600)
    (tmp_path / "secret").write_text("hush")
    settings = read({**given, "LASTRO_BANKS_FILE": str(tmp_path / "banks.toml")})
    assert (settings.mode, settings.database_login, settings.public_hosts) == ("production", "role", ("api.example.com",))


def unit(path: Path) -> dict[str, str]:
    parser = RawConfigParser(strict=False, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(path, encoding="utf-8")
    return dict(parser["Service"])


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_unit_runs_a_command_of_lastro_and_is_hardened_with_the_others(path: Path) -> None:
    assert path.name.startswith("lastro-"), "lastro-.service.d holds for these alone"
    command = re.search(r"/opt/lastro/current/bin/lastro ([^']*)", unit(path)["ExecStart"])
    assert command is not None
    words = [word for word in shlex.split(command[1].replace("$$", "").replace("%%", "")) if word != "--quiet"]
    assert not unknown_of([word for word in words if re.fullmatch(r"-{0,2}[a-z-]+", word)])
    hardened = unit(DEPLOY / "systemd" / "lastro-.service.d" / "10-hardening.conf")
    assert hardened["User"] == "lastro"
    assert {"NoNewPrivileges", "ProtectSystem", "CapabilityBoundingSet", "SystemCallFilter"} <= hardened.keys()


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_one(name: str) -> None:
    path = DEPLOY / name
    shell = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("#!")
    assert path.stat().st_mode & 0o111
    assert subprocess.run([shell, "-n", str(path)], capture_output=True, text=True, check=False).stderr == ""


@pytest.mark.skipif(Path("/etc/lastro/lastro.env").exists(), reason="an installation of this machine")
def test_a_command_says_what_it_lacks() -> None:
    done = subprocess.run([str(DEPLOY / "lastro"), "doctor"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
    assert "sudo lastro" in done.stderr or "lastro.env.example" in done.stderr


def test_every_file_is_told_of_on_the_page() -> None:
    told = PAGE + "".join((DEPLOY / name).read_text(encoding="utf-8") for name in (*SCRIPTS, "compose.yaml"))
    for path in (one for one in DEPLOY.iterdir() if one.name != "secrets"):
        assert path.name in told, path.name


def test_the_page_says_lastros_own_commands() -> None:
    said = re.findall(r"(?:sudo |bin/)lastro ((?!--version)[^\n\\|)]*)", PAGE)
    assert len(said) > 5
    for line in said:
        words = [word for word in shlex.split(line.partition('"$(')[0].partition("`")[0], comments=True) if word != "…"]
        assert not words or not unknown_of(words), line


def test_compose_drops_what_a_process_does_not_need() -> None:
    told = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    for name, service in told["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service.get("read_only") or name == "database", name
    assert not unknown(told["services"]["api"]["environment"])


def test_the_image_runs_as_nobody_and_says_how_it_is() -> None:
    lines = (DEPLOY / "Containerfile").read_text(encoding="utf-8").splitlines()
    bases = {line.split()[1] for line in lines if line.startswith("FROM")}
    assert len(bases) == 1
    assert re.fullmatch(r"docker\.io/library/python:\d+\.\d+\.\d+-slim-bookworm(@sha256:\w+)?", bases.pop())
    assert any(line.startswith("USER 10001") for line in lines)
    assert any(line.startswith("HEALTHCHECK") for line in lines)


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with tempfile.TemporaryDirectory(prefix="lastro-deploy-") as home:
        made = EmbeddedServer.start(Path(home))
        try:
            yield made
        finally:
            made.stop(hurry=True)


async def test_the_logins_of_the_page_have_what_they_need_and_no_more(server: EmbeddedServer) -> None:
    sql = re.sub(r"--.*", "", (DEPLOY / "database.sql").read_text(encoding="utf-8"))
    passwords = {name: f"hush-{name}" for name in re.findall(r":'(\w+)'", sql)}
    assert set(passwords) == {"app", "work", "audit", "migrate", "backup"}
    sql = re.sub(r":'(\w+)'", lambda found: f"'{passwords[found[1]]}'", sql)
    admin: Any = await asyncpg.connect(server.dsn())
    try:
        for statement in filter(None, map(str.strip, sql.split(";"))):
            await admin.execute(statement)
    finally:
        await admin.close()
    await migrate(server.dsn("lastro", "lastro_migrate"), mode="production", ispb="09089356")
    for role in ("app", "work", "audit"):
        database = Database(Dsn(server.dsn("lastro", f"lastro_{role}")), size=1)
        try:
            await database.refuse_superuser(login_too=True)
            assert await database.login_above() is None
        finally:
            await database.close()
    migrating: Any = await asyncpg.connect(server.dsn("lastro", "lastro_migrate"))
    try:
        mighty = await migrating.fetchval(
            "SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
        )
        owner = await migrating.fetchval("SELECT rolcanlogin FROM pg_roles WHERE rolname = 'lastro_owner'")
    finally:
        await migrating.close()
    assert (mighty, owner) == (False, False)
