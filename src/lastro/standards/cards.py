"""Payment cards: number, brand, security code, expiry. Neither number nor security code is ever printed.

Sources: ISO/IEC 7812-1 (length, Luhn); PCI DSS 3.4.1 (at most the first six and the last four digits are shown);
`card_ranges.csv` beside this file for brands, of which docs/decisions/card-brands.md says where it is from.
"""

import csv
import re
from calendar import monthrange
from datetime import date
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, NoReturn, get_args

from .check_digits import modulo_10

Brand = Literal["VISA", "MASTERCARD", "AMEX", "DINERS", "ELO", "HIPERCARD", "CARNET"]
Reason = Literal[
    "FORM",  # not 12 to 19 digits; not three or four; not MM/YY
    "CHECK_DIGIT",  # a card number whose Luhn digit does not match
]

BRANDS: tuple[Brand, ...] = get_args(Brand)

_NUMBER = re.compile(r"[0-9]{12,19}")
_CODE = re.compile(r"[0-9]{3,4}")
_EXPIRY = re.compile(r"(0[1-9]|1[0-2])/([0-9]{2})")
_PREFIX = 6


class CardError(ValueError):
    """An invalid card number, security code or expiry. It echoes nothing of what was given."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason


class _Hidden:
    """Digits that `reveal` alone gives away: not repr, str, format, attributes, copies or pickles."""

    __slots__ = ("__digits",)

    def __init__(self, digits: str) -> None:
        self.__digits = digits

    def reveal(self) -> str:
        """Returns the digits, for sending them on."""
        return self.__digits

    def __repr__(self) -> str:
        return f"{type(self).__name__}(***)"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        # Also what copy.deepcopy and dataclasses.asdict go through.
        raise TypeError(f"a {type(self).__name__} is not copied or stored")


class CardNumber(_Hidden):
    """A card number (PAN): 12 to 19 digits with a right Luhn digit. CardError for anything else, blanks included."""

    __slots__ = ()

    def __init__(self, text: str) -> None:
        if _NUMBER.fullmatch(text) is None:
            raise CardError("FORM", "a card number has 12 to 19 digits and nothing else")
        if int(text[-1]) != modulo_10(text[:-1]):
            raise CardError("CHECK_DIGIT", "the check digit of the card number does not match")
        super().__init__(text)

    def __repr__(self) -> str:
        return f"CardNumber({self.masked})"

    def __str__(self) -> str:
        return self.masked

    @property
    def last_four(self) -> str:
        """The last four digits, which may be kept and shown."""
        return self.reveal()[-4:]

    @property
    def masked(self) -> str:
        """The first six and the last four digits with stars between: `411111******1111`. Of less than 14 digits the last
        four alone, so that at least four always stay hidden.
        """
        digits = self.reveal()
        shown = _PREFIX if len(digits) >= 14 else 0
        return digits[:shown] + "*" * (len(digits) - shown - 4) + digits[-4:]

    @property
    def brand(self) -> Brand | None:
        """Returns the brand of the number's range and length, else None.

        Of two ranges the narrower one wins, so Elo and Hipercard before Visa and Diners.
        """
        prefix, length = self.reveal()[:_PREFIX], len(self.reveal())
        fitting = [one for one in ranges() if one.first <= prefix <= one.last and length in one.lengths]
        return min(fitting, key=lambda one: int(one.last) - int(one.first)).brand if fitting else None


class SecurityCode(_Hidden):
    """A security code (CVV): three or four digits. CardError for anything else."""

    __slots__ = ()

    def __init__(self, text: str) -> None:
        if _CODE.fullmatch(text) is None:
            raise CardError("FORM", "a security code has three or four digits and nothing else")
        super().__init__(text)

    def fits(self, brand: Brand) -> bool:
        """Tells whether its length is right for a brand. Amex has four digits, the others three."""
        return len(self.reveal()) == (4 if brand == "AMEX" else 3)


class Expiry(NamedTuple):
    """The month whose last day is a card's last: year of four digits, month from 1 to 12."""

    year: int
    month: int

    @classmethod
    def parse(cls, text: str) -> "Expiry":
        """Reads `MM/YY`, a year of this century. CardError for any other form."""
        match = _EXPIRY.fullmatch(text)
        if match is None:
            raise CardError("FORM", "an expiry is written MM/YY")
        return cls(2000 + int(match[2]), int(match[1]))

    @property
    def last_day(self) -> date:
        """The last day on which the card is good."""
        return date(self.year, self.month, monthrange(self.year, self.month)[1])

    def is_past(self, today: date) -> bool:
        """Tells whether the card expired before `today`."""
        return self.last_day < today


class Range(NamedTuple):
    """Numbers of one brand: those whose first six digits lie from `first` to `last`, in any of these lengths."""

    first: str
    last: str
    brand: Brand
    lengths: frozenset[int]


@cache
def ranges() -> tuple[Range, ...]:
    """Returns all ranges of `card_ranges.csv`, ascending. Two have nothing in common, or one lies inside the other."""
    text = Path(__file__).with_name("card_ranges.csv").read_text(encoding="utf-8")
    known: dict[str, Brand] = {brand: brand for brand in BRANDS}
    return tuple(
        Range(row["first"], row["last"], known[row["brand"]], frozenset(map(int, row["lengths"].split())))
        for row in csv.DictReader(text.splitlines())
    )
