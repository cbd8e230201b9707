"""lastro unmatched: money in suspense that fits nothing and that nobody takes back, and what people decide about it.

It could not be given back to who sent it, or it came back of a payout that had less left, or whose account is closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro import accounts, orders, payouts
from lastro.api_kit.routes import as_id
from lastro.cli.options import reason_of, who
from lastro.core.declined import CommandFailed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from lastro.cli.command_context import CommandContext

_MOST = 500  # of each company


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    listed = command(_list, "list", "List what could not be given back, then what came back of payouts, each oldest first.")
    listed.add_argument("--company", help="only that of this company: its number or id")
    credit = command(_credit, "credit", "Give it to its account after all: SUSP to CUST.", "--by")
    credit.add_argument("--account", help="which, where it came back of a payout whose own is closed: its number or id")
    out = command(
        _pay_out, "pay-out", "Book that it was paid out of our position at its partner elsewhere: SUSP to NET.", "--by"
    )
    for one in (credit, out):
        one.add_argument("id", help="its id, as lastro unmatched list shows it")
        one.add_argument("--reason", required=True, help="why, and by which payment, for the history")


async def _list(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    rows = []
    for company in await context.companies_of(given.company):
        async with context.database.session(company.id) as session:
            refunds = await orders.stranded_in(session, company.id, _MOST)
            returns = await payouts.stranded_in(session, company.id, _MOST)
            ids = {refund.payment.account_id for refund in refunds if refund.payment.account_id is not None}
            of = {account.id: account for account in await accounts.accounts_of(session, company.id, ids)}
        for refund in refunds:
            account = None if refund.payment.account_id is None else of.get(refund.payment.account_id)
            shown = orders.shown_stranded(refund, "STRANDED", account)
            rows.append({"company": company.number, **shown, "payoutId": None, "why": "NOT_TAKEN_BACK"})
        rows += [
            {"company": company.number, **payouts.shown_stranded(one, one.state, one.account_number)} for one in returns
        ]
    return rows


async def _credit(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    return await _settle(context, given, "credit", given.account)


async def _pay_out(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    return await _settle(context, given, "pay out")


async def _settle(
    context: CommandContext, given: argparse.Namespace, way: orders.StrandedWay, named: str | None = None
) -> dict[str, Any]:
    """Settles an unmatched payment. named: the account to credit in place of a closed one."""
    by, reason = who(given), reason_of(given)
    own_id = as_id(given.id.lower())
    if own_id is not None:
        account_id = None if named is None else (await context.account(named))[1].id
        for company in await context.every_company():
            async with context.database.session(company.id) as session:
                refund = await orders.stranded_by_id(session, company.id, own_id)
                back = await payouts.stranded_by_id(session, company.id, own_id)
            if back is not None:
                return await context.act(company.id, payouts.SettleStranded(own_id, way, reason, by, account_id))
            if refund is not None:
                if account_id is not None:
                    raise CommandFailed(
                        "It was sent to an account, and no other one is credited with it: leave out --account."
                    )
                return await context.act(company.id, orders.SettleStranded(own_id, way, reason, by))
    raise CommandFailed(f"There is no stranded money {given.id[:60]!r}: give its id, as lastro unmatched list shows it.")
