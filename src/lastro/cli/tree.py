"""Every command of lastro as one parser: what completion is made of, and what holds the documentation to the commands."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
from typing import TYPE_CHECKING

from lastro.cli import reconcile
from lastro.cli import syntax as administration
from lastro.ops import backups, eras
from lastro_tools import certify, events

if TYPE_CHECKING:
    from collections.abc import Iterable


def grown(root: argparse.ArgumentParser, groups: Iterable[str]) -> argparse.ArgumentParser:
    """The root, whose commands of administration and others with words of their own stand there with all of theirs.

    groups: the names of the commands of administration.
    """
    (commands,) = (action for action in root._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001
    commands.help = None  # what is suppressed in the overview is completed all the same
    own = {
        "backup": backups.backup_syntax(), "restore": backups.restore_syntax(), "certify": certify.syntax(),
        "era": eras.syntax(), "events": events.syntax(), **{group: administration(group) for group in groups},
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
