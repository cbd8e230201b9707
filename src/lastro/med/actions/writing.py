"""The writes of a dispute: an object created or moved, and its notifications. Each status that it takes has one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from lastro.api_kit.routes import present
from lastro.core.machine import NOT_THERE
from lastro.core.write import Row, Write
from lastro.med import postings
from lastro.med.rendering import med_event
from lastro.med.states import MED_OBJECTS
from lastro.med.store import packed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from lastro.core.money import Money
    from lastro.core.runner import RequestContext
    from lastro.core.write import Event
    from lastro.med.model import MedObject

# Fields of an object whose columns have other names.
_MONEY = ("amount", "blocked", "returned", "lacking", "later")
_COUNT = {"documents": "defense_documents"}


def born(one: MedObject, way: Sequence[str], context: RequestContext, at: datetime) -> Write:
    """Creates an object, and notifies each status of `way`. at: since when it stands there at the directory."""
    values = {
        "id": one.id, "object_type": one.object_type, "role": one.role, "account_id": one.account_id,
        "end_to_end_id": one.end_to_end_id, "recovery_id": one.recovery_id, "situation": one.situation,
        "reason": one.reason, "amount_minor": one.amount.minor, "blocked_minor": one.blocked.minor,
        "returned_minor": one.returned.minor, "result": one.result, "rejection": one.rejection, "path": packed(one.path),
        "deadline": one.deadline, "due_at": one.due_at, "created_at": context.now, "updated_at": context.now,
        "occurred_at": at,
        "directory_id": one.directory_id, "monitor": one.monitor, "defense_due_at": one.defense_due_at,
        "root_id": one.root_id, "requester": one.requester, "details": one.details, "receiver_id": one.receiver_id,
    }  # fmt: skip
    events, before = [], NOT_THERE
    for trigger in way:
        after = MED_OBJECTS.after(before, trigger)
        events.append(med_event(context, replace(one, state=after), before or None, at))
        before = after
    return Write(context.company_id, rows=MED_OBJECTS.born(values, context.now, tuple(way)), events=tuple(events))


def payee(
    name: str, document: tuple[str, str], ispb: str, branch: str | None, account: str, account_type: str,
    context: RequestContext,
) -> Row:  # fmt: skip
    """Returns a row of people for the payee of a payment anew. document: its type and number."""
    bank = present(ispb=ispb, branch=branch, account=account, accountType=account_type)
    values = {
        "id": context.chance.uuid(context.now), "name": name, "document_type": document[0], "document_number": document[1],
        "bank": msgspec.json.encode(bank).decode(),
    }  # fmt: skip
    return Row("parties", values)


def moved(
    one: MedObject, trigger: str, context: RequestContext, at: datetime | None = None, why: str | None = None, **changes: Any
) -> tuple[MedObject, Write]:
    """Moves an object and returns it with the writes.

    Notifies if its status changes. changes: fields of the object. at: since when it is so at the directory. why: kept in its
    history.
    """
    after = _after(one, trigger, context, at, changes)
    move = MED_OBJECTS.move(one, trigger, context.now, reason=why, **_columns(one, after, changes))
    return after, Write(context.company_id, moves=(move,), events=_events(one, after, context))


def walked(
    one: MedObject, way: Sequence[str], context: RequestContext, at: datetime | None = None, **changes: Any
) -> tuple[MedObject, Write]:
    """Moves an object several times at once, and notifies each status. changes: come with the last one."""
    if len(way) == 1:
        return moved(one, way[0], context, at, **changes)
    last = one
    events: list[Event] = []
    for number, trigger in enumerate(way, start=1):
        before, last = last, _after(last, trigger, context, at, changes if number == len(way) else {})
        events += _events(before, last, context)
    touch, rows = MED_OBJECTS.walk(one, way, context.now, **_columns(one, last, changes))
    return last, Write(context.company_id, rows=rows, touches=(touch,), events=tuple(events))


def let_go(
    one: MedObject, trigger: str, context: RequestContext, at: datetime | None = None, why: str | None = None,
    due_at: datetime | None = None, **changes: Any,
) -> Write:  # fmt: skip
    """Moves an object and releases its blocked money. why: kept in its history."""
    nothing = one.blocked - one.blocked
    _, write = moved(one, trigger, context, at, why, blocked=nothing, due_at=due_at, **changes)
    return write + freed(one, one.blocked, context)


def freed(one: MedObject, amount: Money, context: RequestContext) -> Write:
    """Releases (BLOCK→CUST) an amount that an object blocks."""
    return Write(context.company_id, transfers=postings.released(context, one.account_id, one.id, amount))


def _after(one: MedObject, trigger: str, context: RequestContext, at: datetime | None, changes: dict[str, Any]) -> MedObject:
    to = MED_OBJECTS.after(one.state, trigger)
    since = one.occurred_at if to == one.state else at or context.now
    return replace(one, state=to, version=one.version + 1, updated_at=context.now, occurred_at=since, **changes)


def _events(before: MedObject, after: MedObject, context: RequestContext) -> tuple[Event, ...]:
    return () if after.state == before.state else (med_event(context, after, before.state, after.occurred_at),)


def _columns(before: MedObject, after: MedObject, changes: dict[str, Any]) -> dict[str, Any]:
    columns = {
        (f"{name}_minor" if name in _MONEY else _COUNT.get(name, name)): _column(name, value)
        for name, value in changes.items()
    }
    return columns if after.state == before.state else columns | {"occurred_at": after.occurred_at}


def _column(name: str, value: Any) -> Any:
    if name in _MONEY:
        return value.minor
    return packed(value) if name == "path" else value
