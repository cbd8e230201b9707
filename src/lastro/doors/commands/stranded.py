"""lastro stranded: money that could not be given back, and what people decide about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro import accounts, orders
from lastro.base.api import as_id
from lastro.doors.commands.payouts import line_of, who
from lastro.doors.declined import Declined

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from lastro.doors.commands.desk import Desk

_MOST = 500  # of each company
_LONGEST_REASON = 400


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    listed = command(_list, "list", "List what could not be given back and waits to be decided about, oldest first.")
    listed.add_argument("--company", help="only that of this company: its number or id")
    credit = command(_credit, "credit", "Give it to the account that it was sent to after all: SUSP to CUST.")
    out = command(_pay_out, "pay-out", "Book that it was paid out of our position at its partner elsewhere: SUSP to NET.")
    for one in (credit, out):
        one.add_argument("id", help="its id, as lastro stranded list shows it")
        one.add_argument("--reason", required=True, help="why, and by which payment, for the history")
        one.add_argument("--by", help="who has decided; without it the user of this machine")


async def _list(desk: Desk, given: argparse.Namespace) -> list[dict[str, Any]]:
    found = await desk.every_company() if given.company is None else [await desk.company(given.company)]
    rows = []
    for company in found:
        async with desk.database.session(company.id) as session:
            refunds = await orders.stranded_in(session, company.id, _MOST)
            ids = {refund.payment.account_id for refund in refunds if refund.payment.account_id is not None}
            of = {account.id: account for account in await accounts.accounts_of(session, company.id, ids)}
        for refund in refunds:
            account = None if refund.payment.account_id is None else of.get(refund.payment.account_id)
            rows.append({"company": company.number} | orders.shown_stranded(refund, "STRANDED", account))
    return rows


async def _credit(desk: Desk, given: argparse.Namespace) -> dict[str, Any]:
    return await _settle(desk, given, "credit")


async def _pay_out(desk: Desk, given: argparse.Namespace) -> dict[str, Any]:
    return await _settle(desk, given, "pay out")


async def _settle(desk: Desk, given: argparse.Namespace, way: orders.StrandedWay) -> dict[str, Any]:
    by, reason = who(given), line_of("--reason", given.reason, _LONGEST_REASON)
    refund_id = as_id(given.id.lower())
    if refund_id is not None:
        for company in await desk.every_company():
            async with desk.database.session(company.id) as session:
                found = await orders.stranded_by_id(session, company.id, refund_id)
            if found is not None:
                return await desk.act(company.id, orders.SettleStranded(refund_id, way, reason, by))
    raise Declined(f"There is no stranded money {given.id[:60]!r}: give its id, as lastro stranded list shows it.")
