"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import invalid

# fmt: off
ISPB_INVALID = invalid("ispb", "INVALID", "must be eight digits or capital letters",
    "It is not eight digits or capital letters.", "Give all eight, zeros in front included.")
BANK_NUMBER_INVALID = invalid("bankNumber", "INVALID", "{why}",
    "It is not three digits, or `000`, which no bank has.", "Give all three, zeros in front included: `001`.")
NAME_INVALID = invalid("name", "INVALID", "must not be accents alone",
    "It is empty, has control characters, or is nothing but accents.", "Give a part of a bank's name.")
