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
FEW: Final = 8  # so many are left when one create takes more, while the others go on
# Whoever asks a second server after the first has died may be given these numbers again, if the second never heard that they
# were taken. It is not asked within so short a time, so that none of them is used twice.
GOOD_FOR: Final = timedelta(seconds=5)


@dataclass
class Numbers:
    """What this process has taken and not used yet, each with when it was taken, in business time.

    Of what is left when the process ends, or grows old, nothing is ever used.
    """

    left: deque[tuple[int, datetime]] = field(default_factory=deque)

    def next(self) -> tuple[int, datetime] | None:
        """The next one, and until when it may be used. None where none is left, and once a block: one create takes more."""
        if not self.left:
            return None
        number, taken_at = self.left.popleft()
        return None if len(self.left) == FEW else (number, taken_at + GOOD_FOR)

    async def take(self, session: Session, now: datetime) -> int:
        """One to be used at once; a block is taken where few are left."""
        while self.left and not timedelta(0) <= now - self.left[0][1] <= GOOD_FOR:
            self.left.popleft()
        if len(self.left) <= FEW:
            self.left.extend((number, now) for number in await store.network_numbers(session, AT_ONCE))
        return self.left.popleft()[0]
