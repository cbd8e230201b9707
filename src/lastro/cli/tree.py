"""The parser of every command. The completion and the tests of the documentation use it."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
from typing import TYPE_CHECKING

from lastro.cli import doctor, reconcile
from lastro.cli import syntax as administration
from lastro.ops import backups, distribute, eras
from lastro_tools import certify, events, mcp

if TYPE_CHECKING:
    from collections.abc import Iterable


def grown(root: argparse.ArgumentParser, groups: Iterable[str]) -> argparse.ArgumentParser:
    """Adds the groups' full syntax to the root parser.

    groups: the names of the commands of administration; others with a syntax of their own are added, too.
    """
    (commands,) = (action for action in root._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001
    commands.help = None  # the completion has commands that the overview suppresses, too
    own = {
        "backup": backups.backup_syntax(), "restore": backups.restore_syntax(), "certify": certify.syntax(),
        "distribute": distribute.syntax(), "doctor": doctor.syntax(), "era": eras.syntax(),
        "events": events.syntax(), "mcp": mcp.syntax(), **{group: administration(group) for group in groups},
    }  # fmt: skip
    if importlib.util.find_spec("lastro_sandbox") is not None:
        own["sandbox"] = importlib.import_module("lastro_sandbox.commands").syntax()
    reconcile.declare_day(own["reconcile"])
    for action in own["reconcile"]._actions:  # noqa: SLF001 without one of its commands it shows a day
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            action.required = False
    for name, parser in own.items():
        parser.prog = f"{root.prog} {name}"
        commands.choices[name] = parser
    return root
