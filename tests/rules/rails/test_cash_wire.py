"""What networks of tills tell, read to the letter; what cannot be read is kept as it came."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from lastro.core.money import Money
from lastro.rails import event_stream, port
from lastro.rails.cash import wire

PAID = {
    "id": "m-1", "type": "SETTLED", "paymentId": "pay-1", "reference": "93345678901234", "amount": "100.00",
    "currency": "MXN", "paidAt": "2026-11-23T13:00:00Z", "settledAt": "2026-11-24T11:00:00Z",
}  # fmt: skip


def told(**changes: Any) -> port.NetworkMessage:
    fields = {name: value for name, value in (PAID | changes).items() if value is not None}
    return event_stream.read(json.dumps(fields).encode(), wire.READERS)


def test_a_payment() -> None:
    settled, announced = told(), told(type="ANNOUNCED", settledAt=None)
    assert (settled.kind, settled.network_id, settled.instrument) == (port.COLLECTION_SETTLED, "m-1", "93345678901234")
    assert port.collected(settled.body) == port.Collected(
        "pay-1", "93345678901234", Money(10_000, "MXN"), datetime(2026, 11, 23, 13, tzinfo=UTC),
        datetime(2026, 11, 24, 11, tzinfo=UTC),
    )  # fmt: skip
    assert (announced.kind, port.collected(announced.body).settled_at) == (port.COLLECTION_ANNOUNCED, None)


def test_a_void() -> None:
    void = told(type="VOID", code="NOT_SETTLED")
    assert void.kind == port.COLLECTION_VOID
    assert port.collection_void(void.body) == port.CollectionVoid("pay-1", "93345678901234", "NOT_SETTLED")
    assert void.instrument == "93345678901234"


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "RETURNED"}, {"settledAt": None}, {"type": "ANNOUNCED"}, {"currency": "BRL"}, {"currency": None},
        {"amount": "0.00"}, {"amount": "100.001"}, {"amount": 100}, {"paymentId": ""}, {"paymentId": "a b"},
        {"reference": ""}, {"reference": "9334567890123X"}, {"reference": None}, {"paidAt": "2026-11-23T13:00:00"},
    ],
)  # fmt: skip
def test_what_cannot_be_read(changes: dict[str, Any]) -> None:
    assert told(**changes).kind == port.UNKNOWN


def test_what_is_said_of_a_voucher() -> None:
    order = port.CollectionOrder(
        "93345678901234", Money(10_000, "MXN"), port.Person("L" * 200, "RFC", "NUXL900101AB1"),
        port.Person("Ana Flores Ltda", "CNPJ", "11222333000181"), "Flores", "book-1",
        datetime(2026, 11, 26, 13, 0, 0, 123456, tzinfo=UTC),
    )  # fmt: skip
    assert json.loads(wire.written(order)) == {
        "amount": "100.00", "currency": "MXN", "expiresAt": "2026-11-26T13:00:00.123Z", "orderNumber": "book-1",
        "description": "Flores", "merchant": "Ana Flores Ltda",
        "customer": {"name": "L" * 140, "document": {"type": "RFC", "number": "NUXL900101AB1"}},
    }  # fmt: skip
