"""The source of random names; the entry point chooses it, so tests can replay it."""

import random
import string
import uuid
from typing import Protocol

ALPHABET = string.ascii_letters + string.digits


class Chance(Protocol):
    """A source of names: unguessable ones, or known ones in tests."""

    def letters(self, count: int) -> str:
        """Returns `count` letters and digits."""

    def octets(self, count: int) -> bytes:
        """Returns `count` bytes."""

    def uuid(self) -> str:
        """Returns a version 4 UUID in lower case."""


class Dice:
    """Randomness from any `random.Random`: the system's, or a seeded one in tests."""

    def __init__(self, source: random.Random) -> None:
        self._source = source

    def letters(self, count: int) -> str:
        """Returns `count` letters and digits."""
        return "".join(self._source.choices(ALPHABET, k=count))

    def octets(self, count: int) -> bytes:
        """Returns `count` bytes."""
        return self._source.randbytes(count)

    def uuid(self) -> str:
        """Returns a version 4 UUID in lower case."""
        return str(uuid.UUID(int=self._source.getrandbits(128), version=4))
