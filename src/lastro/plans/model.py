"""Plans, their lines and their totals."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.plans.states import PLANS

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.core.errors import Problem
    from lastro.core.money import Money
    from lastro.payouts import PayoutWish

STATUSES = PLANS.states()
LINE_STATUSES = ("VALID", "INVALID", "CREATED", "REFUSED")
MOST_LINES = 10_000
LARGEST_BYTES = 8 * 1024 * 1024
GOOD_FOR = timedelta(days=7)  # an approved plan is not applied later than that
LONGEST_SILENCE = timedelta(hours=1)  # so long a silent host in a QR is asked again
JSON, CSV = "JSON", "CSV"


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan, as read. state: its status. needs: the number of clients that have to sign its hash."""

    id: UUID
    state: str
    version: int
    format: str
    lines: int
    hash: str | None
    needs: int
    created_by: str
    expires_at: datetime | None
    created_at: datetime
    updated_at: datetime

    @property
    def unfit_is(self) -> str:
        """The status of a line with issues: INVALID by the check, REFUSED when made."""
        return "INVALID" if self.expires_at is None else "REFUSED"

    def status_of(self, line: PlannedPayout) -> str:
        """One of LINE_STATUSES."""
        if line.payout_id is not None:
            return "CREATED"
        return "VALID" if line.issues is None else self.unfit_is


@dataclass(frozen=True, slots=True)
class Approval:
    """An approval of a plan. is_revoked: its client or person was revoked since. Such an approval does not count."""

    approver: str
    at: datetime
    is_revoked: bool = False


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of lines: checked, unfit or refused, and made."""

    checked: int
    unfit: int
    made: int


@dataclass(frozen=True, slots=True)
class Total:
    """One account's totals by one method. open: lines without a payout yet."""

    account_id: UUID
    method: str
    payouts: int
    transfers: int
    amount: Money
    fees: Money
    open: Money
    open_fees: Money


@dataclass(frozen=True, slots=True)
class Sum:
    """The totals of a plan, without refused lines.

    receivers: each a document at an account of an institution. largest: the line of the most money; None: no line can be
    paid.
    """

    payouts: int
    transfers: int
    receivers: int
    amount: Money
    fees: Money
    largest: PlannedPayout | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """One line as it was sent.

    number: its place among the payouts, from 1. line: in the file. problems: of a line that is none. raw: the JSON object of
    its create, b"" where there is none.
    """

    number: int
    line: int
    raw: bytes
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line and its payout request; wish None: see problems. same_code: an earlier line that pays the same QR."""

    sheet: Sheet
    wish: PayoutWish | None
    problems: tuple[Problem, ...] = ()
    same_code: int | None = None


@dataclass(frozen=True, slots=True)
class PlannedPayout:
    """One payout of a plan, as checked and as made.

    destination, issues: JSON; issues None: there are none. payout_status, end_to_end_id, paid_at …: of the payout, as it is
    now.
    """

    id: UUID
    version: int
    plan_id: UUID
    number: int
    line: int
    request: bytes
    external_id: str | None
    account_id: UUID | None
    method: str | None
    amount: Money | None
    fee: Money | None
    transfers: int | None
    destination: str | None
    duplicate_of: str | None
    issues: str | None
    payout_id: UUID | None
    payout_status: str | None = None
    end_to_end_id: str | None = None
    control_number: str | None = None
    paid_at: datetime | None = None
    error_message: str | None = None
