"""lastro med."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from lastro import med
from lastro.app import networks
from lastro.cli.options import amount_of, maybe_line, reason_of, write_private
from lastro.core.declined import CommandFailed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from lastro.cli.command_context import CommandContext

_MOST = 100
_SHOWN = ("referenceId", "objectType", "status", "role", "type", "amount", "blockedAmount", "deadline", "accountId")


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    listed = command(_list, "list", "List what is disputed: the newest objects of the directory, those that are open.")
    listed.add_argument("--company", help="only those of this company: its number or id")
    listed.add_argument("--all", action="store_true", help="those that have ended, too")
    shown = command(
        _show, "show", "Show one object: its history, its deadline, what it blocks, what else is of its recovery."
    )
    documents = command(_documents, "documents", "Write the documents of a notice's defense into a folder.")
    documents.add_argument("folder", type=Path, help="where to write them; it is made if it is not there")
    decide = command(_decide, "decide", "Say what the analysis of a notice about money that came here has found.")
    for one in (shown, documents, decide):
        one.add_argument("object", help="its referenceId, as lastro med list shows it")
    decide.add_argument("verdict", choices=[verdict.lower() for verdict in med.VERDICTS])
    decide.add_argument(
        "--fraud", choices=[kind.lower() for kind in med.FRAUDS],
        help="of agreed, and needed there: of which kind the fraud was; other needs --details",
    )  # fmt: skip
    decide.add_argument("--details", help="what the analysis has found, in words, for the directory")
    reimburse = command(
        _reimburse, "reimburse", "Pay the payer's bank what it asks of a charge of Pix Automático, to an account of its own."
    )
    reimburse.add_argument("object", help="the refund request's referenceId")
    reimburse.add_argument("--amount", required=True, help="how much, in reais")
    reimburse.add_argument("--document", required=True, help="the bank's own CNPJ")
    reimburse.add_argument("--branch", required=True, help="branch of the bank's own account")
    reimburse.add_argument("--account", required=True, help="number of the bank's own account")
    kinds = [kind.lower() for kind in med.ACCOUNT_TYPES]
    reimburse.add_argument("--account-type", required=True, choices=kinds, help="of the bank's own account")
    refuse = command(_refuse, "refuse", "Answer a refund request of Pix Automático with a no.")
    refuse.add_argument("object", help="the refund request's referenceId")
    refuse.add_argument("rejection", choices=[one.lower() for one in med.REJECTIONS])
    for one in (reimburse, refuse):
        one.add_argument("--reason", required=True, help="why, in words: for the history, and of a no for the directory")


async def _list(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    rows = []
    for company in await context.companies_of(given.company):
        page = await context.act(company.id, med.ListDisputes(med.DisputeFilter(only_pending=not given.all), 1, _MOST))
        rows += [{"company": company.number} | {name: one.get(name) for name in _SHOWN} for one in page["data"]]
    return rows


async def _show(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    company_id, object_id = await _object(context, given.object)
    return await context.act(company_id, med.ReadDispute(object_id))


async def _documents(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    company_id, object_id = await _received(context, given.object)
    kept = await med.documents_of(context.database, await context.key_ring(), company_id, object_id)
    for name, content in kept:
        write_private(given.folder / name, content)
    return [{"file": str(given.folder / name), "size": len(content)} for name, content in kept]


async def _decide(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    details = maybe_line("--details", given.details, med.LONGEST_DETAILS)
    company_id, object_id = await _received(context, given.object)
    stand = med.Stand(networks.place_of(context.settings).institution, context.settings.disputing)
    fraud = None if given.fraud is None else given.fraud.upper()
    return await context.act(company_id, med.Decide(object_id, given.verdict.upper(), stand, fraud, details))


async def _reimburse(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    reason = reason_of(given)
    company_id, object_id = await _object(context, given.object)
    amount = amount_of("--amount", given.amount, "BRL")
    document = re.sub(r"[./-]", "", given.document).upper()
    wish = med.Reimbursement(amount, document, given.branch, given.account, given.account_type.upper())
    stand = med.Stand(networks.place_of(context.settings).institution, context.settings.disputing)
    return await context.act(company_id, med.Reimburse(object_id, wish, stand, reason))


async def _refuse(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    reason = reason_of(given)
    company_id, object_id = await _object(context, given.object)
    return await context.act(company_id, med.Reject(object_id, given.rejection.upper(), reason, reason))


async def _received(context: CommandContext, text: str) -> tuple[UUID, UUID]:
    """Returns the side that decides, and its company.

    text: its own id, or the one at the directory of an object of which both sides are here.
    """
    return await context.find(text, med.received_side) or await _object(context, text)


async def _object(context: CommandContext, text: str) -> tuple[UUID, UUID]:
    """Returns an object's company and id."""
    if (found := await context.find(text, med.is_there)) is not None:
        return found[0], UUID(text)
    raise CommandFailed(f"There is no object of a dispute {text[:60]!r}: give its referenceId, as lastro med list shows it.")
