"""What deliveries of a company are signed with."""

from datetime import datetime
from uuid import UUID

from lastro.core.db import Database
from lastro.core.secrets import KeyRing
from lastro.webhooks.model import WebhookSecrets
from lastro.webhooks.signing import SigningSecrets

_SEALED = """
SELECT webhook_secret, webhook_secret_previous, webhook_secret_previous_until FROM companies WHERE company_id = $1
"""


async def signing_secrets(database: Database, key_ring: KeyRing, company_id: UUID, at: datetime) -> tuple[str, ...]:
    """The secrets that sign at that time, the newest first, as the worker opens them."""
    async with database.session(company_id) as session:
        row = await session.row(_SEALED, company_id)
    assert row is not None
    return SigningSecrets(key_ring).of(company_id, WebhookSecrets(*row), at)
