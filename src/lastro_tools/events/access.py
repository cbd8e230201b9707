"""The commands' access to an API: options first, environment, then the running sandbox."""

from __future__ import annotations

import getpass
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lastro.core.declined import CommandFailed
from lastro.core.secrets import Secret
from lastro.http_client import is_loopback

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

URL, CLIENT, SECRET = "LASTRO_API_URL", "LASTRO_CLIENT_ID", "LASTRO_CLIENT_SECRET"
WEBHOOK_SECRET = "LASTRO_WEBHOOK_SECRET"  # noqa: S105 the name of a variable
_NO_SANDBOX = "No running sandbox was found in {home}: start one with make run, or say which API with --api or {url}."


@dataclass(frozen=True, slots=True)
class Access:
    """An API and a client of it.

    webhook_secret: the company's, where the running sandbox gives it; told_secret: the one of the environment.
    """

    url: str
    client_id: str
    client_secret: Secret
    webhook_secret: Secret | None = None
    told_secret: Secret | None = None


def declare(parser: argparse.ArgumentParser, *, asks: bool = True) -> None:
    """Adds the shared options of these commands. asks: whether a person can be asked for the secret."""
    otherwise = ", else you are asked" if asks else ""
    parser.add_argument("--api", metavar="URL", help=f"where the API is (default: {URL}, else the running sandbox)")
    parser.add_argument("--client", metavar="ID", help=f"the client to call as (default: {CLIENT}, else the sandbox's)")
    parser.add_argument(
        "--client-secret-file", metavar="FILE",
        help=f"holds its secret{'; - is standard input' if asks else ''} (default: {SECRET}_FILE or {SECRET}{otherwise})",
    )  # fmt: skip


def found(given: argparse.Namespace, environment: Mapping[str, str], *, asks: bool = True) -> Access:
    """Returns the access to use. asks: whether a person may be asked for the secret, where standard input is a terminal.

    Declined: something is missing, or the secret would travel in the open. The sandbox's client is used at the sandbox's own
    address alone: nothing of it goes to a server that somebody names.
    """
    home = Path(environment.get("LASTRO_HOME") or ".lastro").expanduser()
    sandbox = _sandbox(home)
    url = (given.api or environment.get(URL) or sandbox.get("baseUrl") or "").rstrip("/")
    client_id = given.client or environment.get(CLIENT)
    if not url:
        raise CommandFailed(_NO_SANDBOX.format(home=home, url=URL))
    _check(url)
    told = Secret(environment[WEBHOOK_SECRET]) if environment.get(WEBHOOK_SECRET) else None
    if not client_id:
        if url != sandbox.get("baseUrl"):
            raise CommandFailed(f"Say which client of {url} you are: with --client or {CLIENT}.")
        own = Secret(sandbox["webhookSecret"])
        return Access(url, sandbox["clientId"], Secret(sandbox["clientSecret"]), own, told)
    return Access(url, client_id, _secret(given.client_secret_file, environment, asks=asks), told_secret=told)


def read_secret(file: str, what: str) -> Secret:
    """Reads a secret from a file, or from standard input for -. Declined: it cannot be read, or there is none."""
    try:
        text = (sys.stdin.read() if file == "-" else Path(file).expanduser().read_text(encoding="utf-8")).strip()
    except (OSError, UnicodeDecodeError):
        text = ""
    if not text:
        raise CommandFailed(f"{what} cannot be read from {'standard input' if file == '-' else file}.")
    return Secret(text)


def _secret(named: str | None, environment: Mapping[str, str], *, asks: bool) -> Secret:
    file = named or environment.get(f"{SECRET}_FILE")
    if file:
        return read_secret(file, "The client's secret")
    if environment.get(SECRET):
        return Secret(environment[SECRET])
    if not asks or not sys.stdin.isatty():
        raise CommandFailed(f"Say where the client's secret is: with --client-secret-file, {SECRET}_FILE or {SECRET}.")
    return Secret(getpass.getpass("The client's secret: ").strip())


def _check(url: str) -> None:
    """Checks the address of an API. Declined: it is none, or one to which a secret would travel in the open."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host = ""
    if not host or parts.scheme not in ("http", "https") or parts.query or parts.fragment or parts.username is not None:
        raise CommandFailed(f"{url!r} is no address of an API: give one such as https://pay.example.com.")
    if parts.scheme == "http" and host != "localhost" and not is_loopback(host):
        raise CommandFailed(f"{url} is not https: the client's secret would travel in the open.")


def _sandbox(home: Path) -> dict[str, Any]:
    """Reads the running sandbox's sandbox.json; nothing where none runs."""
    file = home / "sandbox.json"
    try:
        told: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        raise CommandFailed(f"{file} cannot be read: start the sandbox again with make run.") from None
    return told
