"""The documentation of operations and events of plans."""

from __future__ import annotations

from typing import Any

from lastro.api_kit.paging import PAGE_REFUSALS, PERIOD_REFUSALS
from lastro.api_kit.routes import Doc
from lastro.core.errors import misread, not_found
from lastro.core.media import CSV, Media
from lastro.plans import problems
from lastro.plans.forms import ApprovePlan, CreatePlan
from lastro.plans.model import LARGEST_BYTES, MOST_LINES
from lastro.plans.notifications import TEXTS, PlanNotification
from lastro.plans.rendering import FullPlan, Lines, Plans
from lastro.webhooks import EventType

_ID = "0196a4f0-9a3b-7c31-8f2e-5b0c7d1e2f3a"
_ACCOUNT_ID = "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"
_HASH = "5f0c9a553c0d7f0e5b117a6f2a522f4e5f0c9a553c0d7f0e5b117a6f2a522f4e"
_AT, _LATER, _UNTIL = "2026-01-31T12:00:00.000000Z", "2026-01-31T12:00:04.000000Z", "2026-02-07T12:00:04.000000Z"
_CSV_IN = (
    "externalId,accountId,paymentMethod,amount,description,pixKey\r\n"
    f"salary-7,{_ACCOUNT_ID},PIX,10.50,Salary,fabio@fora.example\r\n"
)
_CSV_OUT = (
    "line,externalId,status,amount,fee,transfers,payoutId,payoutStatus,endToEndId,controlNumber,paidAt,possibleDuplicate,"
    "issues\r\n2,salary-7,CREATED,10.50,0.00,1,0196a4f1-0000-7000-8000-000000000001,PAID,E9999901020260131120000000E058eP,,"
    "2026-01-31T12:00:09.000000Z,,\r\n"
)


def _money(value: str) -> dict[str, str]:
    return {"currency": "BRL", "value": value}


_ROW: dict[str, Any] = {
    "id": _ID, "status": "READY", "format": "JSON", "lines": 1, "hash": _HASH, "approvalsRequired": 1,
    "createdBy": "lc_00001aBcDeFgHiJkLm", "expiresAt": _UNTIL, "createdAt": _AT, "updatedAt": _LATER,
}  # fmt: skip
_FULL: dict[str, Any] = {
    **_ROW, "progress": {"lines": 1, "checked": 1, "unfit": 0, "created": 0}, "approvals": [],
    "totals": {
        "payouts": 1, "transfers": 1, "receivers": 1, "amount": _money("10.50"), "fees": _money("0.00"),
        "largest": {
            "line": 1, "externalId": "salary-7", "amount": _money("10.50"),
            "receiver": {
                "name": "Fabio de Fora", "document": "***.813.579-**", "ispb": "99999030", "branch": "0001",
                "account": "300001", "pixKey": "fabio@fora.example",
            },
        },
    },
    "accounts": [
        {
            "accountId": _ACCOUNT_ID, "available": _money("100000.00"), "availableAfter": _money("99989.50"),
            "isCovered": True,
            "methods": [
                {"paymentMethod": "PIX", "payouts": 1, "transfers": 1, "amount": _money("10.50"), "fees": _money("0.00"),
                 "dayLimitLeft": _money("1000000.00")},
            ],
        },
    ],
}  # fmt: skip
_TAKEN: dict[str, Any] = {
    **{name: value for name, value in _ROW.items() if name not in ("hash", "expiresAt")}, "status": "VALIDATING",
    "updatedAt": _AT, "progress": {"lines": 1, "checked": 0, "unfit": 0, "created": 0}, "approvals": [], "accounts": [],
}  # fmt: skip
_SIGNED = [{"clientId": "lc_00001nOpQrStUvWxYz", "approvedAt": _LATER, "counts": True}]
NO_PLAN = not_found("Your company has no such plan.", "Use the id that its create answered.")

CREATE = Doc(
    "Create a plan of payouts",
    f"Takes up to {MOST_LINES:,} payouts in one body of at most {LARGEST_BYTES // 1024 // 1024} MB, as JSON or as CSV, and"
    " moves nothing. It answers at once with VALIDATING; then every line is checked as the create of a payout would be:"
    " form, account, limits, receiver, key or QR, duplicates. You are told by `PAYOUT-PLAN.READY`, or by `.INVALID` where"
    " a line cannot be paid; its lines say why, all of them at once.\n\n"
    "What is READY has a `hash` over all of it. As many clients as your company demands sign that hash, none of them the one"
    " that made the plan; then it is applied.\n\n"
    "- **JSON**: `payouts` is a list of bodies of `POST /order/v1/banking/order-payouts`.\n"
    "- **CSV**: UTF-8, a header with the columns `externalId`, `accountId`, `paymentMethod`, `amount`, `description` and"
    " any of `currency`, `pixKey`, `qrcodeData`, `ispb`, `bankNumber`, `accountType`, `branchNumber`, `accountNumber`,"
    " `receiverName`, `receiverDocument`, `receiverDocumentType`, `scheduledDate`, `allowDuplicate`. Separated by commas; or"
    " by semicolons, and then `10,50` is an amount, too.\n\n"
    "The same JSON, or the same bytes of a CSV, under the same `idempotency-key` answers the same plan.",
    CreatePlan, FullPlan,
    (
        problems.PAYOUTS_REQUIRED, problems.PAYOUTS_INVALID, problems.PAYOUTS_TOO_LONG, problems.BODY_REQUIRED,
        problems.BODY_INVALID, problems.BODY_DUPLICATE, problems.BODY_TOO_LONG,
    ),
    {
        "payouts": [
            {
                "externalId": "salary-7", "accountId": _ACCOUNT_ID, "paymentMethod": "PIX",
                "paymentData": {"pixKey": "fabio@fora.example"}, "amount": _money("10.50"), "description": "Salary",
            },
        ],
    },
    _TAKEN, bodies=(Media(CSV, _CSV_IN),),
)  # fmt: skip
READ = Doc(
    "Read a plan",
    "How far it is, who has signed it, and what it comes to: its total, its fees, how many receivers, its largest line. Of"
    " each account it says what is available now and afterwards, and what is left of the day's limit.",
    None, FullPlan, (NO_PLAN,), None, _FULL,
)  # fmt: skip
LIST = Doc(
    "List plans", "The plans of your company, newest first.", None, Plans,
    (
        *PAGE_REFUSALS, *PERIOD_REFUSALS,
        misread("status", "INVALID", "There is no such status.", "Give one of those that are named."),
    ),
    None, {"limit": 20, "sort": "desc", "nextCursor": _AT, "hasNext": True, "data": [_ROW]},
)  # fmt: skip
LINES = Doc(
    "List the lines of a plan",
    "Its payouts in their order, each with what it costs, where it goes, what is wrong with it and what became of it. Ask"
    " for the next page with `cursor` = `nextCursor` until `hasNext` is false.",
    None, Lines,
    (
        NO_PLAN,
        *(refusal for refusal in PAGE_REFUSALS if refusal.field == "limit"),
        problems.CURSOR_INVALID,
        misread("status", "INVALID", "There is no such status.", "Give one of those that are named."),
    ),
    None,
    {
        "limit": 20, "sort": "asc", "hasNext": False,
        "data": [
            {
                "line": 1, "status": "VALID", "externalId": "salary-7", "accountId": _ACCOUNT_ID, "paymentMethod": "PIX",
                "amount": _money("10.50"), "fee": _money("0.00"), "transfers": 1,
                "receiver": {
                    "name": "Fabio de Fora", "document": "***.813.579-**", "ispb": "99999030", "branch": "0001",
                    "account": "300001", "pixKey": "fabio@fora.example",
                },
            },
        ],
    },
)  # fmt: skip
RESULT = Doc(
    "Download the result of a plan",
    "All lines as CSV, with the payouts they became as those are now. In a text that a spreadsheet would run as a formula,"
    " an apostrophe stands in front, also behind a `;`.",
    None, None, (NO_PLAN,), None, None, ("content-disposition",), (Media(CSV, _CSV_OUT),),
)  # fmt: skip
_DECIDED: dict[str, Any] = {
    **_FULL, "totals": {**_FULL["totals"], "largest": {"line": 1, "externalId": "salary-7", "amount": _money("10.50")}},
}  # fmt: skip
APPROVE = Doc(
    "Approve a plan",
    "Signs the `hash` of a READY plan in the name of the calling client. With the last approval that it needs it is"
    " APPROVED.",
    ApprovePlan, FullPlan,
    (
        NO_PLAN, problems.HASH_MISMATCH, problems.NOT_READY, problems.MAKER_APPROVES, problems.APPROVED_ALREADY,
    ),
    {"hash": _HASH}, {**_DECIDED, "status": "APPROVED", "approvals": _SIGNED},
)  # fmt: skip
APPLY = Doc(
    "Apply a plan",
    "Begins to make the payouts of an APPROVED plan, line after line, each once, whatever is restarted meanwhile. A line"
    " whose receiver, fee or split is no longer what was approved is refused, and so is one that its account cannot pay;"
    " the others go on. You are told of the end by `PAYOUT-PLAN.APPLIED`, `.PARTIALLY_APPLIED` or `.FAILED`, and of each"
    " payout as ever.",
    None, FullPlan,
    (NO_PLAN, problems.NOT_APPROVED),
    None, {**_DECIDED, "status": "APPLYING", "approvals": _SIGNED},
)  # fmt: skip
CANCEL = Doc(
    "Cancel a plan",
    "Ends a plan; one that is being applied makes no further payout, and those that it has made stay.",
    None, FullPlan, (NO_PLAN, problems.ENDED),
    None, {**_DECIDED, "status": "CANCELED"},
)  # fmt: skip

_ABOUT = {
    "INVALID": "Every line was checked, and some cannot be paid as they are; the lines say why. Send a corrected plan.",
    "READY": "Every line can be paid. As many clients as your company demands sign `hash`; then it can be applied, for seven"
    " days.",
    "APPROVED": "The last approval it needed is there, or your company demands none: it can be applied.",
    "APPLIED": "Each line has become a payout; you are told of the end of each as ever.",
    "PARTIALLY_APPLIED": "Some lines were refused when their payout was to be made; the lines say why.",
    "FAILED": "Every line was refused when its payout was to be made; the lines say why.",
    "CANCELED": "A client has canceled it. Payouts that it had made stay; `created` is as many at least, since"
    " some may have been under way.",
    "EXPIRED": "It was not applied within seven days after it was checked.",
}


def _example(status: str) -> dict[str, Any]:
    made = {"APPLIED": 3, "PARTIALLY_APPLIED": 2}.get(status, 0)
    unfit = {"INVALID": 1, "PARTIALLY_APPLIED": 1, "FAILED": 3}.get(status, 0)
    return {
        "id": _ID, "event": f"PAYOUT-PLAN.{status}", "status": status, "updatedAt": _LATER, "type": "PAYOUT-PLAN",
        "message": TEXTS[status], "hash": _HASH, "lines": 3, "created": made, "unfit": unfit,
    }  # fmt: skip


EVENT_TYPES = tuple(
    EventType(
        f"PAYOUT-PLAN.{status}", f"Plan {status.lower().replace('_', ' ')}", _ABOUT[status], PlanNotification,
        {"event": f"PAYOUT-PLAN.{status}", "status": status}, _example(status),
    )
    for status in TEXTS
)  # fmt: skip
