"""ISO 8601 durations, for steps of the sandbox's clock."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import datetime, timedelta

LAST_YEAR = 2200
_FORM = re.compile(
    r"P(?=.)(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?"
    r"(?:T(?=.)(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,8})(?:\.(\d{1,6}))?S)?)?\Z",
    re.ASCII,
)


def after(moment: datetime, text: str) -> datetime | None:
    """Returns the moment after a duration; None: no such duration. Years and months go by the calendar."""
    match = _FORM.match(text)
    if match is None:
        return None
    years, months, weeks, days, hours, minutes, seconds = (int(g or 0) for g in match.groups()[:7])
    month = moment.year * 12 + moment.month - 1 + years * 12 + months
    year, month = divmod(month, 12)
    if year > LAST_YEAR:
        return None
    day = min(moment.day, monthrange(year, month + 1)[1])
    passed = timedelta(
        weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds,
        microseconds=int((match[8] or "").ljust(6, "0") or 0),
    )  # fmt: skip
    return moment.replace(year=year, month=month + 1, day=day) + passed
