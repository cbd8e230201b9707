"""The codes for a change of an account's status, and their meanings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

BLOCKING: Final[Mapping[str, str]] = {
    "COURT_ORDER": "a court or an authority has ordered it",
    "FRAUD_SUSPECTED": "the account may be used for fraud",
    "OPERATOR_DECISION": "the institution has decided so",
}
UNBLOCKING: Final[Mapping[str, str]] = {
    "COURT_ORDER": "the order was lifted",
    "FRAUD_CLEARED": "there was no fraud",
    "OPERATOR_DECISION": "the institution has decided so",
}
CLOSING: Final[Mapping[str, str]] = {
    "HOLDER_REQUEST": "its holder wants it closed",
    "FRAUD_CONFIRMED": "the account was used for fraud",
    "OPERATOR_DECISION": "the institution has decided so",
}


@dataclass(frozen=True, slots=True)
class Why:
    """The reason of a change of status. description: for clients; None: the code. by: the person; for the history alone."""

    code: str
    description: str | None = None
    by: str | None = None

    @property
    def for_clients(self) -> str:
        """The description for clients: without one, the code (interface.md)."""
        return self.description or self.code

    @property
    def recorded(self) -> str:
        """The reason for the history."""
        text = self.code if self.description is None else f"{self.code}: {self.description}"
        return text if self.by is None else f"{text} (by {self.by})"
