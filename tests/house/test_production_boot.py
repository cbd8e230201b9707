"""Production as it starts: the wheel's own code on a durable database, nothing of a sandbox, and what it refuses."""

import asyncio
import base64
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal
from unittest.mock import Mock

import asyncpg
import httpx
import pytest
from tests.http_contract import holding_in_production
from tests.in_one import in_one_test

from lastro.config.settings import read
from lastro.core.db import Database, Dsn
from lastro.core.declined import StartRefused
from lastro.http_client.addresses import url_problem
from lastro.ops.durability_check import talkative, undurable
from lastro.ops.migrate import migrate
from lastro.ops.start_checks import admit
from lastro_sandbox import wiring as sandbox
from lastro_sandbox.embedded import EmbeddedServer

from .tree import ROOT

DEADLINE_SECONDS = 60.0


@dataclass(frozen=True)
class Installation:
    """The unpacked wheel, a server that keeps what it commits, and the environment of a production process."""

    wheel: Path
    server: EmbeddedServer
    folder: Path
    port: int

    def environment(self, **changed: str) -> dict[str, str]:
        host = "pay.example.com"
        told = {
            "LASTRO_MODE": "production", "LASTRO_HOME": str(self.folder), "LASTRO_PORT": str(self.port),
            "LASTRO_DATABASE_URL": self.server.dsn(), "LASTRO_DATABASE_LOGIN": "role",
            "LASTRO_KEYS_FILE": str(self.folder / "keys"), "LASTRO_PUBLIC_URL": f"https://{host}",
            "LASTRO_NETWORK_URL": "https://127.0.0.1:9", "LASTRO_NETWORK_TOKEN_FILE": str(self.folder / "network.token"),
            "LASTRO_ISPB": "12345678", "LASTRO_COMPE": "", "LASTRO_INSTITUTION_NAME": "Banco da Ana", "LASTRO_BRANCH": "1",
            "LASTRO_MED_FRAUD": "MULE_ACCOUNT",
        }  # fmt: skip
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("LASTRO_", "PYTHON"))}
        path = os.pathsep.join((str(self.wheel), sysconfig.get_paths()["purelib"], sysconfig.get_paths()["platlib"]))
        return {**inherited, "PYTHONPATH": path, **told, **changed}

    def python(self, *arguments: str, **changed: str) -> subprocess.Popen[str]:
        """A process of the wheel's code. -S: without the checkout, which is on the path of this environment."""
        return subprocess.Popen(
            [sys.executable, "-S", *arguments], env=self.environment(**changed), cwd=self.folder, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def ended(self, *arguments: str, **changed: str) -> tuple[int, str]:
        """Status and last words of a process that ends by itself."""
        process = self.python(*arguments, **changed)
        try:
            _, said = process.communicate(timeout=DEADLINE_SECONDS)
        finally:
            process.kill()
        return process.returncode, said.strip()


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    if os.environ.get("LASTRO_DATABASE_URL"):
        pytest.skip("the server of LASTRO_DATABASE_URL is not durable, and not ours to change")
    folder = tmp_path_factory.mktemp("production")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    zipfile.ZipFile(next(folder.glob("*.whl"))).extractall(folder / "wheel")
    keys = folder / "keys"
    keys.write_text(f"k1 {base64.b64encode(secrets.token_bytes(32)).decode()} current\n", encoding="utf-8")
    (folder / "network.token").write_text(secrets.token_hex(16), encoding="utf-8")
    keys.chmod(0o600)
    with tempfile.TemporaryDirectory(prefix="lastro-boot-") as home, socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", 0))
        server = EmbeddedServer.start(Path(home))
        try:
            asyncio.run(migrate(server.dsn(), mode="production"))
            yield Installation(folder / "wheel", server, folder, taken.getsockname()[1])
        finally:
            server.stop(hurry=True)


@pytest.fixture(scope="module")
def api(installation: Installation) -> Iterator[httpx.Client]:
    """The API as it runs in production, asked by the name it has there; each answer is as its document says."""
    process = installation.python("-m", "lastro.cli.main", "api")
    address = f"http://127.0.0.1:{installation.port}"
    try:
        with httpx.Client(
            base_url=address, headers={"host": "pay.example.com"}, trust_env=False, timeout=DEADLINE_SECONDS,
            event_hooks={"response": [holding_in_production]},
        ) as http:  # fmt: skip
            eventually(process, lambda: http.get("/health").status_code == 200)
            yield http
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            said, _ = process.communicate(timeout=DEADLINE_SECONDS)
        finally:
            process.kill()
    assert process.returncode == 0
    events = [json.loads(line)["event"] for line in said.splitlines()]
    assert [event for event in events if event.startswith("api.")] == ["api.started", "api.stopped"]


def eventually(process: subprocess.Popen[str], holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while True:
        assert process.poll() is None, process.communicate()
        try:
            if holds():
                return
        except httpx.HTTPError:
            pass
        assert time.monotonic() < deadline
        time.sleep(0.02)


def sandboxed_paths() -> dict[str, Mapping[str, Any]]:
    return sandbox.paths(Mock(partners={}, connections=()), Mock(), Mock(), Mock())


def test_the_installation_has_no_sandbox(installation: Installation) -> None:
    looks = "import importlib.util as u; raise SystemExit(repr([u.find_spec(n) for n in ('lastro_sandbox', 'lastro_sim')]))"
    assert installation.ended("-c", looks) == (1, "[None, None]")
    where = "import lastro; raise SystemExit(lastro.__file__)"
    assert installation.ended("-c", where)[1].startswith(str(installation.wheel))


def test_it_serves(api: httpx.Client) -> None:
    assert api.get("/health").json() == {"status": "ready"}
    assert api.get("/order/v2/account/balance").status_code == 401
    assert api.get("/.well-known/jwks.json").json()["keys"], "it has made its keys"


@in_one_test("path", sandboxed_paths(), str)
def test_no_path_of_the_sandbox_is_there(api: httpx.Client, path: str) -> None:
    never = api.get("/never/was")
    assert api.get(path).content == never.content
    for method in ("PUT", "POST", "HEAD", "DELETE"):
        answer = api.request(method, path, json={})
        assert answer.status_code == never.status_code == 404, method


def test_its_documentation_knows_no_sandbox(api: httpx.Client) -> None:
    assert 'lang="en"' in api.get("/docs/guide/operations").text, "the wheel carries the guide"
    told = api.get("/openapi.json")
    assert told.status_code == 200
    assert not set(told.json()["paths"]) & set(sandboxed_paths())
    assert "sandbox" not in " ".join(told.json()["paths"]).lower()


def test_a_name_of_the_sandbox_is_not_served(api: httpx.Client) -> None:
    assert api.get("/health", headers={"host": "pay.example.com.evil.example"}).status_code == 400
    assert api.get("/health", headers={"host": "pay.example.com", "origin": "http://evil.example"}).status_code == 403


def begun(installation: Installation, lines: int, **changed: str) -> list[str]:
    """The first lines that a worker logs, which is then ended as it should be."""
    process = installation.python("-m", "lastro.cli.main", "worker", **changed)
    assert process.stdout is not None
    try:
        said = [process.stdout.readline() for _ in range(lines)]
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=DEADLINE_SECONDS)
    finally:
        process.kill()
    assert process.returncode == 0
    return said


def test_the_worker_starts_and_warns_of_what_nobody_decided(installation: Installation) -> None:
    """A log that tells of people, and no kind of fraud to agree with: it starts all the same, behind the warnings."""
    asyncio.run(_set(installation, "ALTER ROLE lastro_app SET log_error_verbosity = verbose"))
    try:
        said = begun(installation, 3, LASTRO_MED_FRAUD="")
    finally:
        asyncio.run(_set(installation, "ALTER ROLE lastro_app RESET log_error_verbosity"))
    (log,) = [line for line in said if '"database.log_tells"' in line]
    (fraud,) = [line for line in said if '"disputes.not_decided"' in line]
    assert '"level":"warning"' in log
    assert '"level":"warning"' in fraud
    assert "log_error_verbosity is verbose" in log
    assert '"worker.started"' in said[-1]


def test_a_worker_for_which_all_is_decided_warns_of_nothing(installation: Installation) -> None:
    (first,) = begun(installation, 1, LASTRO_MED_FRAUD="", LASTRO_MED_VERDICT="DISAGREED")
    assert '"worker.started"' in first, "it is their word, not a default"


# Each command in a process forked from one that has loaded the wheel's code: what it exits with and says.
_TRIES = """
import json, os, runpy, sys, tempfile
import lastro.app.api_process, lastro.app.worker_process, lastro.cli
for command, changed in json.loads(sys.argv[1]):
    with tempfile.TemporaryFile("w+") as said:
        child = os.fork()
        if not child:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(said.fileno(), 2)
            os.environ.update(changed)
            sys.argv = ["lastro", command]
            runpy.run_module("lastro.cli.main", run_name="__main__", alter_sys=True)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        print(json.dumps([status, said.read().strip()]), flush=True)
"""


def tried(installation: Installation, cases: Sequence[tuple[str, Mapping[str, str]]]) -> list[tuple[int, str]]:
    """Status and last words of commands that end by themselves. Each case: a command, and what is changed around it."""
    process = installation.python("-c", _TRIES, json.dumps(cases))
    try:
        told, errors = process.communicate(timeout=DEADLINE_SECONDS)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    return [tuple(json.loads(line)) for line in told.splitlines()]


def test_commands_of_the_sandbox_say_that_it_is_not_there(installation: Installation) -> None:
    told = tried(installation, [("run", {}), ("demo", {})])
    assert told == [(1, "The sandbox is not part of this installation.")] * 2


def test_what_it_refuses_to_start_with(installation: Installation) -> None:
    """In one sentence, without a traceback."""
    refusals = {
        ("LASTRO_MODE", "sandbox"): "This database is for production; lastro was started for sandbox.",
        ("LASTRO_DATABASE_LOGIN", "switch"): "The database login is a superuser",
        ("LASTRO_KEYS_FILE", "/nowhere/keys"): "/nowhere/keys",
        ("LASTRO_PUBLIC_URL", "http://pay.example.com"): "LASTRO_PUBLIC_URL must begin with https://",
        ("LASTRO_CRASH_AT", "commit.sent:1"): "LASTRO_CRASH_AT must be",
    }
    cases = [(command, {name: value}) for command in ("api", "worker") for name, value in refusals]
    for (case, (status, said)), sentence in zip(
        zip(cases, tried(installation, cases), strict=True), [*refusals.values()] * 2, strict=True
    ):
        assert (status, sentence in said, len(said.splitlines())) == (1, True, 1), (case, said)


async def _set(installation: Installation, statement: str) -> None:
    connection = await asyncpg.connect(installation.server.dsn())
    await connection.execute(statement)
    await connection.close()


def test_it_does_not_start_where_commits_may_be_forgotten(installation: Installation) -> None:
    asyncio.run(_set(installation, "ALTER ROLE lastro_work SET synchronous_commit = off"))
    try:
        told = tried(installation, [("api", {}), ("worker", {})])
    finally:
        asyncio.run(_set(installation, "ALTER ROLE lastro_work RESET synchronous_commit"))
    for status, said in told:
        assert status == 1
        assert said.startswith("synchronous_commit is off for lastro_work:")
        assert len(said.splitlines()) == 1


async def admitted(database: Any, mode: Literal["sandbox", "production"]) -> None:
    app, work = Database(Dsn(database.app.url, database.app.role)), Database(Dsn(database.work.url, database.work.role))
    try:
        await admit(app, work, replace(read({}), mode=mode), None, asyncio.Event())
    finally:
        await app.close()
        await work.close()


async def test_a_server_for_tests_is_no_server_for_money(empty_database: Any) -> None:
    """The run's own server forgets what it likes: a sandbox may use it."""
    if empty_database.is_external:
        pytest.skip("what the server of LASTRO_DATABASE_URL keeps is not known")
    await migrate(empty_database.admin.url, mode="production")
    with pytest.raises(StartRefused) as refused:
        await admitted(empty_database, "production")
    assert [line.split(":")[0] for line in str(refused.value).splitlines()] == [
        "fsync is off",
        "full_page_writes is off",
        "synchronous_commit is off for lastro_app",
        "synchronous_commit is off for lastro_work",
    ]


async def test_a_sandbox_may_forget(own_database: Any) -> None:
    await admitted(own_database, "sandbox")


@pytest.mark.parametrize(
    ("name", "value", "is_wrong"),
    [
        ("fsync", "off", True), ("full_page_writes", "off", True), ("synchronous_commit", "off", True),
        ("synchronous_commit", "local", False), ("synchronous_commit", "remote_write", False),
        ("synchronous_commit", "remote_apply", False), ("synchronous_commit", "on", False),
    ],
)  # fmt: skip
def test_what_may_be_off(name: str, value: str, is_wrong: bool) -> None:
    good = {
        "role": "lastro_app", "fsync": "on", "full_page_writes": "on", "synchronous_commit": "on",
        "synchronous_standby_names": "",
    }  # fmt: skip
    said = undurable({**good, name: value})
    assert len(said) == is_wrong
    assert all(line.startswith(f"{name} is off") and line.endswith(".") for line in said)
    assert len(undurable(dict.fromkeys(good, "off"))) == 3


@pytest.mark.parametrize(
    ("standbys", "commit", "is_wrong"),
    [
        ("", "local", False), ("db2", "on", False), ("db2", "remote_apply", False), ("db2", "local", True),
        ("*", "remote_write", True),
    ],
)  # fmt: skip
def test_a_standby_has_what_is_answered(standbys: str, commit: str, is_wrong: bool) -> None:
    shown = {"role": "lastro_app", "fsync": "on", "full_page_writes": "on"}
    said = undurable({**shown, "synchronous_commit": commit, "synchronous_standby_names": standbys})
    assert [line.startswith(f"synchronous_commit is {commit} for lastro_app") for line in said] == [True] * is_wrong


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, []),
        ({"log_error_verbosity": "default"}, ["log_error_verbosity is default"]),
        ({"log_error_verbosity": "verbose"}, ["log_error_verbosity is verbose"]),
        ({"log_min_error_statement": "error"}, ["log_min_error_statement is error"]),
        ({"log_min_duration_statement": "1s"}, ["log_parameter_max_length is -1"]),
        ({"log_min_duration_statement": "1s", "log_parameter_max_length": "0"}, []),
        ({"log_statement": "mod"}, ["log_parameter_max_length is -1"]),
        ({"log_statement": "all", "log_parameter_max_length": "1kB"}, ["log_parameter_max_length is 1kB"]),
        ({"log_statement": "ddl"}, []),
    ],
    ids=lambda value: " ".join(map("=".join, value.items())) if isinstance(value, dict) else "",
)
def test_what_lets_people_into_the_servers_log(changed: dict[str, str], told: list[str]) -> None:
    """As PostgreSQL shows them: nothing is logged of statements that went well, and all that was sent if they are."""
    quiet = {
        "log_error_verbosity": "terse", "log_min_error_statement": "panic", "log_parameter_max_length": "-1",
        "log_statement": "none", "log_min_duration_statement": "-1",
    }  # fmt: skip
    assert talkative({**quiet, **changed}) == told


@pytest.mark.parametrize(
    "url",
    ["http://shop.example.com/hook", "https://127.0.0.1/hook", "https://localhost/hook", "https://[::1]/hook",
     "https://10.0.0.1/hook", "https://169.254.169.254/latest", "https://shop.example.com:99999/", "ftp://shop.example.com/"],
)  # fmt: skip
def test_a_webhook_goes_by_https_to_the_world_alone(url: str) -> None:
    assert url_problem(url, sandbox=False) is not None
    assert url_problem("https://shop.example.com/hook", sandbox=False) is None
