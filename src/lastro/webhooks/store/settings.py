"""The SQL of a company's settings: its URLs, and its secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.webhooks.model import Setting

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session

_SETTINGS = "SELECT event, url, active, version, updated_at FROM webhook_settings WHERE company_id = $1"
_SECRET = "SELECT webhook_secret, version FROM companies WHERE company_id = $1"  # noqa: S105 a statement


async def settings_of(session: Session, company_id: UUID) -> dict[str, Setting]:
    """Reads the settings, by event."""
    rows = await session.fetch(_SETTINGS, company_id)
    return {r["event"]: Setting(r["url"], r["active"], r["version"], r["updated_at"]) for r in rows}


async def current_secret(session: Session, company_id: UUID) -> tuple[bytes, int]:
    """Reads the company's webhook secret, sealed, and the version of its row."""
    row = await session.row(_SECRET, company_id)
    assert row is not None, "a client's company exists"
    return row["webhook_secret"], row["version"]
