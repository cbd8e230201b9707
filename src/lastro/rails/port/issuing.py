"""The interface between orders and a bank that makes their codes: it is asked before the order is written."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.money import Money
    from lastro.rails.port.collecting import Person
    from lastro.rails.port.foreign import PaymentNow
    from lastro.rails.port.rail import Unknown

ISSUE_SECONDS = 5.0  # a client waits for its order meanwhile


@dataclass(frozen=True, slots=True)
class ChargeRequest:
    """An immediate charge that a bank is to make payable (API Pix: cob).

    txid: ours, of 26 to 35 letters and digits, never used twice. key: the Pix key of ours that is paid. seconds: how long it
    may be paid, from 1 to 2^31-1. receiver_name, receiver_city: of the account's holder, for a code that the bank leaves to
    us. payer: who is to pay, where that is known. text: what the payer is shown, at most 140 characters. now: the time,
    which the bank's own has to agree with; None: a sandbox's clock was stepped, and its bank hears of it a moment later.
    """

    txid: str
    amount: Money
    key: str
    seconds: int
    receiver_name: str
    receiver_city: str
    payer: Person | None = None
    text: str | None = None
    now: datetime | None = None


@dataclass(frozen=True, slots=True)
class IssuedCharge:
    """A charge as the bank has it. It agrees with the request in txid, amount and key.

    code: the BR Code, whose checksum and location were checked. location: without scheme. expires_at: by the bank's own
    creation time and duration. revision: the bank's count of changes.
    """

    txid: str
    code: str
    location: str
    expires_at: datetime
    location_id: str | None = None
    revision: int = 0


class IssueRefused(Exception):  # noqa: N818 it says what the bank did
    """The bank will not make this charge.

    code: its word, raw. violations: the port's own field (`amount`, `key`, `payer`, `text`, `seconds`), None where it
    names none that we know, and the bank's reason.
    """

    def __init__(self, code: str, violations: tuple[tuple[str | None, str], ...]) -> None:
        super().__init__(code)
        self.code = code
        self.violations = violations


class AnswerInvalid(Exception):  # noqa: N818
    """The bank's answer is not exactly what was asked; nothing may rest on it. field: what differs, by the bank's name."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


class ChargeEnd(Enum):
    """The state of a charge whose bank was told to end it."""

    ENDED = "ended"  # nobody can pay it: by us, by its time, or the bank does not know it
    PAID = "paid"  # as it was asked for; the payment is told of elsewhere
    UNSHOWN = "unshown"  # the bank says that it was paid, and shows no payment yet: ask again
    # Ended before, and not by us; the words are API Pix's.
    REMOVED_BY_OTHERS = "REMOVIDA_PELO_USUARIO_RECEBEDOR"
    REMOVED_BY_BANK = "REMOVIDA_PELO_PSP"

    @property
    def is_over(self) -> bool:
        """True if nobody can pay it any more."""
        return self not in {ChargeEnd.PAID, ChargeEnd.UNSHOWN}


class Issuer(Protocol):
    """A bank that makes charges payable, and tells of payments."""

    async def issue(self, request: ChargeRequest) -> IssuedCharge:
        """Makes a charge at the bank; the same request again is the same charge.

        Transient: silence, or a mistake of set-up, which is told to the operator. IssueRefused: the bank will not.
        AnswerInvalid: what it answered cannot be used; it has been asked to remove the charge.
        """

    async def remove(self, txid: str, key: str | None, amount: Money, now: datetime) -> ChargeEnd:
        """Ends a charge, so that nobody can pay it any more. key, amount: as it was asked for.

        A charge that the bank does not know, has removed, or whose time is over, has ended. So has one that was paid with
        other amounts or at other keys alone, which a bank lets in where somebody has changed it there. A charge that others
        had removed is told to the operator. Transient: not known.
        """

    async def payment(self, payment_id: str) -> PaymentNow | Unknown:
        """Returns a payment as the bank has it at this moment. Unknown: the bank itself does not know it.

        Transient: silence, a mistake of set-up, or an answer that cannot be used.
        """

    async def close(self) -> None:
        """Ends its connections."""
