"""Reads the file of connections, TOML. Every mistake is named with its connection and key, all at once."""

from __future__ import annotations

import re
import tomllib
from base64 import urlsafe_b64encode
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import urlsplit

from lastro.core.secrets import Secret
from lastro.rails import port
from lastro.rails.api_pix import files
from lastro.rails.api_pix.connection_config import (
    ACCOUNT_KINDS,
    CAPABILITIES,
    KNOWN_CAPABILITIES,
    ORDINARY_SCOPES,
    RECURRING_SCOPES,
    SCOPES,
    SUBSCRIPTIONS,
    Connection,
)
from lastro.rails.api_pix.dialects import DIALECTS, Clock
from lastro.rails.api_pix.files import FileUnfit, from_disk
from lastro.rails.api_pix.tls import CertificateFiles, CertificateUnfit, authorities, identity
from lastro.standards.account_numbers import in_full, is_account_number
from lastro.standards.pix_ids import COMPANY_NUMBERS, is_ispb
from lastro.standards.pix_keys import canonical, key_type

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping
    from pathlib import Path

    from lastro.rails.api_pix.dialects import Dialect
    from lastro.rails.api_pix.files import FileRead

NAME = re.compile(r"[a-z][a-z0-9]{1,15}")  # the column rail of the schema
KEYS = frozenset({
    "company", "dialect", "clock", "base_url", "token_url", "client_id", "client_secret_file", "certificate_file",
    "key_file", "certificate_password_file", "ca_file", "keys", "scopes", "capabilities", "issuing", "webhook",
    "secret_file", "peers", "poll_seconds", "window_days", "requests_per_minute", "app_key_file", "bank_account", "traced",
    "remove_orphans", "ispb", "bank_branch", "account_kind",
})  # fmt: skip
_CLIENT_ID, _ONE_LINE = re.compile(r"[\x21-\x7e]{1,256}"), re.compile(r"[\x20-\x7e]{1,4096}")
_PATH_SECRET = re.compile(r"[A-Za-z0-9_-]{22,128}")  # 128 bits at least: who knows it may ring our bell
_THUMBPRINT, _HEX = re.compile(r"[A-Za-z0-9_-]{43}"), re.compile(r"(?:[0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}")
_BANK_ACCOUNT, _BANK_BRANCH = re.compile(r"[0-9A-Za-z-]{1,20}"), re.compile(r"[0-9]{1,4}")


def read(
    text: str, folder: Path, *, is_sandbox: bool, reader: Callable[[Path], FileRead] = from_disk
) -> tuple[tuple[Connection, ...], tuple[str, ...]]:
    """Returns the connections of a file, and its mistakes.

    A mistake is a sentence; where there is one, no connection is returned.

    folder: of the file, which paths in it begin from. is_sandbox: http is allowed. reader: of the files that are named. No
    sentence holds a secret. A certificate that is not good now is no mistake of the file: BankLine tells of it.
    """
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return (), (f"is no TOML: {_without_text(str(error))}.",)
    if not given:
        return (), ("names no connection.",)
    problems = [
        f"[{_short(name)}] must be a table: a connection by its name."
        for name, table in given.items()
        if not isinstance(table, dict)
    ]
    read_ones = [_Table(name, table, folder, is_sandbox, reader) for name, table in given.items() if isinstance(table, dict)]
    made = [one.connection() for one in read_ones]
    problems += [problem for one in read_ones for problem in one.problems]
    problems += _shared(read_ones)
    return (() if problems else tuple(one for one in made if one is not None)), tuple(problems)


def _shared(tables: Iterable[_Table]) -> list[str]:
    """Names the Pix keys of which several connections make orders."""
    making = [one for one in tables if one.makes_orders]
    counted = Counter(key for one in making for key in one.pix_keys)
    return [
        f"[{one.name}] keys: {key} stands in another connection too: a key has one bank. Set issuing = false in the old one."
        for one in making
        for key in sorted(one.pix_keys)
        if counted[key] > 1
    ]


def _without_text(error: str) -> str:
    """Removes from a decoder's error what it quotes: a secret, perhaps."""
    return re.sub(r"'[^']*'|\"[^\"]*\"", "…", error)[:120].rstrip(".")


def _short(text: object) -> str:
    return str(text)[:60] if str(text).isprintable() else "…"


class _Table:
    """One connection's table. problems: a sentence for each mistake. pix_keys: those that could be read.

    makes_orders: as the connection, known once that is made.
    """

    def __init__(
        self, name: str, table: Mapping[str, Any], folder: Path, is_sandbox: bool,
        reader: Callable[[Path], FileRead],
    ) -> None:  # fmt: skip
        self.name = _short(name)
        self.problems: list[str] = []
        self.pix_keys: dict[str, str] = {}
        self.makes_orders = True
        self._table, self._folder, self._reader = table, folder, reader
        self._schemes = ("http", "https") if is_sandbox else ("https",)
        if NAME.fullmatch(name) is None:
            self._say("", "is no name of a connection: 2 to 16 small letters and digits, a letter first")
        elif name in port.RESERVED:
            self._say("", "is the name of a rail that lastro has already: choose another")
        for key in table.keys() - KEYS:
            self._say(_short(key), "is no key that lastro knows")

    def connection(self) -> Connection | None:
        """Returns the connection; None: something of it is wrong."""
        dialect = self._dialect()
        certificate, ca_file = self._certificate()
        webhook, secret, peers = self._webhook()
        app_key, bank_account = self._beside(dialect)
        is_issuing = self._flag("issuing", otherwise=True)
        capabilities = frozenset(self._words("capabilities", KNOWN_CAPABILITIES, CAPABILITIES))
        self.makes_orders = is_issuing and "cob" in capabilities
        scopes = self._words("scopes", SCOPES, self._usual_scopes(capabilities))
        self._demand_scopes(capabilities, scopes)
        made = Connection(
            name=self.name,
            company=self._whole("company", 1, COMPANY_NUMBERS - 1, None),
            dialect=dialect,
            base_url=self._address("base_url", dialect.base_url),
            token_url=self._address("token_url", dialect.token_url),
            client_id=self._text("client_id", _CLIENT_ID, "up to 256 visible characters") or "",
            client_secret=self._client_secret(dialect),
            certificate=certificate,
            ca_file=ca_file,
            keys=self._keys(),
            scopes=scopes,
            capabilities=capabilities,
            is_issuing=is_issuing,
            webhook=webhook,
            secret=secret,
            peers=peers,
            poll_seconds=self._whole("poll_seconds", 5, 600, 20),
            window_days=self._whole("window_days", 1, 31, dialect.window_days),
            requests_per_minute=self._whole("requests_per_minute", 6, 60_000, 600),
            app_key=app_key,
            bank_account=bank_account,
            bank_branch=self._text("bank_branch", _BANK_BRANCH, "up to 4 digits, as text", is_needed=False),
            account_kind=self._account_kind(),
            ispb=self._ispb(dialect),
            is_traced=self._flag("traced", otherwise=False),
            is_removing_orphans=self._flag("remove_orphans", otherwise=False),
        )
        return None if self.problems else made

    def _say(self, key: str, sentence: str) -> None:
        where = f"[{self.name}] {key}" if key else f"[{self.name}]"
        self.problems.append(f"{where} {sentence}.")

    def _dialect(self) -> Dialect:
        given = self._table.get("dialect", "standard")
        if isinstance(given, str) and given in DIALECTS:
            return self._clocked(DIALECTS[given])
        self._say("dialect", f"must be one of {', '.join(DIALECTS)}, not {_short(given)!r}")
        return DIALECTS["standard"]

    def _clocked(self, dialect: Dialect) -> Dialect:
        """Returns the dialect, with the clock that the connection names."""
        given = self._table.get("clock", dialect.clock)
        for clock in get_args(Clock):
            if given == clock:
                return replace(dialect, clock=clock)
        self._say("clock", f"must be one of {', '.join(get_args(Clock))}")
        return dialect

    def _text(self, key: str, form: re.Pattern[str], says: str, *, is_needed: bool = True) -> str | None:
        given = self._table.get(key)
        if given is None and not is_needed:
            return None
        if given is None:
            self._say(key, f"is not set: it must be {says}")
        elif not isinstance(given, str) or form.fullmatch(given) is None:
            self._say(key, f"must be {says}")
        else:
            return given
        return None

    def _whole(self, key: str, least: int, most: int, default: int | None) -> int:
        given = self._table.get(key, default)
        if type(given) is int and least <= given <= most:
            return given
        self._say(key, f"must be a whole number from {least} to {most}" if key in self._table else "is not set")
        return least

    def _ispb(self, dialect: Dialect) -> str | None:
        given = self._table.get("ispb", dialect.ispb)
        if given is None or (isinstance(given, str) and is_ispb(given)):
            return given
        self._say("ispb", 'must be the 8 characters of the bank\'s ISPB, as text: "00000000"')
        return None

    @staticmethod
    def _usual_scopes(capabilities: frozenset[str]) -> tuple[str, ...]:
        return (*ORDINARY_SCOPES, *RECURRING_SCOPES) if SUBSCRIPTIONS in capabilities else ORDINARY_SCOPES

    def _demand_scopes(self, capabilities: frozenset[str], scopes: tuple[str, ...]) -> None:
        """Refuses subscriptions without an account, orders, or their scopes."""
        if SUBSCRIPTIONS not in capabilities:
            return
        if self._table.get("bank_account") is None:
            self._say("bank_account", "is not set: the charges of subscriptions name it (capabilities: rec)")
        if "cob" not in capabilities:
            self._say("capabilities", "has rec without cob: a subscription's first charge is a cob")
        needed = [one for one in RECURRING_SCOPES if not one.startswith("webhook")]
        if lacking := [one for one in needed if one not in scopes]:
            self._say("scopes", f"lacks {', '.join(lacking)}, without which no subscription is made (capabilities: rec)")

    def _account_kind(self) -> str:
        given = self._table.get("account_kind", ACCOUNT_KINDS[0])
        if isinstance(given, str) and given in ACCOUNT_KINDS:
            return given
        self._say("account_kind", f"must be one of {', '.join(ACCOUNT_KINDS)}")
        return ACCOUNT_KINDS[0]

    def _flag(self, key: str, *, otherwise: bool) -> bool:
        given = self._table.get(key, otherwise)
        if isinstance(given, bool):
            return given
        self._say(key, "must be true or false")
        return otherwise

    def _address(self, key: str, default: str | None) -> str:
        given = self._table.get(key, default)
        if given is None:
            if str(self._table.get("dialect", "standard")) in DIALECTS:
                self._say(key, "is not set, and its dialect has none of its own")
        elif not isinstance(given, str) or not (parts := _host_of(given)):
            self._say(key, "must be an address without user, query or fragment")
        elif parts not in self._schemes:
            self._say(key, "must begin with https://" if parts == "http" else "must be an address such as https://host/path")
        else:
            return given.rstrip("/")
        return ""

    def _words(self, key: str, known: Container[str], default: tuple[str, ...]) -> tuple[str, ...]:
        given = self._table.get(key, list(default))
        if not isinstance(given, list) or not given or not all(isinstance(one, str) for one in given):
            self._say(key, "must be a list of words, one at least")
            return default
        for one in given:
            if one not in known:
                self._say(key, f"has {_short(one)!r}, which API Pix does not know or lastro does not do")
        return tuple(dict.fromkeys(given))

    def _path(self, key: str) -> Path | None:
        given = self._table.get(key)
        if given is None or given == "":
            return None
        if not isinstance(given, str) or "\0" in given:
            self._say(key, "must be the path of a file")
            return None
        return self._folder / given

    def _secret(self, key: str, form: re.Pattern[str], says: str) -> Secret | None:
        """Reads a secret of a file of its own. None: it is not given, or a problem."""
        path = self._path(key)
        if path is None:
            return None
        try:
            text = files.private(path, self._reader).decode().strip()
        except FileUnfit as unfit:
            self._say(key, str(unfit))
            return None
        except UnicodeDecodeError:
            self._say(key, "names a file that is no text")
            return None
        if form.fullmatch(text) is None:
            self._say(key, f"names a file that must hold {says}, and nothing else")
            return None
        return Secret(text)

    def _client_secret(self, dialect: Dialect) -> Secret | None:
        has_one = self._table.get("client_secret_file", "") != ""
        if dialect.has_secret and not has_one:
            self._say("client_secret_file", f"is not set: {dialect.name} gives a secret")
        if not dialect.has_secret and has_one:
            self._say("client_secret_file", f"has no use: {dialect.name} knows a client by its certificate")
        return self._secret("client_secret_file", _ONE_LINE, "one line of visible characters")

    def _certificate(self) -> tuple[CertificateFiles | None, Path | None]:
        file, key, password, ca_file = (
            self._path(name) for name in ("certificate_file", "key_file", "certificate_password_file", "ca_file")
        )
        source = None if file is None else CertificateFiles(file, key, password)
        try:
            if source is not None:
                identity(source, self._reader)
            elif key is not None or password is not None:
                self._say("certificate_file", "is not set, and the key of one is")
        except CertificateUnfit as unfit:
            self._say(unfit.field, unfit.reason)
        try:
            if ca_file is not None:
                authorities(ca_file, self._reader)
        except CertificateUnfit as unfit:
            self._say(unfit.field, unfit.reason)
        return source, ca_file

    def _keys(self) -> Mapping[str, str]:
        given = self._table.get("keys", None if self.makes_orders else {})
        if not isinstance(given, dict) or not (given or not self.makes_orders):
            self._say("keys", 'must say which account each Pix key pays: { "key" = "account" }')
            return {}
        for key, account in given.items():
            known, number = canonical(key), in_full(account.replace("-", "")) if isinstance(account, str) else ""
            if key_type(known) is None:
                self._say("keys", f"has {_short(key)!r}, which is no Pix key")
            elif not is_account_number(number):
                self._say("keys", f"of {known} must be the number of an account here, with its check digit")
            elif known in self.pix_keys:
                self._say("keys", f"has {known} twice")
            else:
                self.pix_keys[known] = number
        return self.pix_keys

    def _webhook(self) -> tuple[str | None, Secret | None, frozenset[str]]:
        given = self._table.get("webhook") or None
        secret = self._secret("secret_file", _PATH_SECRET, "22 to 128 letters, digits, hyphens and underscores")
        if given is not None and (not isinstance(given, str) or _host_of(given) not in self._schemes):
            self._say("webhook", "must be an address that begins with https://, without user, query or fragment")
            given = None
        if given is not None and self._table.get("secret_file") is None:
            self._say("secret_file", "is not set: the address of a webhook ends with its secret")
        return (None if given is None else given.rstrip("/")), secret, self._peers()

    def _peers(self) -> frozenset[str]:
        given = self._table.get("peers", [])
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            self._say("peers", "must be a list of SHA-256 thumbprints")
            return frozenset()
        found = set()
        for one in given:
            if _HEX.fullmatch(one):
                raw = bytes.fromhex(one.replace(":", ""))
                found.add(urlsafe_b64encode(raw).rstrip(b"=").decode())
            elif _THUMBPRINT.fullmatch(one):
                found.add(one)
            else:
                self._say("peers", "has what is no SHA-256 thumbprint: 64 hexadecimal digits, or 43 of base64url")
        return frozenset(found)

    def _beside(self, dialect: Dialect) -> tuple[Secret | None, str | None]:
        app_key = self._secret("app_key_file", _ONE_LINE, "one line of visible characters")
        if "app_key" in dialect.needs and self._table.get("app_key_file") is None:
            self._say("app_key_file", f"is not set: {dialect.name} wants an application's key with every request")
        needed = "bank_account" in dialect.needs
        account = self._text("bank_account", _BANK_ACCOUNT, "the account's number at the bank", is_needed=needed)
        return app_key, account


def _host_of(address: str) -> str | None:
    """Returns the scheme of a plain address; None: it is none."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    is_plain = parts.hostname and "@" not in parts.netloc and not parts.query and not parts.fragment
    return parts.scheme if is_plain and address.isascii() and address.isprintable() and " " not in address else None
