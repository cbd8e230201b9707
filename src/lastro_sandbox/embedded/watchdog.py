"""Runs PostgreSQL while somebody holds the other end of standard input.

Started by server.py as a process and a session of its own, so that neither Ctrl-C in a terminal nor kill -9 of the starter
reaches it: the kernel closes the pipe when the starter is gone, and that is the order to stop. It imports nothing but the
standard library, because it runs without site-packages to start in a few milliseconds.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from types import FrameType

_FAST_SECONDS = 8
_IMMEDIATE_SECONDS = 4
_SET_PARENT_DEATH_SIGNAL = 1
_input_ended = threading.Event()


def main() -> int:
    """Runs the command of its arguments, and answers with its exit status."""
    order = json.loads(sys.argv[1])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # A function rather than SIG_IGN, which PostgreSQL would inherit.
        signal.signal(number, _go_on)
    # Looked up now: in the child, which may be another account already, Python's own files may be out of reach.
    prctl = _prctl()

    def stop_if_we_die() -> None:
        """Asks the kernel to stop the server should this process be killed."""
        if prctl is not None:
            prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGINT)

    server = subprocess.Popen(  # noqa: S603 - server.py's own command
        order["command"],
        cwd=order["folder"],
        env=order["environment"],
        stdin=subprocess.DEVNULL,
        stdout=2,
        start_new_session=True,
        preexec_fn=stop_if_we_die,  # noqa: PLW1509 - there is one thread as yet
        **order["account"],
    )
    threading.Thread(target=_stop_at_end_of_input, args=(server,), daemon=True).start()
    status = server.wait()
    # After a crash the server is started again under its address, so the folder goes only when the starter has gone.
    if _input_ended.is_set():
        _remove(order["socket_folder"])
    return status


def _go_on(_number: int, _frame: FrameType | None) -> None:
    """Ignores a signal: only the end of input stops us."""


def _prctl() -> Callable[[int, int], object] | None:
    """Returns the kernel's prctl; only Linux has it. None where it is missing: some builds of Python lack ctypes."""
    try:
        import ctypes  # noqa: PLC0415 - where it is missing we do without

        call: Callable[[int, int], object] = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return None
    return call


def _stop_at_end_of_input(server: "subprocess.Popen[bytes]") -> None:
    # A byte means that somebody is in a hurry: no checkpoint now, recovery at the next start.
    hurry = bool(os.read(0, 1))
    _input_ended.set()
    steps = [(signal.SIGQUIT, _IMMEDIATE_SECONDS), (signal.SIGKILL, None)]
    if not hurry:
        steps.insert(0, (signal.SIGINT, _FAST_SECONDS))
    for number, patience in steps:
        server.send_signal(number)
        try:
            server.wait(patience)
        except subprocess.TimeoutExpired:
            continue
        return


def _remove(folder: str) -> None:
    try:
        for name in os.listdir(folder):  # noqa: PTH208 - pathlib would double our start-up time
            os.unlink(os.path.join(folder, name))  # noqa: PTH108, PTH118 - likewise
        os.rmdir(folder)  # noqa: PTH106 - likewise
    except OSError:  # the starter may be doing the same
        return


if __name__ == "__main__":
    sys.exit(main())
