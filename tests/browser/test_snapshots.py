"""The way back in time, from the console: a snapshot of a whole sandbox, and the return to it, of `lastro run` as it is."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, expect
from tests.browser.conftest import PATIENCE_MS, Window, opened
from tests.house.test_run import _free_ports, _until

_STARTED_WITHIN_SECONDS = 120.0


@dataclass
class Running:
    """What a newcomer starts by `make run`: its own database server, API, worker and simulated network."""

    home: Path
    process: subprocess.Popen[bytes]

    @property
    def sandbox(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads((self.home / "sandbox.json").read_text())
        return told


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    port, simulator_port = _free_ports()
    variables = {k: v for k, v in os.environ.items() if not k.startswith("LASTRO_")}
    variables |= {"LASTRO_HOME": str(tmp_path / "home"), "LASTRO_PORT": str(port), "LASTRO_SIM_PORT": str(simulator_port)}
    log = tmp_path / "run.out"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "lastro.cli.main", "run"], env=variables, stdin=subprocess.DEVNULL,
            stdout=output, stderr=output, process_group=0,
        )  # fmt: skip
    made = Running(tmp_path / "home", process)
    try:
        _until(
            lambda: (made.home / "sandbox.json").exists() or process.poll() is not None,
            log.read_text,
            _STARTED_WITHIN_SECONDS,
        )
        assert process.poll() is None, log.read_text()
        yield made
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


async def listed(window: Window) -> int:
    """How many orders the console lists."""
    await window.go("/console/orders")
    return await window.page.locator("table.list tbody tr").count()


async def test_there_and_back(running: Running, chromium: Browser) -> None:
    """What came after the snapshot is gone, the clock says what it said, and whoever was signed in still is."""
    async with opened(chromium, running.sandbox["baseUrl"], locale="en-US") as window:
        page = window.page
        await window.at_the_console(running)
        before = await listed(window)
        await window.go("/console/sandbox")
        await page.fill("#name", "before-the-order")
        await page.click("form[action='/console/sandbox/snapshots'] button.main")
        # Everything stops for it, the page's own server too; it asks again until somebody answers.
        await expect(page.locator("#job [role=status]")).to_have_text("Done", timeout=PATIENCE_MS)
        window.failed.clear()  # while nobody was there, each asking failed
        await window.is_clean()
        await window.go("/start")
        await page.click("form.asks button.main")
        await page.wait_for_url("**/start/orders/*")
        assert await listed(window) == before + 1
        await window.go("/console/sandbox/snapshots/before-the-order")
        await window.is_clean()
        await page.click("form[action$='/restore'] button.main")
        await expect(page.locator("#job [role=status]")).to_have_text("Done", timeout=PATIENCE_MS)
        assert await listed(window) == before
        await window.go("/console/sandbox/snapshots/before-the-order")
        await page.click("form[action$='/forget'] button")
        await expect(page.locator("main")).to_contain_text("No snapshots.")
