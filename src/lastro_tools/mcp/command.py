"""The command `lastro mcp`: its parser, and its start."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

from lastro.core.declined import CommandFailed
from lastro.terminal.parsing import Parser
from lastro_tools.events import access

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

_DONE, _NO = 0, 1
_STANDARD_INPUT = "-"
_LACKING = "lastro mcp needs the library of its protocol: make mcp installs it, or pip install 'lastro[mcp]'."


def perform(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Serves an agent until it leaves: 0. 1: it cannot, said in a sentence on standard error."""
    given = syntax().parse_args(arguments)
    try:
        _check(given)
        allowed = access.found(given, environment, asks=False)
        from lastro_tools.mcp.server import serve  # noqa: PLC0415 not every installation has its library

        asyncio.run(serve(allowed, version("lastro")))
    except CommandFailed as declined:
        sys.stderr.write(f"{declined}\n")
        return _NO
    return _DONE


def _check(given: argparse.Namespace) -> None:
    """Checks what a start needs. Declined: the library is lacking, or the secret would be read from the agent."""
    if importlib.util.find_spec("mcp") is None:
        raise CommandFailed(_LACKING)
    if given.client_secret_file == _STANDARD_INPUT:
        raise CommandFailed("Standard input is the agent's: name a file that holds the client's secret.")


def syntax() -> Parser:
    """Returns the command's syntax."""
    parser = Parser(
        prog="lastro mcp",
        description="Serve the API as tools of an agent, over standard input and output (Model Context Protocol).",
        epilog="Exit status: 0 done, 1 it cannot start, 2 no such command. It sends no money: people approve that.",
    )
    access.declare(parser, asks=False)
    return parser
