"""lastro foreign: payments at a merchant's own bank that no order asked for, and claiming one for an order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro import orders
from lastro.api_kit.paging import Page
from lastro.api_kit.routes import as_id
from lastro.app import networks
from lastro.cli.options import who
from lastro.core.declined import CommandFailed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from lastro.cli.command_context import CommandContext

_MOST = 500  # of each company


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    listed = command(_list, "list", "List the payments that nobody has claimed, oldest first.")
    listed.add_argument("--company", help="only those of this company: its number or id")
    listed.add_argument("--connection", metavar="NAME", help="only those that this connection found")
    claim = command(_claim, "claim", "Say that a payment pays an order: open, by PIX, there, of just this amount.", "--by")
    claim.add_argument("id", help="its id, as lastro foreign list shows it")
    claim.add_argument("--order", required=True, help="the order's id")


async def _list(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    wanted, page = orders.ForeignFilter("FOUND", given.connection), Page(_MOST, is_descending=False)
    rows = []
    for company in await context.companies_of(given.company):
        async with context.database.session(company.id) as session:
            found = await orders.foreign_in(session, company.id, wanted, page)
        shown = [orders.shown_foreign(one, one.state, one.order_id) for one in found[:_MOST]]
        rows += [{"company": company.number, **one} for one in shown]
    return rows


async def _claim(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    by, order_id = who(given), as_id(given.order.lower())
    found = await context.find(given.id, orders.read_foreign)
    if found is None:
        raise CommandFailed(f"There is no foreign payment {given.id[:60]!r}: give its id, as lastro foreign list shows it.")
    company_id, foreign = found
    return await context.act(company_id, orders.ClaimForeign(foreign.id, order_id, by, networks.place_of(context.settings)))
