"""What the environment asks for: the one place that reads it. In production nothing about the institution is guessed."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from lastro.api_kit.proxies import Proxies, proxies
from lastro.config.charge_times import Timing, charge_times
from lastro.config.dispute_terms import DisputeTerms, dispute_terms
from lastro.config.limit_times import limit_raise
from lastro.config.load import Load, load
from lastro.config.messaging import Messaging, messaging
from lastro.config.partners import (
    Partner,
    Receiving,
    address,
    crypto_brands,
    partners,
    parts_of,
    secret,
    shown,
    transfers,
)
from lastro.config.watching import Watching, watching
from lastro.core.crash import CrashAt, crash_at
from lastro.core.db import Dsn
from lastro.core.declined import StartRefused
from lastro.core.servers import address_problem, with_login
from lastro.http_client import Proxy
from lastro.rails.port import ANALYSIS, COLLECTING, CRYPTO, CRYPTO2
from lastro.standards.pix_ids import is_ispb

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import timedelta
    from ipaddress import IPv4Network, IPv6Network

    from lastro.core.secrets import Secret

SANDBOX = "sandbox"
PRODUCTION = "production"
_LONGEST_LOCATION = 77  # BR Code, EMV field 26-25
_LOCATION_PATH = "/qr/v2/rec/" + 22 * "x"  # the longest that is printed
_LOGINS = {SANDBOX: ("switch", "role"), PRODUCTION: ("role", "switch")}  # the first where nothing is said
_RETRIES = 4  # contract.md §7: exactly so many
_LONGEST_RETRY = 604_800  # seconds: a week
SANDBOX_ISPB = "99999010"
_SANDBOX_INSTITUTION = {
    "LASTRO_ISPB": SANDBOX_ISPB,
    "LASTRO_COMPE": "990",
    "LASTRO_INSTITUTION_NAME": "LASTRO SANDBOX IP",
    "LASTRO_BRANCH": "0001",
}
_NEEDED_OUTSIDE = (
    *_SANDBOX_INSTITUTION, "LASTRO_KEYS_FILE", "LASTRO_PUBLIC_URL", "LASTRO_NETWORK_URL", "LASTRO_DATABASE_URL",
)  # fmt: skip


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

    home: folder for files. network_url: where the instant payment system is reached. public_url: how the world reaches
    the API, without a slash at its end. credentials_directory: systemd's, where the key file may be
    a credential. public_hosts: further names (with port) it is served under. compe: None for an
    institution that has none. database_login: `switch` when the login of database_url takes on each role, `role` when
    each role logs in itself. worker_name: tells apart the processes that pull from the network at the same time; None
    where each is to be a stranger. requests_per_minute: of a client, in each process; token_requests_per_minute: of an
    address. proxies: our own, which tell who calls. log_level: the least that is logged. metrics_networks: who
    may read the API's figures; worker_metrics_port: where a worker tells its own, None for nowhere.
    retry_seconds: the waits between a delivery's five attempts; retry_jitter_percent: what chance takes off them at most;
    metrics_endpoints: so many receivers of events are named in a worker's figures. directory_category: the institution's in
    the directory of Pix keys, A to H; directory_company_percent: what one company may take of its budget there.
    plan_lines_per_second: how many payouts of one plan a worker makes at most. charging, disputing: in which times.
    token_key_days: for how long a key signs tokens. location_algorithm: what keys that sign locations are made for.
    feed_days: for how long events' bodies are kept; None: for ever.
    outside: the one other issuer whose tokens count. outgoing_proxy: carries requests to the URLs that clients gave; None
    where they go out by themselves. partners: those that collect, by their rail. crypto_brands: of the crypto partner.
    transfers: where orders are paid to by transfer. load: how much an API process takes on at a time.
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
    messaging: Messaging
    watching: Watching
    has_parent: bool
    crash_at: CrashAt | None

    @property
    def is_sandbox(self) -> bool:
        """Whether money and networks are played."""
        return self.mode == SANDBOX

    @property
    def app(self) -> Dsn:
        """The database as the role that works for one company at a time. StartRefused when no database is named."""
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
    """The settings of this process. StartRefused: what is wrong with them, all of it."""
    return read(os.environ)


def read(environment: Mapping[str, str]) -> Settings:
    """The settings that these variables ask for. StartRefused: every problem, one sentence a line."""
    return _Reader(environment).settings()


class _Reader:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self._given = environment
        self._problems: list[str] = []

    def settings(self) -> Settings:
        mode = self._one_of("LASTRO_MODE", (SANDBOX, PRODUCTION))
        if mode == PRODUCTION:
            self._demand_all()
        port, sim_port = self._port("LASTRO_PORT", 8080), self._port("LASTRO_SIM_PORT", 8090)
        home = Path(self._text("LASTRO_HOME", ".lastro")).expanduser().absolute()
        url = self._url("LASTRO_NETWORK_URL", f"http://127.0.0.1:{sim_port}", mode)
        token = secret("LASTRO_NETWORK_TOKEN", self._given, self._problems, needed=mode == PRODUCTION)
        found = partners((*COLLECTING, ANALYSIS), self._given, self._problems, Partner(url, token), sandbox=mode == SANDBOX)
        has_crypto = bool({CRYPTO, CRYPTO2} & found.keys())
        return self._judged(Settings(
            mode="production" if mode == PRODUCTION else "sandbox",
            home=home,
            port=port,
            sim_port=sim_port,
            bind=self._text("LASTRO_BIND", "127.0.0.1"),
            database_url=self._database("LASTRO_DATABASE_URL"),
            app_database_url=self._database("LASTRO_APP_DATABASE_URL"),
            work_database_url=self._database("LASTRO_WORK_DATABASE_URL"),
            audit_database_url=self._database("LASTRO_AUDIT_DATABASE_URL"),
            database_login="role" if self._one_of("LASTRO_DATABASE_LOGIN", _LOGINS[mode]) == "role" else "switch",
            network_url=url,
            network_token=token,
            keys_file=Path(self._text("LASTRO_KEYS_FILE", str(home / "keys"))).expanduser().absolute(),
            credentials_directory=Path(given) if (given := self._maybe("CREDENTIALS_DIRECTORY")) else None,
            ispb=self._institution("LASTRO_ISPB"),
            compe=self._institution("LASTRO_COMPE") or None,
            institution_name=self._institution("LASTRO_INSTITUTION_NAME"),
            branch=self._institution("LASTRO_BRANCH"),
            public_url=self._url("LASTRO_PUBLIC_URL", f"http://127.0.0.1:{port}", mode),
            public_hosts=tuple(h.strip().lower() for h in self._text("LASTRO_PUBLIC_HOSTS", "").split(",") if h.strip()),
            worker_name=self._maybe("LASTRO_WORKER_NAME") or ("worker" if mode == SANDBOX else None),
            requests_per_minute=self._count("LASTRO_REQUESTS_PER_MINUTE", 60_000),
            token_requests_per_minute=self._count("LASTRO_TOKEN_REQUESTS_PER_MINUTE", 600),
            load=load(self._given, self._problems),
            proxies=proxies(self._given, self._problems, self._networks("LASTRO_PROXIES")),
            log_level=self._one_of("LASTRO_LOG_LEVEL", ("info", "debug", "warning")),
            metrics_networks=self._networks("LASTRO_METRICS_NETWORKS", "127.0.0.0/8,::1/128"),
            worker_metrics_port=self._maybe_port("LASTRO_WORKER_METRICS_PORT"),
            retry_seconds=self._intervals("LASTRO_WEBHOOK_RETRY_SECONDS", "60,600,3600,21600"),
            retry_jitter_percent=self._up_to("LASTRO_WEBHOOK_RETRY_JITTER_PERCENT", 10, 50),
            metrics_endpoints=self._up_to("LASTRO_METRICS_ENDPOINTS", 20, 1000),
            token_key_days=self._count("LASTRO_TOKEN_KEY_DAYS", 90),
            location_algorithm=self._one_of("LASTRO_LOCATION_ALGORITHM", ("ES256", "RS256", "PS256")),
            feed_days=self._maybe_count("LASTRO_FEED_RETENTION_DAYS"),
            outside=self._outside(mode),
            outgoing_proxy=self._proxy("LASTRO_OUTGOING_PROXY"),
            directory_category=self._one_of("LASTRO_DIRECTORY_CATEGORY", tuple("ABCDEFGH")),
            directory_company_percent=self._percent("LASTRO_DIRECTORY_COMPANY_PERCENT", 50),
            plan_lines_per_second=self._count("LASTRO_PLAN_LINES_PER_SECOND", 20),
            charging=charge_times(self._given, self._problems), limit_raise=limit_raise(self._given, self._problems),
            disputing=dispute_terms(self._given, self._problems, sandbox=mode == SANDBOX),
            partners=found,
            crypto_brands=crypto_brands(self._given, self._problems, has_partner=has_crypto, sandbox=mode == SANDBOX),
            transfers=transfers(self._given, self._problems, found, sandbox=mode == SANDBOX),
            messaging=messaging(self._given, self._problems, Partner(url, token), sandbox=mode == SANDBOX),
            watching=watching(self._given, self._problems, sandbox=mode == SANDBOX),
            has_parent=self._given.get("LASTRO_PARENT_PIPE") == "1",
            crash_at=crash_at(self._given, self._problems, production=mode == PRODUCTION),
        ))  # fmt: skip

    def _demand_all(self) -> None:
        for name in _NEEDED_OUTSIDE:
            if name not in self._given or (not self._given[name].strip() and name != "LASTRO_COMPE"):
                hint = " (empty for an institution without one)" if name == "LASTRO_COMPE" else ""
                self._problems.append(f"{name} is not set: outside the sandbox it must be{hint}.")

    def _judged(self, made: Settings) -> Settings:
        """The same, once each value is found to be what it must, whoever gave it. StartRefused: all that was found wrong."""
        if made.ispb and not is_ispb(made.ispb):
            self._problems.append("LASTRO_ISPB must be eight digits or upper-case letters.")
        if made.compe is not None and re.fullmatch(r"\d{3}", made.compe, re.ASCII) is None:
            self._problems.append("LASTRO_COMPE must be three digits.")
        if made.branch and re.fullmatch(r"\d{1,4}", made.branch, re.ASCII) is None:
            self._problems.append("LASTRO_BRANCH must be one to four digits.")
        if len(made.institution_name) > 140:
            self._problems.append("LASTRO_INSTITUTION_NAME must have at most 140 characters.")
        if made.outside is not None and made.outside.issuer == made.public_url:
            self._problems.append("LASTRO_OUTSIDE_ISSUER must not be LASTRO_PUBLIC_URL: that is who issues our own tokens.")
        # A location is printed without its scheme.
        printed = made.public_url.partition("://")[2] + _LOCATION_PATH
        if len(printed) > _LONGEST_LOCATION:
            most = _LONGEST_LOCATION - len(_LOCATION_PATH)
            self._problems.append(f"LASTRO_PUBLIC_URL is too long for a QR code: after https:// at most {most} characters.")
        if made.port == made.sim_port:
            self._problems.append(f"LASTRO_PORT and LASTRO_SIM_PORT are both {made.port}: give them different numbers.")
        if self._problems:
            raise StartRefused("\n".join(self._problems))
        return made

    def _maybe(self, name: str) -> str | None:
        return self._given.get(name, "").strip() or None

    def _text(self, name: str, otherwise: str) -> str:
        return self._maybe(name) or otherwise

    def _institution(self, name: str) -> str:
        """The institution's own data: played in the sandbox, never guessed outside, where its absence was noted."""
        if self._given.get("LASTRO_MODE", "").strip() == PRODUCTION:
            return self._maybe(name) or ""
        return self._given.get(name, _SANDBOX_INSTITUTION[name]).strip()

    def _one_of(self, name: str, values: tuple[str, ...]) -> str:
        """One of these words, the first of them when nothing is said."""
        given = self._text(name, values[0])
        if given not in values:
            self._problems.append(f"{name} must be {' or '.join(values)}, not {given!r}.")
            return values[0]
        return given

    def _port(self, name: str, otherwise: int) -> int:
        given = self._text(name, str(otherwise))
        if re.fullmatch(r"\d{1,5}", given, re.ASCII) is None or not 1 <= int(given) <= 65_535:
            self._problems.append(f"{name} must be a port from 1 to 65535, not {given!r}.")
            return otherwise
        return int(given)

    def _maybe_port(self, name: str) -> int | None:
        return None if self._maybe(name) is None else self._port(name, 0)

    def _count(self, name: str, otherwise: int) -> int:
        given = self._text(name, str(otherwise))
        if re.fullmatch(r"[1-9]\d{0,8}", given, re.ASCII) is None:
            self._problems.append(f"{name} must be a whole number above zero, not {given!r}.")
            return otherwise
        return int(given)

    def _maybe_count(self, name: str) -> int | None:
        return None if self._maybe(name) is None else self._count(name, 1)

    def _up_to(self, name: str, otherwise: int, most: int) -> int:
        """A whole number from zero to `most`."""
        given = self._text(name, str(otherwise))
        if re.fullmatch(r"\d{1,9}", given, re.ASCII) is None or int(given) > most:
            self._problems.append(f"{name} must be a whole number from 0 to {most}, not {given!r}.")
            return otherwise
        return int(given)

    def _percent(self, name: str, otherwise: int) -> int:
        given = self._count(name, otherwise)
        if given > 100:
            self._problems.append(f"{name} must be a whole number from 1 to 100, not {given}.")
            return otherwise
        return given

    def _intervals(self, name: str, otherwise: str) -> tuple[int, ...]:
        """The four waits of a delivery plan, in seconds, each up to a week."""
        given = [text.strip() for text in self._text(name, otherwise).split(",")]
        if len(given) != _RETRIES or any(
            re.fullmatch(r"[1-9]\d{0,5}", text, re.ASCII) is None or int(text) > _LONGEST_RETRY for text in given
        ):
            self._problems.append(
                f"{name} must be {_RETRIES} numbers of seconds from 1 to {_LONGEST_RETRY}, with commas between, such as"
                f" {otherwise}, not {','.join(given)!r}."
            )
            return tuple(int(text) for text in otherwise.split(","))
        return tuple(int(text) for text in given)

    def _networks(self, name: str, otherwise: str = "") -> tuple[IPv4Network | IPv6Network, ...]:
        given = [text.strip() for text in self._text(name, otherwise).split(",") if text.strip()]
        try:
            return tuple(ip_network(text) for text in given)
        except ValueError:
            self._problems.append(
                f"{name} must be networks such as 10.0.0.0/8, with commas between, not {','.join(given)!r}."
            )
            return ()

    def _url(self, name: str, otherwise: str, mode: str) -> str:
        return address(name, otherwise, self._given, self._problems, sandbox=mode == SANDBOX)

    def _database(self, name: str) -> str | None:
        """A database's address. What was given is not repeated: it may hold a password."""
        given = self._maybe(name)
        if given is not None and (problem := address_problem(given)) is not None:
            self._problems.append(f"{name} {problem}.")
        return given

    def _outside(self, mode: str) -> Outside | None:
        """The trusted outside issuer, to the letter: many an issuer's name ends with a slash."""
        issuer, jwks_url = self._maybe("LASTRO_OUTSIDE_ISSUER"), self._maybe("LASTRO_OUTSIDE_JWKS_URL")
        if issuer is None and jwks_url is None:
            return None
        if issuer is None or jwks_url is None:
            self._problems.append("LASTRO_OUTSIDE_ISSUER and LASTRO_OUTSIDE_JWKS_URL go together: set both, or neither.")
            return None
        parts = parts_of(jwks_url)
        schemes = ("https",) if mode == PRODUCTION else ("http", "https")
        if parts.scheme not in schemes or not parts.hostname or "@" in parts.netloc or parts.fragment:
            self._problems.append(f"LASTRO_OUTSIDE_JWKS_URL must be an {' or '.join(schemes)} address{shown(jwks_url)}.")
        claim = self._text("LASTRO_OUTSIDE_COMPANY_CLAIM", "company")
        return Outside(issuer, jwks_url, claim, self._maybe("LASTRO_OUTSIDE_AUDIENCE"))

    def _proxy(self, name: str) -> Proxy | None:
        """An HTTP proxy. What was given is not repeated: it may hold a password."""
        given = self._maybe(name)
        if given is None:
            return None
        try:
            parts = urlsplit(given)
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
        if not host or not port or given.rstrip("/").lower() != f"http://{f'[{host}]' if ':' in host else host}:{port}":
            self._problems.append(f"{name} must be http://host:port and nothing else: no user, no path.")
            return None
        return Proxy(host, port)
