"""`lastro events`: what it may be told, and to whom it gives a client's secret."""

import json
from pathlib import Path
from typing import Any

import pytest

from lastro.cli import CommandFailed
from lastro_tools.events import access, perform
from lastro_tools.events.command import syntax

SANDBOX = {
    "baseUrl": "http://127.0.0.1:8080", "clientId": "lc_sandbox", "clientSecret": "lsk_sandbox", "webhookSecret": "whsec_AAAA",
}  # fmt: skip
LIST = ("list",)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "sandbox.json").write_text(json.dumps(SANDBOX))
    (tmp_path / "secret").write_text("lsk_of_a_file\n")
    return tmp_path


def found(home: Path, *words: str, **environment: str) -> tuple[str, str, str, bool]:
    """Where it would go, as whom, by which secret, and whether with the sandbox's webhook secret."""
    given = syntax().parse_args([*LIST, *(word.replace("HOME", str(home)) for word in words)])
    told = {name: value.replace("HOME", str(home)) for name, value in environment.items()}
    one = access.found(given, {"LASTRO_HOME": str(home)} | told)
    return one.url, one.client_id, one.client_secret.reveal(), one.webhook_secret is not None


@pytest.mark.parametrize(
    ("words", "environment", "expected"),
    [
        ((), {}, ("http://127.0.0.1:8080", "lc_sandbox", "lsk_sandbox", True)),
        (("--api", "http://127.0.0.1:8080/"), {}, ("http://127.0.0.1:8080", "lc_sandbox", "lsk_sandbox", True)),
        (
            ("--client", "lc_own", "--client-secret-file", "HOME/secret"), {},
            ("http://127.0.0.1:8080", "lc_own", "lsk_of_a_file", False),
        ),
        (
            ("--api", "https://pay.example.com"), {"LASTRO_CLIENT_ID": "lc_own", "LASTRO_CLIENT_SECRET": "lsk_own"},
            ("https://pay.example.com", "lc_own", "lsk_own", False),
        ),
        (
            (),
            {
                "LASTRO_API_URL": "https://pay.example.com/", "LASTRO_CLIENT_ID": "lc_own",
                "LASTRO_CLIENT_SECRET_FILE": "HOME/secret", "LASTRO_CLIENT_SECRET": "lsk_not_this",
            },
            ("https://pay.example.com", "lc_own", "lsk_of_a_file", False),
        ),
        (
            ("--api", "http://[::1]:8080", "--client", "lc_own"), {"LASTRO_CLIENT_SECRET": "lsk_own", "LASTRO_API_URL": "https://x"},
            ("http://[::1]:8080", "lc_own", "lsk_own", False),
        ),
    ],
)  # fmt: skip
def test_what_is_said_comes_before_the_environment_and_that_before_the_sandbox(
    home: Path, words: tuple[str, ...], environment: dict[str, str], expected: tuple[str, str, str, bool]
) -> None:
    assert found(home, *words, **environment) == expected


def test_a_receiver_beside_it_reads_the_same_secret(home: Path) -> None:
    """The variables of `lastro sandbox env` are those of a receiver, too."""
    given = syntax().parse_args(["forward", "http://127.0.0.1:3000"])
    client = {"LASTRO_CLIENT_ID": "lc_own", "LASTRO_CLIENT_SECRET": "lsk_own"}
    for beside in ({}, client):
        one = access.found(given, {"LASTRO_HOME": str(home), "LASTRO_WEBHOOK_SECRET": "whsec_told", **beside})
        assert one.told_secret is not None
        assert one.told_secret.reveal() == "whsec_told"
        assert access.found(given, {"LASTRO_HOME": str(home), **beside}).told_secret is None


@pytest.mark.parametrize(
    ("words", "environment", "why"),
    [
        (("--api", "https://evil.example"), {}, "Say which client"),
        (("--api", "http://127.0.0.1:8081"), {}, "Say which client"),
        ((), {"LASTRO_API_URL": "https://pay.example.com"}, "Say which client"),
        (("--client", "lc_own"), {}, "Say where the client's secret is"),
        (("--client", "lc_own", "--client-secret-file", "HOME/none"), {}, "cannot be read from"),
        (("--api", "http://pay.example.com", "--client", "lc_own"), {"LASTRO_CLIENT_SECRET": "x"}, "in the open"),
        (("--api", "http://10.0.0.1", "--client", "lc_own"), {"LASTRO_CLIENT_SECRET": "x"}, "in the open"),
        (("--api", "http://127.0.0.1.example.com"), {}, "in the open"),
        (("--api", "pay.example.com"), {}, "no address of an API"),
        (("--api", "https://a:b@pay.example.com"), {}, "no address of an API"),
        (("--api", "https://pay.example.com?x=1"), {}, "no address of an API"),
        (("--api", "https://pay.example.com:port"), {}, "no address of an API"),
        ((), {"LASTRO_HOME": "HOME/elsewhere"}, "No running sandbox was found"),
    ],
)
def test_a_secret_goes_nowhere_else(home: Path, words: tuple[str, ...], environment: dict[str, str], why: str) -> None:
    with pytest.raises(CommandFailed, match=why) as declined:
        found(home, *words, **environment)
    assert str(declined.value).endswith(".")
    assert "lsk_" not in str(declined.value)


@pytest.mark.parametrize(
    "words",
    [
        (), ("follow",), ("show",), ("resend",), ("resend", "--json"), ("resend", "an-id", "--status", "FAILED"),
        ("list", "--limit", "0"), ("list", "--limit", "many"), ("list", "--sort", "up"), ("tail", "--after", "-1"),
        ("tail", "--after", "x"), ("tail", "--status", "FAILED"), ("forward",), ("resend", "x", "--per-minute", "0"),
    ],
)  # fmt: skip
def test_what_is_no_command_ends_with_two(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        perform(words, {}, print)
    assert ended.value.code == 2
    assert "usage: lastro events" in capsys.readouterr().err


def test_a_no_is_a_sentence_on_standard_error(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said: list[Any] = []
    assert perform(("list", "--api", "https://evil.example"), {"LASTRO_HOME": str(home)}, said.append) == 1
    assert (said, capsys.readouterr().err.count("\n")) == ([], 1)


def test_a_sandbox_that_cannot_be_read_is_named(home: Path) -> None:
    (home / "sandbox.json").write_text("{")
    with pytest.raises(CommandFailed, match="cannot be read"):
        found(home)
