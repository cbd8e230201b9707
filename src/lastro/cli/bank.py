"""lastro bank: the bank accounts that are reached by API Pix: checked, told where to call, and tried with money."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from lastro.cli import bank_trials
from lastro.cli.bank_trials import chosen_of
from lastro.rails.api_pix import certificate, check
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
    bank_trials.declare(command)


def show(words: Sequence[str], settings: Callable[[], Settings], say: Callable[[str], object]) -> int:
    """Performs a command that asks no database. 0: all is well; 1: something failed. Declined: there is no connection."""
    from lastro.cli import syntax  # noqa: PLC0415 it is what asks for this module

    given = syntax("bank").parse_args(list(words))
    rows, failed = asyncio.run(given.act(settings(), given))
    say(as_json(rows) if given.json else as_text(rows))
    return int(failed)


async def _check(settings: Settings, given: argparse.Namespace) -> tuple[list[dict[str, Any]], bool]:
    chosen = chosen_of(settings, given.name)
    found = await asyncio.gather(*(check(one, bank_trials.ambient()) for one in chosen))
    return _told(chosen, found)


async def examined(settings: Settings) -> list[tuple[str, Finding]]:
    """Asks each bank, and returns what failed there. By the connection's name; where nothing did, its last finding."""
    found = await asyncio.gather(*(check(one, bank_trials.ambient()) for one in settings.connections))
    asked = zip(settings.connections, found, strict=True)
    wrong = {bank.name: [one for one in findings if one.state == "failed"] or findings[-1:] for bank, findings in asked}
    return [(name, one) for name, findings in wrong.items() for one in findings]


async def _certificates(settings: Settings, _: argparse.Namespace) -> tuple[list[dict[str, Any]], bool]:
    chosen = chosen_of(settings, None)
    return _told(chosen, [[certificate(one, bank_trials.machine_now())] for one in chosen])


def _told(chosen: Sequence[Connection], found: Sequence[Sequence[Finding]]) -> tuple[list[dict[str, Any]], bool]:
    """Returns a row for each finding, and whether one of them failed."""
    rows = [
        {"connection": connection.name, "check": one.check, "state": one.state, "says": one.says, "toDo": one.to_do}
        for connection, findings in zip(chosen, found, strict=True)
        for one in findings
    ]
    return rows, any(row["state"] == "failed" for row in rows)
