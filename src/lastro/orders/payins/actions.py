"""The verbs of pay-ins: an order is asked for, or read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.api_kit.routes import as_id, render
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.runner import Act, Done, Query, RequestContext
from lastro.core.write import Row, Write
from lastro.orders import store
from lastro.orders.actions.create import columns, destination_problems, pix_order, relied
from lastro.orders.actions.destinations import CreateOrderContext, Destinations
from lastro.orders.model import Party
from lastro.orders.payins.problems import (
    AMOUNT_OUT_OF_RANGE,
    EXTERNAL_ID_DUPLICATE,
    EXTERNAL_ID_REQUIRED,
    PAYER_REQUIRED,
)
from lastro.orders.payins.rendering import CreatedPayIn, PayIn
from lastro.orders.problems import ACCOUNT_ID_INVALID
from lastro.orders.rules import DEFAULT_EXPIRATION_SECONDS, fee_problem
from lastro.orders.states import ORDERS
from lastro.rails.port import PIX

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.money import Money
    from lastro.orders.actions.destinations import Where
    from lastro.orders.model import Installation, Order, OrderShown
    from lastro.orders.payins.forms import CreatePayIn


@dataclass(frozen=True)
class CreateOne(Act[CreateOrderContext]):
    """POST /order/v1/banking/order-payins. account_id None: what was named is no id."""

    company_id: UUID
    form: CreatePayIn
    amount: Money
    account_id: UUID | None
    place: Installation
    destinations: Destinations

    @property
    def _where(self) -> Where:
        return (self.company_id, "PIX", self.account_id, self.form.pix_key, PIX)

    def from_cache(self) -> CreateOrderContext | None:
        """Returns the destination of the last such order, by either API."""
        return self.destinations.known.get(self._where)

    async def read(self, session: Session, context: RequestContext) -> CreateOrderContext:
        """Reads the company's setup, the account, the key."""
        return await self.destinations.find(session, self._where)

    def decide(self, known: CreateOrderContext, context: RequestContext) -> Done | Refused:
        """Makes the order, or returns every problem of it."""
        problems = self._problems(known, context)
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        assert known.account is not None
        order, rows = self._order(known, context)
        write = Write(context.company_id, relies=relied(context.company_id, known), rows=rows)
        return Done(write, render(CreatedPayIn.of(order, known.account, self.place)), order.id, keep="month")

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """Refuses a code of an open or paid order; decides a clash of random ids again."""
        if constraint != "orders_external_id_key":
            return None
        return EXTERNAL_ID_DUPLICATE.refused()

    def _problems(self, known: CreateOrderContext, context: RequestContext) -> list[Problem]:
        if self.account_id is None or known.account is None:
            return [ACCOUNT_ID_INVALID.problem()]
        problems = destination_problems(known, self.form.pix_key, "")
        if self.form.payer is None and known.setup.customerless_partner is None:
            problems.append(PAYER_REQUIRED.problem())
        if not problems and (wrong := fee_problem(self.amount, known.setup.fees.at(context.now))):
            problems.append(AMOUNT_OUT_OF_RANGE.problem(why=wrong))
        return problems

    def _order(self, known: CreateOrderContext, context: RequestContext) -> tuple[Order, tuple[Row, ...]]:
        """Makes the order and its rows. Without a payer it goes by the company's route that has none."""
        form, customer = self.form, None
        assert known.account is not None
        if form.payer is not None:
            document = form.payer.document
            customer = Party(context.chance.uuid(context.now), form.payer.name, document.type, document.number.upper())
        drafted = pix_order(
            context, known.setup, known.account.id, known.key, external_id=form.external_id, amount=self.amount,
            description=form.description or form.external_id, seconds=form.expiration or DEFAULT_EXPIRATION_SECONDS,
            customer=customer,
        )  # fmt: skip
        if customer is not None:
            return drafted, (_party_row(customer), *ORDERS.born(columns(drafted), context.now))
        order = replace(drafted, financial_partner=known.setup.customerless_partner)
        return order, ORDERS.born(columns(order), context.now)


@dataclass(frozen=True)
class ReadOne(Act["OrderShown | None"]):
    """GET /order/v1/banking/order-payins/{id}. name: an id, or a code of the client's; None: it can be neither.

    external_id: the code that the order has to have, where the query names one.
    """

    name: str | None
    external_id: str | None
    place: Installation

    def query(self) -> Query[OrderShown | None] | None:
        """Returns the query of the order."""
        return None if self.name is None else store.shown_by_id_or_code(as_id(self.name), self.name)

    async def read(self, session: Session, context: RequestContext) -> OrderShown | None:
        """Reads nothing: no order has such a name."""
        return None

    def decide(self, known: OrderShown | None, context: RequestContext) -> Done | Refused:
        """Shows it."""
        if known is not None and self.external_id not in (None, known.order.external_id):
            return Refused(Kind.NOT_FOUND)
        return _shown(known, self.place)


@dataclass(frozen=True)
class FindOne(Act["OrderShown | None"]):
    """GET /order/v1/banking/order-payins?externalId=. external_id None: none was given.

    The newest order that the client made under this code: a code may have had several, and all but the last ended unpaid.
    """

    external_id: str | None
    place: Installation

    def query(self) -> Query[OrderShown | None] | None:
        """Returns the query of the order."""
        return None if self.external_id is None else store.newest_by_external_id(self.external_id)

    async def read(self, session: Session, context: RequestContext) -> OrderShown | None:
        """Reads nothing."""
        return None

    def decide(self, known: OrderShown | None, context: RequestContext) -> Done | Refused:
        """Shows it."""
        if self.external_id is None:
            return EXTERNAL_ID_REQUIRED.refused()
        return _shown(known, self.place)


def _shown(known: OrderShown | None, place: Installation) -> Done | Refused:
    """Shows a PIX order; one of another method is not found. This API makes and shows PIX orders alone."""
    if known is None or known.order.payment_method != "PIX":
        return Refused(Kind.NOT_FOUND)
    return Done(None, render(PayIn.of(known, place)))


def _party_row(party: Party) -> Row:
    return Row(
        "parties",
        {
            "id": party.id, "name": party.name, "document_type": party.document_type,
            "document_number": party.document_number,
        },
    )  # fmt: skip
