"""lastro personal-data: a data subject's rights (LGPD, Art. 18) in one company: what there is, a copy of it, its erasing."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from lastro.cli.options import line_of, who
from lastro.core.declined import CommandFailed
from lastro.ops import personal_data
from lastro.terminal.progress import Progress

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from lastro.cli.command_context import CommandContext

# Circular 3.978 of the Central Bank, Art. 67: no operation is forgotten earlier, nor who a client was.
LEAST_YEARS = 10
_MOST_YEARS = 100
_DOCUMENT = re.compile(r"[0-9A-ZÑ&./-]{1,40}")  # as of the customer of an order, which may have the widest
_LONGEST_REFERENCE = 100


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    found = command(_find, "find", "List what there is of a person, why it stays and until when.")
    export = command(_export, "export", "Print all that is kept of a person, to be handed to that person.")
    erase = command(
        _erase, "erase", "Erase a person where no law keeps the data. Without --yes it only says what it would do."
    )
    for one in (found, export, erase):
        one.add_argument("document", help="CPF or CNPJ, with or without punctuation; another as it was given")
        one.add_argument("--company", required=True, help="its number or id: each company answers for its own people")
        one.add_argument(
            "--years", type=int, default=LEAST_YEARS, help=f"how long operations are kept; {LEAST_YEARS}, or more"
        )
    erase.add_argument("--reference", required=True, help="the number of the person's request, for the record; no name")
    erase.add_argument("--by", help="who erases; without it the user of this machine")
    erase.add_argument("--yes", action="store_true", help="do it: it cannot be undone")


async def _find(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    document, years = _document(given), _years(given)
    company = await context.company(given.company)
    with Progress("looks") as progress:
        return await personal_data.found(context.database, company.id, document, years, progress)


async def _export(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    document, years = _document(given), _years(given)
    company = await context.company(given.company)
    with Progress("kinds") as progress:
        return await personal_data.exported(context.database, company.id, document, years, progress)


async def _erase(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    by, reference = who(given), line_of("--reference", given.reference, _LONGEST_REFERENCE)
    document, years = _document(given), _years(given)
    if personal_data.tells(document, reference):
        raise CommandFailed("The reference holds the document, and is kept for ever: give the number of the request.")
    company = await context.company(given.company)
    with Progress("looks") as progress:
        held = await personal_data.found(context.database, company.id, document, years, progress)
    free = sum(row["ground"] is None for row in held)
    kept = Counter(row["ground"] for row in held if row["ground"] is not None)
    answer: dict[str, Any] = {"isErased": given.yes, "keptThings": dict(sorted(kept.items()))}
    if not given.yes:
        return answer | {"erasableThings": free}
    async with context.database.session() as session:
        now = await session.value("SELECT business_now()")
    erasure_id = context.chance.uuid(now)
    with Progress("erased") as progress:
        # One statement erases everything or nothing: until it ends none is, however long it takes.
        progress(0, free, "all at once")
        erased, _ = await personal_data.erase(
            context.database, company.id, document, years, erasure_id=erasure_id, by=by, reference=reference
        )
    return answer | {"id": erasure_id, "erased": erased}


def _document(given: argparse.Namespace) -> str:
    document: str = given.document.strip()
    if not _DOCUMENT.fullmatch(document.upper()) or not personal_data.plain(document).strip("0"):
        raise CommandFailed(
            "That is no document: give a CPF, a CNPJ or another, 1 to 40 digits, letters, &, /, hyphens and dots."
        )
    return document


def _years(given: argparse.Namespace) -> int:
    years: int = given.years
    if not LEAST_YEARS <= years <= _MOST_YEARS:
        raise CommandFailed(f"--years must be from {LEAST_YEARS}, which Circular 3.978 asks for, to {_MOST_YEARS}.")
    return years
