"""What a script is told of the running sandbox: one value, or the variables of a shell."""

import json
import subprocess
from pathlib import Path

import pytest

from lastro_sandbox.commands import perform

TOLD = {
    "baseUrl": "http://127.0.0.1:8080", "simulatorUrl": "http://127.0.0.1:8090", "clientId": "lc_1_a",
    "clientSecret": "it's secret", "webhookSecret": "whsec_1",
    "accounts": [{"id": "a", "number": "000000019", "pixKey": "k"}, {"id": "b", "number": "000000027", "pixKey": "l"}],
}  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "sandbox.json").write_text(json.dumps(TOLD), encoding="utf-8")
    return tmp_path


def asked(home: Path, *words: str) -> tuple[str | int, list[str]]:
    said: list[str] = []
    return perform(words, {"LASTRO_HOME": str(home)}, said.append), said


@pytest.mark.parametrize(
    ("key", "value"), [("clientId", "lc_1_a"), ("accounts.0.pixKey", "k"), ("accounts.1.number", "000000027")]
)
def test_a_value_is_printed_as_it_is(home: Path, key: str, value: str) -> None:
    assert asked(home, "get", key) == (0, [value])
    assert asked(home, "get", key, "--json") == (0, [json.dumps(value)])


def test_a_value_that_is_not_there_is_told_what_was_meant(home: Path) -> None:
    status, said = asked(home, "get", "clientid")
    assert str(status).startswith("The sandbox has no 'clientid': did you mean clientId? There are baseUrl, ")
    assert said == []


def test_a_shell_gets_every_value_whole(home: Path) -> None:
    status, (lines,) = asked(home, "env")
    got = subprocess.run(["sh", "-c", f'{lines}\necho "$LASTRO_API_URL|$LASTRO_CLIENT_SECRET|$LASTRO_PIX_KEY"'],
                         capture_output=True, text=True, check=True)  # fmt: skip
    assert (status, got.stdout) == (0, "http://127.0.0.1:8080|it's secret|k\n")


@pytest.mark.parametrize("words", [("get", "clientId"), ("env",)])
def test_without_a_sandbox_it_says_so(tmp_path: Path, words: tuple[str, ...]) -> None:
    status, said = asked(tmp_path, *words)
    assert (str(status), said) == (f"No running sandbox was found in {tmp_path}: start one with make run.", [])
