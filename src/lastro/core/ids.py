"""Identity and randomness as values that app passes in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from asyncpg.pgproto import pgproto

if TYPE_CHECKING:
    from collections.abc import Callable

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_COUNTER_LOW_BITS = 13  # of the counter's 25 bits, those in rand_b


def printed_so(text: str) -> UUID:
    """Parses a UUID of the database driver's own kind.

    It equals any other, and is looked up in a table without Python. ValueError: it is none.
    """
    return pgproto.UUID(text)


class Chance:
    """A source of random bytes and of ids made of them. A running process uses the system's bytes, a storm seeded ones."""

    def __init__(self, random: Callable[[int], bytes]) -> None:
        self.bytes = random
        self._millisecond = -1
        self._counter = 0

    def uuid(self, at: datetime) -> UUID:
        """Returns a UUIDv7 (RFC 9562) of that instant. Ids of one source and instant sort in the order they were made."""
        millisecond = (at - _EPOCH) // _MILLISECOND
        tail = int.from_bytes(self.bytes(9), "big")
        # A counter as RFC 9562 §6.2 method 1, over rand_a and the top of rand_b; it begins at random in its lower quarter,
        # so that some 25 million ids of one instant do not overflow it.
        if millisecond == self._millisecond:
            self._counter += 1
        else:
            self._millisecond, self._counter = millisecond, tail >> 49
        high, low = divmod(self._counter, 1 << _COUNTER_LOW_BITS)
        rest = tail & ((1 << 49) - 1)
        return UUID(int=millisecond << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low << 49 | rest)
