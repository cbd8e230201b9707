"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import invalid

# fmt: off
MERGE_BATCH_MUTUALLY_EXCLUSIVE = invalid("mergeBatch", "MUTUALLY_EXCLUSIVE", "one payment is no batch",
    "`endToEndId` names one payment.", "Give one of the two.")
FORMAT_OUT_OF_RANGE = invalid("format", "OUT_OF_RANGE", "CNAB 240 holds {most_entries} entries: ask for fewer days",
    "CNAB 240 counts its records in six digits.", "Ask for fewer days.")
EXCEL_NOT_ALLOWED = invalid("excel", "NOT_ALLOWED", "is for format=csv alone",
    "It changes CSV alone.", "Leave it out, or give `format=csv`.")
START_DATE_REQUIRED = invalid("startDate", "REQUIRED", "is required for a file",
    "A file needs to know where it begins.", "Give its first day.")
