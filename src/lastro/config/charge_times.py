"""When charges of subscriptions are sent, called off and over, and codes authorize: what institutions differ about."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import time, timedelta
from typing import TYPE_CHECKING

from lastro.subscriptions import TIMING, Timing

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Timing", "charge_times"]
_LONGEST_WINDOW = 366
_MOST_DAYS = 10  # earlier than that the payer's bank refuses (FCD1, domain.md §3.7)


def charge_times(given: Mapping[str, str], problems: list[str]) -> Timing:
    """The times that these variables ask for; whatever is wrong with one is added to `problems`, a sentence each."""
    send = _days("LASTRO_CHARGE_SEND_DAYS", TIMING.send_days, given, problems)
    last = _days("LASTRO_CHARGE_LAST_SEND_DAYS", TIMING.last_send_days, given, problems)
    if last > send:
        problems.append(f"LASTRO_CHARGE_LAST_SEND_DAYS must not be above LASTRO_CHARGE_SEND_DAYS, which is {send}.")
    return replace(
        TIMING, send_days=send, last_send_days=last, window=_window(given, problems),
        receiver_cancels_until=_hour("LASTRO_CHARGE_CANCEL_UNTIL", TIMING.receiver_cancels_until, given, problems),
        day_ends_at=_hour("LASTRO_CHARGE_DAY_ENDS", TIMING.day_ends_at, given, problems),
    )  # fmt: skip


def _days(name: str, otherwise: int, given: Mapping[str, str], problems: list[str]) -> int:
    text = given.get(name, "").strip() or str(otherwise)
    if re.fullmatch(r"\d{1,2}", text, re.ASCII) is None or not 1 <= int(text) <= _MOST_DAYS:
        problems.append(f"{name} must be a whole number of days from 1 to {_MOST_DAYS}, not {text!r}.")
        return otherwise
    return int(text)


def _window(given: Mapping[str, str], problems: list[str]) -> timedelta | None:
    text = given.get("LASTRO_AUTHORIZATION_DAYS", "").strip()
    if text == "":
        return TIMING.window
    if re.fullmatch(r"\d{1,3}", text, re.ASCII) is None or not 1 <= int(text) <= _LONGEST_WINDOW:
        problems.append(f"LASTRO_AUTHORIZATION_DAYS must be empty or days from 1 to {_LONGEST_WINDOW}, not {text!r}.")
        return TIMING.window
    return timedelta(days=int(text))


def _hour(name: str, otherwise: time, given: Mapping[str, str], problems: list[str]) -> time:
    text = given.get(name, "").strip() or f"{otherwise:%H:%M}"
    if re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", text, re.ASCII) is None:
        problems.append(f"{name} must be an hour and minute in Brasilia such as {otherwise:%H:%M}, not {text!r}.")
        return otherwise
    return time.fromisoformat(text)
