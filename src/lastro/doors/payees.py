"""Assembly of what finds out where a payout goes: the directory within its budget, and the locations of QRs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lastro.accounts import OwnFirst
from lastro.base.outgoing import OutgoingClient
from lastro.rails.directory import Budget, Budgeted
from lastro.rails.locations import SECONDS, Fetcher, Locations, Trust

if TYPE_CHECKING:
    from lastro.base.db import Database
    from lastro.doors.settings import Settings
    from lastro.doors.wiring import House


def own_ports(settings: Settings) -> frozenset[int]:
    """Ports of this machine that no client's URL may reach: ours and the database's."""
    database = urlsplit(settings.database_url or "")
    return frozenset({settings.port, *([database.port or 5432] if database.hostname else [])})


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


def charges(house: House) -> Locations:
    """What QRs lead to."""
    fetcher = Fetcher(house.outgoing)
    trust = Trust(house.rail, fetcher, time.monotonic)
    return Locations(fetcher, trust, house.hosts, house.located.charge, sandbox=house.place.sandbox)


def directory(house: House) -> OwnFirst:
    """Where keys lead: ours by our own tables, others as the directory says."""
    budget = house.budget or Budget(house.database, "A", 50)
    return OwnFirst(house.database, house.place.institution, Budgeted(house.rail, budget, time.monotonic))
