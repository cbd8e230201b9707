"""lastro bank: the bank accounts that are reached by API Pix, checked without moving money."""

from __future__ import annotations

import asyncio
import os
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from lastro.core.declined import CommandFailed
from lastro.rails.api_pix import Ambient, certificate, check
from lastro.terminal.printing import as_json, as_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from lastro.config.settings import Settings
    from lastro.rails.api_pix import Connection, Finding


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    checked = command(
        _check, "check", "Ask each bank whether it lets us in: TLS, token, scopes, payments, webhook, clock. No money moves."
    )
    checked.add_argument("name", nargs="?", help="this connection alone, as LASTRO_BANKS_FILE names it")
    command(_certificates, "certificates", "List our certificates at the banks, and how many days each is still good.")


def show(words: Sequence[str], settings: Callable[[], Settings], say: Callable[[str], object]) -> int:
    """Performs a command that asks no database. 0: all is well; 1: something failed. Declined: there is no connection."""
    from lastro.cli import syntax  # noqa: PLC0415 it is what asks for this module

    given = syntax("bank").parse_args(list(words))
    rows, failed = asyncio.run(given.act(settings(), given))
    say(as_json(rows) if given.json else as_text(rows))
    return int(failed)


async def _check(settings: Settings, given: argparse.Namespace) -> tuple[list[dict[str, Any]], bool]:
    ambient = Ambient(time.monotonic, _now, lambda: str(UUID(bytes=os.urandom(16), version=4)))
    chosen = _chosen(settings, given.name)
    found = await asyncio.gather(*(check(one, ambient) for one in chosen))
    return _told(chosen, found)


async def _certificates(settings: Settings, _: argparse.Namespace) -> tuple[list[dict[str, Any]], bool]:
    chosen = _chosen(settings, None)
    return _told(chosen, [[certificate(one, _now())] for one in chosen])


def _told(chosen: Sequence[Connection], found: Sequence[Sequence[Finding]]) -> tuple[list[dict[str, Any]], bool]:
    """Returns a row for each finding, and whether one of them failed."""
    rows = [
        {"connection": connection.name, "check": one.check, "state": one.state, "says": one.says, "toDo": one.to_do}
        for connection, findings in zip(chosen, found, strict=True)
        for one in findings
    ]
    return rows, any(row["state"] == "failed" for row in rows)


def _chosen(settings: Settings, name: str | None) -> Sequence[Connection]:
    if not settings.connections:
        raise CommandFailed("There is no connection to a bank: LASTRO_BANKS_FILE names none.")
    chosen = [one for one in settings.connections if name in {None, one.name}]
    if not chosen:
        names = ", ".join(one.name for one in settings.connections)
        raise CommandFailed(f"There is no connection {name!r}; there are {names}.")
    return chosen


def _now() -> datetime:
    return datetime.now(UTC)
