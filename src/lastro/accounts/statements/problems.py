"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.accounts.statements.model import MOST_DAYS
from lastro.core.errors import invalid

# fmt: off
MERGE_BATCH_MUTUALLY_EXCLUSIVE = invalid("mergeBatch", "MUTUALLY_EXCLUSIVE", "one payment is no batch",
    "`endToEndId` names one payment.", "Give one of the two.")
FORMAT_OUT_OF_RANGE = invalid("format", "OUT_OF_RANGE", "CNAB 240 holds {most_entries} entries: ask for fewer days",
    "CNAB 240 counts its records in six digits.", "Ask for fewer days.")
EXCEL_NOT_ALLOWED = invalid("excel", "NOT_ALLOWED", "is for format=csv alone",
    "It changes CSV alone.", "Leave it out, or give `format=csv`.")
DATE_NOT_ALLOWED = invalid("startDate", "NOT_ALLOWED", "a file is of whole days: give a date",
    "A file is named and numbered by its days.", "Give a date such as 2026-01-31, or ask for pages.")
START_DATE_REQUIRED = invalid("startDate", "REQUIRED", "is required for a file",
    "A file needs to know where it begins.", "Give its first day.")
DATE_INVALID = invalid("startDate", "INVALID", "must be a date or a timestamp, such as 2026-01-31",
    "It is neither a date nor a timestamp with seconds and offset.",
    "Give one such as 2026-01-31 or 2026-01-31T12:00:00Z.")
DATE_OUT_OF_RANGE = invalid("startDate", "OUT_OF_RANGE", "{why}",
    f"The period begins in the future, or it is not 1 to {MOST_DAYS} days.",
    "Give an `endDate` not before `startDate`.")
OF_PAGES_ALONE = invalid("limit", "NOT_ALLOWED", "a file is the whole period",
    "A file is the whole period, with every entry.", "Leave it out, or ask for pages with `format=json`.")
