"""Money: an integer of the minor unit and a currency. The only file that knows a decimal point."""

from __future__ import annotations

import re

import msgspec

# ISO 4217 minor units of the currencies the interface names; the two stablecoins are printed with 2 decimals.
DECIMALS = {
    "BRL": 2, "USD": 2, "ARS": 2, "EUR": 2, "CLP": 0, "COP": 2, "MXN": 2, "PEN": 2, "BUSD": 2, "USDT": 2, "JPY": 0,
}  # fmt: skip
KEPT = ("BRL", "MXN")  # those that accounts here have money in
LEAST_MINOR = 1
MOST_MINOR = 999_999_999_999  # 9,999,999,999.99: the longest amount of the API Pix form

_MOST_DIGITS = 30
_STRING = re.compile(r"(\d{1,24})(?:\.(\d{1,12}))?\Z", re.ASCII)
_NUMBER = re.compile(r"(-?)(\d{1,24})(?:\.(\d{1,24}))?(?:[eE]([+-]?\d{1,6}))?\Z", re.ASCII)


class MoneyError(ValueError):
    """An amount that cannot be read. issue: INVALID (its form) or OUT_OF_RANGE (its size)."""

    def __init__(self, issue: str, description: str) -> None:
        super().__init__(description)
        self.issue = issue
        self.description = description


class Money(msgspec.Struct, frozen=True, order=True):
    """A money amount. minor: count of the currency's smallest unit, may be negative in differences. currency: ISO code."""

    minor: int
    currency: str

    def __add__(self, other: Money) -> Money:
        return Money(self.minor + self._same(other), self.currency)

    def __sub__(self, other: Money) -> Money:
        return Money(self.minor - self._same(other), self.currency)

    def _same(self, other: Money) -> int:
        if other.currency != self.currency:
            raise ValueError(f"{self.currency} and {other.currency} do not add up")
        return other.minor

    def share(self, basis_points: int) -> Money:
        """Returns so many basis points of this amount, rounded half to even. Integers only."""
        whole, rest = divmod(self.minor * basis_points, 10_000)
        if rest > 5_000 or (rest == 5_000 and whole % 2):
            whole += 1
        return Money(whole, self.currency)

    def __str__(self) -> str:
        """Returns the decimal text with exactly the currency's decimals: 10.50, or 1050 for a currency without."""
        places = DECIMALS[self.currency]
        if not places:
            return str(self.minor)
        sign, digits = ("-", -self.minor) if self.minor < 0 else ("", self.minor)
        return f"{sign}{digits // 10**places}.{digits % 10**places:0{places}d}"

    def wire(self) -> dict[str, str]:
        """Returns the Money object of the interface: currency and value."""
        return {"currency": self.currency, "value": str(self)}

    @classmethod
    def parse(cls, text: str, currency: str, *, number: bool = False) -> Money:
        """Reads an amount exactly, from the text it arrived as.

        number: the text was a JSON number, which may carry an exponent (1e2); a string may not.

        Raises MoneyError: INVALID for a form that is no amount or has more decimals than the currency,
        OUT_OF_RANGE for zero, a negative number or more than 9,999,999,999.99.
        """
        if currency not in DECIMALS:
            raise MoneyError("INVALID", "unknown currency")
        minor = _scaled(text, DECIMALS[currency], number=number)
        if not LEAST_MINOR <= minor <= MOST_MINOR:
            raise MoneyError("OUT_OF_RANGE", f"must be from {cls(LEAST_MINOR, currency)} to {cls(MOST_MINOR, currency)}")
        return cls(minor, currency)


def _scaled(text: str, places: int, *, number: bool) -> int:
    match = (_NUMBER if number else _STRING).match(text)
    if match is None:
        raise MoneyError("INVALID", "must be a decimal number with a dot and without sign, blanks or separators")
    if number:
        sign, whole, part, exponent = match[1], match[2], match[3] or "", int(match[4] or 0)
    else:
        sign, whole, part, exponent = "", match[1], match[2] or "", 0
    shift = places + exponent - len(part)
    if shift < 0:
        raise MoneyError("INVALID", f"must have at most {places} decimals")
    if exponent > _MOST_DIGITS:
        raise MoneyError("OUT_OF_RANGE", "is too large")
    minor = int(whole + part) * int(10**shift)
    return -minor if sign else minor
