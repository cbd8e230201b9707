"""A program of lastro whose standard output and error nobody takes: OUTPUT in its environment says how.

Arguments: what Python would be given for the program itself.
"""

import os
import runpy
import sys
from contextlib import suppress

OUTPUT = "TEST_OUTPUT"
MANNERS = ("full", "standing", "dead")


def program(given: tuple[str, ...]) -> tuple[str, ...]:
    """The same program, with its output as the environment has it."""
    return (__file__, *given)


def output(manner: str) -> int:
    """A descriptor: of a disk that is full, of a pipe that is full and never read, of one whose reader has died."""
    if manner == "full":
        return os.open("/dev/full", os.O_WRONLY)
    reads, writes = os.pipe()
    if manner == "dead":
        os.close(reads)
        return writes
    os.set_blocking(writes, False)
    with suppress(BlockingIOError):
        while True:
            os.write(writes, b"\n" * 4096)
    os.set_blocking(writes, True)
    return writes


if __name__ == "__main__":
    os.write(1, b'{"event":"worker.started"}\n')  # the last that is heard of it
    mute = output(os.environ[OUTPUT])
    for descriptor in (1, 2):
        os.dup2(mute, descriptor)
    sys.argv = sys.argv[1:]
    if sys.argv[0] == "-m":
        sys.argv = sys.argv[1:]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(sys.argv[0], run_name="__main__")
