"""The rate of a crypto partner: how it is asked for, and which answers are one."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from tests.in_one import in_one_test

from lastro.core.money import Money
from lastro.rails import port
from lastro.rails.collecting import quotes
from lastro.rails.messages import Malformed
from lastro.standards.own_numbers import own_digits

NUMBER = own_digits(7, 1)
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
WISH = port.QuoteWish(
    NUMBER, "BINANCE", Money(10_000, "BRL"), NOW, port.Person("Ana " + "a" * 200, "CNPJ", "11222333000181"), "Pedido 1"
)
SAID = {
    "reference": NUMBER, "brand": "BINANCE", "amount": "100.00", "asset": "USDT", "assetAmount": "18.409077",
    "rate": "5.4321", "validUntil": "2026-11-20T12:00:00Z", "deeplink": "binance://pay/1",
    "universalUrl": "https://app.example/1", "qrcodeData": "https://app.example/1",
}  # fmt: skip


def test_a_wish_is_written() -> None:
    said = msgspec.json.decode(quotes.wished(WISH))
    assert (said["brand"], said["amount"], said["validUntil"]) == ("BINANCE", "100.00", "2026-11-20T12:00:00.000Z")
    assert (len(said["receiver"]["name"]), said["receiver"]["document"]["type"]) == (140, "CNPJ")
    assert quotes.wished(WISH) == quotes.wished(replace(WISH)), "asked again it is the same"


def test_a_quote_is_read() -> None:
    quote = quotes.quoted(WISH, msgspec.json.encode(SAID))
    assert (quote.reference, quote.amount, quote.asset_amount, quote.rate) == (NUMBER, WISH.amount, "18.409077", "5.4321")
    assert (quote.asset, quote.deeplink, quote.valid_until) == ("USDT", "binance://pay/1", NOW)
    longer = msgspec.json.encode(SAID | {"validUntil": "2026-11-20T14:00:00+01:00"})
    assert quotes.quoted(WISH, longer).valid_until == NOW, "no longer than was asked"
    shorter = quotes.quoted(WISH, msgspec.json.encode(SAID | {"validUntil": "2026-11-20T12:59:00+01:00"})).valid_until
    assert (shorter, shorter.tzinfo) == (NOW - timedelta(minutes=1), UTC)


@in_one_test(
    "changes",
    [
        {"reference": own_digits(7, 2)}, {"amount": "100.01"}, {"amount": "x"}, {"asset": ""}, {"asset": "usdt"},
        {"assetAmount": "0"}, {"assetAmount": "0.000"}, {"assetAmount": "-1"}, {"assetAmount": "1e3"}, {"assetAmount": "01"},
        {"rate": "0"}, {"rate": "5,43"}, {"rate": "1." + "1" * 19}, {"deeplink": "javascript://%0aalert(1)"},
        {"deeplink": "pay"}, {"deeplink": "a://" + "b" * 2048}, {"universalUrl": "ftp://app.example"},
        {"universalUrl": "https://app example"}, {"universalUrl": "javascript:alert(1)"}, {"qrcodeData": ""},
        {"qrcodeData": "é"}, {"qrcodeData": "x" * 513}, {"validUntil": "2026-11-20T12:00:00"},
    ],
)  # fmt: skip
def test_no_quote(changes: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        quotes.quoted(WISH, msgspec.json.encode(SAID | changes))
