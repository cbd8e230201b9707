"""Settings of subscription charges' times and of each dispute step."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.med import TERMS, DisputeTerms
from lastro.rails.port import MedContact
from lastro.subscriptions import TIMING, Timing

if TYPE_CHECKING:
    from lastro.config.given import Given

# DICT 2.12.1, schemas Email and Phone.
_EMAIL = re.compile(
    r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*", re.ASCII
)
_PHONE = re.compile(r"\+[0-9]\d{1,14}", re.ASCII)
_LONGEST_DETAILS = 2000


def charge_times(given: Given) -> Timing:
    """Reads the times of charges and of authorization codes."""
    send, last = given.whole("LASTRO_CHARGE_SEND_DAYS"), given.whole("LASTRO_CHARGE_LAST_SEND_DAYS")
    if last > send:
        given.problems.append(f"LASTRO_CHARGE_LAST_SEND_DAYS must not be above LASTRO_CHARGE_SEND_DAYS, which is {send}.")
    days = given.maybe_whole("LASTRO_AUTHORIZATION_DAYS")
    return replace(
        TIMING,
        send_days=send,
        last_send_days=last,
        window=None if days is None else timedelta(days=days),
        receiver_cancels_until=given.hour("LASTRO_CHARGE_CANCEL_UNTIL"),
        day_ends_at=given.hour("LASTRO_CHARGE_DAY_ENDS"),
    )


def dispute_terms(given: Given) -> DisputeTerms:
    """Reads the terms of disputes: durations, defaults and contact."""
    fraud, details = _default_fraud(given)
    return replace(
        TERMS,
        verdict=given.word("LASTRO_MED_VERDICT"),
        fraud=fraud,
        details=details,
        contact=_contact(given),
        contest=timedelta(days=given.whole("LASTRO_MED_CONTEST_DAYS")),
        analysis=timedelta(days=given.whole("LASTRO_MED_ANALYSIS_DAYS")),
        refund=timedelta(hours=given.whole("LASTRO_MED_REFUND_HOURS")),
        settle=timedelta(hours=given.whole("LASTRO_MED_SETTLE_HOURS")),
        monitor=timedelta(days=given.whole("LASTRO_MED_MONITOR_DAYS")),
        defense=timedelta(days=given.whole("LASTRO_MED_DEFENSE_DAYS")),
        reminder=timedelta(hours=given.whole("LASTRO_MED_REMINDER_HOURS")),
        top_up=timedelta(minutes=given.whole("LASTRO_MED_TOP_UP_MINUTES")),
    )


def _contact(given: Given) -> MedContact | None:
    """Returns the contact for recoveries: e-mail and phone, or None."""
    name, number = "LASTRO_MED_CONTACT_EMAIL", "LASTRO_MED_CONTACT_PHONE"
    email, phone = given.unless_emptied(name) or "", given.unless_emptied(number) or ""
    if not email and not phone:
        return None
    if _EMAIL.fullmatch(email) is None or len(email) > 254:
        given.problems.append(f"{name} must be an e-mail address in small letters, where {number} is set.")
    if _PHONE.fullmatch(phone) is None:
        given.problems.append(f"{number} must be + and 2 to 15 digits, where {name} is set.")
    return MedContact(email, phone)


def _default_fraud(given: Given) -> tuple[str | None, str | None]:
    """Reads the default kind and description of fraud for AGREED. They apply if nobody has decided; never guessed."""
    fraud, details = given.maybe_word("LASTRO_MED_FRAUD"), given.unless_emptied("LASTRO_MED_FRAUD_DETAILS")
    if fraud == "OTHER" and details is None:
        given.problems.append("LASTRO_MED_FRAUD_DETAILS must say in words what LASTRO_MED_FRAUD=OTHER is.")
    if details is not None and (len(details) > _LONGEST_DETAILS or not details.isprintable()):
        given.problems.append(f"LASTRO_MED_FRAUD_DETAILS must have at most {_LONGEST_DETAILS:,} printable characters.")
    return fraud, None if fraud is None else details
