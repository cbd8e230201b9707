"""A process that has loaded lastro and starts nothing of it: each program that a test asks for is forked from it.

`python -m lastro.cli.main api` takes a second and a half of a core before its first own line, and the tests start hundreds of such
processes. Here the modules are loaded once. What is forked then does what `python -m` does, by runpy: the same arguments,
environment, folder and standard files, a session of its own, and none of this process's descriptors. It reads its settings,
configures its log and opens its loop itself, since nothing of that is done when a module is loaded.

It is started by tests/forked.py with one socket as its standard input, on which it is asked; it ends when that does.
"""

import contextlib
import gc
import importlib
import io
import json
import os
import runpy
import select
import socket
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lastro.standards import qrcode

# What the programs load, and not the programs: those are run as they are when Python is told to run them.
LOADED = (
    "lastro.app.api_process",
    "lastro_tools.certify",
    "lastro.cli",
    "lastro_tools.events",
    "lastro.cli.reconcile",
    "lastro.observability.logs",
    "lastro.config.settings",
    "lastro.timeline.by_id",
    "lastro.ops.verify",
    "lastro.app.worker_process",
    "lastro_sandbox.clock",
    "lastro_sandbox.tutorial",
    "lastro_sandbox.wiring",
    "lastro_sim.application",
    "lastro_sim.api_pix.listener",
    "litestar.plugins.attrs",
    "litestar.plugins.pydantic",
    "uvicorn.lifespan.on",
    "uvicorn.protocols.http.h11_impl",
    "uvicorn.protocols.http.httptools_impl",
    "uvloop",
)
LARGEST_REQUEST = 1 << 17
DESCRIPTORS = 4  # standard input, output and errors of a program, and where its end is told


class Nursery:
    """Waits for what it is asked, and for the ends of what it has forked."""

    def __init__(self, asked: socket.socket) -> None:
        self._asked = asked
        self._poll = select.poll()
        self._poll.register(asked, select.POLLIN)
        self._living: dict[int, int] = {}  # by each process's descriptor, where its end is told

    def next_program(self) -> Mapping[str, Any] | None:
        """Returns in each process that is forked, with what that is to run; here when nobody asks any more, with None."""
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor != self._asked.fileno():
                    self._bury(descriptor)
                    continue
                said, given, _, _ = socket.recv_fds(self._asked, LARGEST_REQUEST, DESCRIPTORS)
                if not said:
                    return None
                *standard, told = given
                assert threading.active_count() == 1, "a thread would be lost in what is forked"
                number = os.fork()
                if not number:
                    self._asked.detach()  # closed below with all others, and not once more when it is forgotten
                    _take(standard)
                    request: Mapping[str, Any] = json.loads(said)
                    return request
                for each in standard:
                    os.close(each)
                own = os.pidfd_open(number)
                self._living[own] = told
                self._poll.register(own, select.POLLIN)
                os.write(told, b"%d\n" % number)

    def _bury(self, own: int) -> None:
        """Its number stays taken until its end is told, so that nobody signals another's."""
        told = self._living.pop(own)
        self._poll.unregister(own)
        ended = os.waitid(os.P_PIDFD, own, os.WEXITED | os.WNOWAIT)
        assert ended is not None
        status = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
        with contextlib.suppress(BrokenPipeError):  # who asked for it may be gone
            os.write(told, b"%d\n" % status)
        os.waitid(os.P_PIDFD, own, os.WEXITED)
        os.close(own)
        os.close(told)


def _take(standard: list[int]) -> None:
    """The standard files are the program's; whatever else is open belongs to this process."""
    for number, given in enumerate(standard):
        os.dup2(given, number)
    os.closerange(len(standard), max(int(each.name) for each in Path("/proc/self/fd").iterdir()) + 1)


def become(asked: Mapping[str, Any]) -> None:
    """Runs a program to its end, as Python runs what stands behind its own name on a command line."""
    if asked["own_session"]:
        os.setsid()
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    if os.environ.get("PYTHONUNBUFFERED"):
        for name, number in (("stdout", 1), ("stderr", 2)):
            kept = getattr(sys, name)
            raw = io.FileIO(number, "w", closefd=False)
            setattr(sys, name, io.TextIOWrapper(raw, kept.encoding, kept.errors, write_through=True))
    program = asked["program"]
    if program[0] == "-m":
        sys.path.insert(0, asked["folder"])
        sys.argv = [program[1], *program[2:]]
        runpy.run_module(program[1], run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, str(Path(program[0]).parent))
        sys.argv = list(program)
        runpy.run_path(program[0], run_name="__main__")


def main() -> None:
    """Loads, waits, and in what is forked becomes a program."""
    for name in LOADED:
        importlib.import_module(name)
    qrcode.prepare()  # tables, the same in every process
    gc.collect()
    gc.freeze()  # pages that nobody writes to stay shared
    asked = Nursery(socket.socket(fileno=os.dup(0))).next_program()
    if asked is not None:
        become(asked)


if __name__ == "__main__":
    main()
