"""`lastro verify`: every law of money, states, events and feed over the whole database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.base.db import Database

if TYPE_CHECKING:
    from collections.abc import Callable

    from lastro.base.db import Dsn

_LAWS = "SELECT relname::text FROM pg_class WHERE relkind = 'v' AND relname LIKE 'law\\_%' ORDER BY relname"
_SHOWN = 10


async def verify(audit: Dsn, *, at_rest: bool, say: Callable[[str], object]) -> int:
    """Says each law and its breaches; the exit status is 1 when there is one, 2 when there are no laws.

    at_rest: also the laws that hold only when nothing is on its way.
    """
    # The laws read everything: however long it takes.
    database, checked, broken = Database(audit, size=1, settings={"statement_timeout": "0"}), 0, 0
    async with database.session() as session:
        laws = [r["relname"] for r in await session.fetch(_LAWS)]
        for law in laws:
            if law.endswith("_at_rest") and not at_rest:
                continue
            checked += 1
            breaches = await session.fetch(f"SELECT * FROM {law} LIMIT {_SHOWN + 1}")  # noqa: S608 names from the catalog
            title = law.removeprefix("law_").replace("_", " ")
            say(f"{'broken' if breaches else 'holds '}  {title}")
            for row in breaches[:_SHOWN]:
                say("          " + ", ".join(f"{k}={v}" for k, v in row.items()))
            if len(breaches) > _SHOWN:
                say("          … and more")
            broken += bool(breaches)
    await database.close()
    if not checked:
        say("There are no laws in this database: it is not one of lastro's, or has no schema yet.")
        return 2
    say(f"{checked} laws, {broken} broken")
    return 1 if broken else 0
