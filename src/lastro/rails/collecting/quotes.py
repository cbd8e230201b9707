"""The rate of a crypto partner, fetched while a client waits."""

from __future__ import annotations

import re
from datetime import UTC
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import quote

import msgspec

from lastro.core.money import Money, MoneyError
from lastro.rails import port
from lastro.rails.collecting.wire import cut, person
from lastro.rails.messages import Instant, Malformed, code_or, decoded, instant, problem
from lastro.rails.network_client import Adapter
from lastro.rails.port import QUOTE_SECONDS, Permanent, Transient

if TYPE_CHECKING:
    from lastro.rails.network_client import NetworkClient

_LONGEST_LINK = 2048
# With up to 18 decimals, as most chains divide their assets (ERC-20, decimals()).
_DECIMAL = re.compile(r"(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?")
_ASSET = re.compile(r"[A-Z0-9]{2,12}")
# The app's own scheme, or an address; never what a browser runs.
_DEEPLINK = re.compile(r"(?!(?:javascript|data|file|vbscript|blob):)[a-z][a-z0-9+.-]*://[!-~]+")
_UNIVERSAL = re.compile(r"https?://[A-Za-z0-9.:\[\]_-]+(?:[/?#][!-~]*)?")  # no name before the host
_QR_TEXT = re.compile(r"[ -~]{1,512}")


class _Quote(msgspec.Struct, rename="camel"):
    reference: str
    amount: str
    asset: str
    asset_amount: str
    rate: str
    valid_until: Instant
    deeplink: str
    universal_url: str
    qrcode_data: str


class PartnerQuotes(Adapter):
    """A Quotes. rail: the partner's. line: to it, with our token there."""

    def __init__(self, rail: str, line: NetworkClient) -> None:
        super().__init__(line)
        self._path = f"/{rail}/v1/quotes"

    async def quote(self, wish: port.QuoteWish) -> port.Quote:
        """Returns the rate for a wish.

        422 is the partner's refusal; any other failure may be a rate when it is asked again.
        """
        path = f"{self._path}/{quote(wish.reference, safe='')}"
        answer = await self._line.ask("PUT", path, wished(wish), QUOTE_SECONDS)
        if answer.status not in (200, 201):
            code, reason = problem(answer.status, answer.body)
            if answer.status == 422:
                raise Permanent(code_or(code, f"HTTP{answer.status}"), reason)
            raise Transient(f"{code}: {reason}")
        try:
            return quoted(wish, answer.body)
        except Malformed as malformed:
            raise Transient(f"the rate cannot be read: {malformed}") from malformed


def wished(wish: port.QuoteWish) -> bytes:
    """Returns the request of a rate, always the same bytes."""
    return msgspec.json.encode(
        {
            "brand": wish.brand, "amount": str(wish.amount), "validUntil": instant(wish.valid_until),
            "description": cut(wish.description), "receiver": person(wish.receiver),
        }
    )  # fmt: skip


def quoted(wish: port.QuoteWish, body: bytes) -> port.Quote:
    """Returns the partner's answer to a wish. Malformed: it is none, or it answers another wish."""
    said = decoded(body, _Quote)
    try:
        amount = Money.parse(said.amount, wish.amount.currency)
    except MoneyError as wrong:
        raise Malformed("amount") from wrong
    if (said.reference, amount) != (wish.reference, wish.amount):
        raise Malformed("another quote than was asked for")
    forms = {
        "asset": _ASSET.fullmatch(said.asset), "assetAmount": _is_above_zero(said.asset_amount),
        "rate": _is_above_zero(said.rate), "deeplink": _is_link(_DEEPLINK, said.deeplink),
        "universalUrl": _is_link(_UNIVERSAL, said.universal_url), "qrcodeData": _QR_TEXT.fullmatch(said.qrcode_data),
    }  # fmt: skip
    for name, fits in forms.items():
        if not fits:
            raise Malformed(name)
    # A rate that holds longer than was asked is not shown for longer.
    until = min(said.valid_until.astimezone(UTC), wish.valid_until)
    return port.Quote(
        said.reference, amount, said.asset, said.asset_amount, said.rate, until, said.deeplink, said.universal_url,
        said.qrcode_data,
    )  # fmt: skip


def _is_above_zero(text: str) -> bool:
    return _DECIMAL.fullmatch(text) is not None and Decimal(text) > 0


def _is_link(form: re.Pattern[str], text: str) -> bool:
    return len(text) <= _LONGEST_LINK and form.fullmatch(text) is not None
