"""A certificate that the bank does not accept: the simulated bank breaks the connection of TLS 1.3, and sends no alert."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.self_signed import self_signed
from tests.sim.stage import running

from lastro.cli import bank_trials
from lastro.rails.api_pix import BankLine, SetUpWrongly
from lastro_sim.api_pix import listener
from lastro_sim.api_pix.customers import DEMO

from .api_pix_branch import RAIL
from .test_bank_trials import Desk


@pytest.fixture
async def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> AsyncIterator[Desk]:
    async with running(tmp_path / "sim", bank_port=0) as sim, listener.listening(sim.network, "127.0.0.1"):
        yield Desk(sim, tmp_path, monkeypatch, capsys)


def stranger(folder: Path) -> str:
    """A certificate that no bank has signed, as a file of connections names it."""
    path = self_signed(folder / "stranger.pem", DEMO.client_id, until_days=60.0)
    path.chmod(0o600)
    return json.dumps(str(path))


async def test_the_check_says_that_the_bank_refuses_our_certificate(desk: Desk, tmp_path: Path) -> None:
    rows = {row["check"]: row for row in await desk.types("check", RAIL, webhook=None, secret_file=None)}
    assert rows["tls"]["state"] == rows["token"]["state"] == "passed"
    changes = {"webhook": None, "secret_file": None, "key_file": None, "certificate_file": stranger(tmp_path)}
    found = await desk.types("check", RAIL, status=1, **changes)
    (wrong,) = (row for row in found if row["state"] == "failed")
    assert (wrong["check"], wrong["says"].partition(":")[0]) == ("tls", "the bank refuses our certificate")
    assert "certificate_file" in wrong["toDo"]


async def test_a_line_tells_of_a_certificate_that_the_bank_refuses(desk: Desk, tmp_path: Path) -> None:
    (connection,) = desk.settings(certificate_file=stranger(tmp_path), key_file=None).connections
    line = BankLine(connection, bank_trials.ambient(), is_quiet=True)
    try:
        with pytest.raises(SetUpWrongly, match="certificate"):
            await line.ask("GET", "/pix", None, 5.0)
        assert line.troubles == {"certificate"}
    finally:
        await line.close()
