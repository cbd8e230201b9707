"""Whether events keep their published schemas: every one that the tests cause, in whatever database it was born.

`lent` in tests/conftest.py reads what a database has, before it is dropped. Published schemas leave room for new fields; here
nothing may stand in an event that its schema does not name.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any
from uuid import UUID

import jsonschema_rs
import msgspec
from tests.laws import Read

from lastro.app import wiring
from lastro.core.db import Database, Dsn
from lastro.web import openapi
from lastro.webhooks import EventType

URL = "https://lastro.test"
# Types that tests of numbering, delivery and writing give to events whose bodies are no matter; no room can send one.
OF_NOBODY = frozenset({"TEST", "T"})
_EVENTS = """
SELECT type, body FROM events
 WHERE body IS NOT NULL AND type <> ALL ($1) AND ($2::uuid[] IS NULL OR company_id = ANY ($2)) ORDER BY type
"""
_SHOWN = 10


class BrokenSchemaError(AssertionError):
    """An event is not as its schema says, or has none."""


@cache
def schemas() -> "Schemas":
    return Schemas(*wiring.EVENT_TYPES)


class Schemas:
    """The schemas of these kinds of events as they are served, closed."""

    def __init__(self, *notices: EventType) -> None:
        self._validators = {n.name: _closed(openapi.event_schema(URL, n)) for n in notices}

    def wrong(self, event: str, body: bytes) -> list[str]:
        """What of an event is not as its schema says; nothing: it is."""
        validator = self._validators.get(event)
        if validator is None:
            return [f"{event} has no schema"]
        try:
            value = msgspec.json.decode(body)
        except msgspec.DecodeError as error:
            return [f"{event} is no JSON: {error}"]
        return [f"{event} {'.'.join(map(str, e.instance_path))}: {e.message}" for e in validator.iter_errors(value)]


def _closed(schema: dict[str, Any]) -> Any:
    parts = {name: part | {"additionalProperties": False} for name, part in schema.get("$defs", {}).items()}
    whole = schema | {"additionalProperties": False, "$defs": parts}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


async def hold(dsn: Dsn, companies: Iterable[UUID] | None = None) -> int:
    """How many events of a database were looked at. BrokenSchemaError: what is wrong with them.

    dsn: of a role that reads everything. companies: whose events, None: all.
    """
    database = Database(dsn, settings={"statement_timeout": "0"})
    try:
        return await hold_over(database.everywhere, companies)
    finally:
        await database.close()


async def hold_over(read: Read, companies: Iterable[UUID] | None = None) -> int:
    """`hold`, over connections that are there already."""
    if not all(row[0] for row in await read("SELECT to_regclass('events') IS NOT NULL")):
        return 0
    only = None if companies is None else list(companies)
    rows = await read(_EVENTS, list(OF_NOBODY), only)
    wrong = {line: None for row in rows for line in schemas().wrong(row["type"], row["body"])}
    if wrong:
        raise BrokenSchemaError("\n".join([*list(wrong)[:_SHOWN], f"{len(wrong)} in all"]))
    return len(rows)
