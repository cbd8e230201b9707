"""A holder who has said nothing to a notice is told once that the time for it is nearly over."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from lastro.core.commit import commit
from lastro.core.runner import Done, RequestContext
from lastro.med import Decide, Fall
from lastro.med.actions.defend import Defend
from lastro.rails.port import MedNews

from .court import CHOSEN, Court

SECOND = timedelta(seconds=1)


async def noticed(court: Court) -> MedNews:
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    await court.says(notice)
    await court.says(notice, status="RECEIVED")
    return notice


async def kinds(court: Court, object_id: UUID) -> list[str]:
    return [e["eventType"] for e in await court.news(object_id)]


async def falls_at(court: Court, notice: MedNews, at: datetime) -> Done:
    """What time does to it then, written."""
    context, verb = RequestContext(court.ana.company_id, at, court.cast.chance), Fall(notice.reference_id, court.stand)
    async with court.cast.database.session(context.company_id) as session:
        found: Any = verb.decide(await verb.read(session, context), context)
    assert isinstance(found, Done)
    if found.write is not None:
        await commit(court.cast.database, found.write)
    return found


async def due(court: Court, notice: MedNews) -> tuple[datetime, datetime, datetime]:
    sql = "SELECT due_at, defense_due_at, deadline FROM med_objects WHERE id = $1"
    ((at, defense_due_at, deadline),) = await court.rows(sql, notice.reference_id)
    return at, defense_due_at, deadline


async def test_a_holder_is_reminded_once(court: Court) -> None:
    """A day before its defense is due: a second before nothing, then once, and the verdict is due as before."""
    notice = await noticed(court)
    at, defense_due_at, deadline = await due(court, notice)
    assert at == defense_due_at - timedelta(days=1)
    assert (await falls_at(court, notice, at - SECOND)).write is None
    assert await kinds(court, notice.reference_id) == ["CREATED", "STATUS_CHANGED"]
    await falls_at(court, notice, at)
    told = (await court.news(notice.reference_id))[-1]
    assert (told["eventType"], told["status"], told["awaitingOurAnalysis"]) == ("DEFENSE_DUE", "RECEIVED", True)
    assert "previousStatus" not in told
    assert await due(court, notice) == (at, defense_due_at, deadline)
    await falls_at(court, notice, at + SECOND)
    assert await due(court, notice) == (deadline, defense_due_at, deadline)
    await falls_at(court, notice, defense_due_at)
    assert await kinds(court, notice.reference_id) == ["CREATED", "STATUS_CHANGED", "DEFENSE_DUE"]
    assert await court.blocked() == 1000


@pytest.mark.parametrize("why", ["defended", "decided", "too late", "switched off"])
async def test_who_is_not_reminded(court: Court, why: str) -> None:
    if why == "switched off":
        court.terms = replace(CHOSEN, reminder=timedelta(0))
    notice = await noticed(court)
    _, defense_due_at, deadline = await due(court, notice)
    at, company_id = defense_due_at - timedelta(days=1), court.ana.company_id
    if why == "defended":
        await court.cast.runner.act(company_id, Defend(notice.reference_id, "Delivered"))
    if why == "decided":
        await court.cast.runner.act(company_id, Decide(notice.reference_id, "DISAGREED", court.stand, None))
    if why == "switched off":
        assert (await due(court, notice))[0] == deadline
    await falls_at(court, notice, defense_due_at + SECOND if why == "too late" else at)
    assert "DEFENSE_DUE" not in await kinds(court, notice.reference_id)
