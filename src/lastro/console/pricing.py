"""The fee of a charge before it is made: the plan that holds now, in words, and what it takes of an amount."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from lastro.api_kit.paging import read_timestamp
from lastro.companies import FeePlan
from lastro.console import company_page, figures
from lastro.core.money import DECIMALS, Money, MoneyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from lastro.console.shell import User
    from lastro.console.terms import Terms

_FEES: Final = "/order/v1/banking/fees"
_OK: Final = 200


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a charge. plan None: it is free. takes_parts: its money may come in parts, each with a fee of its own."""

    currency: str
    plan: FeePlan | None = None
    takes_parts: bool = False

    def terms(self, say: Terms) -> str:
        """Says the plan in words, with who bears it."""
        if self.plan is None:
            return say("charge.fee.none")
        fixed = self.plan.fixed + self.plan.additional
        points = self.plan.variable_basis_points
        parts = [*([say.money(fixed)] if fixed.minor or not points else []), *([say.share(points)] if points else [])]
        return say(f"charge.fee.terms.{self.plan.payer}", terms=" + ".join(parts))

    def of(self, amount: Money, say: Terms) -> str:
        """Says what an amount costs: the fee, what the customer pays and the account gets."""
        if self.plan is None:
            return say("charge.fee.all", gets=say.money(amount))
        fee = self.plan.total(amount)
        if self.plan.payer == "CUSTOMER":
            pays = say.money(amount + fee)
            return say("charge.fee.now.CUSTOMER", fee=say.money(fee), pays=pays, gets=say.money(amount))
        if fee > amount:
            return say("charge.fee.more", fee=say.money(fee))
        return say("charge.fee.now.RECEIVER", fee=say.money(fee), pays=say.money(amount), gets=say.money(amount - fee))

    def lines(self, typed: str, say: Terms, *, is_open: bool = False) -> list[str]:
        """Returns the sentences of a form. typed: an amount as the interface spells it; another text is no amount yet."""
        said = [self.terms(say)]
        try:
            amount = Money.parse(typed, self.currency) if typed else None
        except MoneyError:
            amount = None
        if self.plan is not None and is_open:
            said.append(say("charge.fee.open"))
        elif amount is not None and amount.minor > 0:
            said.append(self.of(amount, say))
        if self.plan is not None and self.takes_parts:
            said.append(say("charge.fee.parts"))
        return said


async def price_of(user: User, method: str, currency: str, *, takes_parts: bool) -> Price:
    """Reads what a charge by a method costs now."""
    status, said = await user.call("GET", _FEES)
    async with company_page.session_of(user) as session:
        now = await figures.business_now(session)
    plan = plan_at(said["data"], method, currency, now) if status == _OK else None
    return Price(currency, plan, takes_parts)


def plan_at(listed: Iterable[Mapping[str, Any]], method: str, currency: str, now: datetime) -> FeePlan | None:
    """Returns a method's plan at an instant; None: none holds, or it takes nothing."""
    held = None
    for one in listed:
        since = read_timestamp(one["validFrom"])
        if (one["direction"], one["paymentMethod"]) == ("IN", method) and since is not None and since <= now:
            held = one
    if held is None:
        return None
    fixed, additional = (_fee(held[name]["value"], currency) for name in ("fixed", "additional"))
    points = int(Decimal(held["variablePercent"]) * 100)
    plan = FeePlan(fixed, points, additional, held.get("feePayer") or "RECEIVER")
    return plan if fixed.minor or additional.minor or points else None


def _fee(value: str, currency: str) -> Money:
    """Returns a part of a fee, which may be nothing."""
    return Money(int(Decimal(value).scaleb(DECIMALS[currency])), currency)


def fee_of(order: Mapping[str, Any]) -> Money:
    """Adds up the parts of an order's fee; of an open amount the share is not known yet."""
    parts = [order["fees"][name] for name in ("fixed", "variable", "additional") if order.get("fees", {}).get(name)]
    currency = parts[0]["currency"] if parts else "BRL"
    return sum((_fee(one["value"], currency) for one in parts), Money(0, currency))
