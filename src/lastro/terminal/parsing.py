"""Parses a command line; a mistyped word is told its likeness."""

from __future__ import annotations

import argparse
import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_CLOSE = 0.6  # of difflib's ratio: two letters of six may be wrong
QUIET = "write nothing but what went wrong; no progress"


def closest(word: str, known: Iterable[str], cutoff: float = _CLOSE) -> str | None:
    """Returns the known word that is most like this one; None: none is."""
    return next(iter(get_close_matches(word, list(known), 1, cutoff)), None)


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """Returns the end of a sentence: `: did you mean verify?`, or what is said otherwise."""
    found = closest(word, known)
    return otherwise if found is None else f": did you mean {found}?"


class Parser(argparse.ArgumentParser):
    """An argument parser whose refusals name the word that was meant. Its sub-commands are parsers of the same kind."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parses the words. An option that is none ends the process with 2, and a sentence."""
        words = sys.argv[1:] if args is None else list(args)
        first = "".join(words[:1]).partition("=")[0]
        if not any(flag == first or (self.allow_abbrev and flag.startswith(first)) for flag in self._option_string_actions):
            self._refuse_option(first)  # before what lacks behind it is said
        given, rest = super().parse_known_args(words, namespace)
        for word in rest:
            self._refuse_option(word.partition("=")[0])
        return given, rest

    def _refuse_option(self, option: str) -> None:
        name = option.lstrip("-")
        if option.startswith("-") and name and not name[0].isdigit():
            flags = [flag.removeprefix("--") for flag in self._option_string_actions if flag.startswith("--")]
            like = closest(name, flags)
            end = f"; {self.prog} --help lists them" if like is None else f": did you mean --{like}?"
            self.error(f"there is no option {option}{end}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        known = [str(one) for one in action.choices]
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 argparse has no other name for it
            self.error(f"there is no command {value!r}{did_you_mean(value, known, f'; {self.prog} --help lists them')}")
        end = did_you_mean(str(value), known)
        raise argparse.ArgumentError(action, f"{value!r} is none of {', '.join(known)}{end}")
