"""Where random names come from: given by the entry point, so that a test may replay them."""

import random
import string
import uuid
from typing import Protocol

ALPHABET = string.ascii_letters + string.digits


class Chance(Protocol):
    """A source of names nobody can guess, or of names a test knows beforehand."""

    def letters(self, count: int) -> str:
        """So many letters and digits."""

    def octets(self, count: int) -> bytes:
        """So many bytes."""

    def uuid(self) -> str:
        """A version 4 UUID in lower case."""


class Dice:
    """Chance from any `random.Random`: the system's own in service, a seeded one in tests."""

    def __init__(self, source: random.Random) -> None:
        self._source = source

    def letters(self, count: int) -> str:
        """So many letters and digits."""
        return "".join(self._source.choices(ALPHABET, k=count))

    def octets(self, count: int) -> bytes:
        """So many bytes."""
        return self._source.randbytes(count)

    def uuid(self) -> str:
        """A version 4 UUID in lower case."""
        return str(uuid.UUID(int=self._source.getrandbits(128), version=4))
