"""The directory of the towns: one participant's keys, with nothing outside to ask."""

import os
from uuid import UUID, uuid4

from lastro.rails import port
from lastro.rails.port import KeyAccount, KeyOwner


class TownDirectory:
    """Registers whatever it is asked to, under each request id once."""

    def __init__(self) -> None:
        self._known: dict[UUID, str] = {}

    async def register_key(
        self, *, request_id: UUID, key_type: str, key: str | None, owner: KeyOwner, account: KeyAccount
    ) -> str:
        return self._known.setdefault(request_id, key or str(uuid4()))

    async def delete_key(self, *, key: str, reason: str) -> None:
        pass


class TownTokenizer:
    """An acquirer that takes every card."""

    async def tokenize(self, *_: object) -> port.CardToken:
        return port.CardToken(os.urandom(8).hex())

    async def close(self) -> None:
        """Holds nothing."""
