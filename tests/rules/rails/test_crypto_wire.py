"""What is said to the crypto partner and read of it; nothing that it may send breaks the reader."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.core.money import Money
from lastro.rails import event_stream, port
from lastro.rails.crypto import wire
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
PAYMENT = {
    "sequence": 1, "id": "m-1", "type": "SEEN", "paymentId": "p-1", "reference": NUMBER, "amount": "100.00",
    "seenAt": "2026-11-20T11:59:00Z",
}  # fmt: skip
SETTLED = PAYMENT | {"type": "SETTLED", "settledAt": "2026-11-20T12:00:00Z"}
RETURNED = {
    "sequence": 2, "id": "m-2", "type": "RETURNED", "returnId": "D1", "paymentId": "p-1", "reference": NUMBER,
    "settledAt": "2026-11-20T13:00:00Z",
}  # fmt: skip


def read(message: dict[str, Any], **changes: Any) -> port.NetworkMessage:
    made = {name: value for name, value in (message | changes).items() if value is not None}
    return event_stream.read(msgspec.json.encode(made), wire.READERS)


def test_a_wish_is_written() -> None:
    said = msgspec.json.decode(wire.wished(WISH))
    assert (said["brand"], said["amount"], said["validUntil"]) == ("BINANCE", "100.00", "2026-11-20T12:00:00.000Z")
    assert (len(said["receiver"]["name"]), said["receiver"]["document"]["type"]) == (140, "CNPJ")
    assert wire.wished(WISH) == wire.wished(replace(WISH)), "asked again it is the same"


def test_a_quote_is_read() -> None:
    quote = wire.quoted(WISH, msgspec.json.encode(SAID))
    assert (quote.reference, quote.amount, quote.asset_amount, quote.rate) == (NUMBER, WISH.amount, "18.409077", "5.4321")
    assert (quote.asset, quote.deeplink, quote.valid_until) == ("USDT", "binance://pay/1", NOW)
    longer = msgspec.json.encode(SAID | {"validUntil": "2026-11-20T14:00:00+01:00"})
    assert wire.quoted(WISH, longer).valid_until == NOW, "no longer than was asked"
    shorter = wire.quoted(WISH, msgspec.json.encode(SAID | {"validUntil": "2026-11-20T12:59:00+01:00"})).valid_until
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
        wire.quoted(WISH, msgspec.json.encode(SAID | changes))


def test_an_order_is_written() -> None:
    order = port.CollectionOrder(
        NUMBER, WISH.amount, port.Person("Bento", "CPF", "12345678909"), WISH.receiver, "Pedido 1", "pedido-1", NOW
    )
    assert msgspec.json.decode(wire.written(order)) == {
        "amount": "100.00", "number": "pedido-1", "expiresAt": "2026-11-20T12:00:00.000Z",
        "payer": {"name": "Bento", "document": {"type": "CPF", "number": "12345678909"}},
    }  # fmt: skip


@pytest.mark.parametrize(("status", "has"), [("QUOTED", False), ("OPEN", True), ("PAID", True), ("CLOSED", True)])
def test_whether_a_quote_has_its_order(status: str, has: bool) -> None:
    body = msgspec.json.encode({"reference": NUMBER, "status": status})
    assert wire.has_order(NUMBER, body) is has
    with pytest.raises(Malformed):
        wire.has_order(own_digits(7, 2), body)


def test_movements_are_read() -> None:
    seen, settled = (
        read(PAYMENT),
        read(SETTLED, payer={"name": "Bento", "document": {"type": "CPF", "number": "12345678909"}}),
    )
    assert (seen.kind, seen.network_id, seen.subject, seen.company_number) == ("collection.announced", "m-1", NUMBER, 7)
    at = datetime(2026, 11, 20, 11, 59, tzinfo=UTC)
    assert port.collected(seen.body) == port.Collected("p-1", NUMBER, Money(10_000, "BRL"), at)
    payer = port.Person("Bento", "CPF", "12345678909")
    assert port.collected(settled.body) == port.Collected("p-1", NUMBER, Money(10_000, "BRL"), at, NOW, payer)
    dropped = read(PAYMENT, type="DROPPED", code="REORGANIZED")
    assert (dropped.kind, port.collection_void(dropped.body).code) == ("collection.void", "REORGANIZED")
    back = port.return_final(read(RETURNED).body)
    assert (back.return_id, back.settled, back.end_to_end_id) == ("D1", True, "p-1")
    refused = port.return_final(read(RETURNED, type="RETURN_REJECTED", settledAt=None, code="X").body)
    assert (refused.settled, refused.code) == (False, "X")


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "SETTLED"}, {"settledAt": "2026-11-20T12:00:00Z"}, {"reference": "1"}, {"reference": "x" * 20},
        {"amount": "0.00"}, {"amount": "100.001"}, {"paymentId": "a b"}, {"seenAt": None}, {"type": "UNHEARD_OF"},
        {"type": "DROPPED", "reference": "9" * 20},
    ],
)  # fmt: skip
def test_what_is_not_understood_is_kept_as_it_came(changes: dict[str, Any]) -> None:
    assert read(PAYMENT, **changes).kind == "unknown"


@pytest.mark.parametrize(
    ("changes", "pending"), [({"status": "PENDING", "settledAt": None}, True), ({"status": "SETTLED"}, False)]
)
def test_the_status_of_a_return(changes: dict[str, Any], pending: bool) -> None:
    body = msgspec.json.encode(RETURNED | changes)
    assert isinstance(wire.return_status("D1", body), port.Pending) is pending
    for other in (("D2", body), ("D1", msgspec.json.encode(RETURNED | {"status": "DONE"}))):
        with pytest.raises(Malformed):
            wire.return_status(*other)


@given(st.binary(max_size=60) | st.recursive(st.none() | st.text(max_size=4), lambda s: st.dictionaries(
    st.sampled_from(["id", "type", "sequence", "amount"]), s)).map(msgspec.json.encode))  # fmt: skip
def test_no_bytes_break_it(raw: bytes) -> None:
    assert event_stream.read(raw, wire.READERS).kind == "unknown"
