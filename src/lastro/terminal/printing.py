"""Prints a command's answer: as JSON for machines, as aligned text for people."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from lastro.api_kit.routes import stamp

Answer = Mapping[str, Any] | Sequence[Mapping[str, Any]]
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


def as_json(answer: Answer) -> str:
    """One JSON document, indented."""
    return msgspec.json.format(msgspec.json.encode(answer, enc_hook=_plain), indent=2).decode()


def as_text(answer: Answer) -> str:
    """A mapping: a line for each name. A list: a table, its names above."""
    if isinstance(answer, Mapping):
        names = [_words(name) for name in answer]
        width = max(map(len, names), default=0)
        lines = [f"{name:<{width}}  {_text(value)}" for name, value in zip(names, answer.values(), strict=True)]
        return "\n".join(lines)
    if not answer:
        return "none"
    rows = [[_words(name) for name in answer[0]], *([_text(value) for value in row.values()] for row in answer)]
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    return "\n".join("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


def printable(text: str) -> str:
    """The same without the characters that a terminal obeys: a text that a stranger chose must not speak to it."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def _words(name: str) -> str:
    return _WORD.sub(" ", name).lower()


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return stamp(value)
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"an answer does not hold {type(value).__name__}")


def _text(value: Any) -> str:
    if value is None or value == []:
        return "-"
    if isinstance(value, list):
        return " ".join(map(_text, value))
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}Z"
    return printable(str(value))
