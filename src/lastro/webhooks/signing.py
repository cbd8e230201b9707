"""The secrets that deliveries are signed with, opened."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from uuid import UUID

    from lastro.core.secrets import KeyRing
    from lastro.webhooks.model import WebhookSecrets

_MOST_OPENED = 4096


class SigningSecrets:
    """Opens the signing secrets of companies, which are read with each claim.

    So no secret signs after its time. signs: hears the newest of a company's before it signs. Opened secrets are cached
    by their sealed value, which never changes.
    """

    def __init__(self, key_ring: KeyRing, signs: Callable[[UUID, str], object] | None = None) -> None:
        self._signs = signs
        self._key_ring = key_ring
        self._opened: OrderedDict[tuple[UUID, bytes], str] = OrderedDict()

    def of(self, company_id: UUID, found: WebhookSecrets, now: datetime) -> tuple[str, ...]:
        """Returns the secrets that sign now (machine time), as printed.

        They are the current secret, and the one before while its time lasts.
        """
        current = self._open(company_id, found.current)
        if self._signs is not None:
            self._signs(company_id, current)
        if found.previous is None or found.previous_until is None or now >= found.previous_until:
            return (current,)
        return current, self._open(company_id, found.previous)

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
