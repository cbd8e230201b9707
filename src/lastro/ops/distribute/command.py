"""`lastro distribute`: a database over several servers."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import asyncpg

from lastro.core.declined import CommandFailed, StartRefused
from lastro.core.servers import UNREACHABLE, Servers, unreachable
from lastro.core.shards import IS_SPREAD
from lastro.ops.distribute import moving, servers, spreading
from lastro.ops.distribute.logins import refused_logins
from lastro.ops.distribute.repairing import repair
from lastro.terminal.parsing import Parser
from lastro.terminal.printing import as_json, as_text
from lastro.terminal.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lastro.config.settings import Settings

_ENGINE = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')"
_MODE = "SELECT mode FROM clock"
_ON_ONE = "This database is on one server. While it is empty, say lastro distribute spread to put it on several."


@dataclass(frozen=True)
class _Asked:
    given: argparse.Namespace
    settings: Settings
    url: str
    is_spread: bool
    say: Callable[[str], object]

    def answer(self, shown: dict[str, Any] | list[dict[str, Any]], text: str | None = None) -> None:
        """Prints an answer. text: for people, in its place."""
        self.say(as_json(shown) if self.given.json else as_text(shown) if text is None else text)


def perform(words: Sequence[str], settings: Callable[[], Settings], say: Callable[[str], object]) -> int:
    """Runs `lastro distribute …`. CommandFailed, StartRefused: the reason, in a sentence."""
    given = syntax().parse_args(words)
    known = settings()
    if known.database_url is None:
        raise StartRefused("LASTRO_DATABASE_URL is not set: say where the database's coordinator is.")
    return asyncio.run(_perform(given, known, known.database_url, say))


async def _perform(given: argparse.Namespace, known: Settings, url: str, say: Callable[[str], object]) -> int:
    connection = await _connected(url)
    try:
        if await connection.fetchval("SELECT to_regclass('public.clock') IS NOT NULL"):
            mode = await connection.fetchval(_MODE)
            if mode not in (None, known.mode):
                raise CommandFailed(f"This database is for {mode} and LASTRO_MODE says {known.mode}: one of them is wrong.")
        asked = _Asked(given, known, url, await connection.fetchval(IS_SPREAD), say)
        if not asked.is_spread and given.act not in ("spread", "add", "status"):
            raise CommandFailed(_ON_ONE)
        await _ACTS[given.act](connection, asked)
    except asyncpg.InsufficientPrivilegeError as lacking:
        raise CommandFailed(
            f"This login may not do this ({moving.said(lacking)}): give LASTRO_DATABASE_URL a superuser of every server."
        ) from lacking
    finally:
        await connection.close()
    return 0


async def _connected(url: str) -> asyncpg.Connection:
    try:
        return await Servers(url).connect()
    except UNREACHABLE as away:
        raise CommandFailed(unreachable(away)) from away


async def _spread(connection: asyncpg.Connection, asked: _Asked) -> None:
    if (lacks := await spreading.lacking(connection)) is not None:
        raise CommandFailed(lacks)
    found = await servers.servers(connection, is_spread=False)
    names = ", ".join(server.place for server in found)
    if not asked.given.yes:
        raise CommandFailed(
            f"It would be spread in {asked.given.shards} shards over {names}, for good: end every process of lastro, then"
            " say lastro distribute spread --yes."
        )
    await spreading.spread(connection, asked.given.shards)
    text = f"The database is spread in {asked.given.shards} shards over {names}. Start lastro's processes now."
    asked.answer({"shards": asked.given.shards, "servers": [server.place for server in found]}, text)


async def _status(connection: asyncpg.Connection, asked: _Asked) -> None:
    if not await connection.fetchval(_ENGINE):
        raise CommandFailed(f"This database is on one server. {spreading.NO_ENGINE}")
    found = await servers.servers(connection, is_spread=asked.is_spread)
    refused = await refused_logins(connection) if asked.is_spread else []
    shown = as_text(servers.as_rows(found, is_text=True))
    asked.answer(
        {"isSpread": asked.is_spread, "servers": servers.as_rows(found, is_text=False), "refusedLogins": refused},
        "\n".join([*([] if asked.is_spread else ["not spread"]), shown, *refused]),
    )


async def _where(connection: asyncpg.Connection, asked: _Asked) -> None:
    asked.answer((await servers.where(connection, asked.given.company)).shown())


async def _add(connection: asyncpg.Connection, asked: _Asked) -> None:
    if not await connection.fetchval(_ENGINE):
        raise CommandFailed(spreading.NO_ENGINE)
    if not await connection.fetchval(spreading.HAS_COORDINATOR):
        raise CommandFailed(spreading.NO_COORDINATOR)
    await moving.add(connection, asked.given.server, is_spread=asked.is_spread)
    then = "rebalance" if asked.is_spread else "spread"
    refused = await refused_logins(connection) if asked.is_spread else []
    told = f"{asked.given.server} is added. Say lastro distribute {then} to give it shards."
    asked.answer({"server": str(asked.given.server), "refusedLogins": refused}, "\n".join([told, *refused]))


async def _rebalance(connection: asyncpg.Connection, asked: _Asked) -> None:
    with Progress("moved") as progress:
        moved = await moving.rebalance(connection, progress)
    asked.answer({"moved": moved}, f"Shards moved: {moved}." if moved else "Nothing to move: the shards are spread evenly.")


async def _move(connection: asyncpg.Connection, asked: _Asked) -> None:
    place = await servers.where(connection, asked.given.company)
    looking = await _connected(asked.url)
    try:
        with Progress("copied") as progress:
            await moving.move(connection, looking, place, asked.given.server, progress)
    finally:
        await looking.close()
    asked.answer((await servers.where(connection, asked.given.company)).shown())


async def _repair(_: asyncpg.Connection, asked: _Asked) -> None:
    taken = await repair(asked.settings.app, asked.settings.audit)
    asked.answer([{"table": row.table, "name": row.name, "companyId": row.company_id} for row in taken])


_ACTS = {
    "spread": _spread, "status": _status, "where": _where, "add": _add, "rebalance": _rebalance, "move": _move,
    "repair": _repair,
}  # fmt: skip


def syntax() -> argparse.ArgumentParser:
    """Its words."""
    parser = Parser(
        prog="lastro distribute", description="A database over several servers, each with a part of the companies."
    )
    form = Parser(add_help=False)
    form.add_argument("--json", action="store_true", help="for machines: JSON on standard output")
    acts = parser.add_subparsers(required=True, metavar="command", dest="act")
    made = {
        name: acts.add_parser(name, help=summary, description=summary, parents=[form])
        for name, summary in (
            ("spread", "Spread an empty database over the servers that were added."),
            ("status", "Show the servers: shards, companies, size, and whether each is set up."),
            ("where", "Show which server has a company."),
            ("add", "Add a server, which has no company yet."),
            ("rebalance", "Move shards until every server has as many. Reads and writes go on."),
            ("move", "Move a company with its shard's other companies to a server. Reads and writes go on."),
            ("repair", "Take away names that lead to nothing, as a crash may leave them. It looks twice, a minute apart."),
        )
    }
    made["spread"].add_argument(
        "--shards", type=_count, default=spreading.SHARDS, help="how many parts: some for each server"
    )
    made["spread"].add_argument("--yes", action="store_true", help="without it, it only says what it would do")
    for name in ("where", "move"):
        made[name].add_argument("company", help="its number or id")
    for name in ("add", "move"):
        made[name].add_argument("server", type=_address, metavar="HOST:PORT", help="as the others reach it, and lastro")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= spreading.MOST_SHARDS:
        raise argparse.ArgumentTypeError(f"must be a number from 1 to {spreading.MOST_SHARDS}")
    return int(text)


def _address(text: str) -> moving.Address:
    try:
        return moving.Address.of(text)
    except ValueError as wrong:
        raise argparse.ArgumentTypeError(str(wrong)) from wrong
