"""The documentation of the operations on accounts."""

from __future__ import annotations

from lastro.accounts import problems
from lastro.accounts.rendering import Account, Accounts, Balance, CompanyBalance
from lastro.api_kit.paging import PAGE_REFUSALS
from lastro.api_kit.routes import Doc
from lastro.core.errors import misread

_ACCOUNT = {
    "id": "0196a4ef-1d02-7e40-8b11-64c3f0de9a17", "status": "ACTIVE", "holderType": "ORGANIZATION",
    "fullName": "Ana Comercio Ltda", "email": "ana@example.com", "phone": "+5511987650001",
    "document": {"type": "CNPJ", "number": "11222333000181"},
    "bankAccountData": {
        "ispb": "99999010", "bankNumber": "990", "accountType": "PAYMENT_ACCOUNT",
        "createdAt": "2026-01-05T12:00:00.120945Z", "branchNumber": "0001", "accountNumber": "000000019",
    },
    "createdAt": "2026-01-05T12:00:00.120945Z",
}  # fmt: skip
_NOTHING = {"currency": "BRL", "value": "0.00"}

LIST = Doc(
    "List accounts",
    "The accounts opened under your company, newest first. Filters are combined: an account must fit all of them.\n\n"
    "- `email` and `fullName` find a part, however its accents and capitals are written: `jose` finds `José`.\n"
    "- `document` finds the whole number alone.\n\n"
    "Ask for the next page with `cursor` = `nextCursor` and everything else unchanged, until `hasNext` is false. Oldest"
    " first, a page may have fewer rows than its `limit` and still have a next one: it ends before accounts younger than two"
    " seconds.",
    None, Accounts,
    (
        *PAGE_REFUSALS,
        misread("status", "INVALID", "The interface knows no such status.",
                "Give ACTIVE, INACTIVE or CLOSED."),
        problems.DOCUMENT_FILTER_INVALID,
        misread("document", "TOO_LONG", "No document has more than 32 digits.", "Give one document."),
        *problems.FULL_NAME_INVALID.of("email", "fullName"),
        misread("email", "TOO_LONG", "It has more than 77 characters, which an e-mail never has.", "Give a part of it."),
        misread("fullName", "TOO_LONG", "It has more than 140 characters, which a name never has.", "Give a part of it."),
    ),
    None, {"nextCursor": None, "hasNext": False, "data": [_ACCOUNT]},
)  # fmt: skip
READ = Doc("Read an account", "One account, as the list shows it.", None, Account, (problems.NO_ACCOUNT,), None, _ACCOUNT)
BALANCE = Doc(
    "Read balances",
    "What one account has, or the company's total with each of its accounts: `available` counts neither what is held nor"
    " what is blocked, nor what pays what the account owes. With `asOf`, as it was at that moment.",
    None, Balance,
    (problems.NO_ACCOUNT, problems.CURRENCY_INVALID, problems.AS_OF_INVALID, problems.AS_OF_OUT_OF_RANGE),
    None,
    {
        "accountId": _ACCOUNT["id"], "currency": "BRL", "available": {"currency": "BRL", "value": "100000.00"},
        "held": _NOTHING, "blocked": _NOTHING, "balance": {"currency": "BRL", "value": "100000.00"}, "provisioned": _NOTHING,
        "asOf": "2026-01-31T12:00:00.000000Z",
    },
)  # fmt: skip
COMPANY_BALANCE = Doc(
    "Read the company's balance",
    "What your company has in its payment accounts together, in reais. Other kinds of accounts are named by clients of other"
    " platforms: there are none of them here, and their balance is zero.",
    None, CompanyBalance,
    (misread("accountType", "INVALID", "There is no such kind of account.", "Give one that is listed."),),
    None,
    {
        "accountType": "PAYMENT", "currency": "BRL", "available": {"currency": "BRL", "value": "100000.00"},
        "held": _NOTHING, "blocked": _NOTHING, "balance": {"currency": "BRL", "value": "100000.00"},
        "provisioned": _NOTHING, "asOf": "2026-01-31T12:00:00.000000Z",
    },
)  # fmt: skip
