"""Quotes of partners, asked for before an order is written. No database connection is held meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.core.errors import Kind, Refused
from lastro.orders.instruments.crypto import rate_ends, reference_of
from lastro.orders.problems import AMOUNT_NOT_ALLOWED
from lastro.orders.silence import silent
from lastro.rails.port import Permanent, Person, QuoteWish, Transient

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from lastro.accounts import Account
    from lastro.core.money import Money
    from lastro.rails.port import Quote, Quotes

_AGAIN_SECONDS = 5


def wish_of(
    company_number: int, sequence: int, method: str, final: Money, account: Account, description: str, now: datetime
) -> QuoteWish:
    """Returns the request for a quote. sequence: used once. method: `<BRAND>_PAY`. final: the amount to pay."""
    holder = account.holder
    return QuoteWish(
        reference_of(company_number, sequence), method.removesuffix("_PAY"), final, rate_ends(now),
        Person(holder.full_name, holder.document_type, holder.document_number), description,
    )  # fmt: skip


async def ask(quotes: Mapping[str, Quotes], rails: Sequence[str], wish: QuoteWish) -> tuple[str, Quote] | Refused:
    """Asks for a rate; returns it with the partner's rail.

    A partner that does not answer is skipped for the next, while nothing is promised. A partner that refuses has answered:
    the next is not asked. rails: in the order of asking.
    """
    refused = Refused(Kind.UNAVAILABLE, retry_after_seconds=_AGAIN_SECONDS)
    for rail in rails:
        answered = await _asked(rail, quotes[rail], wish)
        if not isinstance(answered, Refused):
            return rail, answered
        refused = answered
        if refused.kind is not Kind.UNAVAILABLE:
            break
    return refused


async def _asked(rail: str, quotes: Quotes, wish: QuoteWish) -> Quote | Refused:
    try:
        return await quotes.quote(wish)
    except Transient as why:
        return silent(rail, "quote", why)
    except Permanent as refused:
        return AMOUNT_NOT_ALLOWED.refused(code=refused.code)


def misfit(quote: Quote, final: Money, now: datetime) -> Refused | None:
    """Refuses a quote that an order cannot rest on: its rate is over, or a fee has changed since. None: it can."""
    if quote.amount == final and now < quote.valid_until:
        return None
    return Refused(Kind.UNAVAILABLE, retry_after_seconds=1)
