"""A company's own bank, whole: its code, its payment found by polling, its refund, as `lastro demo bank` plays it."""

import asyncio
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import lent

from lastro_sandbox.demo import demo

from .conftest import playing
from .stage import StageAtBank


@pytest.fixture
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StageAtBank]:
    for database in lent(request, "clone", secrets.token_hex(4)):
        made = StageAtBank(tmp_path / "home", database.admin.url, is_external=database.is_external)
        try:
            asyncio.run(made.open())
            yield made
        finally:
            made.close()


async def test_the_banks_scene_goes_well(stage: StageAtBank) -> None:
    said: list[str] = []
    async with playing(stage):
        assert (
            await demo(
                stage.sandbox, stage.dsn("lastro_audit"), lambda line: said.append(str(line)), ["bank", "bank-subscription"]
            )
            == 0
        ), said
    assert "WRONG" not in "".join(said)
