"""An account, its holder and its institution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID


STATUSES = ("ACTIVE", "INACTIVE", "CLOSED")
PAYMENT = "PAYMENT"
# Kinds of a company's accounts by clients of other platforms. PAYMENT is the only one that is kept here.
ACCOUNT_TYPES = (PAYMENT, "ADMINISTRATIVE", "ADMINISTRATIVE_OUT", "RESERVE", "GUARANTEED_LIMIT")


@dataclass(frozen=True, slots=True)
class Institution:
    """The institution that runs lastro, as networks know it. ispb: 8 characters; compe: 3 digits or None."""

    ispb: str
    name: str
    branch: str
    compe: str | None = None


@dataclass(frozen=True, slots=True)
class Holder:
    """The person or organization an account belongs to. type: INDIVIDUAL or ORGANIZATION."""

    type: str
    full_name: str
    document_type: str
    document_number: str
    email: str
    phone: str


@dataclass(frozen=True, slots=True)
class Account:
    """A payment account as it was read. number: eight digits and the check digit, without hyphen."""

    id: UUID
    status: str
    version: int
    number: str
    branch: str
    city: str
    holder: Holder
    created_at: datetime

    @property
    def state(self) -> str:
        """Its status, as transition tables call it."""
        return self.status

    @property
    def is_active(self) -> bool:
        """True where money may come in and go out."""
        return self.status == "ACTIVE"


@dataclass(frozen=True, slots=True)
class AccountFilter:
    """The filters of a list of accounts; None: any. email, full_name: a part of it; accents and capitals do not matter."""

    status: str | None = None
    document: str | None = None
    email: str | None = None
    full_name: str | None = None
