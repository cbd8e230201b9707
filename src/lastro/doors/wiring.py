"""Assembly: which verb follows which fact, which route leads where. The one list of what knows what."""

from __future__ import annotations

import importlib
import importlib.util
import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lastro import accounts, orders, webhooks
from lastro.accounts import Institution
from lastro.base.clock import BusinessClock
from lastro.base.db import Database
from lastro.base.ids import Chance
from lastro.base.outgoing import OutgoingClient
from lastro.base.run import Runner
from lastro.base.secrets import KeyFileRefused, load_key_ring
from lastro.companies import Login, Verifier, load_or_make, public_keys
from lastro.doors.due import Due
from lastro.doors.gate import Gate
from lastro.doors.limits import Limits
from lastro.doors.operations import Operations
from lastro.doors.public import Published, Tokens
from lastro.doors.settings import StartRefused
from lastro.orders import Place
from lastro.rails import port
from lastro.rails.handling import SetAside
from lastro.rails.spi import Place as SpiPlace
from lastro.rails.spi import Spi

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from ipaddress import IPv4Network, IPv6Network

    from lastro.base.api import Route
    from lastro.base.secrets import KeyRing
    from lastro.base.write import Write
    from lastro.companies import SigningKeys
    from lastro.doors.http import Answer
    from lastro.doors.settings import Settings

# Every transition table of the code: migrations keep them in the database for the law that every move is allowed.
MACHINES = (orders.ORDERS, orders.PIX_PAYMENTS, orders.REFUNDS)
RAILS = (port.RAIL,)

# Orders whose time, and the time a late message is given, is over.
_EXPIRED = (
    "SELECT company_id, id FROM orders WHERE status = 'INITIAL'"  # noqa: S608 a number of ours
    f" AND expires_at <= (SELECT business_now()) - interval '{orders.EXPIRY_GRACE.total_seconds():.0f} seconds'"
    " ORDER BY expires_at LIMIT $1"
)


@dataclass(frozen=True)
class Worker:
    """What the worker process works with."""

    database: Database
    work: Database
    runner: Runner
    rail: Spi
    inbox_verbs: Mapping[str, port.InboxVerb]
    dues: tuple[Due, ...]
    deliverer: webhooks.Deliverer
    chance: Chance
    stepping: Callable[[], Awaitable[bool]] | None
    closers: tuple[Callable[[], Awaitable[None]], ...]

    async def close(self) -> None:
        """Ends every connection."""
        for close in self.closers:
            await close()


@dataclass(frozen=True)
class House:
    """What the API process serves with. hosts: Host values that are served."""

    database: Database
    runner: Runner
    chance: Chance
    key_ring: KeyRing
    keys: SigningKeys
    place: Place
    rail: Spi
    hosts: frozenset[str]
    requests_per_minute: int = 60_000
    token_requests_per_minute: int = 600
    proxies: tuple[IPv4Network | IPv6Network, ...] = ()

    @property
    def issuer(self) -> str:
        """Who our tokens say has issued them."""
        return self.place.public_url

    @property
    def jku(self) -> str:
        """Where the keys of our locations are published."""
        return jku_of(self.place.public_url)


def jku_of(public_url: str) -> str:
    """Where the keys of our locations are published."""
    return f"{public_url}/.well-known/pix-jwks.json"


def place_of(settings: Settings) -> Place:
    """Where this lastro stands."""
    institution = Institution(settings.ispb, settings.institution_name, settings.branch, settings.compe)
    return Place(institution, settings.public_url, settings.is_sandbox)


def key_ring_of(settings: Settings) -> KeyRing:
    """The keys that reversible secrets are sealed with. StartRefused, in one sentence: the file cannot be used."""
    try:
        return load_key_ring(settings.keys_file, os.urandom, credentials_directory=settings.credentials_directory)
    except KeyFileRefused as refused:
        raise StartRefused(str(refused)) from refused


def own_ports(settings: Settings) -> frozenset[int]:
    """Ports of this machine that no client's URL may reach: ours and the database's."""
    database = urlsplit(settings.database_url or "")
    return frozenset({settings.port, *([database.port or 5432] if database.hostname else [])})


def rail_of(settings: Settings) -> Spi:
    """The network."""
    return Spi(SpiPlace(settings.network_url, settings.ispb, settings.network_token, settings.worker_name))


def assemble(settings: Settings, on_commit: Callable[[Write], None]) -> Worker:
    """The worker's parts. on_commit hears every Write that is committed."""
    database, work, chance = Database(settings.app, size=12), Database(settings.work, size=4), Chance(os.urandom)
    runner = Runner(database, BusinessClock(time.monotonic), chance, on_commit)
    client = OutgoingClient(sandbox=settings.is_sandbox, own_ports=own_ports(settings))
    deliverer = webhooks.Deliverer(
        database, work, client, key_ring_of(settings), chance, _machine,
        webhooks.DeliverySettings(is_sandbox=settings.is_sandbox),
    )  # fmt: skip
    place, rail = place_of(settings), rail_of(settings)
    sandbox = sandbox_of(settings)
    stepper = None if sandbox is None else sandbox.stepper(settings, database, work)
    closers = [client.close, rail.close, database.close, work.close]
    if stepper is not None:
        closers.insert(0, stepper.close)
    dues = (Due("expiry", _EXPIRED, lambda order_id: orders.Expire(order_id, place)),)
    return Worker(
        database, work, runner, rail, inbox_verbs(place), dues, deliverer, chance,
        None if stepper is None else stepper.step, tuple(closers),
    )  # fmt: skip


def inbox_verbs(place: Place) -> dict[str, port.InboxVerb]:
    """On this message of the network, call that verb."""
    return {
        port.PIX_ASK: lambda row: orders.Ask(port.arrival(row.body), row.claimed, place),
        port.PIX_SETTLED: lambda row: orders.Settled(port.arrival(row.body), row.claimed, place),
        port.PIX_FINAL: lambda row: orders.Final(port.pix_final(row.body), row.claimed, place),
        port.RETURN_FINAL: lambda row: orders.ReturnEnded(port.return_final(row.body), row.claimed),
        port.REFUSED: lambda row: SetAside(row.claimed, port.ALARMED),
        port.UNKNOWN: lambda row: SetAside(row.claimed, port.ALARMED),
    }


async def open_house(settings: Settings, database: Database, on_commit: Callable[[Write], None]) -> House:
    """The API's parts; signing keys are made on the first start. StartRefused: the key file cannot be used."""
    chance, place = Chance(os.urandom), place_of(settings)
    key_ring = key_ring_of(settings)
    keys = await load_or_make(
        database, key_ring, jku=jku_of(settings.public_url), institution=settings.institution_name, random=os.urandom
    )
    runner = Runner(database, BusinessClock(time.monotonic), chance, on_commit)
    return House(
        database, runner, chance, key_ring, keys, place, rail_of(settings), _hosts(settings),
        settings.requests_per_minute, settings.token_requests_per_minute, settings.proxies,
    )  # fmt: skip


def _hosts(settings: Settings) -> frozenset[str]:
    own = {f"{name}:{settings.port}" for name in ("127.0.0.1", "localhost", "[::1]")}
    return frozenset({*own, urlsplit(settings.public_url).netloc.lower(), *settings.public_hosts})


def routes(house: House) -> tuple[Route, ...]:
    """Every operation behind a bearer token."""
    return (*orders.routes(house.place), *accounts.routes(), *webhooks.routes())


def public(house: House) -> dict[str, Mapping[str, Answer]]:
    """Every path without one, and what answers each of its methods."""
    login = Login(house.database, house.keys, house.issuer, time.time, house.chance.bytes)
    tokens = Tokens(login, Limits(house.token_requests_per_minute, time.monotonic))
    published = Published(house.database, house.keys, house.place, house.chance)
    return {
        "/auth/v1/token": {"POST": tokens.ours},
        "/oauth2/token": {"POST": tokens.oauth},
        "/.well-known/jwks.json": {"GET": published.token_keys},
        "/.well-known/pix-jwks.json": {"GET": published.location_keys},
        "/qr/v2/{token}": {"GET": published.location},
        "/qr/image/{name}": {"GET": published.picture},
        "/health": {"GET": published.health},
    }


def operations(house: House) -> Operations:
    """What answers behind a bearer token."""
    verifier = Verifier(public_keys(house.keys.tokens), house.issuer)
    limits = Limits(house.requests_per_minute, time.monotonic)
    return Operations(house.runner, partial(_same, verifier), time.time, house.keys.fingerprint, limits)


def gate(house: House) -> Gate:
    """What every request passes."""
    return Gate(house.hosts, house.chance.bytes, house.proxies)


def sandbox_of(settings: Settings) -> Any:
    """What only a sandbox has, where this is one and its package is installed; nothing else of lastro knows of it."""
    if not settings.is_sandbox or importlib.util.find_spec("lastro_sandbox") is None:
        return None
    return importlib.import_module("lastro_sandbox.wiring")


def _same(verifier: Verifier) -> Verifier:
    return verifier


def _machine() -> datetime:
    return datetime.now(UTC)
