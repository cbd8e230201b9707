"""The commands of administration, by the verbs that everything else uses."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, Any

from lastro.cli.options import HELP
from lastro.core.declined import CommandFailed
from lastro.terminal.parsing import Parser
from lastro.terminal.printing import as_json, as_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from lastro.cli.command_context import Act
    from lastro.config.settings import Settings

__all__ = ["GROUPS", "CommandFailed", "perform", "syntax"]

# Each group of commands: the module that declares and performs them, and its sentence.
GROUPS = {
    "company": ("companies", "found companies, list them"),
    "client": ("clients", "let machines in that call the API, say what they may do, turn them away"),
    "account": ("accounts", "open payment accounts, list them, give them Pix keys"),
    "bank": (
        "bank",
        "check your own bank accounts, reached by API Pix, and rehearse a payment there",
    ),
    "banks": ("banks", "list who can be paid, renew the list from a file of the Central Bank's"),
    "payout": ("payouts", "approve or refuse payouts in review; book one as sent that was taken for failed"),
    "med": ("med", "list, show and decide disputes"),
    "reconcile": ("reconcile", "show how a day stands at each rail; accept a difference, take a statement again"),
    "unmatched": ("unmatched", "list money that could not be given back; give it to its account, or book it as paid out"),
    "foreign": ("foreign", "list payments at a merchant's own bank that no order asked for; claim or close one"),
    "personal-data": ("personal_data", "show, hand out and erase what is kept of a person, where the law lets it"),
    "admin": ("admin", "let people into the console, say what they may do, turn them away"),
    "audit": ("audit", "list what people did in the console, and to each other's access"),
    "archive": ("archive", "write old events to files and forget their bodies, check such files"),
    "keys": ("keys", "list and rotate the keys that sign tokens and Pix locations, and those that seal secrets"),
}


def perform(arguments: Sequence[str], settings: Callable[[], Settings], say: Callable[[str], object]) -> None:
    """Runs one command, `company list` or another; what is no command ends the process with 2 and says how it goes.

    say: takes the lines of its answer. Declined, StartRefused: why it could not, in one sentence.
    """
    from lastro.cli.command_context import CommandContext  # noqa: PLC0415 slow to load; commands that ask the API need none of it

    name, *rest = arguments
    given = syntax(name).parse_args(rest)

    async def run() -> Any:
        async with CommandContext(settings()) as context:
            return await given.act(context, given)

    answer = asyncio.run(run())
    say(as_json(answer) if given.json else as_text(answer))


def syntax(group: str) -> argparse.ArgumentParser:
    """Returns the syntax of a group of commands."""
    module, summary = GROUPS[group]
    parser = Parser(prog=f"lastro {group}", description=f"{summary[0].upper()}{summary[1:]}.")
    form = Parser(add_help=False)
    form.add_argument("--json", action="store_true", help="for machines: JSON on standard output")
    acts = parser.add_subparsers(required=True, metavar="command")

    def command(act: Act, name: str, summary: str, *shared: str) -> argparse.ArgumentParser:
        made = acts.add_parser(name, help=summary, description=summary, parents=[form])
        for option in shared:
            made.add_argument(option, help=HELP[option])
        made.set_defaults(act=act)
        return made

    importlib.import_module(f"{__name__}.{module}").declare(command)
    return parser
