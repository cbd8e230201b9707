"""Reading of untrusted bodies: every field checked, all problems reported together. null counts as absent."""

import re
from collections.abc import Collection
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import msgspec

from lastro_sim.amounts import AmountError, from_message, from_person
from lastro_sim.refusals import Problem, malformed

DECODER = msgspec.json.Decoder(float_hook=Decimal)
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def decoded(raw: bytes) -> dict[str, Any]:
    """Decodes the JSON object in the body, or refuses it."""
    try:
        value = DECODER.decode(raw)
    except (msgspec.MsgspecError, ArithmeticError, ValueError, RecursionError):
        raise malformed(Problem("", "INVALID", "The body is not JSON")) from None
    if not isinstance(value, dict):
        raise malformed(Problem("", "INVALID", "The body is not a JSON object"))
    return value


class Form:
    """A JSON object being checked. Reading a bad field notes a problem; `check` refuses."""

    def __init__(self, data: dict[str, Any], path: str = "", problems: list[Problem] | None = None) -> None:
        self.data = data
        self._path = path
        self._problems: list[Problem] = [] if problems is None else problems

    @classmethod
    def read(cls, raw: bytes) -> "Form":
        """Reads a request's body into a form."""
        return cls(decoded(raw))

    @property
    def problems(self) -> list[Problem]:
        """The problems noted so far, those of child forms included."""
        return self._problems

    def refuse(self, name: str, issue: str, description: str) -> None:
        """Notes a problem."""
        self._problems.append(Problem(self._path + name, issue, description))

    def check(self) -> None:
        """Refuses the request if it has problems."""
        if self._problems:
            raise malformed(*self._problems)

    def given(self, name: str) -> Any:
        """Returns the raw value; None when absent or null."""
        return self.data.get(name)

    def text(self, name: str, longest: int = 140, pattern: re.Pattern[str] | None = None) -> str:
        """Reads a required text."""
        value = self.maybe_text(name, longest, pattern)
        if value is None and self.given(name) is None:
            self.refuse(name, "REQUIRED", "This field is required")
        return value or ""

    def maybe_text(self, name: str, longest: int = 140, pattern: re.Pattern[str] | None = None) -> str | None:
        """Reads an optional text."""
        value = self.given(name)
        if value is None:
            return None
        if not isinstance(value, str) or value == "" or UNPRINTABLE.search(value):
            self.refuse(name, "INVALID", "A text of printable characters is expected")
        elif len(value) > longest:
            self.refuse(name, "TOO_LONG", f"At most {longest} characters")
        elif pattern is not None and pattern.fullmatch(value) is None:
            self.refuse(name, "INVALID", "The text has not the expected form")
        else:
            return value
        return None

    def choice(self, name: str, options: Collection[str]) -> str:
        """Reads one of the given words."""
        value = self.text(name)
        if value and value not in options:
            self.refuse(name, "INVALID", "One of " + ", ".join(sorted(options)))
        return value

    def maybe_choice(self, name: str, options: Collection[str]) -> str | None:
        """Reads one of the given words, or None."""
        return None if self.given(name) is None else self.choice(name, options)

    def maybe_whole(self, name: str, low: int, high: int) -> int | None:
        """Reads a whole number in a range, or None."""
        value = self.given(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            self.refuse(name, "INVALID", "A whole number is expected")
        elif not low <= value <= high:
            self.refuse(name, "OUT_OF_RANGE", f"From {low} to {high}")
        else:
            return value
        return None

    def maybe_seconds(self, name: str, most: int) -> int | None:
        """Reads a span in seconds as microseconds."""
        value = self.given(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            self.refuse(name, "INVALID", "A number of seconds is expected")
        elif not 0 <= value <= most:
            self.refuse(name, "OUT_OF_RANGE", f"From 0 to {most}")
        else:
            return int(value * 1_000_000)
        return None

    def flag(self, name: str) -> bool:
        """Reads a boolean; absent means False."""
        value = self.given(name)
        if value is None or isinstance(value, bool):
            return bool(value)
        self.refuse(name, "INVALID", "true or false is expected")
        return False

    def maybe_amount(self, name: str) -> int | None:
        """Reads an optional amount of a person as cents."""
        value = self.given(name)
        if value is None:
            return None
        try:
            return from_person(value)
        except AmountError as error:
            self.refuse(name, error.issue, error.description)
            return None

    def message_amount(self, name: str) -> int:
        """Reads an amount of a network message as cents. It has exactly two decimals."""
        text = self.text(name)
        cents = from_message(text)
        if cents is None and text:
            self.refuse(name, "INVALID", "An amount in a message has two decimals, such as 10.00")
        return cents or 0

    def instant(self, name: str) -> str:
        """Reads a timestamp with a zone."""
        text = self.text(name, 40)
        try:
            aware = not text or datetime.fromisoformat(text).tzinfo is not None
        except ValueError:
            aware = False
        if not aware:
            self.refuse(name, "INVALID", "An ISO 8601 timestamp with its zone is expected")
        return text

    def moment(self, name: str) -> datetime | None:
        """Reads a timestamp with a zone as an instant."""
        text = self.instant(name)
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            return None

    def day(self, name: str) -> date | None:
        """Reads a civil day as 2026-12-31, from year 2000 to 2199."""
        text = self.text(name, 10, DAY)
        try:
            day = date.fromisoformat(text) if text else None
        except ValueError:
            self.refuse(name, "INVALID", "A day of the calendar is expected")
            return None
        if day is not None and not 2000 <= day.year < 2200:
            self.refuse(name, "OUT_OF_RANGE", "A day from 2000 to 2199 is expected")
        return day

    def child(self, name: str) -> "Form":
        """Reads a required object."""
        found = self.maybe_child(name)
        if found is None and self.given(name) is None:
            self.refuse(name, "REQUIRED", "This field is required")
        return found or Form({}, f"{self._path}{name}.", [])

    def maybe_child(self, name: str) -> "Form | None":
        """Reads an optional object."""
        value = self.given(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            self.refuse(name, "INVALID", "An object is expected")
            return None
        return Form(value, f"{self._path}{name}.", self._problems)
