"""The line that says how far a long work is: where somebody watches, and where nobody does."""

import os
import pty
import struct
import subprocess
import sys
import termios
from fcntl import ioctl

import pytest
from tests.in_one import in_one_test
from tests.watched import Terminal

from lastro.terminal.progress import Progress, is_shown, line

_WORK = """
from lastro.terminal.progress import Progress
now = iter(range(100))
with Progress("laws", clock=lambda: next(now)) as progress:
    say = progress.beside(print)
    progress(1, 4, "each balance is what its transfers say, and a sentence too long for a narrow terminal")
    say("holds  one")
    progress(2, 4)
"""


class _Gone(Terminal):
    def write(self, _: str) -> int:
        raise OSError("nobody is there")


@pytest.fixture(autouse=True)
def _watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def _of(**variables: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "TERM")}
    return {**kept, "TERM": "xterm", **variables}


def _at_a_terminal(columns: int, **variables: str) -> str:
    """What a terminal of so many columns is sent by the work, on standard output and error together."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([sys.executable, "-c", _WORK], stdout=theirs, stderr=theirs, env=_of(**variables)) as process:
        os.close(theirs)
        said = b""
        try:
            while part := os.read(ours, 4096):
                said += part
        except OSError:
            pass  # how Linux says that the other end is closed
        assert process.wait() == 0
    os.close(ours)
    return said.decode()


def _screen(sent: str) -> list[str]:
    """The lines that stay on the terminal."""
    return [text.rpartition("\r\x1b[K")[2] for text in sent.replace("\r\n", "\n").split("\n")]


def test_whoever_waits_at_a_terminal_sees_how_far_it_is_and_nothing_of_it_stays() -> None:
    sent = _at_a_terminal(100)
    assert "laws [######..................] 1 of 4  each balance is" in sent
    assert "laws [############............] 2 of 4" in sent
    assert _screen(sent) == ["holds  one", ""]


def test_a_line_never_breaks_in_a_narrow_terminal() -> None:
    drawn = [text for text in _at_a_terminal(40).replace("\r\n", "\r\x1b[K").split("\r\x1b[K") if "laws" in text]
    assert drawn
    assert max(len(text) for text in drawn) == 39


def test_a_pipe_gets_what_is_said_alone() -> None:
    ended = subprocess.run([sys.executable, "-c", _WORK], capture_output=True, check=True, env=_of())
    assert (ended.stdout, ended.stderr) == (b"holds  one\n", b"")


@in_one_test("variables", [{"TERM": "dumb"}, {"CI": "true"}])
def test_a_terminal_that_clears_no_line_and_a_build_server_get_none(variables: dict[str, str]) -> None:
    assert _at_a_terminal(80, **variables).replace("\r\n", "\n") == "holds  one\n"


def test_a_bar_is_no_colour() -> None:
    assert is_shown({"NO_COLOR": "1", "TERM": "xterm"}.get, is_terminal=True)
    assert not is_shown({"TERM": "xterm"}.get, is_terminal=False)


def test_many_small_steps_are_drawn_ten_times_a_second_at_most() -> None:
    stream, now = Terminal(), iter(n / 1000 for n in range(1000))
    progress = Progress("copied", stream, lambda: next(now))
    for percent in range(1000):
        progress(percent, 1000)
    assert stream.getvalue().count("copied") == 10


def test_of_few_steps_each_is_drawn_so_that_the_line_names_the_one_that_lasts() -> None:
    stream = Terminal()
    progress = Progress("looks", stream, lambda: 0.0)
    for number, now in enumerate(("a quick one", "a long one"), 1):
        progress(number, 2, now)
    assert [drawn.rpartition("  ")[2] for drawn in stream.drawn] == ["a quick one", "a long one"]


def test_it_is_cleared_however_the_work_ends() -> None:
    stream = Terminal()

    def work() -> None:
        with Progress("copied", stream) as progress:
            progress(1, 2)
            raise KeyError

    with pytest.raises(KeyError):
        work()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_a_terminal_that_is_gone_stops_no_work() -> None:
    with Progress("copied", _Gone()) as progress:
        progress(1, 2)
        progress(2, 2)


@in_one_test(
    ("done", "whole", "told"),
    [
        (0, 100, "copied [........................] 0 %"),
        (100, 100, "copied [########################] 100 %"),
        (7, 5, "copied [########################] 7 of 5"),
        (1200, 0, "copied 1,200"),
    ],
)
def test_what_is_not_known_has_no_bar_and_what_is_too_much_is_full(done: int, whole: int, told: str) -> None:
    assert line("copied", done, whole) == told
