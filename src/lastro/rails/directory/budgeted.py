"""Looks up keys within the budget, unless they are cached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.rails.directory.rules import UNKNOWN_SECONDS
from lastro.rails.port import BudgetSpent, KeyEntry, NoEntry
from lastro.rails.ttl_cache import CachedAnswer, TtlCache
from lastro.standards.pix_keys import key_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from lastro.rails.directory.budget import Budget
    from lastro.rails.port import Asking, Directory

_MOST_KEPT = 20_000  # twice the lines of the largest plan
_UNKNOWN = NoEntry("NotFound")


class Budgeted:
    """A Directory: what `outside` says, kept as long as it allows. clock: seconds that only go forward.

    Entries are kept by this process; that a key is not there is remembered for all of them, since asking again costs most.
    """

    def __init__(self, outside: Directory, budget: Budget, clock: Callable[[], float]) -> None:
        self._outside = outside
        self._budget = budget
        self._kept: TtlCache[KeyEntry | NoEntry] = TtlCache(clock, _MOST_KEPT)

    async def entry(self, key: str, asking: Asking) -> KeyEntry | NoEntry:
        """Returns the entry of a key.

        BudgetSpent and Transient as `outside` raises them; BudgetSpent before the directory is asked. A text that is no
        key in its canonical form has no entry: the directory is not asked, and nothing is spent.
        """
        if key_type(key) is None:
            return _UNKNOWN
        by = (asking.company_id, asking.document)
        return await self._kept.get(key, lambda: self._ask(key, asking), by=by)

    async def _ask(self, key: str, asking: Asking) -> CachedAnswer[KeyEntry | NoEntry]:
        if not await self._budget.take(key, asking):
            return CachedAnswer(_UNKNOWN, 0)
        try:
            found = await self._outside.entry(key, asking)
        except BudgetSpent:
            await self._budget.drained(key, asking)
            raise
        if isinstance(found, KeyEntry):
            return CachedAnswer(found, found.seconds)
        if not found.is_unknown:
            return CachedAnswer(found, 0)
        await self._budget.missed(key, asking)
        return CachedAnswer(found, UNKNOWN_SECONDS)
