"""The variables of an environment, read by the table of settings; all that is wrong with them is collected."""

from __future__ import annotations

import re
from datetime import time
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from lastro.config.table import meant, rows, unknown
from lastro.core.secrets import Secret
from lastro.core.servers import address_problem
from lastro.http_client import Proxy

if TYPE_CHECKING:
    from collections.abc import Mapping
    from ipaddress import IPv4Network, IPv6Network

_MISSPELLED = 0.75  # of difflib's ratio: PROXYS is nearly PROXIES
_RETRIES = 4  # contract.md §7: exactly so many
_LONGEST_RETRY = 604_800  # seconds: a week


class Given:
    """The environment's values of settings. problems: a sentence for each value that makes no sense."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.problems: list[str] = []
        self.is_sandbox = True
        self.is_sandbox = self.word("LASTRO_MODE") == "sandbox"

    def demand_needed(self) -> None:
        """Names each setting that production lacks. Secrets say so themselves, since they have two names."""
        for name, row in rows().items():
            may_be_empty = name == "LASTRO_COMPE" and name in self._environment
            if row.is_needed and row.form != "secret" and not may_be_empty and not self.text(name):
                hint = " (empty for an institution without one)" if name == "LASTRO_COMPE" else ""
                self.problems.append(f"{name} is not set: outside the sandbox it must be{hint}.")

    def demand_known(self) -> None:
        """Names each variable that is nearly a setting. A misspelled border is none."""
        for name in unknown(self._environment):
            if (near := meant(name, _MISSPELLED)) is not None:
                self.problems.append(f"{name} is no setting: did you mean {near}?")

    @property
    def credentials_directory(self) -> Path | None:
        """The folder in which systemd hands on secrets."""
        given = self._environment.get("CREDENTIALS_DIRECTORY", "").strip()
        return Path(given) if given else None

    def text(self, name: str) -> str:
        """Returns the given value, or the default; empty if there is none."""
        return self._environment.get(name, "").strip() or self._default(name)

    def maybe(self, name: str) -> str | None:
        """Returns the value or default; None if there is none."""
        return self.text(name) or None

    def unless_emptied(self, name: str) -> str | None:
        """Returns the value or default; None if the variable is set but empty."""
        return self._environment[name].strip() or None if name in self._environment else self.maybe(name)

    def word(self, name: str) -> str:
        """Reads one of the words of its row."""
        return self.maybe_word(name) or self._default(name)

    def maybe_word(self, name: str) -> str | None:
        """Reads one of the words; None if the variable is set but empty."""
        given, words = self.unless_emptied(name), rows()[name].words
        if given is None or given in words:
            return given
        self.problems.append(f"{name} must be {' or '.join(words)}, not {given!r}.")
        return None

    def whole(self, name: str) -> int:
        """Reads a whole number in the range of its row."""
        found = self.maybe_whole(name)
        return int(self._default(name)) if found is None else found

    def maybe_whole(self, name: str) -> int | None:
        """Reads a whole number; None if none is given."""
        text, (least, most) = self.text(name), rows()[name].range
        if not text:
            return None
        if re.fullmatch(r"\d{1,9}", text, re.ASCII) is not None and least <= int(text) <= most:
            return int(text)
        self.problems.append(f"{name} must be a whole number from {least} to {most}, not {text!r}.")
        return None

    def hour(self, name: str) -> time:
        """Reads an hour and minute in Brasilia."""
        text, default = self.text(name), self._default(name)
        if re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", text, re.ASCII) is None:
            self.problems.append(f"{name} must be an hour and minute in Brasilia such as {default}, not {text!r}.")
            text = default
        return time.fromisoformat(text)

    def retries(self, name: str) -> tuple[int, ...]:
        """Reads the four waits of a delivery plan, in seconds. Each is up to a week."""
        given, default = [text.strip() for text in self.text(name).split(",")], self._default(name)
        if len(given) != _RETRIES or any(
            re.fullmatch(r"[1-9]\d{0,5}", text, re.ASCII) is None or int(text) > _LONGEST_RETRY for text in given
        ):
            self.problems.append(
                f"{name} must be {_RETRIES} numbers of seconds from 1 to {_LONGEST_RETRY}, with commas between, such as"
                f" {default}, not {','.join(given)!r}."
            )
            given = default.split(",")
        return tuple(int(text) for text in given)

    def networks(self, name: str) -> tuple[IPv4Network | IPv6Network, ...]:
        """Networks, with commas between."""
        given = [text.strip() for text in self.text(name).split(",") if text.strip()]
        try:
            return tuple(ip_network(text) for text in given)
        except ValueError:
            shown = ",".join(given)
            self.problems.append(f"{name} must be networks such as 10.0.0.0/8, with commas between, not {shown!r}.")
            return ()

    def folder(self, name: str) -> Path:
        """Reads the path of a folder or a file."""
        return Path(self.text(name)).expanduser().absolute()

    def address(self, name: str) -> str:
        """Reads an address without a final slash; empty if there is none. https outside the sandbox."""
        text = self.text(name).rstrip("/")
        if not text:
            return text
        parts = parts_of(text)
        if "@" in parts.netloc:
            self.problems.append(f"{name} must be an address without user and password.")
        elif parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            self.problems.append(f"{name} must be an http or https address without query{shown(text)}.")
        elif not self.is_sandbox and parts.scheme != "https":
            self.problems.append(f"{name} must begin with https:// outside the sandbox.")
        return text

    def database(self, name: str) -> str | None:
        """Reads a database's address. No problem repeats the value: it may hold a password."""
        given = self.maybe(name)
        if given is not None and (problem := address_problem(given)) is not None:
            self.problems.append(f"{name} {problem}.")
        return given

    def secret(self, name: str, *, needed: bool) -> Secret:
        """Reads a secret from its own file or from the environment. needed: its absence is a problem."""
        file, text = (self._environment.get(one, "").strip() for one in (f"{name}_FILE", name))
        if file:
            try:
                return Secret(Path(file).expanduser().read_text(encoding="utf-8").strip())
            except (OSError, UnicodeDecodeError):
                self.problems.append(f"{name}_FILE names a file that cannot be read: {file}.")
                return Secret("")
        other = rows()[f"{name}_FILE"].default(sandbox=self.is_sandbox)
        if not text and other:
            return self.secret(other.removeprefix("$").removesuffix("_FILE"), needed=needed)
        if not text and needed:
            self.problems.append(f"{name}_FILE is not set: outside the sandbox it must be.")
        return Secret(text)

    def proxy(self, name: str) -> Proxy | None:
        """Reads an HTTP proxy. No problem repeats the value: it may hold a password."""
        given = self.maybe(name)
        if given is None:
            return None
        parts = parts_of(given)
        host, port = parts.hostname, parts.port
        if not host or not port or given.rstrip("/").lower() != f"http://{f'[{host}]' if ':' in host else host}:{port}":
            self.problems.append(f"{name} must be http://host:port and nothing else: no user, no path.")
            return None
        return Proxy(host, port)

    def _default(self, name: str) -> str:
        default = rows()[name].default(sandbox=self.is_sandbox)
        return re.sub(r"\$(\w+)", lambda found: self.text(found[1]).rstrip("/"), default)


def parts_of(url: str) -> SplitResult:
    """Splits an address; an unreadable one has no parts. Its port may be what cannot be read."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # read last of all, and not by urlsplit itself
    except ValueError:
        return urlsplit("")
    return parts


def shown(text: str) -> str:
    """Returns `, not '…'` to end a sentence; empty for secrets. A text that may hold a password is not repeated."""
    return "" if "@" in text else f", not {text!r}"
