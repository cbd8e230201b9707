"""Reads all settings from the environment; no other module does. Production guesses nothing about the institution."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from lastro.api_kit.proxies import Proxies, proxies
from lastro.config.banks import connections
from lastro.config.given import Given, parts_of, shown
from lastro.config.load import Load, load
from lastro.config.messaging import Messaging, messaging
from lastro.config.network import network
from lastro.config.partners import Partner, Receiving, crypto_brands, partners, transfers
from lastro.config.terms import charge_times, dispute_terms
from lastro.config.watching import Watching, watching
from lastro.core.crash import CrashAt, crash_at
from lastro.core.db import Dsn
from lastro.core.declined import StartRefused
from lastro.core.servers import with_login
from lastro.rails.port import ANALYSIS, COLLECTING, CRYPTO, rails_like
from lastro.standards.pix_ids import is_ispb

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from ipaddress import IPv4Network, IPv6Network
    from pathlib import Path

    from lastro.core.secrets import Secret
    from lastro.http_client import Proxy
    from lastro.med import DisputeTerms
    from lastro.rails.api_pix import Connection
    from lastro.subscriptions import Timing

SANDBOX = "sandbox"
PRODUCTION = "production"
_LONGEST_LOCATION = 77  # BR Code, EMV field 26-25
_LOCATION_PATH = "/qr/v2/rec/" + 22 * "x"  # the longest that is printed
SANDBOX_ISPB = "99999010"


@dataclass(frozen=True, slots=True)
class Outside:
    """An issuer besides us whose tokens count. audience None: the one that our own tokens have."""

    issuer: str
    jwks_url: str
    company_claim: str
    audience: str | None


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that differs between installations.

    home: folder for files. network_url: where the instant payment system is reached; empty: lastro has no institution's
    network and works with banks alone. public_url: how the world reaches the API, without a slash at its end.
    credentials_directory: systemd's, where the key file may be a credential. public_hosts: further names (with port) it is
    served under. compe: None for an institution that has none. database_login: `switch` when the login of database_url
    takes on each role, `role` when each role logs in itself. worker_name: tells apart the processes that pull from the
    network at the same time; None where each is to be a stranger. requests_per_minute: of a client, in each process;
    token_requests_per_minute: of an address. proxies: our own, which tell who calls. log_level: the least that is logged.
    metrics_networks: who may read the API's figures; worker_metrics_port: where a worker tells its own, None for nowhere.
    retry_seconds: the waits between a delivery's five attempts; retry_jitter_percent: what chance takes off them at most;
    metrics_endpoints: so many receivers of events are named in a worker's figures. directory_category: the institution's in
    the directory of Pix keys, A to H; directory_company_percent: what one company may take of its budget there.
    plan_lines_per_second: how many payouts of one plan a worker makes at most. charging, disputing: in which times.
    token_key_days: for how long a key signs tokens. location_algorithm: what keys that sign locations are made for.
    feed_days: for how long events' bodies are kept; None: for ever.
    outside: the one other issuer whose tokens count. outgoing_proxy: carries requests to the URLs that clients gave; None
    where they go out by themselves. partners: those that collect, by their rail. crypto_brands: of the crypto partner.
    transfers: where orders are paid to by transfer. connections: bank accounts that are reached by API Pix.
    load: how much an API process takes on at a time.
    """

    mode: Literal["sandbox", "production"]
    home: Path
    port: int
    sim_port: int
    bind: str
    database_url: str | None
    app_database_url: str | None
    work_database_url: str | None
    audit_database_url: str | None
    database_login: Literal["switch", "role"]
    network_url: str
    network_token: Secret
    keys_file: Path
    credentials_directory: Path | None
    ispb: str
    compe: str | None
    institution_name: str
    branch: str
    public_url: str
    public_hosts: tuple[str, ...]
    worker_name: str | None
    requests_per_minute: int
    token_requests_per_minute: int
    load: Load
    proxies: Proxies
    log_level: str
    metrics_networks: tuple[IPv4Network | IPv6Network, ...]
    worker_metrics_port: int | None
    retry_seconds: tuple[int, ...]
    retry_jitter_percent: int
    metrics_endpoints: int
    token_key_days: int
    location_algorithm: str
    feed_days: int | None
    outside: Outside | None
    outgoing_proxy: Proxy | None
    directory_category: str
    directory_company_percent: int
    plan_lines_per_second: int
    charging: Timing
    limit_raise: timedelta
    disputing: DisputeTerms
    partners: Mapping[str, Partner]
    crypto_brands: tuple[str, ...]
    transfers: Receiving
    connections: tuple[Connection, ...]
    messaging: Messaging
    watching: Watching
    has_parent: bool
    crash_at: CrashAt | None

    @property
    def is_sandbox(self) -> bool:
        """True if money and networks are simulated."""
        return self.mode == SANDBOX

    @property
    def hosts(self) -> frozenset[str]:
        """The names, with port, that it answers under."""
        own = {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        ours = (self.public_url, *(one.webhook for one in self.connections if one.webhook is not None))
        return frozenset({*own, *(urlsplit(url).netloc.lower() for url in ours), *self.public_hosts})

    @property
    def has_network(self) -> bool:
        """True if an institution's network is reached; False: it works with companies' banks alone."""
        return bool(self.network_url)

    @property
    def app(self) -> Dsn:
        """The database, as the role that works for one company. StartRefused: no database is named."""
        return self._dsn(self.app_database_url, "lastro_app")

    @property
    def work(self) -> Dsn:
        """The database as the role that finds work across companies."""
        return self._dsn(self.work_database_url, "lastro_work")

    @property
    def audit(self) -> Dsn:
        """The database as the role that reads everything, for verify."""
        return self._dsn(self.audit_database_url, "lastro_audit")

    def _dsn(self, own_url: str | None, role: str) -> Dsn:
        if own_url is not None:
            return Dsn(own_url)
        if self.database_url is None:
            raise StartRefused("LASTRO_DATABASE_URL is not set: say which PostgreSQL database to use.")
        if self.database_login == "role":
            return Dsn(with_login(self.database_url, role))
        return Dsn(self.database_url, role)


def from_environment() -> Settings:
    """Reads the settings of this process. StartRefused: all their problems."""
    return read(os.environ)


def read(environment: Mapping[str, str]) -> Settings:
    """Reads the settings from these variables. StartRefused: every problem, one sentence a line."""
    given = Given(environment)
    if not given.is_sandbox:
        given.demand_needed()
        given.demand_known()
    made = _settings(given)
    given.problems.extend(_contradictions(made))
    if given.problems:
        raise StartRefused("\n".join(given.problems))
    return made


def _settings(given: Given) -> Settings:
    found = partners((*COLLECTING, ANALYSIS), given)
    network_url, network_token = network(given)
    return Settings(
        mode="sandbox" if given.is_sandbox else "production",
        home=given.folder("LASTRO_HOME"),
        port=given.whole("LASTRO_PORT"),
        sim_port=given.whole("LASTRO_SIM_PORT"),
        bind=given.text("LASTRO_BIND"),
        database_url=given.database("LASTRO_DATABASE_URL"),
        app_database_url=given.database("LASTRO_APP_DATABASE_URL"),
        work_database_url=given.database("LASTRO_WORK_DATABASE_URL"),
        audit_database_url=given.database("LASTRO_AUDIT_DATABASE_URL"),
        database_login="role" if given.word("LASTRO_DATABASE_LOGIN") == "role" else "switch",
        network_url=network_url,
        network_token=network_token,
        keys_file=given.folder("LASTRO_KEYS_FILE"),
        credentials_directory=given.credentials_directory,
        ispb=given.text("LASTRO_ISPB"),
        compe=given.unless_emptied("LASTRO_COMPE"),
        institution_name=given.text("LASTRO_INSTITUTION_NAME"),
        branch=given.text("LASTRO_BRANCH"),
        public_url=given.address("LASTRO_PUBLIC_URL"),
        public_hosts=tuple(host.strip().lower() for host in given.text("LASTRO_PUBLIC_HOSTS").split(",") if host.strip()),
        worker_name=given.maybe("LASTRO_WORKER_NAME"),
        requests_per_minute=given.whole("LASTRO_REQUESTS_PER_MINUTE"),
        token_requests_per_minute=given.whole("LASTRO_TOKEN_REQUESTS_PER_MINUTE"),
        load=load(given),
        proxies=proxies(given.text("LASTRO_CLIENT_CERTIFICATE_HEADER"), given.problems, given.networks("LASTRO_PROXIES")),
        log_level=given.word("LASTRO_LOG_LEVEL"),
        metrics_networks=given.networks("LASTRO_METRICS_NETWORKS"),
        worker_metrics_port=given.maybe_whole("LASTRO_WORKER_METRICS_PORT"),
        retry_seconds=given.retries("LASTRO_WEBHOOK_RETRY_SECONDS"),
        retry_jitter_percent=given.whole("LASTRO_WEBHOOK_RETRY_JITTER_PERCENT"),
        metrics_endpoints=given.whole("LASTRO_METRICS_ENDPOINTS"),
        token_key_days=given.whole("LASTRO_TOKEN_KEY_DAYS"),
        location_algorithm=given.word("LASTRO_LOCATION_ALGORITHM"),
        feed_days=given.maybe_whole("LASTRO_FEED_RETENTION_DAYS"),
        outside=_outside(given),
        outgoing_proxy=given.proxy("LASTRO_OUTGOING_PROXY"),
        directory_category=given.word("LASTRO_DIRECTORY_CATEGORY"),
        directory_company_percent=given.whole("LASTRO_DIRECTORY_COMPANY_PERCENT"),
        plan_lines_per_second=given.whole("LASTRO_PLAN_LINES_PER_SECOND"),
        charging=charge_times(given),
        limit_raise=timedelta(hours=given.whole("LASTRO_LIMIT_RAISE_HOURS")),
        disputing=dispute_terms(given),
        partners=found,
        crypto_brands=crypto_brands(given, has_partner=bool(found.keys() & rails_like(CRYPTO))),
        transfers=transfers(given, found),
        connections=connections(given),
        messaging=messaging(given),
        watching=watching(given),
        has_parent=given.text("LASTRO_PARENT_PIPE") == "1",
        crash_at=crash_at(given.text("LASTRO_CRASH_AT"), given.problems, production=not given.is_sandbox),
    )


def _contradictions(made: Settings) -> Iterator[str]:
    """Yields the problems of values, given or default."""
    if made.ispb and not is_ispb(made.ispb):
        yield "LASTRO_ISPB must be eight digits or upper-case letters."
    if made.compe is not None and re.fullmatch(r"\d{3}", made.compe, re.ASCII) is None:
        yield "LASTRO_COMPE must be three digits."
    if made.branch and re.fullmatch(r"\d{1,4}", made.branch, re.ASCII) is None:
        yield "LASTRO_BRANCH must be one to four digits."
    if len(made.institution_name) > 140:
        yield "LASTRO_INSTITUTION_NAME must have at most 140 characters."
    if made.outside is not None and made.outside.issuer == made.public_url:
        yield "LASTRO_OUTSIDE_ISSUER must not be LASTRO_PUBLIC_URL: that is who issues our own tokens."
    # A location is printed without its scheme.
    printed = made.public_url.partition("://")[2] + _LOCATION_PATH
    if len(printed) > _LONGEST_LOCATION:
        most = _LONGEST_LOCATION - len(_LOCATION_PATH)
        yield f"LASTRO_PUBLIC_URL is too long for a QR code: after https:// at most {most} characters."
    if made.port == made.sim_port:
        yield f"LASTRO_PORT and LASTRO_SIM_PORT are both {made.port}: give them different numbers."


def _outside(given: Given) -> Outside | None:
    """Reads the trusted outside issuer, to the letter. Many an issuer's name ends with a slash."""
    issuer, jwks_url = given.maybe("LASTRO_OUTSIDE_ISSUER"), given.maybe("LASTRO_OUTSIDE_JWKS_URL")
    claim, audience = given.text("LASTRO_OUTSIDE_COMPANY_CLAIM"), given.maybe("LASTRO_OUTSIDE_AUDIENCE")
    if issuer is None and jwks_url is None:
        return None
    if issuer is None or jwks_url is None:
        given.problems.append("LASTRO_OUTSIDE_ISSUER and LASTRO_OUTSIDE_JWKS_URL go together: set both, or neither.")
        return None
    parts = parts_of(jwks_url)
    schemes = ("http", "https") if given.is_sandbox else ("https",)
    if parts.scheme not in schemes or not parts.hostname or "@" in parts.netloc or parts.fragment:
        given.problems.append(f"LASTRO_OUTSIDE_JWKS_URL must be an {' or '.join(schemes)} address{shown(jwks_url)}.")
    return Outside(issuer, jwks_url, claim, audience)
