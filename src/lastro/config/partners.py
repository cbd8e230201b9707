"""Where networks and partners are reached, and with which secret, as settings."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import SplitResult, urlsplit

from lastro.core.secrets import Secret

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

_BRAND = re.compile(r"[A-Z0-9]{2,16}")
_CLABE_PREFIX, _SANDBOX_CLABE_PREFIX = re.compile(r"[0-9]{6}"), "990180"
_DEPOSIT_BANK = re.compile(r"([a-z0-9-]{1,40}):([0-9]{3}):([0-9A-Z]{8}):([0-9]{4}):([^:;]{1,140})")
_SANDBOX_BANKS = (
    "banco-pagador:991:99999020:0001:BANCO DO PAGADOR SIMULADO;banco-de-fora:992:99999030:0001:BANCO DE FORA SIMULADO"
)
_SIMULATED_AT = {"crypto2": "/second"}  # beside another partner of the same protocol
_SANDBOX_BRANDS = "BINANCE,BITSO"


@dataclass(frozen=True, slots=True)
class Partner:
    """A partner's address, without a slash at its end, and our token there."""

    url: str
    token: Secret


class Receiving(NamedTuple):
    """Where transfers can be sent. clabe_prefix: six digits. banks: slug, code, ispb, branch, name of each."""

    clabe_prefix: str
    banks: tuple[tuple[str, ...], ...]


def address(name: str, otherwise: str, given: Mapping[str, str], problems: list[str], *, sandbox: bool) -> str:
    """The address that a variable names, https outside the sandbox; what is wrong with it is added to `problems`."""
    asked = given.get(name, "").strip()
    text = (asked or otherwise).rstrip("/")
    parts = parts_of(text)
    if "@" in parts.netloc:
        problems.append(f"{name} must be an address without user and password.")
    elif parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        problems.append(f"{name} must be an http or https address without query{shown(text)}.")
    elif not sandbox and parts.scheme != "https" and asked:
        problems.append(f"{name} must begin with https:// outside the sandbox.")
    return text


def parts_of(url: str) -> SplitResult:
    """An address in its parts; of one that cannot be read, its port included, none."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # read last of all, and not by urlsplit itself
    except ValueError:
        return urlsplit("")
    return parts


def shown(text: str) -> str:
    """`, not '…'` behind a sentence; nothing where the text may hold a password."""
    return "" if "@" in text else f", not {text!r}"


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


def partners(
    rails: Iterable[str], given: Mapping[str, str], problems: list[str], simulated: Partner, *, sandbox: bool
) -> dict[str, Partner]:
    """The partners that collect, by their rail, each of a LASTRO_<RAIL>_URL and _TOKEN.

    A method whose partner is not there is not taken. simulated: who plays all of them in a sandbox.
    """
    found = {}
    for rail in rails:
        name = f"LASTRO_{rail.upper()}"
        if not given.get(f"{name}_URL", "").strip():
            if sandbox:
                found[rail] = replace(simulated, url=simulated.url + _SIMULATED_AT.get(rail, ""))
            continue
        url = address(f"{name}_URL", simulated.url, given, problems, sandbox=sandbox)
        token = secret(f"{name}_TOKEN", given, problems, needed=not sandbox)
        found[rail] = Partner(url, token if token.reveal() or not sandbox else simulated.token)
    if "boleto" in found and not sandbox and not given.get("LASTRO_COMPE", "").strip():
        problems.append("LASTRO_BOLETO_URL needs a LASTRO_COMPE: the bar code of a slip begins with it.")
    return found


def crypto_brands(given: Mapping[str, str], problems: list[str], *, has_partner: bool, sandbox: bool) -> tuple[str, ...]:
    """The brands of crypto apps that orders can be paid by, each a method `<BRAND>_PAY`. has_partner: of crypto."""
    text = given.get("LASTRO_CRYPTO_BRANDS", "").strip() or (_SANDBOX_BRANDS if sandbox else "")
    brands = tuple(part.strip() for part in text.split(",") if part.strip())
    if any(_BRAND.fullmatch(brand) is None for brand in brands):
        problems.append(f"LASTRO_CRYPTO_BRANDS must be names of 2 to 16 capital letters and digits, not {text!r}.")
    if brands and not has_partner:
        problems.append("LASTRO_CRYPTO_BRANDS needs a LASTRO_CRYPTO_URL or LASTRO_CRYPTO2_URL: who quotes and collects.")
    if has_partner and not brands:
        problems.append("LASTRO_CRYPTO_URL and LASTRO_CRYPTO2_URL need LASTRO_CRYPTO_BRANDS: each is a method.")
    return brands


def transfers(given: Mapping[str, str], problems: list[str], has: Collection[str], *, sandbox: bool) -> Receiving:
    """Where transfers can be sent: LASTRO_CLABE_PREFIX, bank and plaza of our CLABEs; LASTRO_DEPOSIT_BANKS.

    The banks are `slug:code:ispb:branch:name`, one behind the other with `;` between, the default one first.
    has: the rails that have a partner.
    """
    prefix = given.get("LASTRO_CLABE_PREFIX", "").strip() or (_SANDBOX_CLABE_PREFIX if sandbox else "")
    if (prefix or "spei" in has) and _CLABE_PREFIX.fullmatch(prefix) is None:
        problems.append(f"LASTRO_CLABE_PREFIX must be the six digits of bank and plaza of our CLABEs, not {prefix!r}.")
    text = given.get("LASTRO_DEPOSIT_BANKS", "").strip() or (_SANDBOX_BANKS if sandbox else "")
    read = [_DEPOSIT_BANK.fullmatch(part.strip()) for part in text.split(";") if part.strip()]
    banks = tuple(tuple(field.strip() for field in one.groups()) for one in read if one is not None)
    if len(banks) < len(read) or len({bank[0] for bank in banks}) < len(banks):
        problems.append(f"LASTRO_DEPOSIT_BANKS must be slug:code:ispb:branch:name of each bank once, not {text!r}.")
    elif "deposit" in has and not banks:
        problems.append("LASTRO_DEPOSIT_URL needs LASTRO_DEPOSIT_BANKS: the banks at which orders have accounts.")
    return Receiving(prefix, banks if "deposit" in has else ())
