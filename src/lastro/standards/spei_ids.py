"""Ids of SPEI payments: clave de rastreo and referencia numérica.

SPEI is Mexico's instant transfers. Source: Banco de México, MI-SPEI: the tracking key has up to 30 letters and digits and is
made by the bank that sends; the reference has up to seven digits and is chosen by the payer.
"""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from .own_numbers import company_of_own_digits, own_digits

MEXICO_CITY = ZoneInfo("America/Mexico_City")

_TRACKING_KEY = re.compile(r"[0-9A-Za-z]{1,30}")
_REFERENCE = re.compile(r"[0-9]{1,7}")
_OWN = re.compile(r"L[0-9]{28}")
_REFERENCES = 9_999_999


def tracking_key(at_utc: datetime, company_number: int, sequence: int) -> str:
    """Returns our clave de rastreo, 29 characters.

    They are `L`, day in Mexico City, 9 digits of the company, 11 of the scrambled sequence. It survives a bank that changes
    letters' case. `at_utc` is aware. Unique as long as a sequence number is used once in 62**6 for a company. ValueError for
    a naive time, a negative sequence or a company number outside 0..62**5-1.
    """
    if at_utc.tzinfo is None:
        raise ValueError("a naive datetime does not say which day it is in Mexico")
    return f"L{at_utc.astimezone(MEXICO_CITY):%Y%m%d}{own_digits(company_number, sequence)}"


def company_of_tracking_key(text: str) -> int | None:
    """Returns the company number in our tracking key, else None. The number may be nobody's."""
    return company_of_own_digits(text[9:]) if _OWN.fullmatch(text) is not None else None


def is_tracking_key(text: str) -> bool:
    """Tells whether `text` may be a clave de rastreo. It has one to 30 letters and digits, and may be anyone's."""
    return _TRACKING_KEY.fullmatch(text) is not None


def numeric_reference(sequence: int) -> str:
    """Returns a referencia numérica of seven digits, never all zero.

    It is for a person to type. After 9,999,999 they begin anew, so it finds no payment by itself. ValueError for a negative
    sequence.
    """
    if sequence < 0:
        raise ValueError("a sequence number is not negative")
    return f"{sequence % _REFERENCES + 1:07d}"


def is_numeric_reference(text: str) -> bool:
    """Tells whether `text` may be a referencia numérica. It has one to seven digits."""
    return _REFERENCE.fullmatch(text) is not None
