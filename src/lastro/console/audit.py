"""The audit's pages: people's actions for a company and on each other's access."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro import people
from lastro.api_kit.paging import read_timestamp
from lastro.api_kit.routes import as_id, stamp
from lastro.console import company_page
from lastro.console.actions import BY_NAME
from lastro.console.terms import Terms

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from uuid import UUID

    from lastro.api_kit.http import Response
    from lastro.console.shell import PageRequest, User
    from lastro.people import ConsoleAct, PersonAct

_LINES = 50
_FEWEST_FAILED = 300
_OURS = frozenset({"fraud"})  # messages to the directory, which no client sees
_ID = r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"
# The pages of objects that a path of the API names; of a key or claim the last id counts.
_PLACES = tuple(
    (re.compile(pattern.replace("ID", _ID)), place)
    for pattern, place in (
        (r"/keys/claims/ID", "claims"), (r"/keys/ID", "keys"), (r"/transparent/ID", "orders"), (r"payouts/ID", "payouts"),
        (r"/payout-plans/ID", "plans"), (r"/subscriptions/ID", "subscriptions"), (r"/order-refunds/ID", "refunds"),
        (r"(?:/med|/disputes)/ID", "disputes"), (r"/accounts/ID", "accounts"), (r"/webhook/events/ID", "events"),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AuditLine:
    """An act for a company as the page has it. name: of the act. amount, chosen: what it was about, what was decided.

    link: the page of its object; None: it has none. why: of one that was refused, as the page says it.
    """

    act: ConsoleAct
    name: str
    amount: str
    chosen: tuple[tuple[str, str], ...]
    link: str | None
    why: tuple[str, ...]

    @property
    def was_refused(self) -> bool:
        """True where nothing was done."""
        return self.act.status >= _FEWEST_FAILED


async def show(user: User, request: PageRequest) -> Response:
    """GET /console/audit: newest first; ?of=people for acts on access, else acts for the company."""
    of_people = request.query.get("of") == "people" or user.company_id is None
    behind = _behind(request)
    only = user.presence.person.only_company
    acts: list[ConsoleAct] | list[PersonAct]
    lines: list[AuditLine] = []
    database = user.console_context.app_context.database
    if of_people or user.company_id is None:
        async with database.session() as session:
            acts = await people.people_acts(session, only, behind, _LINES + 1)
    else:
        acts = done = await people.console_acts(database, user.company_id, only, behind, _LINES + 1)
        say = Terms(user.language)
        lines = [line_of(act, say, is_ours=only is None) for act in done[:_LINES]]
    last = acts[_LINES - 1] if len(acts) > _LINES else None
    more = None if last is None else {"at": stamp(last.created_at), "id": str(last.id)}
    return company_page.render(
        user, "audit.html", "/console/audit", acts=acts[:_LINES], lines=lines, of_people=of_people, more=more
    )


def line_of(act: ConsoleAct, say: Terms, *, is_ours: bool = True) -> AuditLine:
    """Formats an act for the page. is_ours: somebody of the institution reads it, who may know what it has found."""
    told = act.detail
    action = BY_NAME.get(str(told.get("action")))
    name = say(f"action.{action.of}.{action.name}") if action is not None else say.operation(act.operation)
    chosen = tuple(
        (say.field(blank.name), say(f"choice.{told[blank.name]}"))
        for blank in (() if action is None else action.blanks)
        if blank.kind == "choice" and told.get(blank.name) in blank.choices and (is_ours or blank.name not in _OURS)
    )
    amount = say.paid(told["amount"]) if told.get("amount") else ""
    return AuditLine(act, name, amount, chosen, _link(told, act.path), tuple(say.issue(one) for one in act.issues))


def _link(told: Mapping[str, object], path: str) -> str | None:
    if told.get("object"):
        return f"/console/{told['object']}"
    for pattern, place in _PLACES:
        if (found := pattern.search(path)) is not None:
            return f"/console/{place}/{found[1]}"
    return None


def _behind(request: PageRequest) -> tuple[datetime, UUID] | None:
    """Returns the end of the page before this one; None: at the beginning."""
    at, act_id = read_timestamp(request.query.get("at", "")), as_id(request.query.get("id"))
    return None if at is None or act_id is None else (at, act_id)
