"""The rules for payable charges at a location: pure."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lastro.core.money import Money
from lastro.http_client import is_loopback
from lastro.rails.port import Charge, NoCharge
from lastro.standards import payload

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

OVER = NoCharge("EXPIRED", "is expired, paid or withdrawn")
DUE_DATE = NoCharge("NOT_SUPPORTED", "is a charge with a due date, which is not paid from here")
WITHDRAWAL = NoCharge("NOT_SUPPORTED", "is a withdrawal of cash or change, which is not paid from here")
NOT_OURS = NoCharge("INVALID", "names an address of ours where no charge is")
_OUR_PATH = re.compile(r"/qr/v2/([0-9A-Za-z]{22})\Z")
_DUE_DATE_PATH = re.compile(r"/cobv/[^/]*\Z")


def unfit(text: str) -> NoCharge:
    """Returns a QR whose charge cannot be believed."""
    return NoCharge("INVALID", text)


def judged(body: bytes, now: datetime) -> Charge | NoCharge:
    """Returns the charge that signed bytes describe, at business time `now`. Source: API Pix 2.9.0, CobPayload."""
    try:
        said = payload.decode(body)
    except payload.WithdrawalError:
        return WITHDRAWAL
    except payload.PayloadError as broken:
        return unfit(f"its charge cannot be read: {broken}")
    if said.status != "ATIVA" or now > said.created_at + timedelta(seconds=said.expiration):
        return OVER
    asks = said.amount.strip("0.") != ""  # 0.00: the payer types it
    return Charge(said.key, Money.parse(said.amount, "BRL") if asks else None, said.txid, said.open_amount)


def our_token(location: str, hosts: Collection[str]) -> str | None:
    """Returns the token of a location on a host of ours; "" where that path has no charges, None where the host is
    another's.
    """
    host, slash, path = location.partition("/")
    name = host.lower().removesuffix(".")
    if name not in hosts and name.removesuffix(":443").removesuffix(".") not in hosts:
        return None
    found = _OUR_PATH.search(slash + path)
    return "" if found is None else found[1]


def has_due_date(location: str) -> bool:
    """Tells whether a location's charge has a due date. Its path tells it (API Pix 2.9.0)."""
    return _DUE_DATE_PATH.search(location.partition("?")[0]) is not None


def url_of(location: str, *, sandbox: bool) -> str:
    """Returns the URL to fetch: https, and http of this machine alone in a sandbox."""
    try:
        host = urlsplit(f"//{location}").hostname or ""
    except ValueError:
        host = ""
    plain = sandbox and (host == "localhost" or is_loopback(host))
    return f"{'http' if plain else 'https'}://{location}"


def host_of(url: str) -> str:
    """Returns host and port of a URL, as participants register them. "": it has none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    usual = {"https": 443, "http": 80}.get(parts.scheme)
    name = parts.netloc.rpartition("@")[2].lower()
    return name.removesuffix(f":{port}") if port == usual else name
