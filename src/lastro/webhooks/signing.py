"""The secrets that deliveries are signed with, opened."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from lastro.core.grouping import Grouping
from lastro.webhooks import store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from uuid import UUID

    from lastro.core.db import Database
    from lastro.core.grouping import Asked
    from lastro.core.secrets import KeyRing
    from lastro.webhooks.model import WebhookSecrets

_MOST_OPENED = 4096


class SigningSecrets:
    """The signing secrets of companies, read for each delivery.

    Deliveries of a company that begin together share a read.

    So no secret signs after its time. signs: hears the newest of a company's before it signs. Opened secrets are cached
    by their sealed value, which never changes.
    """

    def __init__(self, database: Database, key_ring: KeyRing, signs: Callable[[UUID, str], object] | None = None) -> None:
        self._signs = signs
        self._database = database
        self._key_ring = key_ring
        self._opened: OrderedDict[tuple[UUID, bytes], str] = OrderedDict()
        self._reading: Grouping[None, WebhookSecrets] = Grouping("read signing secrets", self._read, lambda *_: True)

    async def of(self, company_id: UUID, now: datetime) -> tuple[str, ...]:
        """Returns the secrets that sign now (machine time), as printed.

        They are the current secret, and the one before while its time lasts.
        """
        found = await self._reading.ask(company_id, None)
        current = self._open(company_id, found.current)
        if self._signs is not None:
            self._signs(company_id, current)
        if found.previous is None or found.previous_until is None or now >= found.previous_until:
            return (current,)
        return current, self._open(company_id, found.previous)

    async def _read(self, company_id: UUID, group: Sequence[Asked[None, WebhookSecrets]]) -> None:
        """Reads the secrets once for deliveries that begin at the same time."""
        async with self._database.session(company_id) as session:
            found = await store.secrets(session, company_id)
        for one in group:
            one.tell(found)

    def _open(self, company_id: UUID, sealed: bytes) -> str:
        known = self._opened.get((company_id, sealed))
        if known is not None:
            return known
        # A secret stays sealed to the column it was made for when rotation moves it to the column beside.
        opened = self._key_ring.open(
            sealed, table="companies", column="webhook_secret", company_id=company_id, row_id=company_id
        ).decode()
        self._opened[company_id, sealed] = opened
        while len(self._opened) > _MOST_OPENED:
            self._opened.popitem(last=False)
        return opened
