"""The delay after which a person's higher limit holds: the Central Bank gives a range, each institution chooses."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.payouts import RAISE_AFTER

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME, _LEAST, _MOST = "LASTRO_LIMIT_RAISE_HOURS", 24, 48


def limit_raise(given: Mapping[str, str], problems: list[str]) -> timedelta:
    """The time that the variable asks for; whatever is wrong with it is added to `problems`."""
    text = given.get(_NAME, "").strip()
    if text == "":
        return RAISE_AFTER
    if re.fullmatch(r"\d{2}", text, re.ASCII) is None or not _LEAST <= int(text) <= _MOST:
        problems.append(f"{_NAME} must be a whole number of hours from {_LEAST} to {_MOST}, not {text!r}.")
        return RAISE_AFTER
    return timedelta(hours=int(text))
