"""Assembly of what finds out where a payout goes: the directory within its budget, and the locations of QRs."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lastro.accounts import OwnFirst
from lastro.config.own_ports import own_ports
from lastro.http_client import OutgoingClient
from lastro.rails.directory import Budget, Budgeted
from lastro.rails.locations import SECONDS, Fetcher, Locations, Trust

if TYPE_CHECKING:
    from lastro.accounts import Institution
    from lastro.config.settings import Settings
    from lastro.core.db import Database
    from lastro.rails.spi import Spi
    from lastro.web.public_tokens import OrdersByToken


def outgoing_of(settings: Settings, seconds: float = 10) -> OutgoingClient:
    """What asks strangers' URLs. seconds: for each request."""
    return OutgoingClient(
        sandbox=settings.is_sandbox, own_ports=own_ports(settings), timeout_seconds=seconds, proxy=settings.outgoing_proxy
    )  # fmt: skip


def for_locations(settings: Settings) -> OutgoingClient:
    """What asks the locations of QRs and the keys of their signers."""
    return outgoing_of(settings, SECONDS)


def budget_of(settings: Settings, database: Database) -> Budget:
    """How often the directory may be asked."""
    return Budget(database, settings.directory_category, settings.directory_company_percent)


def charges(
    outgoing: OutgoingClient, rail: Spi, hosts: frozenset[str], orders_by_token: OrdersByToken, *, sandbox: bool
) -> Locations:
    """What QRs lead to. outgoing: of for_locations. hosts: ours, whose locations are read inside."""
    fetcher = Fetcher(outgoing)
    return Locations(fetcher, Trust(rail, fetcher, time.monotonic), hosts, orders_by_token.charge, machine, sandbox=sandbox)


def directory(database: Database, institution: Institution, rail: Spi, budget: Budget | None) -> OwnFirst:
    """Where keys lead: ours by our own tables, others as the directory says. budget None: as a sandbox's."""
    budget = budget or Budget(database, "A", 50)
    return OwnFirst(database, institution, Budgeted(rail, budget, time.monotonic))


def machine() -> datetime:
    """Real time, by which certificates hold."""
    return datetime.now(UTC)
