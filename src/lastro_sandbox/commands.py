"""`lastro sandbox`: snapshots of the whole sandbox, and their restore."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastro.api_kit.routes import stamp
from lastro.core.declined import CommandFailed
from lastro_sandbox import jobs, snapshots
from lastro_sandbox.embedded import StartRefused
from lastro_sandbox.embedded.home import HomeLock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    _Act = Callable[[Path, argparse.Namespace], tuple[str, Any]]

_NO_SANDBOX = "No running sandbox was found in {}: start one with make run."


def syntax() -> argparse.ArgumentParser:
    """Returns the syntax of the command."""
    parser = argparse.ArgumentParser(
        prog="lastro sandbox",
        description="Keep the whole sandbox as it is now, and go back to it.",
    )
    form = argparse.ArgumentParser(add_help=False)
    form.add_argument("--json", action="store_true", help="for machines: JSON on standard output")
    acts = parser.add_subparsers(required=True, metavar="command")

    def command(act: _Act, word: str, summary: str, name: str | None = None) -> None:
        made = acts.add_parser(word, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", parents=[form])
        made.set_defaults(act=act)
        if name is not None:
            made.add_argument("name", help=name)

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
