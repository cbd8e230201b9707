"""lastro foreign: payments at a merchant's own bank that no order asked for; claiming or closing one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro import orders
from lastro.api_kit.paging import Page
from lastro.app import networks
from lastro.app.banks import bank_lines, issuers_of
from lastro.cli.options import reason_of, who
from lastro.core.declined import CommandFailed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from uuid import UUID

    from lastro.cli.command_context import CommandContext

_MOST = 500  # of each company


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    listed = command(_list, "list", "List the payments that nobody has claimed or closed, oldest first.")
    listed.add_argument("--company", help="only those of this company: its number or id")
    listed.add_argument("--connection", metavar="NAME", help="only those that this connection found")
    claim = command(_claim, "claim", "Say that a payment pays an order: open, by PIX, there, of just this amount.", "--by")
    claim.add_argument("id", help="its id, as lastro foreign list shows it")
    claim.add_argument("--order", required=True, help="the order's id, or its externalId")
    close = command(_close, "close", "Say that a payment pays no order: it waits for nobody any more.", "--by")
    close.add_argument("id", help="its id, as lastro foreign list shows it")
    close.add_argument("--reason", required=True, help="what it is, for the history")


async def _list(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    wanted, page = orders.ForeignFilter("FOUND", given.connection), Page(_MOST, is_descending=False)
    rows, is_there = [], given.connection is None
    for company in await context.companies_of(given.company):
        async with context.database.session(company.id) as session:
            is_there = is_there or await orders.has_connection(session, company.id, given.connection)
            found = await orders.foreign_in(session, company.id, wanted, page)
        shown = [orders.shown_foreign(one, one.state, one.order_id) for one in found[:_MOST]]
        rows += [{"company": company.number, **one} for one in shown]
    if not is_there:
        whose = "" if given.company is None else f" of company {given.company[:60]}"
        raise CommandFailed(
            f"There is no connection {given.connection[:60]!r}{whose}: give its name as LASTRO_BANKS_FILE has it, in small"
            " letters."
        )
    return rows


async def _claim(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    by, place = who(given), networks.place_of(context.settings)
    company_id, foreign = await _found(context, given.id)
    lines = bank_lines(context.settings, context.chance)
    issuers = issuers_of(lines, context.database, context.chance)
    try:
        return await context.act(company_id, orders.ClaimForeign(foreign.id, given.order.strip(), by, place, issuers))
    finally:
        for line in lines.values():
            await line.close()


async def _close(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    by, reason = who(given), reason_of(given)
    company_id, foreign = await _found(context, given.id)
    return await context.act(company_id, orders.CloseForeign(foreign.id, by, reason))


async def _found(context: CommandContext, text: str) -> tuple[UUID, orders.KeptForeign]:
    found = await context.find(text, orders.read_foreign)
    if found is None:
        raise CommandFailed(f"There is no foreign payment {text[:60]!r}: give its id, as lastro foreign list shows it.")
    return found
