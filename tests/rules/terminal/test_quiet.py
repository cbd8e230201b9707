"""What --quiet leaves to be read."""

import sys

import pytest

from lastro.terminal.progress import Progress
from lastro.terminal.quiet import quietly


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Progress, "is_hidden", False)


@pytest.mark.parametrize(
    ("words", "status", "seen", "out", "is_hidden"),
    [
        (["verify"], 0, ["verify"], "92 laws\n", False),
        (["verify", "--quiet"], 0, ["verify"], "", True),
        (["--quiet", "verify"], 0, ["verify"], "", True),
        (["--quiet", "verify"], None, ["verify"], "", True),
        (["--quiet", "verify"], 1, ["verify"], "92 laws\n", True),
        (["verify", "--quiet"], "It could not.", ["verify"], "92 laws\n", True),
        (["verify", "--quiet", "--help"], 0, ["verify", "--help"], "92 laws\n", True),
        (["company", "list", "--quiet"], 0, ["company", "list"], "92 laws\n", True),
        (["company", "add", "--", "--quiet"], 0, ["company", "add", "--", "--quiet"], "92 laws\n", False),
    ],
)
def test_what_went_well_is_not_said(
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    status: str | int | None,
    seen: list[str],
    out: str,
    is_hidden: bool,
) -> None:
    got: list[list[str]] = []

    def perform(given: list[str]) -> str | int | None:
        got.append(given)
        sys.stdout.write("92 laws\n")
        return status

    assert (quietly(words, perform, {"verify"}) or 0) == (status or 0)
    assert (got, capsys.readouterr().out, Progress.is_hidden) == ([seen], out, is_hidden)


def test_a_command_that_breaks_off_has_said_all(capsys: pytest.CaptureFixture[str]) -> None:
    def perform(_: list[str]) -> int:
        sys.stdout.write("applied 0001\n")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        quietly(["migrate", "--quiet"], perform, {"migrate"})
    assert capsys.readouterr().out == "applied 0001\n"
