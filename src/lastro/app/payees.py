"""The wiring of payees: the directory within its rate limit, and the locations of QRs."""

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
    """Returns a client for strangers' URLs. seconds: for each request."""
    return OutgoingClient(
        sandbox=settings.is_sandbox, own_ports=own_ports(settings), timeout_seconds=seconds, proxy=settings.outgoing_proxy
    )  # fmt: skip


def for_locations(settings: Settings) -> OutgoingClient:
    """Returns a client for QR locations and their signers' keys."""
    return outgoing_of(settings, SECONDS)


def budget_of(settings: Settings, database: Database) -> Budget:
    """Returns the rate limit of requests to the directory."""
    return Budget(database, settings.directory_category, settings.directory_company_percent)


def charges(
    outgoing: OutgoingClient, rail: Spi, hosts: frozenset[str], orders_by_token: OrdersByToken, *, sandbox: bool
) -> Locations:
    """Returns the reader of QR locations. outgoing: of for_locations. hosts: ours, whose locations are read inside."""
    fetcher = Fetcher(outgoing)
    return Locations(fetcher, Trust(rail, fetcher, time.monotonic), hosts, orders_by_token.charge, machine, sandbox=sandbox)


def directory(database: Database, institution: Institution, rail: Spi, budget: Budget | None) -> OwnFirst:
    """Returns the directory of keys: ours from our own tables, others from the network. budget None: as a sandbox's."""
    budget = budget or Budget(database, "A", 50)
    return OwnFirst(database, institution, Budgeted(rail, budget, time.monotonic))


def machine() -> datetime:
    """Returns real time, by which certificates hold."""
    return datetime.now(UTC)
