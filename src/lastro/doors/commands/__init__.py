"""The commands of administration, by the verbs that everything else uses."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING, Any

from lastro.doors.commands import accounts, banks, clients, companies, keys, payouts, reconcile
from lastro.doors.commands.desk import Declined, Desk
from lastro.doors.commands.shown import as_json, as_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lastro.doors.commands.desk import Act
    from lastro.doors.settings import Settings

__all__ = ["Declined", "perform"]

_GROUPS = {
    "company": companies.declare,
    "client": clients.declare,
    "account": accounts.declare,
    "banks": banks.declare,
    "payout": payouts.declare,
    "keys": keys.declare,
    "reconcile": reconcile.declare,
}


def perform(arguments: Sequence[str], settings: Callable[[], Settings], say: Callable[[str], object]) -> None:
    """Runs one command, `company list` or another; what is no command ends the process with 2 and says how it goes.

    say: takes the lines of its answer. Declined, StartRefused: why it could not, in one sentence.
    """
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

    _GROUPS[group](command)
    return parser
