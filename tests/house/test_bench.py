"""What `make bench` stands on, without measuring: its settings are taken, its load programs are run and believed."""

import re
import shutil
import stat
from pathlib import Path

import pytest
from bench import pair
from bench.house import environment_of
from bench.load import closed

from lastro.config.settings import read


def test_a_house_to_measure_can_be_started(tmp_path: Path) -> None:
    environment = environment_of(tmp_path, "postgresql://lastro@127.0.0.1/lastro", 8080, 8081)
    settings = read(environment)
    assert (settings.port, settings.load.company_requests_per_minute) == (8080, 999_999)


@pytest.mark.parametrize(
    ("said", "status"),
    [("unable to connect to 127.0.0.1:1 Connection refused", 1), ("PANIC: unprotected error in call to Lua API", 0),
     ("  0 requests in 1.00s, 0.00B read", 0)],
)  # fmt: skip
async def test_a_load_that_failed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, status: int) -> None:
    """A stand-in for wrk, which is another's program, on the path before it."""
    programs = tmp_path / "bin"
    programs.mkdir()
    wrk = programs / "wrk"
    wrk.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit {status}\n", encoding="utf-8")
    wrk.chmod(wrk.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    assert shutil.which("wrk") == str(wrk)
    with pytest.raises(RuntimeError, match=re.escape(said.strip())):
        await closed(tmp_path, 1, ["GET / HTTP/1.1\r\n\r\n"], 1, 1)


def test_two_commits_are_compared_round_by_round() -> None:
    """The machine was twice as slow in the second pair of rounds; each ratio is of two rounds that followed each other."""
    names = ("PostgreSQL", "worker", "network", "API", "WAL")
    before = [dict.fromkeys(("rate", *names), value) for value in (100.0, 50.0, 100.0)]
    after = [dict.fromkeys(("rate", *names), value) for value in (150.0, 80.0, 150.0)]
    figures, line = pair.figures(dict.fromkeys(pair.KINDS, before), dict.fromkeys(pair.KINDS, after), "abc")
    assert line.startswith("pair: orders 1.50 orders16 1.50 payouts 1.50 creates 1.50 reads 1.50 postgres 1.50 ")
    assert {figure.note for figure in figures} == {"1.50 times"}


def test_a_commit_that_is_not_there_is_named() -> None:
    with pytest.raises(RuntimeError, match="fatal"):
        pair.checked_out("no-such-commit")
