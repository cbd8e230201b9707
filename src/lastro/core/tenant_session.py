"""Statements that open a tenant's session, alone or with a query."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from lastro.core.errors import Kind, Refused
from lastro.core.rights import rights_of
from lastro.core.write import Caller

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Database, Session
    from lastro.core.runner import Call, Query, RequestContext, Verb

K = TypeVar("K")

# The tenant check and the query behind it, in one round trip. The query's company is the check's result, so that the check
# runs first, whatever the server's plan. OFFSET 0 keeps it a look for each row of arguments. Joined to all of them at once,
# a company that has grown since the plan was made would be read whole.
_BEHIND = """
SELECT {door}, seen.*
  FROM {entrance} door {given} LEFT JOIN LATERAL (SELECT true AS door_showed, q.* FROM ({sql}) q OFFSET 0) seen ON true
"""
_ENTERED = "door.at AS door_at, door.clock_version"
_OPENED = f"""{_ENTERED}, door.machine_at, door.client_version, door.permissions AS door_permissions,
       door.allowed_networks, door.certificates, door.requests_per_minute, door.revoked_at, door.tokens_valid_after,
       door.fingerprint, door.answer_status, door.answer_body, door.answer_object"""
_OUR_COMPANY = "(CASE WHEN door.at IS NOT NULL THEN $1::uuid END)"
_COMPANY = re.compile(r"\$1\b")


async def open_session(session: Session, company_id: UUID, by: Call | Caller, query: Query[Any] | None) -> list[Record]:
    """Opens a tenant's session for a call or a task of ours.

    Returns the check's row; with a query a row for each that it shows, behind the check's columns.
    """
    asked = asked_of(by)
    arguments = () if query is None else query.arguments
    sql = through_the_door(None if query is None else query.sql, len(arguments) + 1, is_ours=not asked)
    rows = await session.fetch(sql, company_id, *arguments, *asked)
    session.company_id = company_id
    return rows


def asked_of(by: Call | Caller) -> tuple[str | None, ...]:
    """Returns what the tenant check is asked about a caller: client, operation and key. A task of ours: nothing."""
    return () if isinstance(by, Caller) else (by.client_id, by.operation, by.key)


@lru_cache(maxsize=512)
def through_the_door(sql: str | None, parameters: int, *, is_ours: bool) -> str:
    """Returns the statement of the tenant check and the query behind it. parameters: how many `sql` has itself."""
    door, entrance = _entrance(parameters, is_ours=is_ours)
    if sql is None:
        return f"SELECT {door} FROM {entrance} door"  # noqa: S608 columns of our own
    return _BEHIND.format(door=door, entrance=entrance, given="", sql=_admitted(sql, is_ours=is_ours))


def _entrance(parameters: int, *, is_ours: bool) -> tuple[str, str]:
    """Returns the tenant check's columns, and the check."""
    client, operation, key = (f"${parameters + n}" for n in (1, 2, 3))
    return (_ENTERED, "door_enter($1)") if is_ours else (_OPENED, f"door_open($1, {client}, {operation}, {key})")


def _admitted(sql: str, *, is_ours: bool) -> str:
    """Returns a query whose company is the check's result."""
    inner, found = _COMPANY.subn(_OUR_COMPANY if is_ours else "door.company", sql)
    assert found, "what does not ask for the company may be read before the door is passed"
    return inner


async def open_session_together(
    session: Session, company_id: UUID, by: Call | Caller, sql: str, arguments: Sequence[Sequence[Any]]
) -> list[list[Record]]:
    """Opens a tenant's session for several who ask the same query; returns each one's rows.

    by: any of them; the tenant check is the same for all. arguments: of each. An argument that is a list is the same for
    all.
    """
    asked, count = asked_of(by), len(arguments[0])
    types = (await session.parameters(through_the_door(sql, count + 1, is_ours=not asked)))[1 : count + 1]
    columns = zip(types, zip(*arguments, strict=True), strict=True)
    given = [values[0] if is_list(type_) else values for type_, values in columns]
    rows = await session.fetch(together_through_the_door(sql, tuple(types), is_ours=not asked), company_id, *given, *asked)
    session.company_id = company_id
    each: list[list[Record]] = [[] for _ in arguments]
    for row in rows:
        each[row["door_nth"] - 1].append(row)
    return each


def is_list(type_: str) -> bool:
    """Tells whether an SQL type is an array."""
    return type_.endswith("[]")


@lru_cache(maxsize=128)
def together_through_the_door(sql: str, types: tuple[str, ...], *, is_ours: bool) -> str:
    """Returns the statement of `through_the_door` for arrays of arguments."""
    single = [n for n, type_ in enumerate(types, 2) if not is_list(type_)]
    arrays = ", ".join(f"${n}::{types[n - 2]}[]" for n in single)
    given = f"CROSS JOIN unnest({arrays}) WITH ORDINALITY given({', '.join(f'a{n}' for n in single)}, nth)"
    inner = sql
    for n in single:
        inner = re.sub(rf"\${n}\b", f"given.a{n}", inner)
    door, entrance = _entrance(len(types) + 1, is_ours=is_ours)
    door = f"{door}, given.nth AS door_nth"
    return _BEHIND.format(door=door, entrance=entrance, given=given, sql=_admitted(inner, is_ours=is_ours))


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
