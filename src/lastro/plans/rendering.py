"""A plan and its lines with outcomes, as the API shows them."""

from __future__ import annotations

import csv
import io
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from lastro.api_kit.rendering import BrlMoney, ErrorDetail, Id, Paged, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.core.money import Money as Amount
from lastro.plans.model import LINE_STATUSES, STATUSES, Counts
from lastro.standards.documents import mask
from lastro.standards.spreadsheets import as_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from lastro.plans.actions.read import PlanSeen
    from lastro.plans.model import Plan, PlannedPayout, Sum, Total

_RESULT_COLUMNS = (
    "line", "externalId", "status", "amount", "fee", "transfers", "payoutId", "payoutStatus", "endToEndId", "controlNumber",
    "paidAt", "possibleDuplicate", "issues",
)  # fmt: skip
_Hash = Annotated[
    str,
    msgspec.Meta(
        description="SHA-256 over all lines as they were checked: what was asked, where it goes, what it costs. It is what"
        " approvals sign.",
        extra_json_schema={"pattern": "^[0-9a-f]{64}$"},
    ),
]


class Progress(Answer, frozen=True, kw_only=True):
    """The counts of a plan's lines, by progress."""

    lines: Annotated[int, msgspec.Meta(description="Of the plan.", ge=1)]
    checked: Annotated[int, msgspec.Meta(description="Looked at.", ge=0)]
    unfit: Annotated[int, msgspec.Meta(description="INVALID when they were checked, or REFUSED when they were made.", ge=0)]
    created: Annotated[int, msgspec.Meta(description="Made to a payout.", ge=0)]


class PlanRow(Answer, frozen=True, kw_only=True):
    """A plan in a list."""

    id: Id
    status: Annotated[str, words(*STATUSES)]
    format: Annotated[str, words("JSON", "CSV")]
    lines: Annotated[int, msgspec.Meta(ge=1)]
    hash: _Hash | None = None
    approvals_required: Annotated[int, msgspec.Meta(description="How many clients have to sign it.", ge=0)]
    created_by: Annotated[str, msgspec.Meta(description="The client that made it, and cannot approve it.")]
    expires_at: Annotated[Timestamp | None, msgspec.Meta(description="It can be applied until then.")] = None
    created_at: Timestamp
    updated_at: Timestamp


class Signed(Answer, frozen=True, kw_only=True):
    """An approval."""

    client_id: str
    approved_at: Timestamp
    counts: Annotated[
        bool, msgspec.Meta(description="False once the client or person was revoked: then another has to sign.")
    ]


class ByMethod(Answer, frozen=True, kw_only=True):
    """The totals of one method, without the lines that were refused."""

    payment_method: Annotated[str, words("PIX", "TED")]
    payouts: int
    transfers: Annotated[int, msgspec.Meta(description="After those above the account's limit are split.")]
    amount: BrlMoney
    fees: BrlMoney
    day_limit_left: Annotated[BrlMoney | None, msgspec.Meta(description="Of today; left out where there is no limit.")] = (
        None
    )


class OfAccount(Answer, frozen=True, kw_only=True):
    """The plan's effect on the balance of one account."""

    account_id: Id
    available: Annotated[BrlMoney, msgspec.Meta(description="Now.")]
    available_after: Annotated[
        BrlMoney,
        msgspec.Meta(description="Once all that is not yet made is paid with its fees; below zero: it lacks that much."),
    ]
    is_covered: Annotated[bool, msgspec.Meta(description="Whether the account has enough.")]
    methods: list[ByMethod]


class Place(Answer, frozen=True, kw_only=True):
    """The destination of a line's money, as it was found."""

    name: str
    document: Annotated[str, msgspec.Meta(description="CPF without all but its middle digits; or CNPJ.")]
    ispb: str
    branch: str
    account: str
    pix_key: str | None = None


class LargestLine(Answer, frozen=True, kw_only=True):
    """The line of a plan that pays most."""

    line: Annotated[int, msgspec.Meta(description="Its place in the list, or the line of the file.", ge=1)]
    external_id: str | None = None
    amount: BrlMoney
    receiver: Annotated[
        Place | None,
        msgspec.Meta(description="Left out of what a decision answers, and once the receiver's data are erased."),
    ] = None


class PlanTotals(Answer, frozen=True, kw_only=True):
    """The totals of a plan, without the lines that were refused."""

    payouts: Annotated[int, msgspec.Meta(description="How many lines are paid.", ge=1)]
    transfers: Annotated[int, msgspec.Meta(description="After those above the account's limit are split.", ge=1)]
    receivers: Annotated[
        int, msgspec.Meta(description="How many receivers: each a document at an account of an institution.", ge=0)
    ]
    amount: BrlMoney
    fees: BrlMoney
    largest: LargestLine | None = None


class FullPlan(PlanRow, frozen=True, kw_only=True):
    """A plan: what it comes to, how far it is, who has signed it."""

    progress: Progress
    totals: Annotated[
        PlanTotals | None, msgspec.Meta(description="Left out while no line is checked, or where none can be paid.")
    ] = None
    approvals: list[Signed]
    accounts: list[OfAccount]


class Plans(Paged, frozen=True, kw_only=True):
    """A page of plans."""

    data: list[PlanRow]


class PlanLine(Answer, frozen=True, kw_only=True):
    """One payout of a plan."""

    line: Annotated[int, msgspec.Meta(description="Its place in the list, from 1; of a CSV the line of the file.", ge=1)]
    status: Annotated[str, words(*LINE_STATUSES)]
    external_id: str | None = None
    account_id: Id | None = None
    payment_method: str | None = None
    amount: BrlMoney | None = None
    fee: BrlMoney | None = None
    transfers: Annotated[int, msgspec.Meta(description="Into how many it is split.", ge=1)] | None = None
    receiver: Place | None = None
    possible_duplicate: Annotated[
        str | None, msgspec.Meta(description="An equal payout of the last ten minutes, or an equal line before it.")
    ] = None
    issues: Annotated[list[ErrorDetail] | None, msgspec.Meta(description="Why it is no payout.")] = None
    payout_id: Id | None = None
    payout_status: Annotated[str | None, msgspec.Meta(description="Of its payout, now.")] = None


class Lines(Answer, frozen=True, kw_only=True):
    """A page of a plan's lines, in their order."""

    limit: Annotated[int, msgspec.Meta(ge=1)]
    sort: Annotated[Literal["asc"], msgspec.Meta(description="In the order of the plan, always.")]
    next_cursor: Annotated[
        str | None, msgspec.Meta(description="The `cursor` of the next page; left out on the last one.", examples=["20"])
    ] = None
    has_next: bool
    data: list[PlanLine]


def row_of(plan: Plan) -> PlanRow:
    """Renders a plan for a list."""
    return PlanRow(**_head(plan))


def taken_in(plan: Plan) -> FullPlan:
    """Renders a plan that was just made."""
    progress = Progress(lines=plan.lines, checked=0, unfit=0, created=0)
    return FullPlan(**_head(plan), progress=progress, approvals=[], accounts=[])


def in_full(seen: PlanSeen, *, names: bool = True) -> FullPlan:
    """Renders a whole plan. names: with the receiver of its largest line; an answer that is kept for ever is without."""
    counts: Counts = seen.counts
    return FullPlan(
        **_head(seen.plan),
        progress=Progress(lines=seen.plan.lines, checked=counts.checked, unfit=counts.unfit, created=counts.made),
        totals=None if seen.whole is None else _totals(seen.whole, names=names),
        approvals=[Signed(client_id=a.approver, approved_at=stamp(a.at), counts=not a.is_revoked) for a in seen.approvals],
        accounts=[
            _of_account(account_id, list(totals), seen)
            for account_id, totals in groupby(seen.totals, lambda t: t.account_id)
        ],
    )


def _totals(whole: Sum, *, names: bool) -> PlanTotals:
    line = whole.largest
    largest = None
    if line is not None and line.amount is not None:
        largest = LargestLine(
            line=line.line, external_id=line.external_id, amount=BrlMoney.of(line.amount),
            receiver=_place(line) if names else None,
        )  # fmt: skip
    return PlanTotals(
        payouts=whole.payouts, transfers=whole.transfers, receivers=whole.receivers, amount=BrlMoney.of(whole.amount),
        fees=BrlMoney.of(whole.fees), largest=largest,
    )  # fmt: skip


def _head(plan: Plan) -> dict[str, Any]:
    return {
        "id": str(plan.id), "status": plan.state, "format": plan.format, "lines": plan.lines, "hash": plan.hash,
        "approvals_required": plan.needs, "created_by": plan.created_by,
        "expires_at": None if plan.expires_at is None else stamp(plan.expires_at), "created_at": stamp(plan.created_at),
        "updated_at": stamp(plan.updated_at),
    }  # fmt: skip


def _of_account(account_id: UUID, totals: list[Total], seen: PlanSeen) -> OfAccount:
    available = seen.available.get(account_id, Amount(0, "BRL"))
    after = available
    for total in totals:
        after = after - total.open - total.open_fees
    return OfAccount(
        account_id=str(account_id), available=BrlMoney.of(available), available_after=BrlMoney.of(after),
        is_covered=after.minor >= 0, methods=[_by_method(total, seen) for total in totals],
    )  # fmt: skip


def _by_method(total: Total, seen: PlanSeen) -> ByMethod:
    left = seen.left_minor.get((total.account_id, total.method))
    return ByMethod(
        payment_method=total.method, payouts=total.payouts, transfers=total.transfers, amount=BrlMoney.of(total.amount),
        fees=BrlMoney.of(total.fees), day_limit_left=None if left is None else BrlMoney.of(Amount(left, "BRL")),
    )  # fmt: skip


def lines_page(plan: Plan, lines: Sequence[PlannedPayout], limit: int) -> Lines:
    """Renders a page of at most `limit` lines; one more shows that there is a next page."""
    shown_lines = lines[:limit]
    has_next = len(lines) > limit
    return Lines(
        limit=limit,
        sort="asc",
        next_cursor=str(shown_lines[-1].number) if has_next else None,
        has_next=has_next,
        data=[_line(plan, line) for line in shown_lines],
    )


def _line(plan: Plan, line: PlannedPayout) -> PlanLine:
    return PlanLine(
        line=line.line,
        status=plan.status_of(line),
        external_id=line.external_id,
        account_id=None if line.account_id is None else str(line.account_id),
        payment_method=line.method,
        amount=BrlMoney.maybe(line.amount),
        fee=BrlMoney.maybe(line.fee),
        transfers=line.transfers,
        receiver=_place(line),
        possible_duplicate=line.duplicate_of,
        issues=_issues(line) or None,
        payout_id=None if line.payout_id is None else str(line.payout_id),
        payout_status=line.payout_status,
    )


def _place(line: PlannedPayout) -> Place | None:
    if line.destination is None:
        return None
    to = msgspec.json.decode(line.destination)
    receiver = to["receiver"]
    return Place(
        name=receiver["name"], document=mask(receiver["document_number"]), ispb=receiver["ispb"], branch=receiver["branch"],
        account=receiver["account"], pix_key=to.get("key"),
    )  # fmt: skip


def _issues(line: PlannedPayout) -> list[ErrorDetail]:
    return [] if line.issues is None else msgspec.json.decode(line.issues, type=list[ErrorDetail])


def result_csv(plan: Plan, lines: Sequence[PlannedPayout]) -> bytes:
    """Renders all lines with their outcomes as CSV (RFC 4180), in UTF-8. A cell that a spreadsheet runs is made a text."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_RESULT_COLUMNS)
    for line in lines:
        issues = "; ".join(f"{i.field} {i.issue}: {i.description}".strip() for i in _issues(line))
        cells = (
            line.line, line.external_id, plan.status_of(line), line.amount, line.fee, line.transfers, line.payout_id,
            line.payout_status, line.end_to_end_id if line.method == "PIX" else None, line.control_number,
            None if line.paid_at is None else stamp(line.paid_at), line.duplicate_of, issues or line.error_message,
        )  # fmt: skip
        writer.writerow(["" if cell is None else as_text(str(cell)) for cell in cells])
    return out.getvalue().encode()
