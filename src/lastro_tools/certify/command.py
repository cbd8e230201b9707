"""`lastro certify URL`: checks an integrator's receiver, and prints results and remedies."""

from __future__ import annotations

import argparse
import asyncio
import getpass
import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lastro import orders
from lastro.api_kit.routes import stamp
from lastro.config.own_ports import own_ports
from lastro.core.declined import StartRefused
from lastro.core.secrets import Secret
from lastro.http_client import OutgoingClient, url_problem
from lastro.terminal.parsing import Parser
from lastro.terminal.progress import Progress
from lastro.webhooks import sign
from lastro_tools.certify import printing
from lastro_tools.certify.checks import CERTIFICATE, DUTIES
from lastro_tools.certify.connection import ReceiverClient, Unreached
from lastro_tools.certify.fixtures import Author
from lastro_tools.certify.model import SLOW_SECONDS, Limits, exit_status
from lastro_tools.certify.runner import Certifier
from lastro_tools.certify.verdicts import NO_ANSWER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lastro.config.settings import Settings
    from lastro_tools.certify.model import Finding

_SLOWEST = 8.0  # a delivery has 10 seconds for everything
_NOT_JUDGED = 2


class _Declined(Exception):  # noqa: N818 it says what happened to the certification
    """The error that a run was not begun; its text says why in one sentence."""


def certify(arguments: Sequence[str], settings: Callable[[], Settings], say: Callable[[str], object]) -> int:
    """Runs the command. 0: nothing to mend. 1: something is. 2: the receiver was not reached or not judged.

    say: takes what goes to standard output.
    """
    given = syntax().parse_args(arguments)
    try:
        secret = _secret(given.secret_file)
        return asyncio.run(_certify(given, secret, settings(), say))
    except (_Declined, StartRefused) as declined:
        sys.stderr.write(f"{declined}\n")
    except Unreached as unreached:
        sys.stderr.write(f"Not reached: {unreached.failure.value}. {NO_ANSWER[unreached.failure]}\n")
    return _NOT_JUDGED


def syntax() -> argparse.ArgumentParser:
    """Returns the command's syntax."""
    parser = Parser(
        prog="lastro certify", description="Play a webhook receiver its duties; print what passed and what to mend.",
        epilog="Exit status: 0 nothing to mend, 1 something to mend, 2 not reached or not judged.",
    )  # fmt: skip
    parser.add_argument("url", help="where your receiver takes notifications")
    parser.add_argument(
        "--secret-file",
        metavar="FILE",
        help="holds the webhook secret, whsec_…; - is standard input; by default you are asked",
    )
    parser.add_argument("--slow", type=_seconds, default=SLOW_SECONDS, metavar="SECONDS",
                        help="how long the slow body takes to arrive, 0 leaves it out (default: 3)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="for machines: JSON on standard output")
    return parser


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= _SLOWEST:
        raise argparse.ArgumentTypeError(f"must be a number of seconds from 0 to {_SLOWEST:.0f}")
    return seconds


def _secret(file: str | None) -> Secret | None:
    """Reads the secret from a file, or as it is typed unseen.

    None: there is nobody to ask, or they said nothing. It is no argument and no variable: other users of the machine can
    read the one, and what a process starts the other.
    """
    try:
        if file is not None:
            text = (sys.stdin.read() if file == "-" else Path(file).expanduser().read_text(encoding="utf-8")).strip()
        elif sys.stdin.isatty():
            text = getpass.getpass("Webhook secret (nothing: leave the signatures out): ").strip()
        else:
            return None
    except (OSError, UnicodeDecodeError, EOFError):
        raise _Declined(f"The secret cannot be read from {file or 'the terminal'}.") from None
    if not text and file is None:
        return None
    try:
        sign([text], "", 0, b"")
    except ValueError:
        raise _Declined("That is no webhook secret: one is whsec_ and base64.") from None
    return Secret(text)


async def _certify(
    given: argparse.Namespace, secret: Secret | None, settings: Settings, say: Callable[[str], object]
) -> int:
    problem = url_problem(given.url, sandbox=settings.is_sandbox)
    if problem is not None:
        raise _Declined(problem)
    at = datetime.now(UTC)
    terms = Limits(has_secret=secret is not None, slow_seconds=given.slow)
    author = Author(secret, time.time, os.urandom, orders.EVENT_TYPES)
    ports = own_ports(settings)
    line = ReceiverClient(given.url, is_sandbox=settings.is_sandbox, own_ports=ports)
    findings: list[Finding] = []
    names = [duty.name for duty in (CERTIFICATE, *DUTIES)]
    with Progress("duties") as progress:
        told = progress.beside(say)
        progress(1, len(names), names[0])
        async with OutgoingClient(sandbox=settings.is_sandbox, own_ports=ports) as client:
            async for finding in Certifier(client, line, author, terms).findings():
                if not findings and not given.json:
                    told(printing.heading(given.url, f"{at:%Y-%m-%d %H:%M} UTC"))
                findings.append(finding)
                if not given.json:
                    told(printing.line(finding))
                if len(findings) < len(names):
                    progress(len(findings) + 1, len(names), names[len(findings)])
    say(printing.as_json(given.url, stamp(at), findings) if given.json else printing.ending(findings))
    return exit_status(findings)
