"""Offers the orders that a foreign payment may be claimed for: each says whose it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro import orders
from lastro.console import actions, company_page
from lastro.core.money import Money

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from lastro.console.shell import User
    from lastro.console.terms import Terms

_LONGEST = 140


@dataclass(frozen=True, slots=True)
class OrderChoice:
    """An order as the page shows it. customer: name and document, as far as known. amount None: it is open."""

    id: str
    code: str
    status: str
    description: str
    amount: Money | None
    customer: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class OrderChoices:
    """The choices of a page. wanted: what a person looked for. is_missing: the company has no such order."""

    found: tuple[OrderChoice, ...]
    wanted: str = ""
    is_missing: bool = False


async def choices(user: User, foreign: Mapping[str, Any], wanted: str, say: Terms) -> OrderChoices:
    """Reads the open orders of a payment's amount, newest first.

    wanted: an order's id or its code, which comes first, whether it fits or not; the claim itself refuses it.
    """
    text, company = wanted.strip()[:_LONGEST], company_page.company_of(user)
    amount = Money.parse(foreign["amount"]["value"], foreign["amount"]["currency"])
    async with company_page.session_of(user) as session:
        named = await orders.order_named(session, company, text) if text else None
        fitting = await orders.fitting_orders(session, company, foreign["connection"], amount)
    found = [] if named is None else [named]
    found += [one for one in fitting if named is None or one.id != named.id]
    return OrderChoices(tuple(_choice(one, say) for one in found), text, bool(text) and named is None)


def _choice(order: orders.Order, say: Terms) -> OrderChoice:
    who = order.customer
    customer = None
    if who is not None:
        customer = {"name": who.name, "document": {"type": who.document_type, "number": who.document_number}}
    return OrderChoice(
        str(order.id),
        order.external_id,
        order.state,
        order.description,
        order.final_amount,
        actions.named(customer, say),
        order.created_at,
    )
