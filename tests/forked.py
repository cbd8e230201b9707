"""Programs of lastro as tests start them: `python -m …` without the second and a half that loading takes each time.

Each is a process of its own, forked from one that has loaded the modules (tests/forking.py), of which each process of pytest
has one. Where a process has no descriptor (Linux alone gives them one), and where REAL_STARTS is in the environment, Python
starts each anew. docs/decisions/forked-starts.md says what differs.
"""

import asyncio
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from lastro_sandbox.child import Process

ROOT = Path(__file__).parents[1]
FORKS = hasattr(os, "pidfd_open") and not os.environ.get("REAL_STARTS")
Said = subprocess.CompletedProcess[str]
_NAMES = ("stdin", "stdout", "stderr")


class Forked:
    """A running program, with what this house uses of a `subprocess.Popen`."""

    def __init__(self, told: IO[bytes], files: Mapping[str, IO[Any]]) -> None:
        said = told.readline()
        if not said:
            raise RuntimeError("the process that forks has ended")
        self.pid = int(said)
        self.returncode: int | None = None
        self.stdin, self.stdout, self.stderr = (files.get(name) for name in _NAMES)
        self.told = told
        self._one_reads = threading.Lock()

    def poll(self) -> int | None:
        """Its status, once it has ended: what it exits with, or the number of the signal below zero."""
        return self._ended(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Its status. timeout: seconds, after which TimeoutExpired."""
        ended = self._ended(timeout)
        if ended is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
        return ended

    def send_signal(self, sig: int) -> None:
        """Nothing happens to who has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, sig)

    def kill(self) -> None:
        """kill -9."""
        self.send_signal(signal.SIGKILL)

    def _ended(self, seconds: float | None) -> int | None:
        if self.returncode is None:
            looking = select.poll()
            looking.register(self.told, select.POLLIN)
            if looking.poll(None if seconds is None else seconds * 1000):
                with self._one_reads:
                    if self.returncode is None:
                        # Nothing: the process that forks was killed, and what it forked lost its input with this one's.
                        self.returncode = int(self.told.readline() or -signal.SIGKILL)
        return self.returncode


def start(
    program: Sequence[str],
    *,
    env: Mapping[str, str],
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
    text: bool = False,
    own_session: bool = False,
    anew: bool = not FORKS,
) -> Process:
    """A program in a process of its own. program: what Python would be given; the rest as `subprocess.Popen` has it.

    anew: by Python itself, from nothing.
    """
    errors = "replace" if text else None
    if anew:
        return subprocess.Popen(
            [sys.executable, *program], env=env, stdin=stdin, stdout=stdout, stderr=stderr, text=text, errors=errors,
            start_new_session=own_session,
        )  # fmt: skip
    theirs: list[int] = []
    ours: dict[str, IO[Any]] = {}
    for number, (name, kind) in enumerate(zip(_NAMES, (stdin, stdout, stderr), strict=True)):
        if kind == subprocess.PIPE:
            ends = os.pipe()
            own, given = ends if name != "stdin" else ends[::-1]
            theirs.append(given)
            mode = ("w" if name == "stdin" else "r") + ("" if text else "b")
            ours[name] = open(own, mode, errors=errors)  # noqa: SIM115, PTH123 - closed by who asked
        elif kind == subprocess.STDOUT:
            theirs.append(os.dup(theirs[1]))
        elif kind == subprocess.DEVNULL:
            theirs.append(os.open(os.devnull, os.O_RDWR))
        else:
            theirs.append(os.dup(number if kind is None else kind))
    told, tells = os.pipe()
    asked = {"program": program, "environment": dict(env), "folder": str(Path.cwd()), "own_session": own_session}
    try:
        socket.send_fds(_nursery()[0], [json.dumps(asked).encode()], [*theirs, tells])
    finally:
        for each in (*theirs, tells):
            os.close(each)
    return Forked(open(told, "rb", buffering=0), ours)  # noqa: PTH123


def run(program: Sequence[str], *, env: Mapping[str, str], anew: bool = not FORKS) -> Said:
    """A program that ends by itself, and what it has said."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = start(program, env=env, stdin=subprocess.DEVNULL, stdout=out.fileno(), stderr=err.fileno(), anew=anew)
        status = process.wait()
        for file in (out, err):
            file.seek(0)
        return Said(list(program), status, out.read(), err.read())


class Begun:
    """A running program, with what this house uses of an `asyncio.subprocess.Process`."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.pid = process.pid
        self.stdin = process.stdin
        self.stdout: asyncio.StreamReader | None = None
        self.stderr: asyncio.StreamReader | None = None

    async def listen(self) -> None:
        """What it says is read as it comes."""
        loop = asyncio.get_running_loop()
        for name in ("stdout", "stderr"):
            file = getattr(self._process, name)
            if file is not None:
                reader = asyncio.StreamReader()
                await loop.connect_read_pipe(functools.partial(asyncio.StreamReaderProtocol, reader), file)
                setattr(self, name, reader)

    @property
    def returncode(self) -> int | None:
        return self._process.poll()

    def send_signal(self, sig: int) -> None:
        self._process.send_signal(sig)

    def kill(self) -> None:
        self._process.kill()

    async def wait(self) -> int:
        """Its status, once it has ended."""
        return await asyncio.to_thread(self._process.wait)

    async def communicate(self, said: bytes = b"") -> tuple[bytes, bytes]:
        """What it says and its complaints, to their ends; said: a few bytes on its standard input, which then ends."""
        if self.stdin is not None:
            with suppress(BrokenPipeError):
                self.stdin.write(said)
                self.stdin.close()
        out, err = await asyncio.gather(*(reader.read() if reader else _nothing() for reader in (self.stdout, self.stderr)))
        await self.wait()
        return out, err


async def begin(
    program: Sequence[str],
    *,
    env: Mapping[str, str],
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
) -> Begun:
    """As start, for who waits in a loop."""
    begun = Begun(start(program, env=env, stdin=stdin, stdout=stdout, stderr=stderr))
    await begun.listen()
    return begun


async def _nothing() -> bytes:
    return b""


@functools.cache
def _nursery() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Where it is asked, and itself. It ends when this process does, however that ends."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    # Whether a program's words wait in a buffer is told by its own environment.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    # -P: the folder of the program is no place to look for modules in.
    command = (sys.executable, "-P", str(ROOT / "tests" / "forking.py"))
    with theirs:
        return ours, subprocess.Popen(command, env=environment, stdin=theirs.fileno(), start_new_session=True)
