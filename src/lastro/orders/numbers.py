"""Numbers for ids that a network will know: taken from their sequence in blocks, and used one by one by this process."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from lastro.orders import store

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.db import Session

AT_ONCE: Final = 64
FEW: Final = 8  # at so many left one create takes more, while the others go on
# After a failover a second server that never heard of these numbers may give them again. Nobody fails over within so short a
# time, so that none of them is used twice.
GOOD_FOR: Final = timedelta(seconds=5)


@dataclass
class Numbers:
    """The unused numbers of this process. Each has the business time when it was taken.

    Numbers that are left when the process ends, or that grow old, are never used.
    """

    left: deque[tuple[int, datetime]] = field(default_factory=deque)

    def next(self) -> tuple[int, datetime] | None:
        """Returns a number and the end of its validity. None if none is left, and once a block: one create takes more."""
        if not self.left:
            return None
        number, taken_at = self.left.popleft()
        return None if len(self.left) == FEW else (number, taken_at + GOOD_FOR)

    async def take(self, session: Session, now: datetime) -> int:
        """Takes a number to be used at once; takes a block where few are left."""
        while self.left and not timedelta(0) <= now - self.left[0][1] <= GOOD_FOR:
            self.left.popleft()
        if len(self.left) <= FEW:
            self.left.extend((number, now) for number in await store.network_numbers(session, AT_ONCE))
        return self.left.popleft()[0]
