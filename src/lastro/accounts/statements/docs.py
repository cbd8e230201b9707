"""The documentation of the operation on statements."""

from __future__ import annotations

from lastro.accounts.problems import NO_ACCOUNT
from lastro.accounts.statements import problems
from lastro.accounts.statements.model import MEDIA, OF_PAGES
from lastro.accounts.statements.rendering import Entries
from lastro.api_kit.paging import PAGE_REFUSALS
from lastro.api_kit.routes import Doc
from lastro.core.errors import misread
from lastro.core.media import Media

_ENTRY = {
    "id": "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21", "operation": "out", "type": "PIX_OUT",
    "amount": {"currency": "BRL", "value": "10.50"}, "balanceAfter": {"currency": "BRL", "value": "99989.50"},
    "description": "Salary", "endToEndId": "E9999901020260131120000001aBcDeF",
    "counterparty": {"name": "Fabio de Fora", "document": {"type": "CPF", "number": "***.813.579-**"}},
    "createdAt": "2026-01-31T12:00:01.412000Z",
}  # fmt: skip
_CSV = (
    "createdAt,id,operation,type,title,amount,balanceAfter,currency,description,orderId,endToEndId,counterpartyName,"
    "counterpartyDocument\r\n"
    "2026-01-31T00:00:00.000000-03:00,,,OPENING_BALANCE,Saldo inicial,,100000.00,BRL,,,,,\r\n"
    "2026-01-31T09:00:01.412000-03:00,0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21,out,PIX_OUT,Pix enviado,-10.50,99989.50,BRL,"
    "Salary,,E9999901020260131120000001aBcDeF,Fabio de Fora,***.813.579-**\r\n"
    "2026-01-31T23:59:59.999999-03:00,,,CLOSING_BALANCE,Saldo final,,99989.50,BRL,,,,,\r\n"
)
_EXAMPLES = {"csv": _CSV}

STATEMENT = Doc(
    "Read an account's statement",
    "What moved the account, each entry with what the account had afterwards: available and held together, so that a hold"
    " shows once its money has left. The types of entries are explained in the guide.\n\n"
    "A page is had as `application/json`. With `format`, or with the `accept` of its media type, a whole period is had as a"
    " file: `csv`, `ofx` (1.0.2), `cnab240` (FEBRABAN, for reconciliation) or `camt053` (camt.053.001.08). A file holds what"
    " can no longer change: of a period that goes on it ends some seconds ago, and says when. Opening balance and entries"
    " always lead to the closing balance, and the same days give the same entries whenever they are asked for.\n\n"
    "`mergeBatch=true` shows the transfers of a payout batch as one entry: at the place of the first that left in it,"
    " with the sum of all, and the balance after the last.\n\n"
    "Ask for the next page with `cursor` = `nextCursor` and everything else unchanged, until `hasNext` is false. Oldest"
    " first, a page may have fewer rows than its `limit` and still have a next one.",
    None, Entries,
    (
        NO_ACCOUNT,
        *PAGE_REFUSALS,
        misread("currency", "INVALID", "No account has a balance in it.", "Give BRL or MXN."),
        misread("operation", "INVALID", "It is neither in nor out.", "Give one of the two, or leave it out."),
        misread("mergeBatch", "INVALID", "It is neither true nor false.", "Give one of the two."),
        problems.MERGE_BATCH_MUTUALLY_EXCLUSIVE,
        misread("format", "INVALID", "A statement is not had as that.", f"Give one of {', '.join(MEDIA)}."),
        problems.FORMAT_OUT_OF_RANGE,
        misread("excel", "INVALID", "It is not pt.", "Give pt, or leave it out."),
        problems.EXCEL_NOT_ALLOWED, problems.START_DATE_REQUIRED,
        *problems.DATE_NOT_ALLOWED.of("startDate", "endDate"), *problems.DATE_INVALID.of("startDate", "endDate"),
        *problems.DATE_OUT_OF_RANGE.of("startDate", "endDate"), *problems.OF_PAGES_ALONE.of(*OF_PAGES),
    ),
    None, {"limit": 20, "sort": "desc", "hasNext": False, "data": [_ENTRY]}, ("content-disposition",),
    tuple(Media(media, _EXAMPLES.get(name)) for name, media in MEDIA.items() if name != "json"),
)  # fmt: skip
