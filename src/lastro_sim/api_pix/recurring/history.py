"""Histories of states: each change with its instant, and the instant from which the bank shows it."""

import json
from typing import Any

from lastro_sim.api_pix import paging


def begun(status: str, at: int) -> str:
    """Returns the history of something new."""
    return json.dumps([[status, at, at]])


def longer(history: str, status: str, at: int, shown_from: int) -> str:
    """Returns a history with one change more. shown_from: never before the change before it."""
    known: list[list[Any]] = json.loads(history)
    return json.dumps([*known, [status, at, max(shown_from, known[-1][2])]])


def status(history: str, now: int) -> str:
    """Returns the state that the bank shows now."""
    shown: str = _visible(history, now)[-1][0]
    return shown


def shown(history: str, now: int) -> list[dict[str, str]]:
    """Returns `atualizacao`."""
    return [{"status": name, "data": paging.printed(at)} for name, at, _ in _visible(history, now)]


def _visible(history: str, now: int) -> list[list[Any]]:
    known: list[list[Any]] = json.loads(history)
    return [one for one in known if one[2] <= now] or known[:1]
