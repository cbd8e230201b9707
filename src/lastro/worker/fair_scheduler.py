"""Fair scheduling of rows among companies, with few rows in hand."""

from __future__ import annotations

from collections import Counter, deque
from heapq import heapify, heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID


class Shares:
    """Gives rows out one by one: to whom has the fewest in hand, and among those to whom least time was given so far.

    of_one: how many one company has in hand at most. So a company whose rows take long, because somebody who has to be asked
    is silent, leaves places to others; and one whose rows are quick gets many done in the time that a slow one takes.
    """

    def __init__(self, of_one: int) -> None:
        self._of_one = of_one
        self._rows: dict[UUID, deque[UUID]] = {}
        self._in_hand: Counter[UUID] = Counter()
        self._seconds: dict[UUID, float] = {}  # that each was given, as long as it has rows
        self._idle: list[tuple[float, int, UUID]] = []  # a heap: who has rows and none of them in hand
        self._order = count()

    def lay_out(self, rows: Iterable[tuple[UUID, UUID]], begin: int = 0) -> None:
        """Replaces all rows but those in hand: company and row, each company's in order.

        begin: so many of each company's come behind its others: processes that see the same rows take different ones first.
        A new company begins at the least that others were given; it does not catch up on what they had before it came.
        """
        self._rows = {}
        for company_id, row_id in rows:
            self._rows.setdefault(company_id, deque()).append(row_id)
        for left in self._rows.values():
            left.rotate(-(begin % len(left)))
        here = [*self._rows, *(one for one in self._in_hand if one not in self._rows)]
        least = min((self._seconds[one] for one in here if one in self._seconds), default=0.0)
        self._seconds = {one: self._seconds.get(one, least) for one in here}
        self._idle = [(self._seconds[one], next(self._order), one) for one in self._rows if one not in self._in_hand]
        heapify(self._idle)

    def take(self) -> tuple[UUID, UUID] | None:
        """Returns the next company and row, in hand until given back; None for now."""
        if self._idle:
            company_id = heappop(self._idle)[-1]
        else:
            busy = [one for one, held in self._in_hand.items() if held < self._of_one and self._rows.get(one)]
            if not busy:
                return None
            company_id = min(busy, key=lambda one: (self._in_hand[one], self._seconds[one]))
        self._in_hand[company_id] += 1
        return company_id, self._rows[company_id].popleft()

    def give_back(self, company_id: UUID, seconds: float) -> None:
        """Marks one row of the company's as done, after so long."""
        self._seconds[company_id] += seconds
        self._in_hand[company_id] -= 1
        if not self._in_hand[company_id]:
            del self._in_hand[company_id]
            if self._rows.get(company_id):
                heappush(self._idle, (self._seconds[company_id], next(self._order), company_id))

    @property
    def has_more(self) -> bool:
        """True where a row is left that nobody has taken."""
        return any(self._rows.values())
