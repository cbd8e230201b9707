"""lastro archive."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastro.core.declined import CommandFailed
from lastro.ops import archiving
from lastro.terminal.progress import Progress

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from lastro.cli.command_context import CommandContext

_STEP = 5_000  # events in a file
_LONGEST_DAYS = 36_500


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    events = command(_events, "events", "Write old events to files, then forget their bodies; their hashes stay.")
    events.add_argument("folder", type=Path, metavar="FOLDER")
    events.add_argument("--days", type=int, required=True, help="what is older than so many days, of business time")
    check = command(_check, "check", "Compare every event in the files with the hash that the database has of it.")
    check.add_argument("folder", type=Path, metavar="FOLDER")


async def _events(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    if not 0 < given.days <= _LONGEST_DAYS:
        raise CommandFailed(f"--days must be from 1 to {_LONGEST_DAYS}.")
    answer = []
    companies = await context.every_company()
    with Progress("companies") as progress:
        for number, company in enumerate(companies, 1):
            progress(number, len(companies), f"archiving company {company.number}")
            folder = given.folder / str(company.number)
            files, events = await archiving.archive(context.database, company.id, folder, timedelta(days=given.days), _STEP)
            answer.append({"company": company.number, "files": files, "events": events})
    return answer


async def _check(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    if not given.folder.is_dir():
        raise CommandFailed(f"There is no folder {given.folder}.")
    answer = []
    companies = await context.every_company()
    with Progress("companies") as progress:
        for number, company in enumerate(companies, 1):
            progress(number, len(companies), f"checking company {company.number}")
            kept = await archiving.checked(context.database, company.id, given.folder / str(company.number))
            answer.append({"company": company.number, "files": kept.files, "events": kept.events, "missing": kept.missing})
    return answer
