"""The interface between subscriptions and a bank that makes recurrences: it is asked before one is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import date, datetime

    from lastro.core.money import Money
    from lastro.rails.port.collecting import Person
    from lastro.rails.port.issuing import ChargeRequest, IssuedCharge
    from lastro.standards.recurrence_payload import Frequency

RECURRING_HINT = "recurring:"  # begins a hint that names a recurrence, or the charge of one, and no payment
MAKE_SECONDS = 10.0  # a client waits for its subscription meanwhile: four or five questions


@dataclass(frozen=True, slots=True)
class RecurrenceRequest:
    """A recurrence that a bank is to make (API Pix: rec).

    contract: its code in the receiver's books, by which the bank's own is found again. purpose: what the payer reads, at
    most 35 characters. fixed: what each charge is of; floor: the least maximum that the payer may set. retries: whether an
    unpaid charge may be tried again. first: the charge that is paid in the same act (journey 3). now: business time.
    """

    contract: str
    debtor: Person
    purpose: str | None
    frequency: Frequency
    starts_on: date
    ends_on: date | None
    fixed: Money | None
    floor: Money | None
    retries: bool
    now: datetime
    first: ChargeRequest | None = None


@dataclass(frozen=True, slots=True)
class MadeRecurrence:
    """A recurrence as the bank has it. It agrees with the request.

    recurrence_id: its idRec, which the bank has made. code: the BR Code, whose checksum and locations were checked.
    """

    recurrence_id: str
    code: str
    first: IssuedCharge | None = None


class Recurrences(Protocol):
    """A bank that makes recurrences."""

    async def make(self, request: RecurrenceRequest) -> MadeRecurrence:
        """Makes a recurrence at the bank, and its first charge; takes up one that an earlier try has left there.

        Transient: silence, or a mistake of set-up, which is told to the operator; nobody has the code of what it may have
        made. IssueRefused: the bank will not. AnswerInvalid: what it answered cannot be used, and was cancelled there.
        """

    async def close(self) -> None:
        """Ends its connections."""
