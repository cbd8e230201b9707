"""lastro payout."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from lastro import companies, orders, payouts, reconciliation
from lastro.app import networks
from lastro.cli.options import reason_of, who
from lastro.core.declined import CommandFailed
from lastro.standards.calendar import brasilia_day
from lastro.standards.pix_ids import company_of_end_to_end_id
from lastro.standards.ted_ids import company_of_control_number

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from lastro.cli.command_context import CommandContext

_MOST = 500  # of each company
_INSTITUTION = 0  # the number of the company whose statements are


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    prove = command(_prove, "prove", "Book a Pix, TED or refund that was taken for failed and that the statement has.")
    prove.add_argument("name", help="ours, as the statement repeats it: endToEndId (E), return id (D) or NumCtrlIF (L)")
    prove.add_argument("--settled-at", required=True, help="when the statement says, such as 2026-11-23T10:15:00-03:00")
    contradicted = command(_contradicted, "contradicted", "List payouts whose id the network says is another payment's.")
    contradicted.add_argument("what", choices=("list",))
    contradicted.add_argument("--company", help="only those of this company: its number or id")
    disprove = command(
        _disprove, "disprove", "End such a payout as failed, since statements prove that it was never taken.", "--by"
    )
    disprove.add_argument("name", help="its endToEndId (E) or NumCtrlIF (L), as lastro payout contradicted list shows it")
    disprove.add_argument("--reason", required=True, help="what was found out with the network, for the history")
    review = command(_review, "review", "List the payouts that wait until somebody approves or refuses them.")
    review.add_argument("what", choices=("list",))
    review.add_argument("--company", help="only those of this company: its number or id")
    approve = command(_approve, "approve", "Let a payout go that waits in review.", "--by")
    refuse = command(_refuse, "refuse", "Cancel a payout that waits in review.", "--by")
    for decide in (approve, refuse):
        decide.add_argument("payout", help="its id, as lastro payout review list shows it")
    refuse.add_argument("--reason", required=True, help="why, for your own records; the client is not told")


async def _prove(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    place, number = networks.place_of(context.settings), _company_of(context, given.name)
    try:
        settled_at = datetime.fromisoformat(given.settled_at)
    except ValueError:
        settled_at = None
    if settled_at is None or settled_at.tzinfo is None:
        raise CommandFailed("--settled-at must be a time with its offset, such as 2026-11-23T10:15:00-03:00.")
    company = await context.company(str(number))
    if given.name.startswith("D"):
        return await context.act(company.id, orders.ProvedRefund(given.name, settled_at, place))
    return await context.act(company.id, payouts.Proved(given.name, settled_at, place.institution))


def _company_of(context: CommandContext, name: str) -> int:
    """Returns the company number in one of our ids. Declined: it is none of ours."""
    ispb, number = networks.place_of(context.settings).institution.ispb, company_of_control_number(name)
    if number is None and name.startswith((f"E{ispb}", f"D{ispb}")):
        number = company_of_end_to_end_id(name)
    if number is None:
        raise CommandFailed(
            f"{name[:40]!r} is no id of ours: 32 characters that begin with E{ispb} or, of a refund, D{ispb}, or, of"
            " a TED, 20 that begin with L."
        )
    return number


async def _contradicted(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    institution = networks.place_of(context.settings).institution
    rows = []
    for company in await context.companies_of(given.company):
        async with context.database.session(company.id) as session:
            waiting = await payouts.contradicted_in(session, company.id, _MOST)
        rows += [{"company": company.number, **payouts.shown_contradicted(p, said, institution)} for p, said in waiting]
    return rows


async def _disprove(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    by, reason = who(given), reason_of(given)
    company = await context.company(str(_company_of(context, given.name)))
    async with context.database.session(company.id) as session:
        payout = await payouts.by_network_id(session, company.id, given.name)
    if payout is None:
        raise CommandFailed(f"There is no payout {given.name!r}: give its id, as lastro payout contradicted list shows it.")
    since, whole = brasilia_day(payout.created_at - timedelta(days=1)), frozenset[date]()
    async with context.database.session() as session:
        institution_id = await companies.company_of_number(session, _INSTITUTION)
    if institution_id is not None:
        async with context.database.session(institution_id) as session:
            whole = await reconciliation.days_taken(session, institution_id, payout.rail, since)
    verb = reconciliation.Disproved(given.name, by, reason, whole, networks.place_of(context.settings).institution)
    return await context.act(company.id, verb)


async def _review(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    shown = []
    for company in await context.companies_of(given.company):
        async with context.database.session(company.id) as session:
            shown += [_waiting(company.number, p) for p in await payouts.in_review(session, company.id)]
    return shown


def _waiting(company: int, p: payouts.Payout) -> dict[str, Any]:
    r = p.receiver
    return {
        "id": p.id, "company": company, "since": p.updated_at, "amount": str(p.amount), "method": p.method,
        "transfers": max(p.children, 1), "account": p.account.number, "holder": p.account.holder.full_name,
        "receiver": r.name, "document": f"{r.document_type} {r.document_number}", "bank": p.bank_name or r.ispb,
        "receiverAccount": f"{r.branch}/{r.account}", "externalId": p.external_id,
    }  # fmt: skip


async def _approve(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    by = who(given)
    company_id, payout_id = await _payout(context, given.payout)
    return await context.act(company_id, payouts.Approve(payout_id, by, networks.place_of(context.settings).institution))


async def _refuse(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    by, reason = who(given), reason_of(given)
    company_id, payout_id = await _payout(context, given.payout)
    return await context.act(
        company_id, payouts.Refuse(payout_id, by, reason, networks.place_of(context.settings).institution)
    )


async def _payout(context: CommandContext, text: str) -> tuple[UUID, UUID]:
    """Returns a payout's company and id."""
    if (found := await context.find(text, payouts.is_there)) is not None:
        return found[0], UUID(text)
    raise CommandFailed(f"There is no payout {text[:60]!r}: give its id, as lastro payout review list shows it.")
