"""`lastro sandbox`: what a script needs of the running sandbox; snapshots of the whole, and their restore."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastro.api_kit.routes import stamp
from lastro.core.declined import CommandFailed
from lastro.terminal.parsing import Parser, did_you_mean
from lastro_sandbox import jobs, snapshots
from lastro_sandbox.embedded import StartRefused
from lastro_sandbox.embedded.home import HomeLock

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    _Act = Callable[[Path, argparse.Namespace], tuple[str, Any]]

# What `lastro events`, the SDKs and the guides' examples read, and the value of each.
_VARIABLES = {
    "LASTRO_API_URL": "baseUrl", "LASTRO_CLIENT_ID": "clientId", "LASTRO_CLIENT_SECRET": "clientSecret",
    "LASTRO_WEBHOOK_SECRET": "webhookSecret", "LASTRO_SIMULATOR_URL": "simulatorUrl",
    "LASTRO_ACCOUNT_ID": "accounts.0.id", "LASTRO_PIX_KEY": "accounts.0.pixKey",
}  # fmt: skip
_NO_SANDBOX = "No running sandbox was found in {}: start one with make run."


def syntax() -> argparse.ArgumentParser:
    """Returns the syntax of the command."""
    parser = Parser(
        prog="lastro sandbox",
        description="Tell a script what it needs of the running sandbox; keep the whole as it is now, and go back to it.",
    )
    form = Parser(add_help=False)
    form.add_argument("--json", action="store_true", help="for machines: JSON on standard output")
    acts = parser.add_subparsers(required=True, metavar="command")

    def command(act: _Act, word: str, summary: str, name: str | None = None, what: str = "name") -> None:
        made = acts.add_parser(word, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", parents=[form])
        made.set_defaults(act=act)
        if name is not None:
            made.add_argument(what, help=name)

    command(_get, "get", "print one value of the running sandbox", "such as clientId, baseUrl or accounts.0.pixKey", "key")
    command(_env, "env", 'print the lines that set a shell\'s variables: eval "$(lastro sandbox env)"')
    command(_snapshot, "snapshot", "keep everything as it is now; the sandbox stops for a few seconds",
            "small letters, digits, - and _, at most 40")  # fmt: skip
    command(_snapshots, "snapshots", "list the snapshots, the newest first")
    command(_restore, "restore", "put everything back as it was, the clock too; what came since is lost", "of a snapshot")
    command(_forget, "forget", "remove a snapshot", "of a snapshot")
    return parser


def perform(words: Sequence[str], env: Mapping[str, str], say: Callable[[str], object]) -> str | int:
    """Runs `lastro sandbox …`. Returns its status, or the sentence of why it could not."""
    given = syntax().parse_args(list(words))
    home = Path(env.get("LASTRO_HOME") or ".lastro").expanduser().absolute()
    try:
        lines, told = given.act(home, given)
    except CommandFailed as declined:
        return str(declined)
    except StartRefused as refused:
        return refused.sentence
    say(json.dumps(told, indent=2) if given.json else lines)
    return 0


def _get(home: Path, given: argparse.Namespace) -> tuple[str, Any]:
    values = _values(_told(home))
    if given.key not in values:
        raise CommandFailed(f"The sandbox has no {given.key[:60]!r}{did_you_mean(given.key, values, '.')}"
                            f" There are {', '.join(values)}.")  # fmt: skip
    return values[given.key], values[given.key]


def _env(home: Path, _: argparse.Namespace) -> tuple[str, Any]:
    values = _values(_told(home))
    variables = {name: values[key] for name, key in _VARIABLES.items()}
    return "\n".join(f"export {name}={shlex.quote(value)}" for name, value in variables.items()), variables


def _told(home: Path) -> Any:
    """Returns what the running sandbox tells. CommandFailed: none runs here."""
    try:
        return json.loads((home / "sandbox.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CommandFailed(_NO_SANDBOX.format(home)) from None


def _values(told: Any, path: str = "") -> dict[str, str]:
    """Returns every value by its path: names and places in lists, with dots between."""
    if not isinstance(told, dict | list):
        return {path: str(told)}
    pairs = told.items() if isinstance(told, dict) else enumerate(told)
    return {key: text for name, value in pairs for key, text in _values(value, f"{path}.{name}".lstrip(".")).items()}


def _snapshot(home: Path, given: argparse.Namespace) -> tuple[str, Any]:
    if not (home / "sandbox.json").exists():
        raise CommandFailed(_NO_SANDBOX.format(home))
    return _job(home, "snapshot", given.name)


def _restore(home: Path, given: argparse.Namespace) -> tuple[str, Any]:
    if HomeLock.holder(home) is not None:
        if not (home / "sandbox.json").exists():
            raise CommandFailed(f"The sandbox in {home} is being started or stopped: wait until it runs.")
        return _job(home, "restore", given.name)
    if not home.is_dir():
        raise CommandFailed(_NO_SANDBOX.format(home))
    found = snapshots.put_back_alone(home, given.name, lambda _: None)
    return f"snapshot {found.name} restored; the next start goes on from it", _shown(found)


def _job(home: Path, kind: jobs.JobKind, name: str) -> tuple[str, Any]:
    told = jobs.waited_for(home, jobs.ask(home, kind, name))
    if told.state != "DONE":
        raise CommandFailed(told.sentence)
    (found,) = (one for one in snapshots.everything(home) if one.name == name)
    return told.sentence, _shown(found)


def _snapshots(home: Path, _: argparse.Namespace) -> tuple[str, Any]:
    found = snapshots.everything(home)
    lines = [
        f"{one.name:<40}  {one.size // 1024**2:>5} MB  made {one.made_at:%Y-%m-%d %H:%M} UTC"
        f"  business time {one.business_now:%Y-%m-%d %H:%M} UTC"
        for one in found
    ]
    return "\n".join(lines) or "no snapshots", [_shown(one) for one in found]


def _forget(home: Path, given: argparse.Namespace) -> tuple[str, Any]:
    snapshots.forget(home, given.name)
    return f"snapshot {given.name} forgotten", {"name": given.name}


def _shown(one: snapshots.Snapshot) -> dict[str, Any]:
    return {"name": one.name, "madeAt": stamp(one.made_at), "businessNow": stamp(one.business_now), "bytes": one.size}
