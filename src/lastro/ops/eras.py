"""An era begins where something was lost: every number goes on above what can have been given out meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import asyncpg

from lastro.api_kit.routes import stamp
from lastro.core.db import Database, Dsn
from lastro.core.declined import CommandFailed, StartRefused
from lastro.core.errors import DatabaseAway, Stale
from lastro.core.heartbeats import Beat
from lastro.core.servers import UNREACHABLE, Servers, unreachable
from lastro.core.shards import IS_SPREAD
from lastro.due_work import HELD
from lastro.ops.distribute.spreading import MOST_SERVERS
from lastro.ops.rollback_check import BEAT, NOW, Memory, older_servers, trouble
from lastro.terminal.parsing import Parser
from lastro.terminal.printing import as_json, as_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from lastro.config.settings import Settings

_COMPANIES = "SELECT begin_era_of(company_id) FROM company_numbers ORDER BY number"
_COMPANIES_HERE = "SELECT begin_era_of(company_id) FROM company_numbers WHERE lies_here(company_id)"
_ON_OTHERS = "SELECT success, result FROM run_command_on_workers($1)"
# The last beat that came back to a server which has companies.
_LAST_BEAT = """
SELECT to_json(at) #>> '{}' FROM shards.beats
 WHERE beat > 0 AND EXISTS (SELECT FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
                              JOIN pg_dist_local_group USING (groupid) WHERE logicalrelid = 'public.companies'::regclass)
"""
_LAST_BEATS = "SELECT success, result FROM run_command_on_all_nodes($1)"
_NOT_BEGUN = "The era has not begun, since a server does not answer: {}."
_LACKS = (
    "A server of this database is a copy from before it was last seen here: {}. What was answered since is missing, and its"
    " numbers would be given out again. Say lastro era begin, then read docs/operations.md#backups."
)
_NOT_WHOLE = "The era has not begun on every server: {}. Say lastro era begin --yes again, before anything starts."
_ERAS = "SELECT * FROM eras ORDER BY began_at"
_RELEASE = "UPDATE eras SET released_at = (SELECT machine_now()) WHERE released_at IS NULL AND held_until IS NOT NULL"
_MOST_HELD = 10_000  # of each kind that are listed
_NOTHING_IS_LACKING = (
    "This machine knows of nothing that this database lacks. An era moves every number on and holds what is due: if the"
    " database was put back, say lastro era begin --yes."
)


@dataclass(frozen=True)
class Begun:
    """An era that has begun. doubted: messages that waited to be sent for the first time, and are asked about before.

    held: what was due by now and moves money, by kind.
    """

    began_at: datetime
    lost_from: datetime
    numbers: tuple[tuple[str, int, int], ...]
    doubted: int
    held: dict[str, int]

    def lines(self) -> list[str]:
        """Returns the lines to print."""
        lines = [f"An era began at {stamp(self.began_at)}; what is lost is of {stamp(self.lost_from)} and later."]
        lines += [f"{name}: the last one known is {before}, the next one {begins}." for name, before, begins in self.numbers]
        if self.doubted:
            lines.append(
                f"Messages that waited to be sent: {self.doubted}. Their networks may have them since, and are asked first."
            )
        if self.held:
            lines.append(
                f"What was due may have been done since, and waits: {_counted(self.held)}. Say lastro era held to see it,"
                " and lastro era release when it may go on."
            )
        return lines


@dataclass(frozen=True)
class _Asked:
    settings: Settings
    url: str
    now: asyncpg.Record
    as_json: bool
    is_sure: bool


async def begin(connection: asyncpg.Connection, lost_since: datetime | None = None, url: str | None = None) -> Begun:
    """Begins one, in a single transaction. connection: of a login that may become lastro_owner, as the one that migrates.

    url: its address; with it, a database on several servers is begun on each of them, and what was cut off is begun again.
    """
    is_spread = url is not None and await connection.fetchval(IS_SPREAD)
    if is_spread:
        lost_since = await _lost_since(connection, lost_since)
    async with connection.transaction():
        await connection.execute("SET LOCAL ROLE lastro_owner")
        made = await connection.fetchrow("SELECT * FROM begin_era($1)", lost_since)
        assert made is not None
        if not is_spread:
            await connection.execute("SET LOCAL ROLE lastro_app")
            doubted = [row[0] for row in await connection.fetch(_COMPANIES)]
            held = await _held(connection)
    if is_spread:
        assert url is not None
        doubted, held = await _begin_elsewhere(connection, url, made)
    return Begun(
        made["began_at"], made["lost_from"], _numbers(made), sum(doubted), dict(Counter(row["kind"] for row in held))
    )


async def _lost_since(connection: asyncpg.Connection, told: datetime | None) -> datetime | None:
    """Returns since when something is lost at some server. CommandFailed: one does not answer, and nothing has begun."""
    since = [] if told is None else [told]
    for answer in await connection.fetch(_LAST_BEATS, _LAST_BEAT):
        if not answer["success"]:
            raise CommandFailed(_NOT_BEGUN.format(answer["result"].splitlines()[0].rstrip(".")))
        since += [datetime.fromisoformat(answer["result"])] if answer["result"] else []
    return min(since, default=None)


async def _older_servers(asked: _Asked) -> list[str]:
    """Returns the addresses of servers that lack remembered beats."""
    seen = Memory(asked.settings.home).read_servers(asked.now)
    if not seen:
        return []
    app = Database(Dsn(asked.url, "lastro_app"), size=1)
    try:
        return await older_servers(app, seen)
    finally:
        await app.close()


async def _begin_elsewhere(
    connection: asyncpg.Connection, url: str, made: asyncpg.Record
) -> tuple[list[int], list[asyncpg.Record]]:
    """Begins the newest era at the other servers: their numbers, their companies. CommandFailed: say it again."""
    left_out = (made["network_ids_from"] - made["network_ids_before"]) // MOST_SERVERS
    skipping = f"SELECT public.skip_numbers('public.network_ids_seq', {left_out})"
    for answer in await connection.fetch(_ON_OTHERS, skipping):
        if not answer["success"]:
            raise CommandFailed(_NOT_WHOLE.format(answer["result"].splitlines()[0].rstrip(".")))
    app = Database(Dsn(url, "lastro_app"), size=1, settings={"statement_timeout": "0"})
    try:
        doubted = [row[0] for row in await app.everywhere(_COMPANIES_HERE)]
    except (DatabaseAway, Stale) as away:
        raise CommandFailed(_NOT_WHOLE.format(away)) from away
    finally:
        await app.close()
    return doubted, await _held_everywhere(url)


async def _held_everywhere(url: str) -> list[asyncpg.Record]:
    """Reads what an era holds on every server, longest due first."""
    work = Database(Dsn(url, "lastro_work"), size=1, settings={"statement_timeout": "0"})
    try:
        return sorted(await work.everywhere(HELD, _MOST_HELD), key=lambda row: row["due"])
    except (DatabaseAway, Stale) as away:
        raise CommandFailed(f"A server does not answer: {away}.") from away
    finally:
        await work.close()


async def _held_of(connection: asyncpg.Connection, asked: _Asked) -> list[asyncpg.Record]:
    """Reads what an era holds, on one server or on several."""
    if await connection.fetchval(IS_SPREAD):
        return await _held_everywhere(asked.url)
    async with connection.transaction():
        return await _held(connection)


async def _held(connection: asyncpg.Connection) -> list[asyncpg.Record]:
    """Reads the rows that an era holds, longest due first. It runs within a transaction."""
    await connection.execute("SET LOCAL ROLE lastro_work")
    return sorted(await connection.fetch(HELD, _MOST_HELD), key=lambda row: row["due"])


def _counted(held: dict[str, int]) -> str:
    """Returns the held counts in words."""
    return ", ".join(_amount(number, kind) for kind, number in sorted(held.items())) or "nothing"


def _amount(number: int, kind: str) -> str:
    return f"{number}{' or more' if number >= _MOST_HELD else ''} {kind}{'' if number == 1 else 's'}"


def _numbers(made: Any) -> tuple[tuple[str, int, int], ...]:
    kinds = {
        "network_ids": "Numbers for networks",
        "account_numbers": "Account numbers",
        "company_numbers": "Company numbers",
    }
    return tuple((name, made[f"{kind}_before"], made[f"{kind}_from"]) for kind, name in kinds.items())


def perform(words: Sequence[str], settings: Callable[[], Settings], say: Callable[[str], object]) -> int:
    """Runs `lastro era begin|held|release|keep|list`. CommandFailed, StartRefused: the reason, in a sentence."""
    given = syntax().parse_args(words)
    known = settings()
    if known.database_url is None:
        raise StartRefused("LASTRO_DATABASE_URL is not set: say which PostgreSQL database it is about.")
    return asyncio.run(_perform(given, known, say))


async def _perform(given: argparse.Namespace, known: Settings, say: Callable[[str], object]) -> int:
    assert known.database_url is not None
    try:
        connection = await Servers(known.database_url).connect()
    except UNREACHABLE as away:
        raise CommandFailed(unreachable(away)) from away
    try:
        now = await connection.fetchrow(NOW)
        assert now is not None
        mode = await connection.fetchval("SELECT mode FROM clock")
        if mode != known.mode:
            raise CommandFailed(f"This database is for {mode} and LASTRO_MODE says {known.mode}: one of them is wrong.")
        asked = _Asked(known, known.database_url, now, given.json, is_sure=getattr(given, "yes", False))
        await _ACTS[given.act](connection, asked, say)
    except asyncpg.UndefinedTableError as old:
        raise CommandFailed("This database knows no eras yet: run lastro migrate first.") from old
    except asyncpg.InsufficientPrivilegeError as lacking:
        raise CommandFailed("This login may not do this: give LASTRO_DATABASE_URL the one that migrates.") from lacking
    finally:
        await connection.close()
    return 0


async def _begin(connection: asyncpg.Connection, asked: _Asked, say: Callable[[str], object]) -> None:
    said = trouble(asked.now, Memory(asked.settings.home).read(asked.now), asked.settings.mode)
    if not asked.is_sure and said is None and not await _older_servers(asked):
        raise CommandFailed(_NOTHING_IS_LACKING)
    begun = await begin(connection, url=asked.url)
    if asked.as_json:
        era = [_shown(row) for row in await connection.fetch(_ERAS)][-1]
        say(as_json(era | {"doubted": begun.doubted, "held": begun.held}))
    else:
        say("\n".join(begun.lines()))


async def _keep(connection: asyncpg.Connection, asked: _Asked, say: Callable[[str], object]) -> None:
    """Records that nothing is missing. CommandFailed: this machine remembers that something is."""
    memory, now = Memory(asked.settings.home), asked.now
    seen = memory.read(now)
    if seen is not None and (now["era"], now["beat"]) < (seen.era, seen.number):
        raise CommandFailed(trouble(now, seen, asked.settings.mode) or "")
    if older := await _older_servers(asked):
        raise CommandFailed(_LACKS.format(", ".join(older)))
    async with connection.transaction():
        await connection.execute("SET LOCAL ROLE lastro_app")
        made = await connection.fetchrow(BEAT, now["era"], now["beat"], now["here_server"], now["here_timeline"])
    assert made is not None
    memory.write(now, Beat(made["era"], made["beat"], made["at"]))
    answer = {"era": stamp(made["era"]), "keptAt": stamp(made["at"])}
    say(as_json(answer) if asked.as_json else as_text(answer))


async def _list(connection: asyncpg.Connection, asked: _Asked, say: Callable[[str], object]) -> None:
    rows = [_shown(row) for row in await connection.fetch(_ERAS)]
    say(as_json(rows) if asked.as_json else as_text(rows))


async def _show_held(connection: asyncpg.Connection, asked: _Asked, say: Callable[[str], object]) -> None:
    rows = [
        {
            "kind": row["kind"],
            "id": str(row["id"]),
            "companyId": str(row["company_id"]),
            "dueAt": stamp(row["due"]),
            "networkId": row["network_id"],
        }
        for row in await _held_of(connection, asked)
    ]
    say(as_json(rows) if asked.as_json else as_text(rows))


async def _release(connection: asyncpg.Connection, asked: _Asked, say: Callable[[str], object]) -> None:
    """Releases the rows that an era holds."""
    held = dict(Counter(row["kind"] for row in await _held_of(connection, asked)))
    async with connection.transaction():
        await connection.execute("SET LOCAL ROLE lastro_owner")
        await connection.execute(_RELEASE)
    say(as_json({"released": held}) if asked.as_json else f"What waited goes on: {_counted(held)}.")


def _shown(row: Any) -> dict[str, Any]:
    return {
        "beganAt": stamp(row["began_at"]), "lostFrom": _stamp(row["lost_from"]),
        "networkIds": row["network_ids_from"], "accountNumbers": row["account_numbers_from"],
        "companyNumbers": row["company_numbers_from"], "heldUntil": _stamp(row["held_until"]),
        "releasedAt": _stamp(row["released_at"]),
    }  # fmt: skip


def _stamp(at: datetime | None) -> str | None:
    return None if at is None else stamp(at)


_ACTS = {"begin": _begin, "held": _show_held, "release": _release, "keep": _keep, "list": _list}


def syntax() -> argparse.ArgumentParser:
    """Its words."""
    parser = Parser(prog="lastro era", description="What is given out after a restore, and above what.")
    form = Parser(add_help=False)
    form.add_argument("--json", action="store_true", help="for machines: JSON on standard output")
    acts = parser.add_subparsers(required=True, metavar="command", dest="act")
    for name, summary in (
        ("begin", "After a restore by hand: every number goes on above all that can have been given out."),
        ("held", "List payouts, plans and charges that were due by then, and that wait until release is said."),
        ("release", "Begin what was held. First cancel each that the statements show as paid."),
        ("keep", "After a failover or a move: say that nothing that was answered is missing."),
        ("list", "List the eras, and from which numbers on each gave out its own."),
    ):
        act = acts.add_parser(name, help=summary, description=summary, parents=[form])
        if name == "begin":
            act.add_argument("--yes", action="store_true", help="also where this machine knows of nothing that is lacking")
    return parser
