"""Settings of networks' and partners' addresses and secrets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from lastro.config.given import Given
    from lastro.core.secrets import Secret

_BRAND = re.compile(r"[A-Z0-9]{2,16}")
_CLABE_PREFIX = re.compile(r"[0-9]{6}")
_DEPOSIT_BANK = re.compile(r"([a-z0-9-]{1,40}):([0-9]{3}):([0-9A-Z]{8}):([0-9]{4}):([^:;]{1,140})")


@dataclass(frozen=True, slots=True)
class Partner:
    """A partner's address without a final slash, and our token there."""

    url: str
    token: Secret


class Receiving(NamedTuple):
    """The banks that receive transfers. clabe_prefix: six digits. banks: slug, code, ispb, branch, name of each."""

    clabe_prefix: str
    banks: tuple[tuple[str, ...], ...]


def partners(rails: Iterable[str], given: Given) -> dict[str, Partner]:
    """Reads the collecting partners by rail, from LASTRO_<RAIL>_URL and _TOKEN.

    A method without a partner is not offered.
    """
    found = {}
    for rail in rails:
        name = f"LASTRO_{rail.upper()}"
        if url := given.address(f"{name}_URL"):
            found[rail] = Partner(url, given.secret(f"{name}_TOKEN", needed=not given.is_sandbox))
    if "boleto" in found and not given.is_sandbox and not given.text("LASTRO_COMPE"):
        given.problems.append("LASTRO_BOLETO_URL needs a LASTRO_COMPE: the bar code of a slip begins with it.")
    return found


def crypto_brands(given: Given, *, has_partner: bool) -> tuple[str, ...]:
    """Reads the crypto apps' brands, each a method `<BRAND>_PAY`. has_partner: of crypto."""
    text = given.text("LASTRO_CRYPTO_BRANDS")
    brands = tuple(part.strip() for part in text.split(",") if part.strip())
    if any(_BRAND.fullmatch(brand) is None for brand in brands):
        given.problems.append(f"LASTRO_CRYPTO_BRANDS must be names of 2 to 16 capital letters and digits, not {text!r}.")
    if brands and not has_partner:
        given.problems.append(
            "LASTRO_CRYPTO_BRANDS needs a LASTRO_CRYPTO_URL or LASTRO_CRYPTO2_URL: they quote and collect."
        )
    if has_partner and not brands:
        given.problems.append("LASTRO_CRYPTO_URL and LASTRO_CRYPTO2_URL need LASTRO_CRYPTO_BRANDS: each is a method.")
    return brands


def transfers(given: Given, has: Collection[str]) -> Receiving:
    """Reads the banks that receive transfers.

    LASTRO_CLABE_PREFIX: bank and plaza of our CLABEs. LASTRO_DEPOSIT_BANKS: `slug:code:ispb:branch:name`, one behind the
    other with `;` between, the default one first. has: the rails that have a partner.
    """
    prefix = given.text("LASTRO_CLABE_PREFIX")
    if (prefix or "spei" in has) and _CLABE_PREFIX.fullmatch(prefix) is None:
        given.problems.append(f"LASTRO_CLABE_PREFIX must be the six digits of bank and plaza of our CLABEs, not {prefix!r}.")
    text = given.text("LASTRO_DEPOSIT_BANKS")
    read = [_DEPOSIT_BANK.fullmatch(part.strip()) for part in text.split(";") if part.strip()]
    banks = tuple(tuple(field.strip() for field in one.groups()) for one in read if one is not None)
    if len(banks) < len(read) or len({bank[0] for bank in banks}) < len(banks):
        given.problems.append(f"LASTRO_DEPOSIT_BANKS must be slug:code:ispb:branch:name of each bank once, not {text!r}.")
    elif "deposit" in has and not banks:
        given.problems.append("LASTRO_DEPOSIT_URL needs LASTRO_DEPOSIT_BANKS: the banks at which orders have accounts.")
    return Receiving(prefix, banks if "deposit" in has else ())
