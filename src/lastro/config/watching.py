"""Settings of traces and of the hours of law checks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lastro.config.given import parts_of
from lastro.standards import traces

if TYPE_CHECKING:
    from lastro.config.given import Given

_NEVER = "never"
_HOURS = re.compile(r"(\d{1,2})-(\d{1,2})", re.ASCII)


class Watching(NamedTuple):
    """The settings of traces and law checks.

    otlp_url: the URL for spans; None: traces are off. trace_one_in: of so many traces one is kept. law_hours: the hours of
    Brasilia between which a worker reads the laws, (1, 5) is from 01:00 to 05:00; None: it never does.
    """

    otlp_url: str | None = None
    trace_one_in: int = 1
    law_hours: tuple[int, int] | None = None


def watching(given: Given) -> Watching:
    """Reads the settings of traces and law checks."""
    return Watching(_collector(given), given.whole("LASTRO_TRACE_ONE_IN"), _law_hours(given))


def _collector(given: Given) -> str | None:
    """Reads the collector's URL. No problem repeats the value: it may hold a password, which it must not."""
    url = given.maybe("LASTRO_OTLP_URL")
    if url is None:
        return None
    parts = parts_of(url)
    is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None and not parts.query
    if not is_good or parts.port == 0:
        given.problems.append(
            "LASTRO_OTLP_URL must be the address of a collector, such as http://127.0.0.1:4318, without a user."
        )
        return None
    return traces.collector(url)


def _law_hours(given: Given) -> tuple[int, int] | None:
    text = given.text("LASTRO_LAW_HOURS")
    if text == _NEVER:
        return None
    found = _HOURS.fullmatch(text)
    if found is None or not int(found[1]) < int(found[2]) <= 24:
        given.problems.append(f"LASTRO_LAW_HOURS must be two hours from 0 to 24, such as 1-5, or never, not {text!r}.")
        return None
    return int(found[1]), int(found[2])
