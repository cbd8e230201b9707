"""The verbs of static codes: printing one, reading one, listing them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.listing import ListRows
from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done, Query, RequestContext
from lastro.core.write import Relied, Row, Write
from lastro.orders import store as orders
from lastro.orders.actions.create import destination_problems
from lastro.orders.actions.destinations import CreateOrderContext
from lastro.orders.model import StaticCode
from lastro.orders.problems import ACCOUNT_ID_INVALID
from lastro.orders.static_codes import store
from lastro.orders.static_codes.rendering import StaticQrcodes, in_full, listed, printed
from lastro.standards import pix_ids

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.core.money import Money
    from lastro.orders.static_codes.forms import CreateStaticCode


@dataclass(frozen=True)
class CreateCode(Act[CreateOrderContext]):
    """POST /order/v1/banking/pix-static-qrcodes. account_id None: it is none. amount None: the payer types it."""

    form: CreateStaticCode
    amount: Money | None
    account_id: UUID | None

    async def read(self, session: Session, context: RequestContext) -> CreateOrderContext:
        """Reads the account and the key, and the company's number."""
        return CreateOrderContext(*await orders.destination(session, context.company_id, self.account_id, self.form.pix_key))

    def decide(self, known: CreateOrderContext, context: RequestContext) -> Done | Refused:
        """Makes the code, or returns its problems."""
        account, key = known.account, known.key
        if self.account_id is None or account is None:
            return ACCOUNT_ID_INVALID.refused()
        problems = destination_problems(known, self.form.pix_key, "")
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        assert key is not None
        txid = pix_ids.static_txid(known.setup.number, context.chance.bytes(32))
        text = printed(account, key.key, txid, self.amount, self.form.description)
        code = StaticCode(
            context.chance.uuid(context.now),
            account.id,
            key.key,
            txid,
            self.amount,
            self.form.description,
            text,
            context.now,
        )
        relies = (Relied("accounts", account.id, account.version), Relied("pix_keys", key.id, key.version))
        write = Write(context.company_id, relies=relies, rows=(_row(code),))
        return Done(write, render(in_full(code)), code.id, keep="month")


@dataclass(frozen=True)
class ReadCode(Act["StaticCode | None"]):
    """GET /order/v1/banking/pix-static-qrcodes/{id}. code_id None: what was named is no id."""

    code_id: UUID | None

    def query(self) -> Query[StaticCode | None] | None:
        """Returns the query of the code."""
        return None if self.code_id is None else store.code_by_id(self.code_id)

    async def read(self, session: Session, context: RequestContext) -> StaticCode | None:
        """Returns None: the text is not an id."""
        return None

    def decide(self, known: StaticCode | None, context: RequestContext) -> Done | Refused:
        """Shows it."""
        return Refused(Kind.NOT_FOUND) if known is None else Done(None, render(in_full(known)))


@dataclass(frozen=True)
class ListCodes(ListRows):
    """GET /order/v1/banking/pix-static-qrcodes.

    account_id: of this account; None: of all. finds: False where the account that was named is no id.
    """

    account_id: UUID | None
    page: Page
    finds: bool = True
    answer = StaticQrcodes

    async def rows(self, session: Session, company_id: UUID, page: Page) -> Sequence[StaticCode]:
        """Reads the codes of a page."""
        return await store.codes_in(session, company_id, self.account_id, page) if self.finds else []

    def shown(self, row: StaticCode, context: RequestContext) -> object:
        """Returns the code as lists show it."""
        return listed(row)


def _row(code: StaticCode) -> Row:
    return Row(
        "pix_static_qrcodes",
        {
            "id": code.id, "account_id": code.account_id, "pix_key": code.pix_key, "txid": code.txid,
            "amount_minor": None if code.amount is None else code.amount.minor, "description": code.description,
            "qrcode_data": code.qrcode_data, "created_at": code.created_at,
        },
    )  # fmt: skip
