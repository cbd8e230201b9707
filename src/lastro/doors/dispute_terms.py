"""How long each step of a dispute takes: what institutions differ about, as settings."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.med import TERMS, VERDICTS, Terms

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Terms", "dispute_terms"]


def dispute_terms(given: Mapping[str, str], problems: list[str]) -> Terms:
    """The terms that these variables ask for; whatever is wrong with one is added to `problems`, a sentence each."""
    verdict = given.get("LASTRO_MED_VERDICT", "").strip() or TERMS.verdict
    if verdict not in VERDICTS:
        problems.append(f"LASTRO_MED_VERDICT must be {' or '.join(VERDICTS)}, not {verdict!r}.")
    return replace(
        TERMS,
        verdict=verdict,
        contest=timedelta(days=_whole("LASTRO_MED_CONTEST_DAYS", TERMS.contest.days, 1, 365, given, problems)),
        analysis=timedelta(days=_whole("LASTRO_MED_ANALYSIS_DAYS", TERMS.analysis.days, 1, 30, given, problems)),
        refund=timedelta(hours=_whole("LASTRO_MED_REFUND_HOURS", 72, 1, 720, given, problems)),
        settle=timedelta(hours=_whole("LASTRO_MED_SETTLE_HOURS", 0, 0, 24, given, problems)),
        top_up=timedelta(minutes=_whole("LASTRO_MED_TOP_UP_MINUTES", 0, 0, 720, given, problems)),
    )


def _whole(name: str, otherwise: int, least: int, most: int, given: Mapping[str, str], problems: list[str]) -> int:
    text = given.get(name, "").strip() or str(otherwise)
    if re.fullmatch(r"\d{1,3}", text, re.ASCII) is None or not least <= int(text) <= most:
        problems.append(f"{name} must be a whole number from {least} to {most}, not {text!r}.")
        return otherwise
    return int(text)
