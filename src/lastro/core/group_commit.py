"""Commits Writes that come together in one statement. They are of one company.

Sixteen in one statement cost PostgreSQL a third of what they cost apart (docs/decisions/group-commit.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.core.commit import commit, commit_together
from lastro.core.errors import DatabaseAway
from lastro.core.grouping import Grouping
from lastro.core.reference_rows import REFERENCE_TABLES
from lastro.core.tenant_session import is_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from uuid import UUID

    from lastro.core.db import Database
    from lastro.core.grouping import Asked
    from lastro.core.write import Caller, Decided, Write

# What is relied on by a row's own version. Others are counted under a lock that other transactions wait for: two Writes of
# one transaction would both be right where the second is not.
_SHARED = frozenset({"accounts", "pix_keys", "connection_keys", "orders", "payout_plans", "companies", "company_fees"})
# Fees are relied on as the sum of all versions, which a change of them in the same statement does not show.
_NOT_SHARED = frozenset({*REFERENCE_TABLES, "company_fees"})


@dataclass(frozen=True, slots=True)
class _Sharing:
    """A Write that may share a statement. own: its rows and answer, which no other Write of the statement may have."""

    decided: Decided
    own: frozenset[object]


class GroupCommit:
    """Commits one process's Writes. together: how many were committed in one statement with others."""

    def __init__(self, database: Database) -> None:
        self.together = 0
        self._database = database
        self._has_lists: dict[str, bool] = {}
        self._grouping: Grouping[_Sharing, None] = Grouping("commit in a group", self._commit, _fits)

    async def commit(self, decided: Decided) -> None:
        """Makes a Write so; raises as `commit`. A Write of a group that is refused refuses no other."""
        if await self._may_share(decided.write):
            sharing = _Sharing(decided, frozenset(_own(decided.write)))
            await self._grouping.ask(decided.write.company_id, sharing)
        else:
            await commit(self._database, decided.write, decided.caller, decided_at=decided.at)

    async def _commit(self, company_id: UUID, group: Sequence[Asked[_Sharing, None]]) -> None:
        del company_id
        try:
            await commit_together(self._database, [one.question.decided for one in group])
        except DatabaseAway:
            raise  # it is not known of any
        except Exception:
            if len(group) == 1:
                raise
            for one in group:
                await self._alone(one)
            return
        self.together += len(group) if len(group) > 1 else 0
        for one in group:
            one.tell(None)

    async def _alone(self, one: Asked[_Sharing, None]) -> None:
        """Commits a Write of a refused group."""
        try:
            await commit_together(self._database, (one.question.decided,))
        except Exception as refused:  # noqa: BLE001 its caller's
            one.fail(refused)
        else:
            one.tell(None)

    async def _may_share(self, write: Write) -> bool:
        """Tells whether other Writes may be in the same statement."""
        if write.many or write.freed or write.watches or any(r.kind not in _SHARED for r in write.relies):
            return False
        if any(t.debit.debtor is not None or t.credit.debtor is not None for t in write.transfers):
            return False
        for table in {one.table for part in (write.rows, write.moves, write.touches) for one in part}:
            if table not in self._has_lists:
                self._has_lists[table] = any(map(is_list, (await self._database.columns(table)).values()))
            # Several values of a column are an array, and an array of arrays has no rows.
            if table in _NOT_SHARED or self._has_lists[table]:
                return False
        return True


def _fits(group: Sequence[Asked[_Sharing, None]], sharing: _Sharing) -> bool:
    """Tells whether a Write may join a group. They have the caller in common, and no row or answer."""
    if not _same_caller(group[0].question.decided.caller, sharing.decided.caller):
        return False
    return all(one.question.own.isdisjoint(sharing.own) for one in group)


def _own(write: Write) -> Iterator[object]:
    yield from ((m.table, m.id) for m in write.moves)
    yield from ((t.table, t.id) for t in write.touches)
    yield from ((f.table, f.id) for f in write.finished)
    yield from (("outbox", w.id) for w in write.withdrawn)
    yield from (("answers", s.operation, s.key) for s in write.stored)


def _same_caller(one: Caller, other: Caller) -> bool:
    mine, others = ((c.client_id, c.client_version, c.clock_version) for c in (one, other))
    return mine == others
