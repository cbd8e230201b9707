"""A migration that replaces a function under a statement: PostgreSQL says only that it does not find it any more."""

from typing import Any

import asyncpg
import pytest

from lastro.base.db import Database
from lastro.base.errors import DatabaseAway

pytestmark = pytest.mark.anyio
_GONE = "cache lookup failed for function 4711"
# Sequences go on where a statement fails, so that the function fails so often and no more.
_FAILS = """
CREATE SEQUENCE tries;
GRANT USAGE ON SEQUENCE tries TO PUBLIC;
CREATE FUNCTION fails(times bigint, says text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  try bigint := nextval('tries');
BEGIN
  IF try <= times THEN RAISE EXCEPTION '%', says USING ERRCODE = 'XX000'; END IF;
  RETURN try;
END $$;
GRANT EXECUTE ON FUNCTION fails TO PUBLIC
"""


async def asked(own_database: Any, times: int, says: str) -> Any:
    admin = await own_database.connect()
    await admin.execute(_FAILS)
    await admin.close()
    database = Database(own_database.app, size=1)
    try:
        async with database.session() as session:
            return await session.value("SELECT fails($1, $2)", times, says)
    finally:
        await database.close()


async def test_it_is_asked_once_more(own_database: Any) -> None:
    assert await asked(own_database, 1, _GONE) == 2


async def test_one_that_is_replaced_again_meanwhile_is_a_database_that_is_away(own_database: Any) -> None:
    with pytest.raises(DatabaseAway):
        await asked(own_database, 2, _GONE)


async def test_what_else_breaks_inside_the_server_is_told_as_it_is(own_database: Any) -> None:
    with pytest.raises(asyncpg.InternalServerError, match="missing chunk"):
        await asked(own_database, 1, "missing chunk number 0 for toast value 1")
