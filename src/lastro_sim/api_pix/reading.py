"""Reading of bodies and queries by the document's schemas: every violation is noted, and all are told together.

An absent field is none; null is a value of the wrong type, as in JSON Schema.
"""

import re
from collections.abc import Collection
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import msgspec

from lastro_sim import amounts
from lastro_sim.clock import counted

from .calls import Call
from .problems import Violation, invalid

TX_ID = re.compile(r"[a-zA-Z0-9]{26,35}")
ANY_TX_ID = re.compile(r"[a-zA-Z0-9]{1,35}")
RETURN_ID = re.compile(r"[a-zA-Z0-9]{1,35}")
CPF = re.compile(r"[0-9]{11}")
CNPJ = re.compile(r"[0-9A-Z]{14}")
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
LONGEST_KEY = 77
MOST_INT32 = 2**31 - 1
MOST_INT64 = 2**63 - 1
MOST_ITEMS = 1000
USUAL_ITEMS = 100
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?P<fraction>\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
)
_WHOLE = re.compile(r"-?[0-9]{1,10}")
_DECODER = msgspec.json.Decoder(float_hook=Decimal)


class Body:
    """A JSON object being read. kind: the type of its problem; path: where it stands, as violations name it."""

    def __init__(self, data: dict[str, Any], kind: str, path: str, violations: list[Violation] | None = None) -> None:
        self.data = data
        self._kind = kind
        self._path = path
        self.violations: list[Violation] = [] if violations is None else violations

    @classmethod
    def of(cls, call: Call, kind: str, path: str) -> "Body":
        """Decodes the body of a call, or refuses it."""
        try:
            value = _DECODER.decode(call.body)
        except (msgspec.MsgspecError, ArithmeticError, ValueError, RecursionError):
            raise invalid(kind, Violation("O corpo da requisição não é JSON.", path)) from None
        if not isinstance(value, dict):
            raise invalid(kind, Violation("O corpo da requisição não é um objeto JSON.", path))
        return cls(value, kind, path)

    def has(self, name: str) -> bool:
        """Tells whether a field is there, be it null."""
        return name in self.data

    def refuse(self, name: str, reason: str = "não respeita o schema.", value: object = None) -> None:
        """Notes a violation."""
        path = f"{self._path}.{name}" if name else self._path
        shown = value if isinstance(value, str) else None
        self.violations.append(Violation(f"O campo {path} {reason}", path, shown))

    def check(self) -> None:
        """Refuses the request if anything was noted."""
        if self.violations:
            raise invalid(self._kind, *self.violations)

    def require(self, *names: str) -> None:
        """Notes the fields that are missing."""
        for name in names:
            if name not in self.data:
                self.refuse(name, "é obrigatório.")

    def text(self, name: str, longest: int, pattern: re.Pattern[str] | None = None) -> str | None:
        """Reads a text."""
        if name not in self.data:
            return None
        value = self.data[name]
        if not isinstance(value, str) or len(value) > longest or (pattern is not None and not pattern.fullmatch(value)):
            self.refuse(name, value=value)
            return None
        return value

    def choice(self, name: str, options: Collection[str]) -> str | None:
        """Reads one of the given words."""
        value = self.text(name, 64)
        if value is not None and value not in options:
            self.refuse(name, value=value)
            return None
        return value

    def whole(self, name: str, low: int, high: int) -> int | None:
        """Reads a whole number in a range."""
        if name not in self.data:
            return None
        value = self.data[name]
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.refuse(name)
            return None
        return value

    def amount(self, name: str) -> int | None:
        """Reads an amount in cents."""
        value = self.text(name, 13)
        cents = None if value is None else amounts.from_message(value)
        if value is not None and cents is None:
            self.refuse(name, value=value)
        return cents

    def flag(self, name: str) -> bool | None:
        """Reads true or false."""
        if name not in self.data:
            return None
        value = self.data[name]
        if not isinstance(value, bool):
            self.refuse(name)
            return None
        return value

    def day(self, name: str) -> date | None:
        """Reads a date."""
        value = self.text(name, 10, DAY)
        read = None if value is None else read_day(value)
        if value is not None and read is None:
            self.refuse(name, value=value)
        return read

    def moment(self, name: str) -> int | None:
        """Reads an instant (RFC 3339) in microseconds."""
        value = self.text(name, 64)
        read = None if value is None else _read_moment(value)
        if value is not None and read is None:
            self.refuse(name, value=value)
        return read

    def child(self, name: str) -> "Body | None":
        """Reads an object."""
        if name not in self.data:
            return None
        value = self.data[name]
        if not isinstance(value, dict):
            self.refuse(name)
            return None
        return Body(value, self._kind, f"{self._path}.{name}", self.violations)

    def children(self, name: str, most: int) -> "list[Body]":
        """Reads a list of objects."""
        value = self.data.get(name, [])
        if not isinstance(value, list) or len(value) > most or not all(isinstance(one, dict) for one in value):
            self.refuse(name)
            return []
        path = f"{self._path}.{name}"
        return [Body(one, self._kind, f"{path}[{at}]", self.violations) for at, one in enumerate(value)]


class Query:
    """The parameters of a query. kind: the type of its problem. Unknown parameters are ignored."""

    def __init__(self, call: Call, kind: str) -> None:
        self._given = dict(call.query)
        self._kind = kind
        self.violations: list[Violation] = []

    def refuse(self, name: str, reason: str = "não respeita o schema.") -> None:
        """Notes a violation."""
        self.violations.append(Violation(f"O parâmetro {name} {reason}", name, self._given.get(name)))

    def check(self) -> None:
        """Refuses the request if anything was noted."""
        if self.violations:
            raise invalid(self._kind, *self.violations)

    def text(self, name: str, pattern: re.Pattern[str] | None = None) -> str | None:
        """Reads a text."""
        value = self._given.get(name)
        if value is not None and pattern is not None and pattern.fullmatch(value) is None:
            self.refuse(name)
            return None
        return value

    def choice(self, name: str, options: Collection[str]) -> str | None:
        """Reads one of the given words."""
        value = self._given.get(name)
        if value is not None and value not in options:
            self.refuse(name)
            return None
        return value

    def flag(self, name: str) -> bool | None:
        """Reads true or false."""
        value = self.choice(name, ("true", "false"))
        return None if value is None else value == "true"

    def whole(self, name: str, low: int, high: int) -> int | None:
        """Reads a whole number in a range."""
        value = self._given.get(name)
        if value is None:
            return None
        if _WHOLE.fullmatch(value) is None or not low <= int(value) <= high:
            self.refuse(name)
            return None
        return int(value)

    def moment(self, name: str, *, required: bool, milliseconds: bool = True) -> int | None:
        """Reads an instant (RFC 3339) in microseconds. milliseconds: whether fractions of a second are allowed."""
        value = self._given.get(name)
        if value is None:
            if required:
                self.refuse(name, "é obrigatório.")
            return None
        read = _read_moment(value)
        if read is None or ("." in value and not milliseconds):
            self.refuse(name)
            return None
        return read


def read_day(text: str) -> date | None:
    """Parses a date of ISO 8601; None for anything else."""
    if DAY.fullmatch(text) is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _read_moment(text: str) -> int | None:
    """Parses an instant of RFC 3339; None for anything else. Digits behind microseconds are dropped."""
    found = _MOMENT.fullmatch(text)
    if found is None:
        return None
    fraction = found["fraction"] or ""
    try:
        return counted(datetime.fromisoformat(text.upper().replace(fraction, fraction[:7], 1)))
    except (ValueError, OverflowError):
        return None
