"""What is said to the collecting bank, and what its movements mean."""

from datetime import UTC, date, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.core.money import Money
from lastro.rails import event_stream, port
from lastro.rails.boleto import wire
from lastro.rails.event_stream import read_batch
from lastro.rails.messages import Malformed
from lastro.standards.boleto_numbers import our_number

NUMBER = our_number(7, 1)
AT = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)
PAYMENT = {
    "sequence": 1, "id": "m-1", "type": "ANNOUNCED", "paymentId": "p-1", "nossoNumero": NUMBER, "amount": "100.00",
    "paidAt": "2026-11-23T13:00:00Z",
    "payer": {"name": "Bento", "document": {"type": "CPF", "number": "12345678909"}},
}  # fmt: skip
SETTLED = PAYMENT | {"type": "SETTLED", "settledAt": "2026-11-24T11:00:00Z"}
VOID = PAYMENT | {"type": "VOID", "code": "CHECK_RETURNED"}
RETURNED = {
    "sequence": 2, "id": "m-2", "type": "RETURNED", "returnId": "D1", "paymentId": "p-1", "nossoNumero": NUMBER,
    "amount": "40.00", "settledAt": "2026-11-24T11:00:00Z",
}  # fmt: skip
ORDER = port.CollectionOrder(
    NUMBER, Money(10_000, "BRL"),
    port.Person("Bento " + "b" * 200, "CPF", "12345678909", "Rua A, 1 - São Paulo"),
    port.Person("Ana Comercio Ltda", "CNPJ", "11222333000181"), "Pedido 1", "pedido-1",
    None, date(2026, 11, 26), date(2026, 11, 27), "9" * 44,
)  # fmt: skip


def read(**changes: Any) -> port.NetworkMessage:
    message = {name: value for name, value in (PAYMENT | changes).items() if value is not None}
    return event_stream.read(msgspec.json.encode(message), wire.READERS)


def test_a_slip_is_written() -> None:
    assert msgspec.json.decode(wire.written(ORDER)) == {
        "barcode": "9" * 44, "amount": "100.00", "dueDate": "2026-11-26", "payableUntil": "2026-11-27", "number": "pedido-1",
        "description": "Pedido 1",
        "beneficiary": {"name": "Ana Comercio Ltda", "document": {"type": "CNPJ", "number": "11222333000181"}},
        "payer": {"name": "Bento " + "b" * 134, "document": {"type": "CPF", "number": "12345678909"},
                  "address": "Rua A, 1 - São Paulo"},
    }  # fmt: skip
    assert wire.written(ORDER) == wire.written(ORDER)


def test_payments_are_read() -> None:
    told = read()
    assert (told.kind, told.network_id, told.subject, told.company_number) == ("collection.announced", "m-1", NUMBER, 7)
    payer = port.Person("Bento", "CPF", "12345678909")
    assert port.collected(told.body) == port.Collected("p-1", NUMBER, Money(10_000, "BRL"), AT, None, payer)
    told = event_stream.read(msgspec.json.encode(SETTLED), wire.READERS)
    settled = port.collected(told.body)
    assert (told.kind, settled.settled_at) == ("collection.settled", datetime(2026, 11, 24, 11, 0, tzinfo=UTC))
    told = event_stream.read(msgspec.json.encode(VOID), wire.READERS)
    assert (told.kind, told.company_number) == ("collection.void", 7)
    assert port.collection_void(told.body) == port.CollectionVoid("p-1", NUMBER, "CHECK_RETURNED")
    assert port.collected(read(payer=None).body).payer is None


def test_ends_of_returns_are_read() -> None:
    told = event_stream.read(msgspec.json.encode(RETURNED), wire.READERS)
    assert (told.kind, told.subject, told.company_number) == ("return.final", "D1", 7)
    assert port.return_final(told.body) == port.ReturnFinal(
        "D1", "p-1", settled=True, settled_at=datetime(2026, 11, 24, 11, 0, tzinfo=UTC), amount=Money(4000, "BRL")
    )
    refused = {k: v for k, v in RETURNED.items() if k != "settledAt"} | {"type": "RETURN_REJECTED", "code": "X"}
    assert port.return_final(event_stream.read(msgspec.json.encode(refused), wire.READERS).body) == port.ReturnFinal(
        "D1", "p-1", settled=False, code="X", amount=Money(4000, "BRL")
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "PROTEST"}, {"nossoNumero": "1" * 19}, {"nossoNumero": "9" * 20}, {"amount": "100.001"}, {"amount": "0.00"},
        {"amount": "-1.00"}, {"paidAt": "2026-11-23T13:00:00"}, {"paidAt": None}, {"settledAt": "2026-11-24T11:00:00Z"},
        {"type": "SETTLED"}, {"paymentId": ""}, {"paymentId": "p 1"}, {"payer": {"name": "Bento"}}, {"payer": 1},
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_kept_as_it_came(changes: dict[str, Any]) -> None:
    told = read(**changes)
    assert (told.kind, told.network_id, told.company_number) == ("unknown", "m-1", None)
    assert msgspec.json.decode(told.body)["sequence"] == 1


def test_what_has_no_usable_id_is_known_by_its_bytes() -> None:
    for name in (None, "", "a b", "x" * 65, 7):
        told = read(id=name)
        assert told.kind == "unknown"
        assert told.network_id.startswith("raw:")
        assert told.network_id == read(id=name).network_id != read(id=name, amount="1.00").network_id


def test_a_batch_says_where_it_ends() -> None:
    told, place = read_batch(msgspec.json.encode({"movements": [PAYMENT, RETURNED]}), wire.READERS)
    assert ([one.kind for one in told], place) == (["collection.announced", "return.final"], 2)
    assert read_batch(b'{"movements":[]}', wire.READERS) == ([], None)
    unread, place = read_batch(b'{"movements":[{"sequence":5}]}', wire.READERS)
    assert (unread[0].kind, place) == ("unknown", 5)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'{"movements":[{}]}',
        b'{"movements":[{"sequence":2},{"sequence":1}]}',
        b'{"movements":[{"sequence":"1"}]}',
    ],
)
def test_a_batch_that_cannot_be_confirmed(body: bytes) -> None:
    with pytest.raises(Malformed):
        read_batch(body, wire.READERS)


@pytest.mark.parametrize(
    ("changes", "ended"),
    [
        ({"status": "SETTLED"}, True), ({"status": "REJECTED", "code": "X", "settledAt": None}, True),
        ({"status": "PENDING", "settledAt": None}, False),
    ],
)  # fmt: skip
def test_the_status_of_a_return(changes: dict[str, Any], ended: bool) -> None:
    status = wire.return_status("D1", msgspec.json.encode(RETURNED | changes))
    assert isinstance(status, port.ReturnFinal if ended else port.Pending)


@pytest.mark.parametrize(
    "changes", [{}, {"status": "LOST"}, {"status": "SETTLED", "settledAt": None}, {"status": "SETTLED", "returnId": "D2"}]
)
def test_no_status_of_a_return(changes: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        wire.return_status("D1", msgspec.json.encode(RETURNED | changes))


@given(st.binary(max_size=60) | st.recursive(st.none() | st.text(max_size=4), lambda s: st.dictionaries(
    st.sampled_from(["id", "type", "sequence", "amount"]), s)).map(msgspec.json.encode))  # fmt: skip
def test_no_bytes_break_it(raw: bytes) -> None:
    assert event_stream.read(raw, wire.READERS).kind == "unknown"
