"""The command as it is called: what it asks, prints and ends with."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from subprocess import PIPE

import pytest
from tests import forked
from tests.rooms.tools import receivers as r

from lastro_tools.certify.checks import CERTIFICATE, DUTIES


async def lastro(
    home: Path, *arguments: str, said: str = "", environment: Mapping[str, str] | None = None
) -> tuple[int, str, str]:
    """Exit status, output, complaints of `lastro certify`. said: on standard input."""
    process = await forked.begin(
        ("-m", "lastro.cli.main", "certify", *arguments),
        env={"PATH": os.environ["PATH"], "LASTRO_HOME": str(home), **(environment or {})},
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    output, complaints = await process.communicate(said.encode())
    return process.returncode or 0, output.decode(), complaints.decode()


async def test_a_good_receiver(tmp_path: Path) -> None:
    async with r.served(r.Receiver()) as url:
        status, output, complaints = await lastro(tmp_path, url, "--secret-file", "-", "--slow", "0.1", said=r.SECRET + "\n")
    assert (status, complaints) == (0, "")
    lines = output.splitlines()
    assert lines[0].startswith(f"Certificate of {url}, ")
    assert [re.split(r"\s{2,}", line)[0] for line in lines[3:-2]] == ["SKIPPED", *["PASS"] * len(DUTIES)]
    assert lines[-1] == "20 passed, 1 not judged"
    assert r.SECRET not in output


async def test_json_of_one_with_something_to_mend(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text(r.SECRET)
    async with r.served(r.ReadsOneSignature()) as url:
        status, output, complaints = await lastro(tmp_path, url, "--secret-file", str(secret), "--slow", "0", "--json")
    assert (status, complaints) == (1, "")
    made = json.loads(output)
    assert (made["url"], made["passed"], made["toMend"], made["notJudged"]) == (url, 18, 1, 2)
    assert [duty["name"] for duty in made["duties"]] == [CERTIFICATE.name, *(duty.name for duty in DUTIES)]
    (mend,) = (duty for duty in made["duties"] if duty["verdict"] == "MEND")
    assert mend["name"] == "rotation"
    assert mend["seen"] == "1 of 2 not acknowledged: it knows the old secret: 401"
    assert "webhook-signature" in mend["mend"]


async def test_nobody_says_a_secret(tmp_path: Path) -> None:
    async with r.served(r.Receiver()) as url:
        status, output, _ = await lastro(tmp_path, url, "--slow", "0")
    assert status == 2
    assert "→ Run this again with --secret-file." in output


@pytest.mark.parametrize(
    ("url", "said", "environment", "complaint"),
    [
        ("http://127.0.0.1:1/", r.SECRET, {}, "Not reached: CONNECTION_REFUSED. "),
        ("http://127.0.0.1:8080/", r.SECRET, {}, "Not reached: ADDRESS_REFUSED. "),  # our own API's
        ("http://10.0.0.1/", r.SECRET, {}, "The address is not a public one."),
        ("http://127.0.0.1:1/", "whsec_", {}, "That is no webhook secret: one is whsec_ and base64."),
        ("http://127.0.0.1:1/", "swordfish", {}, "That is no webhook secret: one is whsec_ and base64."),
        ("http://127.0.0.1:1/", r.SECRET, {"LASTRO_PORT": "x"}, "LASTRO_PORT must be"),
    ],
)
async def test_what_cannot_be_judged(
    tmp_path: Path, url: str, said: str, environment: Mapping[str, str], complaint: str
) -> None:
    status, output, complaints = await lastro(tmp_path, url, "--secret-file", "-", said=said, environment=environment)
    assert (status, output) == (2, "")
    assert complaints.startswith(complaint)
    assert said not in complaints or said == "whsec_"


async def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    status, _, complaints = await lastro(tmp_path, "http://127.0.0.1:1/", "--secret-file", str(tmp_path / "none"))
    assert (status, complaints) == (2, f"The secret cannot be read from {tmp_path / 'none'}.\n")


@pytest.mark.parametrize("seconds", ["-1", "9", "soon", "nan"])
async def test_how_slow_it_may_be(tmp_path: Path, seconds: str) -> None:
    status, _, complaints = await lastro(tmp_path, "http://127.0.0.1:1/", "--slow", seconds)
    assert status == 2
    assert "must be a number of seconds from 0 to 8" in complaints
