"""lastro med."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastro import companies, med
from lastro.api_kit.routes import as_id
from lastro.app import wiring
from lastro.cli.payouts import line_of, reason_of
from lastro.core.declined import CommandFailed
from lastro.core.money import Money, MoneyError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from uuid import UUID

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
    found = await context.every_company() if given.company is None else [await context.company(given.company)]
    rows = []
    for company in found:
        page = await context.act(company.id, med.ListDisputes(med.DisputeFilter(only_pending=not given.all), 1, _MOST))
        rows += [{"company": company.number} | {name: one.get(name) for name in _SHOWN} for one in page["data"]]
    return rows


async def _show(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    company_id, object_id = await _object(context, given.object)
    return await context.act(company_id, med.ReadDispute(object_id))


async def _documents(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    company_id, object_id = await _received(context, given.object) or await _object(context, given.object)
    kept = await med.documents_of(context.database, await context.key_ring(), company_id, object_id)
    written = []
    try:
        given.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, content in kept:
            path = given.folder / name
            path.touch(mode=0o600)
            path.write_bytes(content)
            written.append({"file": str(path), "size": len(content)})
    except OSError as error:
        raise CommandFailed(f"The documents cannot be written: {error.strerror}.") from error
    return written


async def _decide(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    details = None if given.details is None else line_of("--details", given.details, med.LONGEST_DETAILS)
    company_id, object_id = await _received(context, given.object) or await _object(context, given.object)
    stand = med.Stand(wiring.place_of(context.settings).institution, context.settings.disputing)
    fraud = None if given.fraud is None else given.fraud.upper()
    return await context.act(company_id, med.Decide(object_id, given.verdict.upper(), stand, fraud, details))


async def _reimburse(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    reason = reason_of(given)
    company_id, object_id = await _object(context, given.object)
    try:
        amount = Money.parse(given.amount, "BRL")
    except MoneyError as wrong:
        raise CommandFailed(f"--amount: {wrong}") from wrong
    document = re.sub(r"[./-]", "", given.document).upper()
    wish = med.Reimbursement(amount, document, given.branch, given.account, given.account_type.upper())
    stand = med.Stand(wiring.place_of(context.settings).institution, context.settings.disputing)
    return await context.act(company_id, med.Reimburse(object_id, wish, stand, reason))


async def _refuse(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    reason = reason_of(given)
    company_id, object_id = await _object(context, given.object)
    return await context.act(company_id, med.Reject(object_id, given.rejection.upper(), reason, reason))


async def _received(context: CommandContext, text: str) -> tuple[UUID, UUID] | None:
    """Returns the side that decides, of two here, and its company.

    text: the directory's id of the object, of which both sides are here.
    """
    object_id = as_id(text.lower())
    if object_id is not None:
        async with context.database.session() as session:
            for _, company_id in await companies.numbers(session):
                await session.set_company(company_id)
                found = await med.received_side(session, company_id, object_id)
                if found is not None:
                    return company_id, found
    return None


async def _object(context: CommandContext, text: str) -> tuple[UUID, UUID]:
    """Returns an object's company and id. Row-level security has the companies read one by one."""
    object_id = as_id(text.lower())
    if object_id is not None:
        async with context.database.session() as session:
            for _, company_id in await companies.numbers(session):
                await session.set_company(company_id)
                if await med.is_there(session, company_id, object_id):
                    return company_id, object_id
    raise CommandFailed(f"There is no object of a dispute {text[:60]!r}: give its referenceId, as lastro med list shows it.")
