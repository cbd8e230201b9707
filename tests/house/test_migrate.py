"""What migrating refuses before it changes anything, and what it does with what is there already."""

from typing import Any

import pytest

from lastro.ops.migrate import migrate


async def test_a_migration_that_was_changed_afterwards_is_refused(own_database: Any) -> None:
    url = own_database.admin.url
    assert await migrate(url) == []
    connection = await own_database.connect(own_database.admin)
    await connection.execute("UPDATE migrations SET sha256 = 'of another file'")
    await connection.close()
    with pytest.raises(SystemExit, match=r"0001_baseline\.sql is not the one that was applied"):
        await migrate(url)


async def test_a_database_of_the_other_mode_is_left_alone(own_database: Any) -> None:
    with pytest.raises(SystemExit, match="This database is for sandbox"):
        await migrate(own_database.admin.url, mode="production")


async def test_a_database_of_before_the_baseline_is_refused(own_database: Any) -> None:
    connection = await own_database.connect(own_database.admin)
    await connection.execute("UPDATE migrations SET name = '0001_first_money.sql'")
    await connection.close()
    with pytest.raises(SystemExit, match="never released: start afresh"):
        await migrate(own_database.admin.url)
