"""Where networks and partners are reached, and with which secret, as settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lastro.base.secrets import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Partner:
    """A partner's address, without a slash at its end, and our token there."""

    url: str
    token: Secret


def address(name: str, otherwise: str, given: Mapping[str, str], problems: list[str], *, sandbox: bool) -> str:
    """The address that a variable names, https outside the sandbox; what is wrong with it is added to `problems`."""
    asked = given.get(name, "").strip()
    text = (asked or otherwise).rstrip("/")
    try:
        parts = urlsplit(text)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        problems.append(f"{name} must be an http or https address without query, not {text!r}.")
    elif not sandbox and parts.scheme != "https" and asked:
        problems.append(f"{name} must begin with https:// outside the sandbox.")
    return text


def secret(name: str, given: Mapping[str, str], problems: list[str], *, needed: bool) -> Secret:
    """A secret from a file that holds nothing else, or from the environment. needed: its absence is a problem."""
    file = given.get(f"{name}_FILE", "").strip()
    if file:
        try:
            return Secret(Path(file).expanduser().read_text(encoding="utf-8").strip())
        except (OSError, UnicodeDecodeError):
            problems.append(f"{name}_FILE names a file that cannot be read: {file}.")
            return Secret("")
    found = given.get(name, "").strip()
    if not found and needed:
        problems.append(f"{name}_FILE is not set: outside the sandbox it must be.")
    return Secret(found)


def collecting_bank(given: Mapping[str, str], problems: list[str], simulated: Partner, *, sandbox: bool) -> Partner | None:
    """The bank that collects slips; None: slips are not taken. simulated: who plays it in a sandbox."""
    if not given.get("LASTRO_BOLETO_URL", "").strip():
        return simulated if sandbox else None
    url = address("LASTRO_BOLETO_URL", simulated.url, given, problems, sandbox=sandbox)
    token = secret("LASTRO_BOLETO_TOKEN", given, problems, needed=not sandbox)
    if not sandbox and not given.get("LASTRO_COMPE", "").strip():
        problems.append("LASTRO_BOLETO_URL needs a LASTRO_COMPE: the bar code of a slip begins with it.")
    return Partner(url, token if token.reveal() or not sandbox else simulated.token)
