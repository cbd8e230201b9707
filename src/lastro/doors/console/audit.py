"""What people did: for the company that is looked at, and to each other's access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro import people
from lastro.base.api import as_id, stamp
from lastro.base.paging import read_timestamp
from lastro.doors.console import shell

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.doors.console.shell import Asked, Viewer
    from lastro.doors.http import Response
    from lastro.people import ConsoleAct, PersonAct

_LINES = 50


async def show(viewer: Viewer, asked: Asked) -> Response:
    """GET /console/audit: newest first; ?of=people what was done to access, else what was done for the company."""
    of_people = asked.query.get("of") == "people" or viewer.company_id is None
    behind = _behind(asked)
    only = viewer.presence.person.only_company
    acts: list[ConsoleAct] | list[PersonAct]
    async with viewer.premises.house.database.session(viewer.company_id) as session:
        if of_people or viewer.company_id is None:
            acts = await people.people_acts(session, only, behind, _LINES + 1)
        else:
            acts = await people.console_acts(session, viewer.company_id, only, behind, _LINES + 1)
    last = acts[_LINES - 1] if len(acts) > _LINES else None
    more = None if last is None else {"at": stamp(last.created_at), "id": str(last.id)}
    return shell.render(viewer, "audit.html", here="/console/audit", acts=acts[:_LINES], of_people=of_people, more=more)


def _behind(asked: Asked) -> tuple[datetime, UUID] | None:
    """Where the page before this one ended; None: at the beginning."""
    at, act_id = read_timestamp(asked.query.get("at", "")), as_id(asked.query.get("id"))
    return None if at is None or act_id is None else (at, act_id)
