"""The parser of `lastro events` and its commands."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lastro.core.declined import CommandFailed
from lastro.terminal.parsing import Parser
from lastro_tools.events import access, asking, live
from lastro_tools.events.service import Service

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    from lastro_tools.events.access import Access

_DONE, _NO = 0, 1
_MOMENT = "a date (in Brasilia) or a timestamp"


def perform(arguments: Sequence[str], environment: Mapping[str, str], say: Callable[[str], object]) -> int:
    """Runs one of them: 0 done, 1 a no, said in a sentence on standard error; what is no command ends the process with 2.

    say: takes what goes to standard output, a line or a text at a time.
    """
    parser = syntax()
    given = parser.parse_args(arguments)
    if given.act == "resend" and bool(given.ids) == bool(asking.filters(given)):
        parser.error("resend takes ids, or filters that say which")
    try:
        return asyncio.run(_run(given, access.found(given, environment), say))
    except CommandFailed as declined:
        sys.stderr.write(f"{declined}\n")
        return _NO
    except BrokenPipeError:  # the reader has seen enough
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _DONE


async def _run(given: argparse.Namespace, allowed: Access, say: Callable[[str], object]) -> int:
    async with Service(allowed) as service:
        if given.act not in ("tail", "forward"):
            act = {"list": asking.listed, "show": asking.shown, "resend": asking.resent}[given.act]
            return await act(service, given, say)
        follow: Coroutine[None, None, int] = (
            live.tailed(service, given, say) if given.act == "tail" else live.forwarded(service, given, allowed, say)
        )
        task = asyncio.create_task(follow)
        for ending in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(ending, partial(task.cancel))
        return await live.until_ended(task)


def syntax() -> argparse.ArgumentParser:
    """Returns the command's syntax."""
    parser = Parser(
        prog="lastro events", description="Look at your events, follow them, send them again.",
        epilog="Exit status: 0 done, 1 refused, 2 no such command.",
    )  # fmt: skip
    whom = Parser(add_help=False)
    access.declare(whom)
    whom.add_argument("--json", action="store_true", help="for machines: JSON on standard output")
    acts = parser.add_subparsers(required=True, metavar="command", dest="act")

    def command(name: str, summary: str) -> argparse.ArgumentParser:
        return acts.add_parser(name, help=summary, description=summary, parents=[whom])

    listing = command("list", "List events that are sent to a URL, by default those that did not arrive.")
    _filters(listing)
    listing.add_argument("--limit", type=_count, default=20, metavar="N", help="how many at most (default: 20)")
    listing.add_argument(
        "--sort", choices=("asc", "desc"), default="desc", help="by the time they were made (default: desc)"
    )
    command("show", "Show one event with its body and every attempt.").add_argument("id", help="of an event, its x-event-id")
    resend = command("resend", "Send events again: these, or after a count all that fit a filter.")
    resend.add_argument("ids", nargs="*", metavar="id", help="of an event, its x-event-id")
    _filters(resend)
    resend.add_argument("--per-minute", type=_count, metavar="N", help="how many become due in a minute (default: 600)")
    resend.add_argument("--yes", action="store_true", help="send what fits without asking")
    _live(command("tail", "Show events as they come."))
    forward = command("forward", "Post events as they come to a URL of this machine, signed as deliveries are.")
    forward.add_argument("to", metavar="url", help="such as http://localhost:3000/hooks")
    forward.add_argument(
        "--secret-file",
        metavar="FILE",
        help="holds the webhook secret; - is standard input (default: LASTRO_WEBHOOK_SECRET, else one that is shown)",
    )
    _live(forward)
    return parser


def _filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--status", type=str.upper, help="RETRYING, FAILED, DELIVERED or PENDING (default: RETRYING and FAILED)"
    )
    parser.add_argument("--event", type=str.upper, metavar="TYPE", help="such as ORDER-PAYIN.PAID")
    parser.add_argument("--reference", metavar="ID", help="of the object that it tells of")
    parser.add_argument("--url", help="where it is sent, exactly")
    parser.add_argument("--from", dest="since", metavar="TIME", help=f"made at or after: {_MOMENT}")
    parser.add_argument("--to", dest="until", metavar="TIME", help=f"made at or before: {_MOMENT}")


def _live(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--after", type=_number, metavar="N", help="begin behind this number; 0: with the first (default: now)"
    )
    parser.add_argument("--event", type=str.upper, action="append", metavar="TYPE", help="these types alone, once for each")
    parser.add_argument("--reference", type=str.lower, action="append", metavar="ID", help="of these objects alone")
    parser.add_argument(
        "--state", type=Path, metavar="FILE", help="keeps the last number; goes on from there when started again"
    )
    parser.add_argument("--no-follow", action="store_true", help="end when there is nothing more, instead of waiting")


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:10]) <= 1_000_000:
        raise argparse.ArgumentTypeError("must be a whole number from 1 to 1,000,000")
    return int(text)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise argparse.ArgumentTypeError("must be the number of an event, or 0")
    return int(text)
