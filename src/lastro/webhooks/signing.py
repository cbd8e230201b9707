"""The secrets that deliveries are signed with, opened."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lastro.webhooks import store

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.base.db import Database
    from lastro.base.secrets import KeyRing

_KEPT_SECONDS = 1.0


class SigningSecrets:
    """The opened secrets of companies, kept for a second: so long what a rotation has ended still signs."""

    def __init__(self, database: Database, key_ring: KeyRing) -> None:
        self._database = database
        self._key_ring = key_ring
        self._kept: dict[UUID, tuple[float, tuple[str, ...], datetime | None]] = {}

    async def of(self, company_id: UUID, now: datetime) -> tuple[str, ...]:
        """What signs now (machine time), as printed: the current secret, and the one before while its time lasts."""
        at = asyncio.get_running_loop().time()
        kept = self._kept.get(company_id)
        if kept is None or at >= kept[0]:
            async with self._database.session(company_id) as session:
                found = await store.secrets(session, company_id)
            sealed = (found.current, found.previous)
            kept = (at + _KEPT_SECONDS, tuple(self._open(company_id, s) for s in sealed if s), found.previous_until)
            self._kept[company_id] = kept
        _, both, previous_until = kept
        return both if previous_until is not None and now < previous_until else both[:1]

    def _open(self, company_id: UUID, sealed: bytes) -> str:
        # A secret stays sealed to the place it was made for when rotation moves it to the column beside.
        opened = self._key_ring.open(
            sealed, table="companies", column="webhook_secret", company_id=company_id, row_id=company_id
        )
        return opened.decode()
