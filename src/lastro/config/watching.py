"""How lastro is watched, as settings: where traces go, and when the laws are read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from lastro.standards import traces

if TYPE_CHECKING:
    from collections.abc import Mapping

_NEVER = "never"
_HOURS = re.compile(r"(\d{1,2})-(\d{1,2})", re.ASCII)


class Watching(NamedTuple):
    """otlp_url: where spans are posted; None: traces are off. trace_one_in: of so many traces one is kept.

    law_hours: between which hours of Brasilia a worker reads the laws, (1, 5) is from 01:00 to 05:00; None: it never does.
    """

    otlp_url: str | None = None
    trace_one_in: int = 1
    law_hours: tuple[int, int] | None = None


def watching(given: Mapping[str, str], problems: list[str], *, sandbox: bool) -> Watching:
    """LASTRO_OTLP_URL, LASTRO_TRACE_ONE_IN and LASTRO_LAW_HOURS."""
    one_in = given.get("LASTRO_TRACE_ONE_IN", "").strip() or "1"
    if re.fullmatch(r"[1-9]\d{0,8}", one_in, re.ASCII) is None:
        problems.append(f"LASTRO_TRACE_ONE_IN must be a whole number above zero, not {one_in!r}.")
        one_in = "1"
    return Watching(_collector(given, problems), int(one_in), _law_hours(given, problems, sandbox=sandbox))


def _collector(given: Mapping[str, str], problems: list[str]) -> str | None:
    """What was given is not repeated: it may hold a password, which it must not."""
    url = given.get("LASTRO_OTLP_URL", "").strip()
    if not url:
        return None
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None and not parts.query
        is_good = is_good and (parts.port is None or parts.port > 0)
    except ValueError:
        is_good = False
    if not is_good:
        problems.append("LASTRO_OTLP_URL must be the address of a collector, such as http://127.0.0.1:4318, without a user.")
        return None
    return traces.collector(url)


def _law_hours(given: Mapping[str, str], problems: list[str], *, sandbox: bool) -> tuple[int, int] | None:
    text = given.get("LASTRO_LAW_HOURS", "").strip() or (_NEVER if sandbox else "1-5")
    if text == _NEVER:
        return None
    found = _HOURS.fullmatch(text)
    if found is None or not int(found[1]) < int(found[2]) <= 24:
        problems.append(f"LASTRO_LAW_HOURS must be two hours from 0 to 24, such as 1-5, or never, not {text!r}.")
        return None
    return int(found[1]), int(found[2])
