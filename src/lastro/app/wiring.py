"""The wiring: the one list of verbs by message, handlers by route, and their dependencies."""

from __future__ import annotations

import importlib
import importlib.util
import os
import time
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property, partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from lastro import (
    accounts,
    banks,
    closing,
    companies,
    keys,
    med,
    orders,
    payouts,
    plans,
    reconciliation,
    subscriptions,
    webhooks,
)  # fmt: skip
from lastro.api_kit.proxies import LOOPBACK, Proxies
from lastro.api_kit.rate_limits import Limits
from lastro.app import generated_docs, payees
from lastro.app.banks import (
    Banks,
    ConnectionSummary,
    bank_lines,
    banks_of,
    issuers_of,
    makers_of,
    receivers_of,
    summaries_of,
)
from lastro.app.directories import Directories
from lastro.app.docs_paths import docs_paths
from lastro.app.inbox_handlers import inbox_verbs
from lastro.app.networks import offered, place_of, quotes_of, rails_of, registrar_of, tokenizer_of
from lastro.app.outbox_lines import EARLY, HELD_BACK, NEEDS, waiting_of
from lastro.app.outside import outside_of
from lastro.app.reconciling import reconciler_of
from lastro.app.scheduled_jobs import dues_of
from lastro.companies import Callers, Keychain, Login, OutsideKeys, OwnKeys
from lastro.config.load import Bounds
from lastro.config.own_ports import own_ports
from lastro.config.settings import PRODUCTION, SANDBOX
from lastro.core.clock import BusinessClock
from lastro.core.db import PLANNED_ONCE, Database
from lastro.core.declined import StartRefused
from lastro.core.ids import Chance
from lastro.core.runner import Runner
from lastro.core.secrets import SecretUnreadable
from lastro.core.work_queue import ignore_worked
from lastro.http_client import OutgoingClient
from lastro.observability import logs
from lastro.observability.health import Health
from lastro.observability.metrics import Metrics, MetricsPath
from lastro.ops.keys_file import key_ring_of
from lastro.rails import port
from lastro.rails.directory import GivingBack
from lastro.rails.spi import Spi, SpiEndpoint
from lastro.rails.ted import READERS as STR_READERS
from lastro.subscriptions import TIMING
from lastro.timeline import reading
from lastro.web import openapi
from lastro.web.admission import Admission
from lastro.web.bank_webhooks import BankWebhooks
from lastro.web.checkout import Checkout
from lastro.web.middleware import Gate
from lastro.web.operations import Operations
from lastro.web.public import Published, Tokens
from lastro.web.public_tokens import OrdersByToken
from lastro.worker.messaging import messages_of
from lastro.worker.upkeep import rotating

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from ipaddress import IPv4Network, IPv6Network

    from lastro.api_kit.http import Answer, RequestNotes
    from lastro.api_kit.routes import Route
    from lastro.config.settings import Settings
    from lastro.core.secrets import KeyRing
    from lastro.core.work_queue import OnWorked
    from lastro.core.write import Write
    from lastro.orders import Installation
    from lastro.rails.directory import Budget
    from lastro.subscriptions import Timing
    from lastro.web.bank_webhooks import WebhookReceiver
    from lastro.worker.sweeper import Due

# Every kind of event, with an example.
EVENT_TYPES = (
    *orders.EVENT_TYPES, *payouts.EVENT_TYPES, *plans.EVENT_TYPES, *subscriptions.EVENT_TYPES, *accounts.EVENT_TYPES,
    *med.EVENT_TYPES, *keys.EVENT_TYPES, *webhooks.EVENT_TYPES,
)  # fmt: skip


@dataclass(frozen=True)
class Worker:
    """The parts of the worker process.

    work: the role that finds work across companies. waiting: by rail, work that the network has to end. held_back, early:
    SQL of outbox rows: must not be sent yet; an earlier message about the object is unsent. needs: by kind of outbox row.
    at_banks: the accounts of companies at banks.
    """

    database: Database
    work: Database
    runner: Runner
    rails: Mapping[str, port.Rail]
    waiting: Mapping[str, tuple[port.Waiting, ...]]
    inbox_verbs: Mapping[str, port.InboxVerb]
    dues: tuple[Due, ...]
    deliverer: webhooks.Deliverer
    planner: plans.Planner
    reconciler: reconciliation.Reconciler
    chance: Chance
    stepping: Callable[[], Awaitable[bool | None]] | None
    rotating: Callable[[], Awaitable[bool]] | None
    closers: tuple[Callable[[], Awaitable[None]], ...]
    key_ring: KeyRing
    banks: banks.Banks
    at_banks: Banks
    held_back: str = HELD_BACK
    early: str = EARLY
    needs: Mapping[str, port.Need] = field(default_factory=lambda: NEEDS)

    async def close(self) -> None:
        """Ends every connection."""
        for close in self.closers:
            await close()


@dataclass(frozen=True)
class AppContext(Directories):
    """The context of the API process. hosts: Host values that are served.

    outside: a trusted outside issuer's keys. own_ports: that no client's URL may reach. arrivals: notify of a feed's events.
    outgoing: asks QR locations. budget: of the directory; None, and simulator_url: a sandbox. is_analysed: a partner judges.
    """

    database: Database
    runner: Runner
    chance: Chance
    key_ring: KeyRing
    keys: OwnKeys
    place: Installation
    rail: Spi
    hosts: frozenset[str]
    requests_per_minute: int = 60_000
    company_requests_per_minute: int = 120_000
    token_requests_per_minute: int = 600
    bounds: Bounds = field(default_factory=Bounds)
    proxies: Proxies = field(default_factory=Proxies)
    metrics: Metrics = field(default_factory=Metrics)
    metrics_networks: tuple[IPv4Network | IPv6Network, ...] = LOOPBACK
    outside: OutsideKeys | None = None
    own_ports: frozenset[int] = frozenset()
    arrivals: webhooks.Arrivals = field(default_factory=webhooks.Arrivals)
    outgoing: OutgoingClient = field(default_factory=lambda: OutgoingClient(sandbox=False))
    budget: Budget | None = None
    charging: Timing = TIMING
    disputing: med.DisputeTerms = med.TERMS
    quotes: Mapping[str, port.Quotes] = field(default_factory=dict)
    tokenizer: port.Tokenizer | None = None
    issuers: Mapping[str, port.Issuer] = field(default_factory=dict)
    recurrences: Mapping[str, port.Recurrences] = field(default_factory=dict)
    connection_summaries: Callable[[], Mapping[str, ConnectionSummary]] = dict
    registrar: port.Registrar | None = None
    reached: frozenset[str] = frozenset({"EMAIL", "PHONE"})
    registry: port.Registry | None = None
    is_analysed: bool = False
    simulator_url: str = ""
    webhook_receivers: Mapping[str, WebhookReceiver] = field(default_factory=dict)

    @cached_property
    def orders_by_token(self) -> OrdersByToken:
        """Reads orders by their locations."""
        return OrdersByToken(self.database, self.chance)

    @cached_property
    def charges(self) -> port.Charges:
        """The reader of QR locations."""
        return payees.charges(self.outgoing, self.rail, self.hosts, self.orders_by_token, sandbox=self.place.sandbox)

    @cached_property
    def directory(self) -> port.Directory:
        """The directory of keys."""
        return payees.directory(self.database, self.place.institution, self.rail, self.budget)

    @property
    def issuer(self) -> str:
        """The issuer that our tokens name."""
        return self.place.public_url

    @property
    def jku(self) -> str:
        """The URL of our locations' public keys."""
        return jku_of(self.place.public_url)


def jku_of(public_url: str) -> str:
    """Returns the URL of our locations' public keys."""
    return f"{public_url}/.well-known/pix-jwks.json"


def keychain_of(settings: Settings, database: Database) -> Keychain:
    """Returns the keychain of the institution's signing keys."""
    return Keychain(
        database, key_ring_of(settings), jku_of(settings.public_url), settings.institution_name, os.urandom,
        settings.location_algorithm,
    )  # fmt: skip


def rail_of(settings: Settings) -> Spi:
    """Returns the SPI; its stream carries the messages of the STR, too."""
    place = SpiEndpoint(settings.network_url, settings.ispb, settings.network_token, settings.worker_name)
    return Spi(place, STR_READERS)


def assemble(settings: Settings, on_commit: Callable[[Write], None], on_worked: OnWorked = ignore_worked) -> Worker:
    """Assembles the worker's parts. on_commit receives every committed Write, on_worked each outcome."""
    database = Database(settings.app, size=12, settings=PLANNED_ONCE)
    work, chance = Database(settings.work, size=4, settings=PLANNED_ONCE), Chance(os.urandom)
    runner = Runner(database, BusinessClock(time.monotonic), chance, on_commit)
    client, ring = payees.outgoing_of(settings), key_ring_of(settings)
    sandbox = sandbox_of(settings)
    deliverer = webhooks.Deliverer(
        database, work, client, ring, chance, payees.machine,
        webhooks.DeliverySettings(is_sandbox=settings.is_sandbox, plan=plan_of(settings)), on_worked,
        None if sandbox is None else sandbox.on_secret(settings),
    )  # fmt: skip
    place, rail = place_of(settings), rail_of(settings)
    stepper = None if sandbox is None else sandbox.stepper(settings, database, work)
    pix = GivingBack(rail, payees.budget_of(settings, database))
    documents = accounts.opening.SealedDocuments(database, ring)
    rails, streams, ends = rails_of(settings, pix, database, work, chance, documents)
    rails[port.MESSAGES] = people = messages_of(settings, database, keys.Codes(ring))
    outgoing = payees.for_locations(settings)
    ways = _ways(settings, place, database, chance, rail, outgoing)
    planner = plans.Planner(database, runner, ways, settings.plan_lines_per_second, on_worked)
    at_banks = banks_of(settings, work, runner, chance)
    rails, issuers = rails | at_banks.rails(), issuers_of(at_banks.lines, database, chance)
    reconciler, asked = reconciler_of(settings, work, runner, chance, at_banks, on_worked)
    ends = (*ends, *asked, *(line.close for line in at_banks.lines.values()))
    closers = [client.close, outgoing.close, rail.close, people.close, *ends, database.close, work.close]
    if stepper is not None:
        closers.insert(0, stepper.close)
    return Worker(
        database, work, runner, rails, {rail: waiting_of(rail) for rail in rails},
        inbox_verbs(place, settings.charging, settings.disputing),
        dues_of(place, rail, ways, streams, settings.charging, settings.disputing, issuers, rails),
        deliverer, planner, reconciler, chance, None if stepper is None else stepper.step,
        rotating(keychain_of(settings, database), timedelta(days=settings.token_key_days)), tuple(closers),
        ring, place.banks, at_banks,
    )  # fmt: skip


def _ways(
    settings: Settings, place: Installation, database: Database, chance: Chance, rail: Spi, outgoing: OutgoingClient
) -> payouts.Ways:
    """Returns the worker's ways to find receivers of plans and scheduled payouts."""
    sandbox = settings.is_sandbox
    budget = payees.budget_of(settings, database)
    charges = payees.charges(outgoing, rail, settings.hosts, OrdersByToken(database, chance), sandbox=sandbox)
    directory = payees.directory(database, place.institution, rail, budget)
    return payouts.Ways(place.institution, directory, charges, place.banks)


def plan_of(settings: Settings) -> webhooks.Plan:
    """Returns the retry plan of deliveries."""
    intervals = tuple(timedelta(seconds=seconds) for seconds in settings.retry_seconds)
    return webhooks.Plan(intervals, settings.retry_jitter_percent / 100)


async def open_house(
    settings: Settings, database: Database, on_commit: Callable[[Write], None], work: Database | None = None
) -> AppContext:
    """Assembles the API's parts; the first start makes signing keys.

    StartRefused: the key file cannot be used. work: the role that sees ids across companies; None: no feed is polled ahead.
    """
    chance, place = Chance(os.urandom), place_of(settings)
    chain = keychain_of(settings, database)
    try:
        own = OwnKeys(await chain.load_or_make(), chain.load, place.public_url, time.monotonic)
    except SecretUnreadable as lost:
        raise StartRefused(f"The keys file {settings.keys_file} lacks the key that this database was sealed with.") from lost
    runner = Runner(database, BusinessClock(time.monotonic), chance, on_commit)
    lines = bank_lines(settings, chance)
    return AppContext(
        database, runner, chance, chain.key_ring, own, place, rail_of(settings), settings.hosts,
        settings.requests_per_minute, settings.load.company_requests_per_minute, settings.token_requests_per_minute,
        settings.load.bounds, settings.proxies,
        metrics_networks=settings.metrics_networks, outside=outside_of(settings), own_ports=own_ports(settings),
        arrivals=webhooks.Arrivals(None if work is None else partial(webhooks.latest, work)),
        outgoing=payees.for_locations(settings), budget=payees.budget_of(settings, database), charging=settings.charging,
        disputing=settings.disputing, simulator_url=settings.network_url if settings.is_sandbox else "",
        quotes=quotes_of(settings), tokenizer=tokenizer_of(settings), issuers=issuers_of(lines, database, chance),
        recurrences=makers_of(lines), registrar=registrar_of(settings), reached=settings.messaging.reached,
        connection_summaries=partial(summaries_of, lines), is_analysed=port.ANALYSIS in settings.partners,
        webhook_receivers=receivers_of(settings.connections, database, chance),
    )  # fmt: skip


def routes(app: AppContext) -> tuple[Route, ...]:
    """Returns every operation behind a bearer token."""
    told_from = webhooks.WebhookPlace(
        app.place.sandbox, app.own_ports, app.key_ring, payees.machine, EVENT_TYPES, app.arrivals
    )
    listed, institution = app.place.banks, app.place.institution
    ways = payouts.Ways(institution, app.directory, app.charges, listed)
    opening = accounts.opening.OpeningPlace(institution, app.key_ring, app.is_analysed, app.place.public_url)
    every = (
        *orders.routes(app.place, app.quotes, app.tokenizer, med.is_disputed, app.issuers),
        *payouts.routes(ways), *plans.routes(),
        *subscriptions.routes(app.place, app.charging, app.registrar, app.recurrences, app.issuers),
        *accounts.routes(institution), *accounts.opening.routes(opening), *closing.routes(), *webhooks.routes(told_from),
        *med.routes(med.Stand(institution, app.disputing), app.disputes, med.Files(opening.key_ring, opening.turns)),
        *reading.routes(), *banks.routes(listed), *companies.routes(),
        *keys.routes(app.registry or app.rail, app.claims, keys.Codes(app.key_ring), app.reached),
    )  # fmt: skip
    return offered(every, app.place)


def documented(app: AppContext, also: Mapping[str, Mapping[str, openapi.Open]] | None = None) -> dict[str, Any]:
    """Returns the served operations and events as OpenAPI. also: paths of a sandbox alone."""
    open_paths = {**openapi.OPEN_PATHS, **(also or {})}
    return openapi.document(app.place.public_url, version("lastro"), routes(app), open_paths, EVENT_TYPES)


def public(
    app: AppContext,
    also: Mapping[str, Mapping[str, openapi.Open]] | None = None,
    tried_at: str = "",
    collect: Callable[[Mapping[str, Any]], Mapping[str, Any]] = openapi.collection,
) -> dict[str, Mapping[str, Answer]]:
    """Returns every path without a token.

    also: further paths. tried_at: the path before an operation's id to try it. collect: as `openapi.Reference` has it.
    """
    login = Login(app.database, app.keys.current, app.issuer, app.chance.bytes)
    tokens = Tokens(login, Limits(app.token_requests_per_minute, time.monotonic))
    health = Health(app.database, SANDBOX if app.place.sandbox else PRODUCTION, lambda: bool(app.keys.now.tokens))
    published = Published(app.orders_by_token, app.keys.current, app.place)
    url, generated = app.place.public_url, lambda: generated_docs.pages(routes(app))
    return {
        "/auth/v1/token": {"POST": tokens.ours},
        "/oauth2/token": {"POST": tokens.oauth},
        **published.paths(),
        **BankWebhooks(app.webhook_receivers).paths(),
        **Checkout(app.orders_by_token, orders.CheckoutPages(app.place)).paths(),
        "/health": {"GET": health.ready},
        "/live": {"GET": health.live},
        "/metrics": MetricsPath(app.metrics, app.metrics_networks, behind_proxy=bool(app.proxies.networks)).table(),
        **docs_paths((url, app.simulator_url), lambda: documented(app, also), generated, tried_at, collect),
        **openapi.Schemas(url, EVENT_TYPES).paths(),
    }


def operations(app: AppContext) -> Operations:
    """Returns the operations behind a bearer token."""
    callers = Callers(app.keys, app.outside)
    limits = Limits(app.requests_per_minute, time.monotonic, app.company_requests_per_minute)
    return Operations(app.runner, callers, time.time, app.keys.now.fingerprint, limits)


def gate(app: AppContext, operations: Operations | None = None) -> Gate:
    """Returns the gate that every request passes. operations: they tell by a request's head which company asks."""

    def note(seen: RequestNotes, status: int, seconds: float) -> None:
        if app.metrics.tracer is not None:
            app.metrics.tracer.request(seen, status)
        logs.request(seen, status, seconds)
        app.metrics.request(seen, status, seconds)

    # A man in the middle can make a page of our name, but none that came by https.
    schemes = ("http", "https") if app.place.sandbox else ("https",)
    admission = Admission(app.bounds, time.monotonic)
    if operations is not None:
        admission.who = partial(operations.whose, proxies=app.proxies)
    made = Gate(app.hosts, app.chance.bytes, app.proxies, note, schemes=schemes, admission=admission)
    app.metrics.pools["app"], app.metrics.runner = app.database, app.runner
    app.metrics.in_flight, app.metrics.admission = lambda: made.in_flight, admission
    return made


def sandbox_of(settings: Settings) -> Any:
    """Returns the wiring of a sandbox whose package is installed, else None. Nothing else of lastro imports it."""
    if not settings.is_sandbox or importlib.util.find_spec("lastro_sandbox") is None:
        return None
    return importlib.import_module("lastro_sandbox.wiring")
