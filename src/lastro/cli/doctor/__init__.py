"""`lastro doctor`: what is wrong with an installation, a line a fault and its cure."""

from __future__ import annotations

import asyncio
import importlib.util
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg

from lastro.cli.bank import examined
from lastro.cli.doctor.database import of_keys, of_logins, of_schema, of_server, of_work
from lastro.cli.doctor.files import of_backups, of_files
from lastro.cli.doctor.late import of_backlog
from lastro.cli.doctor.model import Finding, as_lines, as_rows, failed, passed
from lastro.cli.doctor.reach import of_partners, of_the_way_in
from lastro.config.settings import read
from lastro.config.table import unknown
from lastro.core.db import Database
from lastro.core.declined import StartRefused
from lastro.core.errors import DatabaseAway
from lastro.observability import gauges
from lastro.terminal.parsing import QUIET, Parser
from lastro.terminal.printing import as_json
from lastro.terminal.progress import Progress

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from lastro.config.settings import Settings

__all__ = ["examine", "perform", "syntax"]

_AGAIN_SECONDS = 1.0
_AWAY = "start PostgreSQL, or see what ends its connections"


def syntax() -> argparse.ArgumentParser:
    """Returns the command's syntax."""
    parser = Parser(
        prog="lastro doctor", description="Say what is wrong with this installation: a line a fault, and its cure.",
        epilog="Exit status: 0 no fault, 1 a fault. Nothing is changed.",
    )  # fmt: skip
    parser.add_argument("--backups", type=Path, metavar="FOLDER", help="where the backups are; else they are passed over")
    parser.add_argument(
        "--wait", type=float, default=0.0, metavar="SECONDS", help="look again while there is a fault: after a restart"
    )
    parser.add_argument("--json", action="store_true", help="for machines: JSON on standard output")
    parser.add_argument("--quiet", action="store_true", help=QUIET)
    return parser


def perform(words: Sequence[str], environment: Mapping[str, str], say: Callable[[str], object]) -> int:
    """Runs `lastro doctor`. environment: of lastro, completed by a running sandbox."""
    given = syntax().parse_args(list(words))
    has_sandbox = importlib.util.find_spec("lastro_sandbox") is not None

    async def gather() -> list[Finding]:
        found: list[Finding] = []
        with Progress("checks") as progress:
            async for finding in examine(environment, given.backups, has_sandbox=has_sandbox):
                found.append(finding)
                progress(len(found), 0, finding.check)
        return found

    until = time.monotonic() + given.wait
    found = asyncio.run(gather())
    while _is_wrong(found) and time.monotonic() < until:
        time.sleep(_AGAIN_SECONDS)
        found = asyncio.run(gather())
    say(as_json(as_rows(found)) if given.json else as_lines(found))
    return int(_is_wrong(found))


def _is_wrong(found: Sequence[Finding]) -> bool:
    return any(one.state == "failed" for one in found)


async def examine(
    environment: Mapping[str, str], backups: Path | None, *, has_sandbox: bool = True
) -> AsyncIterator[Finding]:
    """Yields every finding. No fault hides another, but where the settings cannot be read there is nothing to look at.

    has_sandbox: whether the sandbox is part of this installation.
    """
    for name in unknown(environment):
        yield failed("settings", f"{name} is no setting of this version", "correct its name, or take it out")
    settings, refusals = _read(environment, has_sandbox=has_sandbox)
    for refusal in refusals:
        yield refusal
    if settings is None:
        return
    now = datetime.now(UTC)
    for finding in of_files(settings, environment):
        yield finding
    yield of_backups(backups, now)
    async for finding in _of_database(settings, now):
        yield finding
    async for finding in of_partners(settings):
        yield finding
    async for finding in _of_banks(settings):
        yield finding
    async for finding in of_the_way_in(settings, now):
        yield finding


def _read(environment: Mapping[str, str], *, has_sandbox: bool) -> tuple[Settings | None, list[Finding]]:
    """Returns the settings, else what is wrong with them."""
    try:
        settings = read(environment)
    except StartRefused as refused:
        cure = "change it in the environment of lastro; lastro settings says what it may be"
        return None, [failed("settings", line, cure) for line in str(refused).splitlines() if "is no setting" not in line]
    if settings.is_sandbox and not has_sandbox:  # all else would be looked for where a sandbox has it
        says = "LASTRO_MODE is sandbox, and the sandbox is not part of this installation"
        return None, [failed("settings", says, "LASTRO_MODE=production")]
    return settings, []


async def _of_banks(settings: Settings) -> AsyncIterator[Finding]:
    for bank, one in await examined(settings):
        if one.state == "failed":
            yield failed(f"bank {bank}", one.says, one.to_do or f"lastro bank check {bank}")
        else:
            yield passed(f"bank {bank}", "it lets us in, and its certificate is good")


async def _of_database(settings: Settings, now: datetime) -> AsyncIterator[Finding]:
    try:
        addresses = {"lastro_app": settings.app, "lastro_work": settings.work, "lastro_audit": settings.audit}
    except StartRefused as refused:
        yield failed("settings", str(refused), "set LASTRO_DATABASE_URL")
        return
    databases = {role: Database(address, size=2) for role, address in addresses.items()}
    app, work = databases["lastro_app"], databases["lastro_work"]
    shut = set()
    try:
        async for finding in of_logins(settings, databases):
            if finding.state == "failed":
                shut |= {role for role in databases if role in finding.says}
            yield finding
        if shut & {"lastro_app", "lastro_work"}:
            return  # all else would say the same once more
        is_ours = True
        async for finding in of_schema(settings, app):
            is_ours &= not (finding.check == "schema" and finding.state == "failed")
            yield finding
        if is_ours:
            async for finding in _of_our_database(settings, app, work, now):
                yield finding
    except (DatabaseAway, asyncpg.PostgresError) as away:
        yield failed("database", f"it went away meanwhile: {away}", _AWAY)
    finally:
        for database in databases.values():
            await database.close()


async def _of_our_database(settings: Settings, app: Database, work: Database, now: datetime) -> AsyncIterator[Finding]:
    async for finding in of_server(settings, app, work, time.time):
        yield finding
    async for finding in of_keys(settings, app):
        yield finding
    async for finding in of_work(app):
        yield finding
    reads_laws = settings.watching.law_hours is not None
    for finding in of_backlog(await gauges.read(work), now, reads_laws=reads_laws):
        yield finding
