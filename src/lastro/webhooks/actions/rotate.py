"""A new secret for a company's deliveries. The old one signs beside it for a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.api_kit.routes import render
from lastro.core.runner import Act, Done
from lastro.core.write import Touch, Write
from lastro.webhooks import store
from lastro.webhooks.rendering import NewSecret
from lastro.webhooks.signatures import new_webhook_secret

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.core.secrets import KeyRing

OVERLAP = timedelta(hours=24)
_COLUMN = "webhook_secret"


@dataclass(frozen=True)
class RotateSecret(Act[tuple[bytes, int]]):
    """Makes a secret and shows it, this once. A second rotation within the day ends the oldest secret at once.

    machine: machine time, which signatures go by. key: the request's; under it the answer is kept sealed.
    """

    company_id: UUID
    key_ring: KeyRing
    machine: Callable[[], datetime]
    key: str | None

    async def read(self, session: Session, context: RequestContext) -> tuple[bytes, int]:
        """Reads the secret that signs now, sealed, and the company's version."""
        return await store.current_secret(session, context.company_id)

    def decide(self, known: tuple[bytes, int], context: RequestContext) -> Done:
        """Keeps the old secret beside the new one, as it is sealed."""
        current, version = known
        secret = new_webhook_secret(context.chance.bytes).reveal()
        sealed = self.key_ring.seal(
            secret.encode(), table="companies", column=_COLUMN, company_id=self.company_id, row_id=self.company_id
        )
        sets = {
            _COLUMN: sealed, "webhook_secret_previous": current, "version": version + 1,
            "webhook_secret_previous_until": self.machine() + OVERLAP,
        }  # fmt: skip
        touch = Touch("companies", self.company_id, version, sets, key="company_id")
        body = render(NewSecret(secret=secret))
        kept = self.key_ring.seal(body, table="answers", column="body", company_id=self.company_id, row_id=self._answer)
        return Done(Write(self.company_id, touches=(touch,)), body, object_id=self.company_id, sealed=kept)

    def unsealed(self, kept: bytes) -> bytes:
        """Returns the same secret again, under the same key."""
        return self.key_ring.open(kept, table="answers", column="body", company_id=self.company_id, row_id=self._answer)

    @property
    def _answer(self) -> str:
        return f"rotate_webhook_secret {self.key}"
