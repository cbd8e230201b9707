"""The commands of administration, by the verbs that everything else uses."""

from __future__ import annotations

import argparse
import asyncio
import importlib
from typing import TYPE_CHECKING, Any

from lastro.doors.commands.shown import as_json, as_text
from lastro.doors.declined import Declined

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lastro.doors.commands.desk import Act
    from lastro.doors.settings import Settings

__all__ = ["Declined", "perform"]

_GROUPS = {
    "company": "companies",
    "client": "clients",
    "account": "accounts",
    "payout": "payouts",
}  # others: as they are called


def perform(arguments: Sequence[str], settings: Callable[[], Settings], say: Callable[[str], object]) -> None:
    """Runs one command, `company list` or another; what is no command ends the process with 2 and says how it goes.

    say: takes the lines of its answer. Declined, StartRefused: why it could not, in one sentence.
    """
    from lastro.doors.commands.desk import Desk  # noqa: PLC0415 it loads the whole house; those who ask the API need none of it

    name, *rest = arguments
    given = _parser(name).parse_args(rest)

    async def run() -> Any:
        async with Desk(settings()) as desk:
            return await given.act(desk, given)

    answer = asyncio.run(run())
    say(as_json(answer) if given.json else as_text(answer))


def _parser(group: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"lastro {group}")
    form = argparse.ArgumentParser(add_help=False)
    form.add_argument("--json", action="store_true", help="for machines: JSON on standard output")
    acts = parser.add_subparsers(required=True, metavar="command")

    def command(act: Act, name: str, summary: str) -> argparse.ArgumentParser:
        made = acts.add_parser(name, help=summary, description=summary, parents=[form])
        made.set_defaults(act=act)
        return made

    importlib.import_module(f"{__name__}.{_GROUPS.get(group, group)}").declare(command)
    return parser
