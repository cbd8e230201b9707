"""The meaning of networks' codes, with retries and next steps.

Each room has the tables of its networks; the form of a reason is the same for all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Retry = Literal["never", "later"]
# Code, whether again, next step, English, Portuguese.
ReasonRow = tuple[str, Retry, str, str, str]

REFUSED_BY_NETWORK: Final = "refused by the network"  # all that is known of an unexplained code
NOT_TAKEN: Final = "NOT_TAKEN"  # our own word: the network never knew of what we ordered, and its time is over
_WHO_IS_ASKED: Final = "ask"


@dataclass(frozen=True, slots=True)
class Reason:
    """One refusal. english: goes behind the code in errorMessage; portuguese: a sentence for people.

    retry: `never` where data or a decision must change first, or all is over, `later` where the same may pass another time.
    next_step: one sentence on what to do, in English and Portuguese.
    """

    code: str
    english: str
    portuguese: str
    retry: Retry
    next_step: str
    next_step_portuguese: str

    @property
    def message(self) -> str:
        """The errorMessage of contract.md §10."""
        return f"{self.code}: {self.english}"


class Reasons(dict[str, Reason]):
    """The reasons of one network or one request, by code.

    They are in the order of their rows. steps: by the names that rows use, in English and Portuguese; `ask` is among
    them. refused: the Portuguese sentence of a code that is not here.
    """

    def __init__(self, rows: Iterable[ReasonRow], steps: Mapping[str, tuple[str, str]], refused: str) -> None:
        super().__init__(
            (code, Reason(code, english, portuguese, retry, *steps[step])) for code, retry, step, english, portuguese in rows
        )
        self._steps = steps
        self._refused = refused

    def of(self, code: str) -> Reason:
        """Returns the reason of a code. An unknown code is a refusal that is not to be retried unseen."""
        unknown = Reason(code, REFUSED_BY_NETWORK, self._refused, "never", *self._steps[_WHO_IS_ASKED])
        return self.get(code, unknown)
