"""`lastro verify`: every law of money, states, events and idempotency over the whole database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import asyncpg
import msgspec

from lastro.core.db import Database
from lastro.core.errors import DatabaseAway, Stale
from lastro.core.laws import broken
from lastro.terminal.progress import silent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lastro.core.db import Dsn
    from lastro.terminal.progress import Tell

HOLD, BROKEN, UNKNOWN = 0, 1, 2  # the exit statuses
# In the order of the schema, each with its sentence.
_LAWS = """
SELECT relname::text AS name, coalesce(obj_description(oid, 'pg_class'), '') AS says FROM pg_class
 WHERE relkind = 'v' AND relname LIKE 'law\\_%' AND relnamespace = 'public'::regnamespace ORDER BY oid
"""
_SHOWN = 10
_INDENT = " " * 8


@dataclass(frozen=True)
class Law:
    """A law and what was found. rows: the first breaches; unread: why it could not be checked."""

    name: str
    says: str
    rows: tuple[Mapping[str, Any], ...] = ()
    has_more: bool = False
    unread: str | None = None

    @property
    def title(self) -> str:
        """Its name in words."""
        return self.name.removeprefix("law_").replace("_", " ")

    @property
    def state(self) -> str:
        """holds, broken, or unread."""
        if self.unread is not None:
            return "unread"
        return "broken" if self.rows else "holds"


async def verify(
    audit: Dsn, *, at_rest: bool, say: Callable[[str], object], as_json: bool = False, progress: Tell = silent
) -> int:
    """Says each law, its meaning and its breaches: as text while it goes, or as one JSON object at the end.

    at_rest: also the laws that hold only when nothing is on its way. progress: told of each law before it is read.
    The exit status is 0 when all hold, 1 when one is broken, 2 when it is not known: no database, no laws in it, or one
    that cannot be read.
    """
    # The laws read and compare whole tables, one after the other: in memory where they can, however long it takes.
    database = Database(audit, size=1, settings={"statement_timeout": "0", "work_mem": "128MB"}, reads=True)
    try:
        async with database.session() as session:
            laws = [Law(**row) for row in await session.fetch(_LAWS)]
        laws = [law for law in laws if at_rest or not law.name.endswith("_at_rest")]
        width = max((len(law.title) for law in laws), default=0)
        checked = []
        for number, law in enumerate(laws, 1):
            progress(number, len(laws), law.title)
            checked.append(await _checked(database, law))
            if not as_json:
                _tell(checked[-1], width, say)
    except DatabaseAway as away:
        say(f"The database does not answer: {away}")
        return UNKNOWN
    finally:
        await database.close()
    _conclude(checked, say, as_json=as_json)
    if any(law.state == "broken" for law in checked):
        return BROKEN
    return UNKNOWN if not checked or any(law.state == "unread" for law in checked) else HOLD


async def _checked(database: Database, law: Law) -> Law:
    try:
        rows = await broken(database, law.name, _SHOWN + 1)
    except (asyncpg.PostgresError, Stale) as error:
        return Law(law.name, law.says, unread=f"{type(error).__name__}: {error}")
    return Law(law.name, law.says, tuple(rows[:_SHOWN]), len(rows) > _SHOWN)


def _tell(law: Law, width: int, say: Callable[[str], object]) -> None:
    say(f"{law.state:<6}  {law.title:<{width}}  {law.says}".rstrip())
    if law.unread is not None:
        say(_INDENT + law.unread)
    for line in _table(law.rows):
        say(_INDENT + line)
    if law.has_more:
        say(_INDENT + "… and more")


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns the rows under the names of their columns, in line."""
    if not rows:
        return []
    lines = [list(rows[0]), *(["-" if value is None else str(value) for value in row.values()] for row in rows)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(lines[0]))]
    return ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in lines]


def _conclude(laws: Sequence[Law], say: Callable[[str], object], *, as_json: bool) -> None:
    counted = {state: sum(law.state == state for law in laws) for state in ("holds", "broken", "unread")}
    if as_json:
        told = [
            {"law": law.name.removeprefix("law_"), "says": law.says, "state": law.state, "rows": law.rows,
             "hasMore": law.has_more, **({} if law.unread is None else {"reason": law.unread})}
            for law in laws
        ]  # fmt: skip
        say(msgspec.json.encode({"checked": len(laws), "broken": counted["broken"], "laws": told}).decode())
    elif not laws:
        say("There are no laws in this database: it is not one of lastro's, or has no schema yet.")
    else:
        unread = f", {counted['unread']} unread" if counted["unread"] else ""
        say(f"{len(laws)} laws, {counted['broken']} broken{unread}")
