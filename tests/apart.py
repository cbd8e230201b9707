"""As if each company had a server of its own: row-level security shows a session one company's rows alone."""

from typing import TYPE_CHECKING, Any

from lastro.core.db import Database

if TYPE_CHECKING:
    from collections.abc import Collection
    from uuid import UUID

    from asyncpg import Record
    from tests import databases


class EachApart(Database):
    """Looks at all companies as the role that finds work, but at each by itself, the youngest first."""

    def __init__(self, database: "databases.Database") -> None:
        super().__init__(database.work, size=1)
        self._one = Database(database.app, size=1)

    async def everywhere(self, sql: str, *arguments: Any) -> "list[Record]":
        """The rows of each company, behind one another."""
        async with self.session() as session:
            companies = await session.fetch("SELECT company_id FROM company_numbers ORDER BY number DESC")
        rows: list[Record] = []
        for company in companies:
            async with self._one.session(company["company_id"]) as session:
                rows += await session.fetch(sql, *arguments)
        return rows

    async def in_reach(self, sql: str, *arguments: Any, near: "Collection[UUID] | None" = None) -> "list[Record]":
        """The same: each answers. near: more than these companies may be looked at."""
        return await self.everywhere(sql, *arguments)

    async def close(self) -> None:
        """Ends every idle connection."""
        await self._one.close()
        await super().close()
