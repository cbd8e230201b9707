"""lastro account: requests for accounts, shown and judged by people."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastro import accounts
from lastro.app import networks
from lastro.cli.options import maybe_line, who, write_private
from lastro.core.declined import CommandFailed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from uuid import UUID

    from lastro.cli.command_context import CommandContext

_MOST = 1000
_CODE = re.compile(r"[A-Z0-9_]{1,40}")
_LONGEST_DESCRIPTION = 300
_SUFFIXES = {"application/pdf": "pdf", "image/png": "png", "image/jpeg": "jpg"}


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    listing = command(_list, "requests", "List a company's requests for accounts, newest first.", "company")
    listing.add_argument("--status", choices=accounts.opening.STATUSES, help="only those; ANALYSIS waits to be judged")
    show = command(_show, "request", "Show one request: its holder, what is missing, what was uploaded.")
    fetch = command(_documents, "request-documents", "Write the documents of a request into a folder, to be looked at.")
    approve = command(_approve, "approve-request", "Approve a request that is in ANALYSIS: its account is opened.", "--by")
    refuse = command(_refuse, "refuse-request", "Refuse a request that is in ANALYSIS.", "--by")
    for one in (show, fetch, approve, refuse):
        one.add_argument("request", help="its id, as lastro account requests shows it")
    fetch.add_argument("folder", type=Path, help="is made where it is not there; nobody else may read the files")
    refuse.add_argument(
        "--code", required=True, help="why, in capital letters, such as DOCUMENT_ILLEGIBLE; the client is told"
    )
    refuse.add_argument("--description", help="the same in one line; the client is told this, too")
    refuse.add_argument(
        "--field", action="append", default=[], help="a document that may be uploaded again; may be repeated"
    )


async def _list(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    company = await context.company(given.company)
    async with context.database.session(company.id) as session:
        found = await accounts.opening.requests_of(session, company.id, given.status, _MOST)
    return [_line(one) for one in found]


async def _show(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    company_id, request = await _request(context, given.request)
    async with context.database.session(company_id) as session:
        pages = await accounts.opening.pages(session, company_id, request.id)
    holder = request.holder
    return {
        **_line(request), "companyId": company_id, "holderType": request.holder_type,
        "document": f"{holder.document_type} {holder.document_number}", "email": holder.email, "phone": holder.phone,
        "uploaded": [f"{page.slot} {page.page}" for page in pages], "submissions": request.submissions,
        "refusedFor": request.reproved_code, "accountId": request.account_id,
    }  # fmt: skip


async def _documents(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    company_id, request = await _request(context, given.request)
    kept = accounts.opening.SealedDocuments(context.database, await context.key_ring())
    async with context.database.session(company_id) as session:
        pages = await accounts.opening.pages(session, company_id, request.id)
    written = []
    for page in pages:
        path = given.folder / f"{page.slot}-{page.page}-{page.id}.{_SUFFIXES[page.content_type]}"
        write_private(path, await kept.content(company_id, page.id) or b"")
        written.append({"document": page.slot, "page": page.page, "file": str(path)})
    return written


async def _approve(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    return await _judged(context, given, accounts.opening.Verdict(is_approved=True, by=who(given)))


async def _refuse(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    if _CODE.fullmatch(given.code) is None:
        raise CommandFailed("--code must be capital letters, digits and underscores, at most 40.")
    description = maybe_line("--description", given.description, _LONGEST_DESCRIPTION)
    verdict = accounts.opening.Verdict(
        is_approved=False, code=given.code, description=description, fields=tuple(given.field), by=who(given)
    )
    return await _judged(context, given, verdict)


async def _judged(context: CommandContext, given: argparse.Namespace, verdict: accounts.opening.Verdict) -> dict[str, Any]:
    company_id, request = await _request(context, given.request)
    institution = networks.place_of(context.settings).institution
    said = await context.act(company_id, accounts.opening.Judge(request.id, verdict, institution))
    return {"id": said["accountRequestId"], "status": said["status"], "accountId": said.get("accountId")}


async def _request(context: CommandContext, text: str) -> tuple[UUID, accounts.opening.Request]:
    """Returns a request and its company."""
    if (found := await context.find(text, accounts.opening.request_by_id)) is not None:
        return found
    raise CommandFailed(f"There is no request {text[:60]!r}: give its id, as lastro account requests shows it.")


def _line(request: accounts.opening.Request) -> dict[str, Any]:
    return {
        "id": request.id, "externalId": request.external_id, "status": request.state, "holder": request.holder.name,
        "missing": list(request.wanted), "createdAt": request.created_at,
    }  # fmt: skip
