"""Money as whole cents. No float touches it."""

import re
from decimal import Decimal

LARGEST = 999_999_999_999
IN_A_MESSAGE = re.compile(r"\d{1,10}\.\d{2}")
AS_TEXT = re.compile(r"\d{1,20}(\.\d+)?")


class AmountError(ValueError):
    """An invalid amount; `issue` names the problem."""

    def __init__(self, issue: str, description: str) -> None:
        super().__init__(description)
        self.issue = issue
        self.description = description


def printed(cents: int) -> str:
    """Formats cents as the network does: two decimals, a point."""
    return f"{cents // 100}.{cents % 100:02d}"


def from_message(text: str) -> int | None:
    """Parses an amount of a network message; None if it is malformed."""
    if IN_A_MESSAGE.fullmatch(text) is None:
        return None
    return int(text.replace(".", ""))


def from_person(value: object) -> int:
    """Parses an amount from a person or a test, in BRL. It is text, a JSON number, or Money."""
    if isinstance(value, dict):
        if value.get("currency", "BRL") != "BRL" or "value" not in value:
            raise AmountError("INVALID", "Money here is {currency: BRL, value}")
        value = value["value"]
    if isinstance(value, str):
        if AS_TEXT.fullmatch(value) is None:
            raise AmountError("INVALID", "An amount is digits with at most two decimals")
        value = Decimal(value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise AmountError("INVALID", "An amount is a number or a text such as 10.50")
    number = Decimal(value)
    if not number.is_finite():
        raise AmountError("INVALID", "An amount is a finite number")
    if number <= 0 or number > Decimal(LARGEST) / 100:
        raise AmountError("OUT_OF_RANGE", "An amount is from 0.01 to 9999999999.99")
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and exponent < -2:
        raise AmountError("INVALID", "An amount has at most two decimals")
    return int(number * 100)
