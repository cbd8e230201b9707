"""lastro banks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from asyncpg import UniqueViolationError

from lastro.banks import Banks, CutShort, import_list
from lastro.core.declined import CommandFailed
from lastro.standards.banks import read_participants

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from lastro.cli.command_context import CommandContext


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    command(_list, "list", "List who can be paid: ISPB, COMPE number, name, and what reaches them.")
    renew = command(_import, "import", "Renew the list from a file of the Central Bank's: of the STR or of Pix.")
    renew.add_argument("file", type=Path, help="ParticipantesSTR.csv, or the list of active Pix participants")
    renew.add_argument(
        "--cut-short", action="store_true", help="it lacks more than a fifth of those known, and that is right"
    )


async def _list(context: CommandContext, _: argparse.Namespace) -> list[dict[str, Any]]:
    async with context.database.session() as session:
        known = await Banks(sandbox=context.settings.is_sandbox).read(session)
    return [
        {
            "ispb": bank.ispb, "compe": bank.compe, "ted": bank.in_str, "pix": bank.in_pix, "shortName": bank.short_name,
            "name": bank.name,
        }
        for bank in known.all_banks()
    ]  # fmt: skip


async def _import(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    try:
        participants = read_participants(given.file.read_bytes())
        async with context.database.session() as session:
            banks = Banks(sandbox=False)
            before, after = await import_list(session, banks, participants, cut_short=given.cut_short)
    except OSError as unread:
        raise CommandFailed(f"The file cannot be read: {unread.strerror}.") from unread
    except CutShort as short:
        raise CommandFailed(f"That is not the whole list: {short}. If it is, say so with --cut-short.") from short
    except ValueError as unfit:
        raise CommandFailed(f"That is no list to import: {unfit}.") from unfit
    except UniqueViolationError as overtaken:
        raise CommandFailed("Somebody else imported a list at the same moment: look at it, and try again.") from overtaken
    old, new = ({bank.ispb: bank for bank in known.all_banks()} for known in (before, after))
    return {
        "network": participants.network, "participants": len(participants.banks), "banks": len(new),
        "added": sorted(new.keys() - old.keys()), "removed": sorted(old.keys() - new.keys()),
        "changed": sorted(ispb for ispb in new.keys() & old.keys() if new[ispb] != old[ispb]),
    }  # fmt: skip
