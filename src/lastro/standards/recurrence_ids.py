"""The identifier of an authorisation of Pix Automático (idRec).

It is dated with the civil day in Brasilia on which it was made, is case-sensitive, and ends in eleven letters and
digits that are unique for their maker and day. A cancellation has no id of its own: its message has one
(`pix_ids.order_message_id`). Source: API Pix 2.9.0 (RecId).
"""

import re
from dataclasses import dataclass
from datetime import date

from .pix_ids import checked_ispb, from_base62, own_suffix

_RECURRENCE = re.compile(r"R(?P<retries>[RN])(?P<maker>[0-9A-Z]{8})(?P<day>[0-9]{8})(?P<suffix>[a-zA-Z0-9]{11})")
_COMPANY_DIGITS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurrenceId:
    """An idRec taken apart. retries: whether it allows retries after the due date (`RR`), or none (`RN`).

    maker: ISPB of the institution that made it, or the first eight characters of a payment initiator's CNPJ.
    """

    retries: bool
    maker: str
    day: date
    suffix: str

    def __str__(self) -> str:
        day = self.day.isoformat().replace("-", "")
        return f"R{'R' if self.retries else 'N'}{self.maker}{day}{self.suffix}"


def recurrence_id(ispb: str, day: date, company_number: int, sequence: int, *, retries: bool) -> str:
    """Returns an idRec of ours, 29 characters; `day` is the civil day in Brasilia.

    `RR` when retries after the due date are allowed, `RN` when not. The end is made as that of an endToEndId, so the idRec
    finds its company. ValueError for an ISPB, company number or sequence that does not fit.
    """
    suffix = own_suffix(company_number, sequence)
    return str(RecurrenceId(retries=retries, maker=checked_ispb(ispb), day=day, suffix=suffix))


def read_recurrence_id(text: str) -> RecurrenceId | None:
    """Returns the parts of an idRec, None for any other text; its day is one that the calendar has."""
    match = _RECURRENCE.fullmatch(text)
    day = None if match is None else _day(match["day"])
    if match is None or day is None:
        return None
    return RecurrenceId(retries=match["retries"] == "R", maker=match["maker"], day=day, suffix=match["suffix"])


def is_recurrence_id(text: str) -> bool:
    """Tells whether `text` is an idRec."""
    return read_recurrence_id(text) is not None


def company_of_recurrence_id(text: str) -> int | None:
    """Returns the company number in an idRec, None for any other text.

    It means something only when the ISPB inside is ours; that, and whether the company exists, the caller checks.
    """
    found = read_recurrence_id(text)
    return None if found is None else from_base62(found.suffix[:_COMPANY_DIGITS])


def _day(digits: str) -> date | None:
    try:
        return date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return None
