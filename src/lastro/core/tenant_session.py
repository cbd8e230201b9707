"""Statements that open a tenant's session, alone or with a query."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from lastro.core.commit import Caller
from lastro.core.errors import Kind, Refused
from lastro.core.rights import rights_of

if TYPE_CHECKING:
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Database, Session
    from lastro.core.runner import Call, Query, RequestContext, Verb

K = TypeVar("K")

# The tenant check and the query behind it, in one round trip. The query's company is the check's result, so that the check
# runs first, whatever the server's plan.
_BEHIND = """
SELECT {door}, seen.*
  FROM {entrance} door LEFT JOIN LATERAL (SELECT true AS door_showed, q.* FROM ({sql}) q) seen ON true
"""
_ENTERED = "door.at AS door_at, door.clock_version"
_OPENED = f"""{_ENTERED}, door.machine_at, door.client_version, door.permissions AS door_permissions,
       door.allowed_networks, door.certificates, door.requests_per_minute, door.revoked_at, door.tokens_valid_after,
       door.fingerprint, door.answer_status, door.answer_body, door.answer_object"""
_COMPANY = re.compile(r"\$1\b")


async def open_session(session: Session, company_id: UUID, by: Call | Caller, query: Query[Any] | None) -> list[Record]:
    """Opens a tenant's session for a call or a task of ours.

    Returns the check's row; with a query a row for each that it shows, behind the check's columns.
    """
    asked = () if isinstance(by, Caller) else (by.client_id, by.operation, by.key)
    arguments = () if query is None else query.arguments
    sql = through_the_door(None if query is None else query.sql, len(arguments) + 1, is_ours=not asked)
    rows = await session.fetch(sql, company_id, *arguments, *asked)
    session.company_id = company_id
    return rows


@lru_cache(maxsize=512)
def through_the_door(sql: str | None, parameters: int, *, is_ours: bool) -> str:
    """Returns the statement of the tenant check and the query behind it. parameters: how many `sql` has itself."""
    client, operation, key = (f"${parameters + n}" for n in (1, 2, 3))
    door, entrance = (_ENTERED, "door_enter($1)") if is_ours else (_OPENED, f"door_open($1, {client}, {operation}, {key})")
    if sql is None:
        return f"SELECT {door} FROM {entrance} door"  # noqa: S608 columns of our own
    company = "(CASE WHEN door.at IS NOT NULL THEN $1::uuid END)" if is_ours else "door.company"
    inner, found = _COMPANY.subn(company, sql)
    assert found, "what does not ask for the company may be read before the door is passed"
    return _BEHIND.format(door=door, entrance=entrance, sql=inner)


async def looked_up(database: Database, verb: Verb[K], known: K, door: RequestContext) -> K | Refused:
    """Calls other systems without a connection, then reads what they point to."""
    looked = await verb.call_out(known, door)
    if isinstance(looked, Refused) or (read := verb.read_after(looked, door)) is None:
        return looked
    async with database.session(door.company_id) as session:
        return await read(session)


async def refusal_now(database: Database, call: Call) -> Refused | None:
    """Returns the refusal that an admitted call would get by now; None: none."""
    async with database.session_for(call.company_id) as session:
        row = (await open_session(session, call.company_id, call, None))[0]
    if row["client_version"] is None:
        return Refused(Kind.UNAUTHORIZED)
    return rights_of(row, row["door_permissions"]).refusal(call)
