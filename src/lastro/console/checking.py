"""The page between a filled-in form that moves money and its sending: who gets how much, and what it costs."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from lastro.console import actions, pricing, typed
from lastro.console.lists import party, value_at
from lastro.core.money import DECIMALS, Money

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.console.actions import PageAction
    from lastro.console.shell import User
    from lastro.console.terms import Terms

SURE: Final = "sure"  # of the form: a person has seen the page
CHANGE: Final = "change"  # of the form: and goes back to what was filled in
_BALANCE: Final = "/order/v2/account/balance"
_OK: Final = 200


def is_checked(action: PageAction) -> bool:
    """Tells whether the page stands before this action: its amount is typed, so that no page before could say it."""
    return action.moves_money and any(blank.kind == "amount" for blank in action.blanks)


def problems(action: PageAction, form: Mapping[str, str], answer: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Returns the problems of the typed amount that the object itself tells; the operation finds all others."""
    text = typed.amount(form.get("amount", ""))
    if not typed.AMOUNT.fullmatch(text) or not Decimal(text):
        return [("amount", "INVALID", "must be a decimal number with a dot and without sign, blanks or separators")]
    if action.of == "orders" and Decimal(text) > (left := Decimal(actions.left_of(answer))):
        return [("amount", "LIMIT_EXCEEDED", f"is more than what is left to give back, {left}")]
    return []


async def facts(
    user: User, action: PageAction, form: Mapping[str, str], answer: Mapping[str, Any], say: Terms
) -> list[tuple[str, str, tuple[str, ...]]]:
    """Returns what the page says: names, texts, and lines below them in small letters."""
    currency = value_at(answer, "paidAmount.currency") or value_at(answer, "amount.currency") or "BRL"
    amount = _money(typed.amount(form["amount"]), currency)
    rows: list[tuple[str, str, tuple[str, ...]]] = [(say("check.amount"), say.money(amount), ())]
    if action.of == "orders":
        rows = await _refund(user, answer, amount, say)
    for blank in action.blanks:
        text = form.get(blank.name, "").strip()
        if text and blank.kind != "amount":
            rows.append((say.field(blank.name), say(f"choice.{text}") if text in blank.choices else text, ()))
    return rows


async def _refund(
    user: User, answer: Mapping[str, Any], amount: Money, say: Terms
) -> list[tuple[str, str, tuple[str, ...]]]:
    """Returns the facts of a refund: its receiver, its cost, and what is left on both sides."""
    to = party(answer.get("payer"), say)
    fee, left = pricing.fee_of(answer), _money(actions.left_of(answer), amount.currency) - amount
    rows: list[tuple[str, str, tuple[str, ...]]] = [
        (say("check.to"), to.text or say("nobody"), to.lines),
        (say("check.amount"), say.money(amount), ()),
        (say("check.cost"), say("check.cost.none"), ()),
    ]
    if fee.minor:
        rows.append((say("check.fee-stays"), say.money(fee), ()))
    rows.append((say("check.left"), say.money(left), ()))
    query = {"accountId": str(answer.get("accountId", "")), "currency": amount.currency}
    status, balance = await user.call("GET", _BALANCE, query)
    if status == _OK:
        had = balance["available"]
        available = _money(had if isinstance(had, str) else had["value"], amount.currency)
        after = available - amount
        rows.append((say("check.available"), say.money(available), ()))
        text = (
            say.money(after) if after.minor >= 0 else say("check.lacks", amount=say.money(Money(0, after.currency) - after))
        )
        rows.append((say("check.available-after"), text, ()))
    return rows


def _money(text: str, currency: str) -> Money:
    """Parses an amount, which may be nothing or below it."""
    return Money(int(Decimal(text).scaleb(DECIMALS[currency])), currency)
