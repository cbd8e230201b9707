"""A migration that replaces a function under a statement: PostgreSQL says only that it does not find it any more."""

from typing import Any

import asyncpg
import pytest

from lastro.core.db import Database
from lastro.core.errors import DatabaseAway

_GONE = ("XX000", "cache lookup failed for function 4711")
_GONE_BEFORE_16 = ("42883", "function with OID 4711 does not exist")
# Sequences go on where a statement fails, so that the function fails so often and no more.
_FAILS = """
CREATE SEQUENCE tries;
GRANT USAGE ON SEQUENCE tries TO PUBLIC;
CREATE FUNCTION fails(times bigint, code text, says text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  try bigint := nextval('tries');
BEGIN
  IF try <= times THEN RAISE EXCEPTION '%', says USING ERRCODE = code; END IF;
  RETURN try;
END $$;
GRANT EXECUTE ON FUNCTION fails TO PUBLIC
"""


async def asked(own_database: Any, times: int, code: str, says: str) -> Any:
    admin = await own_database.connect()
    await admin.execute(_FAILS)
    await admin.close()
    database = Database(own_database.app, size=1)
    try:
        async with database.session() as session:
            return await session.value("SELECT fails($1, $2, $3)", times, code, says)
    finally:
        await database.close()


@pytest.mark.parametrize("gone", [_GONE, _GONE_BEFORE_16])
async def test_it_is_asked_once_more(own_database: Any, gone: tuple[str, str]) -> None:
    assert await asked(own_database, 1, *gone) == 2


async def test_one_that_is_replaced_again_meanwhile_is_a_database_that_is_away(own_database: Any) -> None:
    with pytest.raises(DatabaseAway):
        await asked(own_database, 2, *_GONE)


@pytest.mark.parametrize(
    ("code", "says", "error"),
    [
        ("XX000", "missing chunk number 0 for toast value 1", asyncpg.InternalServerError),
        ("42883", "function nothing() does not exist", asyncpg.UndefinedFunctionError),
    ],
)
async def test_what_else_breaks_inside_the_server_is_told_as_it_is(
    own_database: Any, code: str, says: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await asked(own_database, 1, code, says)
