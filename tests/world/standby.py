"""A PostgreSQL server and its synchronous standby, as docs/failover/cluster.sh builds them, for one test alone."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import aiohttp
import pytest
from tests.journeys.stage import reserved_port

SCRIPT = Path(__file__).parents[2] / "docs/failover/cluster.sh"
PROGRAMS = ("etcd", "patroni", "/usr/lib/postgresql/15/bin/postgres")
_MEMORY = Path("/dev/shm")
_INSTALLED_WITHIN_SECONDS = 300
_STOPS_WITHIN_SECONDS = 20


class Cluster:
    """address: what LASTRO_DATABASE_URL is. Servers are 1, the first primary, and 2."""

    def __init__(self, script: "subprocess.Popen[str]", ports: list[int]) -> None:
        self._script = script
        self._ports = ports
        word, _, self.address = self._line().partition(" ")
        assert word == "ready", f"the cluster did not come up: {word} {self.address}"

    def order(self, words: str) -> None:
        """Has the script do something and waits until it is done: `kill 1`, `start 1`."""
        assert self._script.stdin is not None
        self._script.stdin.write(words + "\n")
        self._script.stdin.flush()
        assert self._line().startswith("done ")

    async def is_standby(self, server: int) -> bool:
        """Whether Patroni has it as the synchronous standby."""
        url = f"http://127.0.0.1:{self._ports[3 + server]}/synchronous"
        try:
            async with aiohttp.ClientSession(trust_env=False) as http, http.get(url) as answer:
                return answer.status == 200
        except aiohttp.ClientError:
            return False

    def _line(self) -> str:
        assert self._script.stdout is not None
        return self._script.stdout.readline().strip()


def _missing() -> str:
    """What is not there yet of the programs, and of the account that PostgreSQL runs as where we are root."""
    lacking = [program for program in PROGRAMS if shutil.which(program) is None]
    with suppress(KeyError):
        pwd.getpwnam("postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name)
        return ", ".join(lacking)
    return ", ".join([*lacking, "the account postgres"])


@contextmanager
def cluster() -> Iterator[Cluster]:
    """The script ends with its input, so that nothing outlives this process however it ends."""
    deadline = time.monotonic() + (_INSTALLED_WITHIN_SECONDS if os.environ.get("CI") else 0)
    while missing := _missing():
        if time.monotonic() > deadline:
            assert not os.environ.get("CI"), f"{missing} not installed, and .ci/run installs them"
            pytest.skip(f"{missing} not installed: apt-get install patroni etcd-server python3-etcd postgresql-15")
        time.sleep(0.2)
    # Not in pytest's folder, which only its owner may enter: PostgreSQL does not run as root.
    folder = tempfile.mkdtemp(prefix="lastro-failover-", dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None)
    taken = [reserved_port() for _ in range(6)]
    ports = [one.getsockname()[1] for one in taken]
    script = subprocess.Popen(
        [str(SCRIPT), folder, " ".join(map(str, ports))],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        yield Cluster(script, ports)
    finally:
        assert script.stdin is not None
        script.stdin.close()
        script.wait(_STOPS_WITHIN_SECONDS)
        for one in taken:
            one.close()
        shutil.rmtree(folder, ignore_errors=True)
