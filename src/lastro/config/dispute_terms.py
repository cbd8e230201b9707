"""How long each step of a dispute takes: what institutions differ about, as settings."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.med import FRAUDS, TERMS, VERDICTS, DisputeTerms
from lastro.rails.port import MedContact

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DisputeTerms", "dispute_terms"]


# Played in the sandbox; an institution gives its own, or opens no recovery and agrees to nothing by itself.
_SANDBOX = {
    "LASTRO_MED_CONTACT_EMAIL": "med@lastro.example", "LASTRO_MED_CONTACT_PHONE": "+551130030000",
    "LASTRO_MED_FRAUD": "OTHER", "LASTRO_MED_FRAUD_DETAILS": "Nobody has decided in time",
}  # fmt: skip
# DICT 2.12.1, schemas Email and Phone.
_EMAIL = re.compile(
    r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*", re.ASCII
)
_PHONE = re.compile(r"\+[0-9]\d{1,14}", re.ASCII)
_LONGEST_DETAILS = 2000


def dispute_terms(given: Mapping[str, str], problems: list[str], *, sandbox: bool = False) -> DisputeTerms:
    """The terms that these variables ask for; whatever is wrong with one is added to `problems`, a sentence each."""
    if sandbox:
        given = {**_SANDBOX, **given}
    verdict = given.get("LASTRO_MED_VERDICT", "").strip() or TERMS.verdict
    if verdict not in VERDICTS:
        problems.append(f"LASTRO_MED_VERDICT must be {' or '.join(VERDICTS)}, not {verdict!r}.")
    fraud, details = _default_fraud(given, problems)
    return replace(
        TERMS,
        verdict=verdict,
        fraud=fraud,
        details=details,
        contact=_contact(given, problems),
        contest=timedelta(days=_whole("LASTRO_MED_CONTEST_DAYS", TERMS.contest.days, 1, 365, given, problems)),
        analysis=timedelta(days=_whole("LASTRO_MED_ANALYSIS_DAYS", TERMS.analysis.days, 1, 30, given, problems)),
        refund=timedelta(hours=_whole("LASTRO_MED_REFUND_HOURS", 72, 1, 720, given, problems)),
        settle=timedelta(hours=_whole("LASTRO_MED_SETTLE_HOURS", 0, 0, 24, given, problems)),
        monitor=timedelta(days=_whole("LASTRO_MED_MONITOR_DAYS", TERMS.monitor.days, 0, 90, given, problems)),
        defense=timedelta(days=_whole("LASTRO_MED_DEFENSE_DAYS", TERMS.defense.days, 1, 30, given, problems)),
        reminder=timedelta(hours=_whole("LASTRO_MED_REMINDER_HOURS", 24, 0, 720, given, problems)),
        top_up=timedelta(minutes=_whole("LASTRO_MED_TOP_UP_MINUTES", 0, 0, 720, given, problems)),
    )


def _contact(given: Mapping[str, str], problems: list[str]) -> MedContact | None:
    """Whom other institutions reach about a recovery: both ways, or none."""
    name, number = "LASTRO_MED_CONTACT_EMAIL", "LASTRO_MED_CONTACT_PHONE"
    email, phone = given.get(name, "").strip(), given.get(number, "").strip()
    if not email and not phone:
        return None
    if _EMAIL.fullmatch(email) is None or len(email) > 254:
        problems.append(f"{name} must be an e-mail address in small letters, where {number} is set.")
    if _PHONE.fullmatch(phone) is None:
        problems.append(f"{number} must be + and 2 to 15 digits, where {name} is set.")
    return MedContact(email, phone)


def _default_fraud(given: Mapping[str, str], problems: list[str]) -> tuple[str | None, str | None]:
    """The kind of fraud that goes with AGREED where nobody has decided, and its words: chosen, never guessed."""
    fraud = given.get("LASTRO_MED_FRAUD", "").strip() or None
    details = given.get("LASTRO_MED_FRAUD_DETAILS", "").strip() or None
    if fraud is not None and fraud not in FRAUDS:
        problems.append(f"LASTRO_MED_FRAUD must be {' or '.join(FRAUDS)}, not {fraud!r}.")
    if fraud == "OTHER" and details is None:
        problems.append("LASTRO_MED_FRAUD_DETAILS must say in words what LASTRO_MED_FRAUD=OTHER is.")
    if details is not None and (len(details) > _LONGEST_DETAILS or not details.isprintable()):
        problems.append(f"LASTRO_MED_FRAUD_DETAILS must have at most {_LONGEST_DETAILS:,} printable characters.")
    return fraud, None if fraud is None else details


def _whole(name: str, otherwise: int, least: int, most: int, given: Mapping[str, str], problems: list[str]) -> int:
    text = given.get(name, "").strip() or str(otherwise)
    if re.fullmatch(r"\d{1,3}", text, re.ASCII) is None or not least <= int(text) <= most:
        problems.append(f"{name} must be a whole number from {least} to {most}, not {text!r}.")
        return otherwise
    return int(text)
