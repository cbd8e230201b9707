"""Checks before a process works: its database, its logins, its institution and its keys."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import asyncpg
import structlog

from lastro.config.settings import PRODUCTION
from lastro.core.concurrency import pause_after
from lastro.core.declined import StartRefused
from lastro.core.errors import DatabaseAway, LoginRefused
from lastro.ops import key_proofs
from lastro.ops.durability_check import demand_durable, warn_of_its_log
from lastro.ops.migrate import other_institution
from lastro.rails.port import OF_NETWORK

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lastro.api_kit.proxies import Proxies
    from lastro.config.settings import Settings
    from lastro.core.db import Database
    from lastro.core.secrets import KeyRing
    from lastro.ops.rollback_check import Heart

_CLOCK = "SELECT mode, ispb FROM clock"
# What only an institution's network can end.
_HAS_KEYS = "SELECT EXISTS (SELECT 1 FROM own_keys)"
_HAS_MESSAGES = "SELECT EXISTS (SELECT 1 FROM outbox WHERE due_at IS NOT NULL AND rail = ANY ($1))"
_log = structlog.get_logger(__name__)


async def admit(
    database: Database, work_database: Database, settings: Settings, ring: KeyRing | None, stop: asyncio.Event,
    heart: Heart | None = None,
) -> None:  # fmt: skip
    """Waits for the database, then checks what this process would work with.

    database, work_database: as lastro_app, lastro_work. ring: keys that are proved; None where nothing is sealed. heart: of
    this process, which begins to beat.
    StartRefused: the login is refused or may do too much, no schema, another mode, another institution's books, keys with
    other bytes, an older copy of what was here, no network for what needs one; in production, a server that may forget what
    it has committed.
    """

    async def demand_all() -> None:
        await demand_ours(database, settings)
        await _demand_logins(settings, database, work_database)
        if settings.mode == PRODUCTION:
            await demand_durable(database, work_database)
            await warn_of_its_log(database)
        if settings.has_network:
            _warn_of_disputes(settings)
        else:
            await _demand_nothing_left(work_database)
        if ring is not None:
            await key_proofs.prove(database, ring, settings.keys_file)
        if heart is not None:
            await heart.start(stop)
            for one in (database, work_database):
                one.watch(heart.witness)

    await once_it_answers(demand_all, stop)


async def once_it_answers(act: Callable[[], Awaitable[None]], stop: asyncio.Event) -> None:
    """Acts once, and again while the database is away, until stop. StartRefused: the login is refused."""
    failures = 0
    while not stop.is_set():
        try:
            await act()
        except LoginRefused as refused:
            raise StartRefused(f"{refused}.") from refused
        except DatabaseAway as away:
            failures += 1
            _log.warning("database.away", reason=str(away))
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), pause_after(failures, away))
        else:
            return


async def demand_ours(database: Database, settings: Settings) -> None:
    """Demands a database with our schema, mode and institution.

    StartRefused: it has no schema, or is of another mode or institution. DatabaseAway: it does not answer.
    """
    try:
        async with database.session() as session:
            found = await session.row(_CLOCK)
    except (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError) as bare:
        has = "no schema yet" if isinstance(bare, asyncpg.UndefinedTableError) else "the schema of an older version"
        raise StartRefused(f"The database has {has}: run lastro migrate first.") from bare
    mode, ispb = (None, None) if found is None else (found["mode"], found["ispb"])
    if mode != settings.mode:
        raise StartRefused(
            f"This database is for {mode}; lastro was started for {settings.mode}. Point it at another database."
        )
    if ispb not in (None, settings.ispb):
        raise StartRefused(other_institution(ispb, settings.ispb))


async def _demand_nothing_left(work_database: Database) -> None:
    """Demands that nothing here waits for an institution's network. StartRefused: its address was forgotten."""
    async with work_database.session() as session:
        has_keys = await session.value(_HAS_KEYS)
    if has_keys or any(row[0] for row in await work_database.everywhere(_HAS_MESSAGES, list(OF_NETWORK))):
        what = "Pix keys of an institution are registered here" if has_keys else "messages here wait for a network"
        raise StartRefused(f"LASTRO_NETWORK_URL is not set, and {what}: set it with its token as before.")


def _warn_of_disputes(settings: Settings) -> None:
    """Warns that an undecided dispute stays open: AGREED is the default verdict, and no kind of fraud goes with it."""
    if settings.mode == PRODUCTION and settings.disputing.by_default is None:
        _log.warning("disputes.not_decided", reason="LASTRO_MED_VERDICT is AGREED and LASTRO_MED_FRAUD is empty")


def warn_of_direct_callers(mode: str, proxies: Proxies) -> None:
    """Warns that nothing holds slow callers: the proxy has the time-outs of heads and answers."""
    if mode == PRODUCTION and not proxies.networks:
        _log.warning("http.no_proxy", reason="LASTRO_PROXIES is empty")


async def _demand_logins(settings: Settings, *databases: Database) -> None:
    is_production = settings.mode == PRODUCTION
    for one in databases:
        try:
            await one.refuse_superuser(login_too=is_production)
        except PermissionError as mighty:
            raise StartRefused(str(mighty)) from mighty
    if not is_production:
        return
    mighty_logins = {login for one in databases if (login := await one.login_above()) is not None}
    if not mighty_logins:
        return
    names = ", ".join(sorted(mighty_logins))
    if settings.database_login == "switch":
        _log.warning("database.login_mighty", reason=f"{names} can become lastro_owner, and so change the books")
        return
    raise StartRefused(
        f"The database login {names} can become lastro_owner, which can change the books: let lastro_app and lastro_work log"
        " in themselves, or say LASTRO_DATABASE_LOGIN=switch to go without that border."
    )
