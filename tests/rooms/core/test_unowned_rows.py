"""Names that lead to nothing are taken away, and no other."""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
from tests.cast import Cast

from lastro.core import failpoints
from lastro.core.db import Database
from lastro.core.reference_rows import alone
from lastro.core.unowned_rows import WAIT_SECONDS, UnownedRows

_LEFT = """
INSERT INTO own_keys (key, company_id, account_id) VALUES ('left@example.com', $1, $2)
"""


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


@pytest.fixture
async def cast(own_database: Any) -> AsyncIterator[Cast]:
    made = Cast.of(own_database.app, size=2)
    yield made
    await made.close()


@pytest.fixture
async def work(own_database: Any) -> AsyncIterator[Any]:
    made = Database(own_database.work, size=1)
    yield made
    await made.close()


async def _keys(own_database: Any) -> set[str]:
    admin = await own_database.connect()
    try:
        return {key for (key,) in await admin.fetch("SELECT key FROM own_keys")}
    finally:
        await admin.close()


async def test_a_name_that_leads_to_nothing_is_taken_away_when_two_looks_have_seen_it(
    own_database: Any, cast: Cast, work: Any, clock: _Clock
) -> None:
    ana = await cast.ana()
    kept = await _keys(own_database)
    async with cast.database.session() as session:
        await session.fetch(_LEFT, ana.company_id, ana.account_id)
    rows = UnownedRows(cast.database, work, clock)
    assert not await rows.look()
    assert rows.has_seen
    clock.now += WAIT_SECONDS - 1
    assert not await rows.look()
    clock.now += 1
    (taken,) = await rows.look()
    assert (taken.table, taken.name, taken.company_id) == ("own_keys", "left@example.com", ana.company_id)
    assert await _keys(own_database) == kept
    assert not await rows.look()
    assert not rows.has_seen


async def test_one_that_is_there_again_is_looked_at_anew(own_database: Any, cast: Cast, work: Any, clock: _Clock) -> None:
    ana = await cast.ana()
    rows = UnownedRows(cast.database, work, clock)
    for _ in range(2):
        async with cast.database.session() as session:
            await session.fetch(_LEFT, ana.company_id, ana.account_id)
        assert not await rows.look()
        clock.now += WAIT_SECONDS
        async with cast.database.session() as session:
            await session.fetch("DELETE FROM own_keys WHERE key = 'left@example.com'")
        assert not await rows.look()
    assert not rows.has_seen


async def test_one_that_is_written_now_stays(own_database: Any, cast: Cast, work: Any, clock: _Clock) -> None:
    """Whoever writes a name in two parts has it alone until both are done."""
    ana = await cast.ana()
    async with cast.database.session() as session:
        await session.fetch(_LEFT, ana.company_id, ana.account_id)
    rows = UnownedRows(cast.database, work, clock)
    assert not await rows.look()
    clock.now += WAIT_SECONDS
    async with alone(cast.database, {("own_keys", "left@example.com")}):
        assert not await rows.look()
    (taken,) = await rows.look()
    assert taken.name == "left@example.com"


async def test_what_is_referred_to_by_now_stays(own_database: Any, cast: Cast, work: Any, clock: _Clock) -> None:
    ana = await cast.ana()
    async with cast.database.session() as session:
        (number,) = [row[0] for row in await session.fetch("SELECT number FROM account_numbers")]
    admin = await own_database.connect()
    try:
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            await admin.execute("DELETE FROM account_numbers WHERE number = $1", number)
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            await admin.execute("DELETE FROM company_numbers WHERE company_id = $1", ana.company_id)
    finally:
        await admin.close()


class _Killed(BaseException):
    """A process ends here."""


def _die(name: str) -> None:
    if name == "commit.put_everywhere":
        raise _Killed


async def test_what_a_death_between_the_parts_has_left_is_taken_away(
    own_database: Any, cast: Cast, work: Any, clock: _Clock
) -> None:
    """A company's number and an account's are put on every server, and then the process is gone."""
    if not own_database.others:
        pytest.skip("on one server a Write has one part")
    ana = await cast.ana()
    failpoints.listen(_die)
    try:
        with pytest.raises(_Killed):
            await cast.found("Dora")
        with pytest.raises(_Killed):
            await cast.open_account(ana.company_id)
    finally:
        failpoints.listen(None)
    rows = UnownedRows(cast.database, work, clock)
    assert not await rows.look()
    clock.now += WAIT_SECONDS
    assert sorted(row.table for row in await rows.look()) == ["account_numbers", "company_numbers"]
    assert not await rows.look()
    assert not rows.has_seen
