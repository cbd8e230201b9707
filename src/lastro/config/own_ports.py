"""Finds the ports of this machine that are ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.core.servers import ports

if TYPE_CHECKING:
    from lastro.config.settings import Settings


def own_ports(settings: Settings) -> frozenset[int]:
    """Returns the ports of this machine that no client's URL may reach: ours and the database's."""
    urls = (
        settings.database_url, settings.app_database_url, settings.work_database_url, settings.audit_database_url,
    )  # fmt: skip
    return frozenset({settings.port}).union(*(ports(url or "") for url in urls))
