"""The statements by which a company's door is passed, alone or together with what is read behind it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from lastro.core.errors import Kind, Refused
from lastro.core.rights import rights_of

if TYPE_CHECKING:
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Database, Session
    from lastro.core.runner import Call, Query, RequestContext, Verb

K = TypeVar("K")

_OPENED = """
SELECT door.at AS door_at, door.machine_at, door.clock_version, door.client_version, door.permissions AS door_permissions,
       door.allowed_networks, door.certificates, door.requests_per_minute, door.revoked_at, door.tokens_valid_after,
       door.fingerprint, door.answer_status, door.answer_body, door.answer_object
"""
OPEN = f"{_OPENED} FROM door_open($1, $2, $3, $4) door"
# The door and all that is read behind it, in one round trip. The company of the reading is what the door gives back, so
# that the door is passed first, whichever way the server goes about it.
_OPEN_AND_READ = f"""
{_OPENED}, seen.*
  FROM door_open($1, {{client}}, {{operation}}, {{key}}) door
  LEFT JOIN LATERAL (SELECT true AS door_showed, q.* FROM ({{sql}}) q) seen ON true
"""  # noqa: S608 columns of our own
_COMPANY = re.compile(r"\$1\b")
ENTER = "SELECT door.at AS door_at, door.clock_version FROM door_enter($1) door"
# The same for a task of ours, which has no client. What is read asks for the company by what the door gives back, too.
_ENTER_AND_READ = """
SELECT door.at AS door_at, door.clock_version, seen.*
  FROM door_enter($1) door LEFT JOIN LATERAL (SELECT true AS door_showed, q.* FROM ({sql}) q) seen ON true
"""
_ENTERED = "(CASE WHEN door.at IS NOT NULL THEN $1::uuid END)"


@lru_cache(maxsize=256)
def entered_and_read(sql: str) -> str:
    """The statement behind the door of a task of ours."""
    return _ENTER_AND_READ.format(sql=_behind_the_door(sql, _ENTERED))


async def entered(session: Session, company_id: UUID, query: Query[Any] | None) -> list[Record]:
    """Passes the door of a task of ours: the door's row; with a glance, as many as it shows, behind the door's columns."""
    if query is None:
        rows = await session.fetch(ENTER, company_id)
    else:
        rows = await session.fetch(entered_and_read(query.sql), company_id, *query.arguments)
    session.company_id = company_id
    return rows


def _behind_the_door(sql: str, company: str) -> str:
    """The statement, asking for the company by what the door gives back."""
    inner, asked = _COMPANY.subn(company, sql)
    assert asked, "what does not ask for the company may be read before the door is passed"
    return inner


async def opened(session: Session, call: Call, query: Query[Any] | None) -> list[Record]:
    """Passes the door of a client's call: rows as `entered` gives them."""
    asked = (call.client_id, call.operation, call.key)
    if query is None:
        rows = await session.fetch(OPEN, call.company_id, *asked)
    else:
        sql = opened_and_read(query.sql, len(query.arguments) + 1)
        rows = await session.fetch(sql, call.company_id, *query.arguments, *asked)
    session.company_id = call.company_id
    return rows


@lru_cache(maxsize=256)
def opened_and_read(sql: str, parameters: int) -> str:
    """The statement behind the door's. parameters: how many it has itself."""
    inner = _behind_the_door(sql, "door.company")
    client, operation, key = (f"${parameters + n}" for n in (1, 2, 3))
    return _OPEN_AND_READ.format(client=client, operation=operation, key=key, sql=inner)


async def looked_up(database: Database, verb: Verb[K], known: K, door: RequestContext) -> K | Refused:
    """Asks outside with no connection held, and then reads what the answers say where to look for."""
    looked = await verb.call_out(known, door)
    if isinstance(looked, Refused) or (read := verb.read_after(looked, door)) is None:
        return looked
    async with database.session(door.company_id) as session:
        return await read(session)


async def refusal_now(database: Database, call: Call) -> Refused | None:
    """Why a call that was let in would be refused by now; None: it would not."""
    async with database.session_for(call.company_id) as session:
        row = (await opened(session, call, None))[0]
    if row["client_version"] is None:
        return Refused(Kind.UNAUTHORIZED)
    return rights_of(row, row["door_permissions"]).refusal(call)
