"""Reconciliation's pages: open differences, their remedies, and their acceptance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro import reconciliation
from lastro.api_kit.routes import as_id
from lastro.console import books, company_page, shell
from lastro.console.decisions import ROOT
from lastro.console.form_problems import placed
from lastro.console.objects import decide
from lastro.core.money import Money
from lastro.people import Role

if TYPE_CHECKING:
    from asyncpg import Record

    from lastro.api_kit.http import Response
    from lastro.console.shell import PageRequest, User

HERE = "/console/reconciliation"
_MOST = 200
_FEWEST_FAILED = 300


async def show(user: User, request: PageRequest) -> Response:
    """GET /console/reconciliation: the open differences of the company with their remedies, the oldest first."""
    async with company_page.session_of(user) as session:
        rows = await books.items(session, company_page.company_of(user), _MOST + 1)
    found = [_shown(row, user.language) for row in rows[:_MOST]]
    return company_page.render(
        user, "reconciliation.html", HERE, items=found, has_more=len(rows) > _MOST, may_accept=_may(user),
        done=request.query.get("done") == "accept",
    )  # fmt: skip


def _may(user: User) -> bool:
    """Tells whether the user may close a difference: the institution's people may."""
    return user.may(Role.APPROVE) and user.presence.person.only_company is None


def _shown(row: Record, language: str) -> dict[str, Any]:
    """Returns a difference for the page. Both sides, the proposal and whom to call, in the person's language."""
    do = reconciliation.proposal(row["rail"], row["kind"], row["difference"])
    call = reconciliation.whom_to_call(row["rail"])
    theirs, ours = (
        None if row[name] is None else Money(row[name], row["currency"]) for name in ("theirs_minor", "ours_minor")
    )
    return {
        **dict(row), "theirs_amount": theirs, "ours_amount": ours, "do": getattr(do, language),
        "call": getattr(call, language),
    }  # fmt: skip


async def ask(user: User, request: PageRequest) -> Response:
    """GET /console/reconciliation/{id}/accept: the confirmation page of accepting it."""
    return await _form(user, request, status=200, problems=())


async def accept(user: User, request: PageRequest) -> Response:
    """POST the same: accepts a difference that people have settled outside; the books stay as they are."""
    own = as_id(request.values["id"])
    if own is None:
        return shell.not_found(user)
    if not _may(user):
        return shell.forbidden(user)
    reason = request.form.get("reason", "").strip()
    status, said = await decide(user, f"{ROOT}/differences/{own}/accept", {"reason": reason} if reason else {})
    if status < _FEWEST_FAILED:
        return shell.go(f"{HERE}?done=accept")
    return await _form(user, request, status=status, problems=company_page.why(said))


async def _form(user: User, request: PageRequest, *, status: int, problems: Any) -> Response:
    own = as_id(request.values["id"])
    if not _may(user):
        return shell.forbidden(user)
    async with company_page.session_of(user) as session:
        row = None if own is None else await books.item(session, company_page.company_of(user), own)
    if row is None:
        return shell.not_found(user)
    item = _shown(row, user.language)
    return company_page.render(
        user,
        "accept.html",
        HERE,
        status=status,
        item=item,
        problems=placed(problems, {"reason": "reason"}),
        reason=request.form.get("reason", ""),
    )
