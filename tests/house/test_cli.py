"""The command line as a whole: its help, completion, colours, and every command that the documentation tells of."""

import argparse
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from rich.console import Console
from tests.house.tree import ROOT

from lastro.cli import GROUPS, main
from lastro.cli.tree import grown
from lastro.terminal import colours

FENCE = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(lastro [a-z][^`]*)`")


def tree() -> argparse.ArgumentParser:
    return grown(main.root(), GROUPS)


def parsers(parser: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> dict[tuple[str, ...], argparse.ArgumentParser]:
    found = {words: parser}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                found |= parsers(below, (*words, name))
    return found


EVERY = parsers(tree())


def told() -> list[tuple[str, list[str]]]:
    """Every command of lastro in a shell fence of the documentation, and in backquotes."""
    found = []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        lines = [line for block in FENCE.findall(text) for line in block.replace("\\\n", " ").splitlines()]
        lines = [line for line in lines if re.match(r"(\S*/)?lastro [a-z]", line.strip())] + INLINE.findall(text)
        for line in lines:
            words = shlex.split(line.partition(" | ")[0].partition(" > ")[0], comments=True)
            found.append((f"{path.relative_to(ROOT)}: {line}", words[1:]))
    return found


def test_a_command_of_the_documentation_is_one() -> None:
    wrong = [f"{where}: {unknown}" for where, words in told() if (unknown := unknown_of(words))]
    assert not wrong, "\n".join(wrong)


def unknown_of(words: list[str]) -> list[str]:
    """What of these words is neither a command nor a flag of it."""
    path: tuple[str, ...] = ()
    rest = list(words)
    while rest and (*path, rest[0]) in EVERY:
        path = (*path, rest.pop(0))
    below = {one: parser for one, parser in EVERY.items() if one[: len(path)] == path}
    if not path or (len(below) > 1 and rest and re.match(r"[a-z]", rest[0])):
        return words
    flags = {flag for parser in below.values() for flag in parser._option_string_actions}
    written = [re.split(r"[=\]]", word.strip("[…"))[0] for word in rest]
    return [word for word in written if word.startswith("--") and word not in flags]


def test_what_is_no_command_is_found() -> None:
    assert unknown_of(["client", "ad", "1"])
    assert unknown_of(["client", "add", "1", "--permision", "x"]) == ["--permision"]
    assert not unknown_of(["client", "add", "1", "--permission", "x"])


def test_the_documentation_tells_of_every_command() -> None:
    said = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
    lacking = [" ".join(words) for words in EVERY if len(words) == 1 and f"lastro {words[0]}" not in said]
    assert not lacking


def test_every_command_has_its_sentence_and_every_word_its_help() -> None:
    for words, parser in EVERY.items():
        assert parser.description, words
        for action in parser._actions:
            assert action.help or not action.option_strings, (words, action.option_strings)


@pytest.mark.parametrize("words", [[], ["help"]])
def test_the_overview_names_every_command_once(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main.main(words)
    overview = capsys.readouterr().out
    assert ended.value.code == 0
    for (name,) in (words for words in EVERY if len(words) == 1):
        assert len(re.findall(rf"^  {name}  ", overview, re.MULTILINE)) == 1, name


def test_bash_completes_commands_and_their_flags(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main.main(["completion", "bash"])
    script = tmp_path / "completion"
    script.write_text(capsys.readouterr().out)
    asked = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shtab_lastro; echo "${COMPREPLY[@]}"
"""

    def completed(*words: str) -> list[str]:
        command = ["bash", "-c", asked, "bash", str(script), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    assert completed("lastro", "cli") == ["client"]
    assert {"add", "rotate-secret", "revoke"} <= set(completed("lastro", "client", ""))
    assert {"--day", "--rail"} <= set(completed("lastro", "reconcile", "--"))
    assert "--no-follow" in completed("lastro", "events", "tail", "--")


def test_whoever_has_seen_enough_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-m", "lastro.cli.main", "completion", "bash"]
        ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    ("environment", "is_terminal", "plain"),
    [({}, True, False), ({}, False, True), ({"NO_COLOR": "1"}, True, True), ({"NO_COLOR": ""}, True, False),
     ({"TERM": "dumb"}, True, True), ({"TERM": "xterm"}, True, False)],
)  # fmt: skip
def test_colours_are_for_terminals_that_want_them(environment: dict[str, str], is_terminal: bool, plain: bool) -> None:
    assert colours.is_plain(environment.get, is_terminal=is_terminal) is plain


def test_words_of_state_have_their_colour_and_nothing_else_is_read() -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system="standard", width=20)
    colours.shaded(console).print("PAID [bold]x[/bold] UNPAID broken :smile:", markup=False, emoji=False, soft_wrap=True)
    assert out.getvalue() == "\x1b[32mPAID\x1b[0m [bold]x[/bold] UNPAID \x1b[1;31mbroken\x1b[0m :smile:\n"


@pytest.mark.parametrize(("old", "new"), main._OLD_NAMES.items())
def test_an_old_name_works_and_says_the_new_one(capsys: pytest.CaptureFixture[str], old: str, new: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main.main([old, "--help"])
    printed = capsys.readouterr()
    assert (ended.value.code, f"lastro {new}" in printed.out, f"lastro {new}" in printed.err) == (0, True, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("verfy",), "lastro: error: there is no command 'verfy': did you mean verify?"),
        (("xyzzy",), "lastro: error: there is no command 'xyzzy'; lastro --help lists them"),
        (("--versio",), "lastro: error: there is no option --versio: did you mean --version?"),
        (("--xyzzy", "verify"), "lastro: error: there is no option --xyzzy; lastro --help lists them"),
        (("--json", "verify"), "lastro: error: there is no option --json; lastro --help lists them"),
        (("-x",), "lastro: error: there is no option -x; lastro --help lists them"),
        (("verify", "-x"), "lastro verify: error: there is no option -x; lastro verify --help lists them"),
        (("client", "ad", "1"), "lastro client: error: there is no command 'ad': did you mean add?"),
        (
            ("client", "add", "1", "shop", "--permision=x"),
            "lastro client add: error: there is no option --permision: did you mean --permission?",
        ),
        (("verify", "--movng"), "lastro verify: error: there is no option --movng: did you mean --moving?"),
        (("verify", "--xyzzy"), "lastro verify: error: there is no option --xyzzy; lastro verify --help lists them"),
        (("era", "begn"), "lastro era: error: there is no command 'begn': did you mean begin?"),
        (("events", "lst"), "lastro events: error: there is no command 'lst': did you mean list?"),
        (("certify", "--slwo", "3", "http://x"), "lastro certify: error: there is no option --slwo: did you mean --slow?"),
        (("reconcile", "--dya", "2026-11-22"), "lastro reconcile: error: there is no option --dya: did you mean --day?"),
        (
            ("account", "limits", "1", "--method", "PXI"),
            "lastro account limits: error: argument --method: 'PXI' is none of PIX, TED: did you mean PIX?",
        ),
    ],
)
def test_a_mistyped_word_is_told_what_was_meant(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main.main(words)
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out, printed.err.splitlines()[-1]) == (2, "", said)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("proxys", "No setting has 'proxys' in its name: did you mean LASTRO_PROXIES?"),
        ("LASTRO_DATABSE_URL", "No setting has 'LASTRO_DATABSE_URL' in its name: did you mean LASTRO_DATABASE_URL?"),
        ("xyzzy", "No setting has 'xyzzy' in its name."),
    ],
)
def test_a_setting_that_is_none_is_told_what_was_meant(word: str, said: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main.main(["settings", word])
    assert ended.value.code == said


def test_it_says_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main.main(["--version"])
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert (ended.value.code, capsys.readouterr().out) == (0, f"lastro {known}\n")
