"""lastro company, its fees: plans of fees are shown, entered and removed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lastro import companies
from lastro.api_kit.paging import read_date, read_timestamp
from lastro.api_kit.routes import as_id
from lastro.cli.options import amount_of
from lastro.core.declined import CommandFailed
from lastro.core.money import Money
from lastro.standards.calendar import day_bounds

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from datetime import datetime

    from lastro.cli.command_context import CommandContext
    from lastro.companies import DatedPlan

_ZERO = re.compile(r"0+(\.0+)?\Z", re.ASCII)
_PERCENT = re.compile(r"(\d{1,3})(?:\.(\d{1,2}))?\Z", re.ASCII)


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    fees = command(_list, "fees", "Show what a company pays: the plans that hold and those that will.", "company")
    fees.add_argument("--all", action="store_true", help="those that have ended or were removed, too")
    put = command(
        _set, "set-fees", "Enter what a method costs from an instant on, until the next plan of it begins.", "company"
    )
    put.add_argument("--method", required=True, help="PIX, TED, BOLETO, SPEI, … or a brand's, such as BINANCE_PAY")
    put.add_argument("--direction", choices=companies.DIRECTIONS, default=companies.IN, help="of orders, IN, or of payouts")
    put.add_argument("--fixed", default="0", help="of each, in the currency of its method, such as 0.10")
    put.add_argument("--percent", default="0", help="of its amount, with at most two decimals, such as 0.99")
    put.add_argument("--additional", default="0", help="of each, beside the fixed one")
    put.add_argument("--payer", choices=companies.PAYERS, help="who bears it; without it as fee-payer has said")
    put.add_argument("--from", dest="since", help="a day of Brasilia, 2026-12-01, or a time with its offset; without it now")
    remove = command(_remove, "remove-fees", "Take a plan away that has not begun.", "company")
    remove.add_argument("plan", help="its id, as lastro company fees shows it")
    payer = command(_payer, "fee-payer", "Who bears the fees of orders, where a new plan does not say.", "company")
    payer.add_argument("payer", choices=companies.PAYERS)


async def _list(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    company = await context.company(given.company)
    async with context.database.session(company.id) as session:
        plans, now = await companies.fee_plans(session, company.id), await companies.business_now(session)
    held = [(_shown(term.plan, term.until), term.has_ended) for term in companies.terms(plans, now)]
    shown = [one for one, has_ended in held if given.all or not has_ended]
    return shown + [_shown(plan, None) for plan in plans if given.all and plan.removed_at is not None]


def _shown(plan: DatedPlan, until: datetime | None) -> dict[str, Any]:
    return {**companies.shown_plan(plan), "from": plan.valid_from, "until": until, "removedAt": plan.removed_at}


async def _set(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    currency = companies.currency_of(given.method)
    price = companies.Price(
        given.direction, given.method, _amount("fixed", given.fixed, currency), _basis_points(given.percent),
        _amount("additional", given.additional, currency), given.payer,
    )  # fmt: skip
    since = None if given.since is None else _instant(given.since)
    return await context.change_company(given.company, companies.SetFees(price, since))


async def _remove(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    plan_id = as_id(given.plan.lower())
    if plan_id is None:
        raise CommandFailed(f"{given.plan[:60]!r} is no id of a plan: lastro company fees shows them.")
    return await context.change_company(given.company, companies.RemoveFees(plan_id))


async def _payer(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    return await context.change_company(given.company, companies.BearFees(given.payer))


def _amount(name: str, text: str, currency: str) -> Money:
    if _ZERO.match(text):
        return Money(0, currency)
    return amount_of(f"--{name}", text, currency)


def _basis_points(text: str) -> int:
    match = _PERCENT.match(text)
    if match is None:
        raise CommandFailed("--percent must be such as 0.99, with at most two decimals.")
    return int(match[1]) * 100 + int((match[2] or "").ljust(2, "0"))


def _instant(text: str) -> datetime:
    day = read_date(text)
    instant = read_timestamp(text) if day is None else day_bounds(day)[0]
    if instant is None:
        raise CommandFailed("--from must be a day such as 2026-12-01, or a time such as 2026-12-01T00:00:00-03:00.")
    return instant
