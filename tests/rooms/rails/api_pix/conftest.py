"""A bank, lines to it, and a clock that a test moves."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from tests.authority import Authority

from lastro.rails.api_pix import BankLine

from .bank import Bank, Hand, Lined, line_to


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def bank(authority: Authority) -> Iterator[Bank]:
    made = Bank(authority)
    yield made
    made.close()


@pytest.fixture
def clock() -> Hand:
    return Hand()


@pytest.fixture
async def lined(bank: Bank, clock: Hand) -> AsyncIterator[Lined]:
    """Makes lines to the bank; all are closed at the end."""
    made = []

    def line(dialect: str = "standard", **changes: Any) -> BankLine:
        made.append(line_to(bank.connection(dialect, **changes), clock))
        return made[-1]

    yield line
    for one in made:
        await one.close()
