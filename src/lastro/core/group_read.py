"""Reads what decisions need. One statement serves those of a company that read the same at the same time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import asyncpg

from lastro.core.grouping import Grouping
from lastro.core.tenant_session import asked_of, open_session, open_session_together

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Database, Session
    from lastro.core.grouping import Asked
    from lastro.core.runner import Call, Query
    from lastro.core.write import Caller

    _Asked: TypeAlias = "Asked[_Question, list[Record]]"


@dataclass(frozen=True, slots=True)
class _Question:
    caller: Call | Caller
    query: Query[Any]


class GroupRead:
    """Reads for the tasks and requests of one process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._grouping: Grouping[_Question, list[Record]] = Grouping("read in a group", self._read, _fits)

    async def read(self, company_id: UUID, by: Call | Caller, query: Query[Any]) -> list[Record]:
        """Returns a query's rows behind the tenant check's columns. Raises as a session."""
        return await self._grouping.ask(company_id, _Question(by, query))

    async def _read(self, company_id: UUID, group: Sequence[_Asked]) -> None:
        first = group[0].question
        async with self._database.session_for(company_id) as session:
            if len(group) == 1:
                group[0].tell(await open_session(session, company_id, first.caller, first.query))
                return
            arguments = [one.question.query.arguments for one in group]
            try:
                found = await open_session_together(session, company_id, first.caller, first.query.sql, arguments)
            except asyncpg.PostgresError:
                await self._each(session, company_id, group)
                return
        for one, rows in zip(group, found, strict=True):
            one.tell(rows)

    async def _each(self, session: Session, company_id: UUID, group: Sequence[_Asked]) -> None:
        """Reads for each alone what could not be read together."""
        for one in group:
            try:
                one.tell(await open_session(session, company_id, one.question.caller, one.question.query))
            except asyncpg.PostgresError as refused:
                one.fail(refused)


def _fits(group: Sequence[_Asked], question: _Question) -> bool:
    """Tells whether a question may join a group. They differ in their arguments alone, and in no list."""
    first = group[0].question
    if first.query.sql != question.query.sql or asked_of(first.caller) != asked_of(question.caller):
        return False
    pairs = list(zip(first.query.arguments, question.query.arguments, strict=True))
    lists = [(a, b) for a, b in pairs if isinstance(a, list | tuple) or isinstance(b, list | tuple)]
    return len(lists) < len(pairs) and all(a == b for a, b in lists)
