"""What is said to every partner that collects, and what its movements mean, read to the letter."""

from datetime import UTC, date, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.core.money import Money
from lastro.rails import event_stream, port
from lastro.rails.collecting import PARTNERS, wire
from lastro.rails.event_stream import read_batch
from lastro.rails.messages import Malformed
from lastro.standards import clabe, receiving_accounts
from lastro.standards.own_numbers import own_digits

NUMBER = OWN = own_digits(7, 1)
CLABE = str(clabe.Clabe("990", "180", clabe.own_account(7)))
ACCOUNT = str(receiving_accounts.own("991", "0001", 7))
VOUCHER = "93345678901234"
# By rail: a reference of ours, texts that are none, its currency, and whether the reference names a company.
RAILS: dict[str, tuple[str, tuple[str, ...], str, bool]] = {
    port.BOLETO: (NUMBER, ("1" * 19, "9" * 20), "BRL", True),
    **dict.fromkeys((port.CRYPTO, port.CRYPTO2), (OWN, ("1", "x" * 20, "9" * 20), "BRL", True)),
    port.CARD: (OWN, ("1", "x" * 20, "9" * 20), "MXN", True),
    port.SPEI: (CLABE, (CLABE[:17], CLABE[:17] + str((int(CLABE[17]) + 1) % 10), ACCOUNT), "MXN", False),
    port.DEPOSIT: (ACCOUNT, (ACCOUNT[:18], CLABE), "BRL", False),
    **dict.fromkeys((port.OXXO, port.OXXOPAY, port.PAYNET, port.PAYNET2), (VOUCHER, ("", VOUCHER[:-1] + "X"), "MXN", False)),
}
TILLS = (port.OXXO, port.OXXOPAY, port.PAYNET, port.PAYNET2)
AT_ONCE = (port.SPEI, port.DEPOSIT, port.CARD)  # nothing is announced there
AT, LATER = datetime(2026, 11, 23, 13, 0, tzinfo=UTC), datetime(2026, 11, 24, 11, 0, tzinfo=UTC)
PAYMENT: dict[str, Any] = {
    "sequence": 1, "id": "m-1", "type": "ANNOUNCED", "paymentId": "p-1", "amount": "100.00", "paidAt": "2026-11-23T13:00:00Z",
    "payer": {"name": "Bento", "document": {"type": "CPF", "number": "12345678909"}},
}  # fmt: skip
SETTLED = {"type": "SETTLED", "settledAt": "2026-11-24T11:00:00Z"}
RETURNED: dict[str, Any] = {
    "sequence": 2, "id": "m-2", "type": "RETURNED", "returnId": "D1", "paymentId": "p-1", "amount": "40.00",
    "settledAt": "2026-11-24T11:00:00Z",
}  # fmt: skip
BENTO = port.Person("Bento", "CPF", "12345678909")
ORDER = port.CollectionOrder(
    NUMBER, Money(10_000, "BRL"), port.Person("Bento " + "b" * 200, "CPF", "12345678909", "Rua A, 1 - São Paulo"),
    port.Person("Ana Comercio Ltda", "CNPJ", "11222333000181"), "Pedido 1", "pedido-1",
    datetime(2026, 11, 26, 13, 0, 0, 123456, tzinfo=UTC), date(2026, 11, 26), date(2026, 11, 27), "9" * 44,
    port.CardOrder("tok", 3, "http://shop.test", email="b@example.com"),
)  # fmt: skip


def of(rail: str, message: dict[str, Any], **changes: Any) -> dict[str, Any]:
    said = {"reference": RAILS[rail][0], "currency": RAILS[rail][2]} | message | changes
    return {name: value for name, value in said.items() if value is not None}


def read(rail: str, message: dict[str, Any], **changes: Any) -> port.NetworkMessage:
    return event_stream.read(msgspec.json.encode(of(rail, message, **changes)), wire.readers(PARTNERS[rail]))


@in_one_test("rail", [*RAILS])
def test_an_instrument_is_written(rail: str) -> None:
    ana, bento = ({"name": name, "document": {"type": kind, "number": number}} for name, kind, number in (
        ("Ana Comercio Ltda", "CNPJ", "11222333000181"), ("Bento " + "b" * 134, "CPF", "12345678909"),
    ))  # fmt: skip
    more: dict[str, dict[str, Any]] = {
        port.BOLETO: {
            "barcode": "9" * 44, "dueDate": "2026-11-26", "payableUntil": "2026-11-27",
            "payer": bento | {"address": "Rua A, 1 - São Paulo"},
        },
        port.CARD: {
            "token": "tok", "installments": 3, "returnUrl": "http://shop.test", "skip3ds": False,
            "payer": bento | {"address": "Rua A, 1 - São Paulo", "email": "b@example.com", "phone": None, "ip": None},
        },
    }  # fmt: skip
    assert msgspec.json.decode(wire.written(PARTNERS[rail], ORDER)) == {
        "amount": "100.00", "currency": "BRL", "expiresAt": "2026-11-26T13:00:00.123Z", "number": "pedido-1",
        "description": "Pedido 1", "beneficiary": ana, "payer": bento, **more.get(rail, {}),
    }  # fmt: skip
    assert wire.written(PARTNERS[rail], ORDER) == wire.written(PARTNERS[rail], ORDER)


def test_a_return_is_written() -> None:
    back = port.ReturnOrder("D1", "p-1", Money(1, "MXN"), "MD06")
    assert msgspec.json.decode(wire.returned(back)) == {"paymentId": "p-1", "amount": "0.01", "reason": "MD06"}


@in_one_test("rail", [*RAILS])
def test_payments_are_read(rail: str) -> None:
    reference, _, currency, names_company = RAILS[rail]
    told = read(rail, PAYMENT, **SETTLED)
    assert (told.kind, told.network_id, told.subject, told.rail) == ("collection.settled", "m-1", reference, rail)
    assert (told.company_number, told.instrument) == ((7, None) if names_company else (None, reference))
    collected = port.Collected("p-1", reference, Money(10_000, currency), AT, LATER, BENTO)
    assert port.collected(told.body) == collected
    assert port.collected(read(rail, PAYMENT, payer=None, **SETTLED).body).payer is None
    announced, void = read(rail, PAYMENT), read(rail, PAYMENT, type="VOID", code="CHECK_RETURNED")
    if rail in AT_ONCE:
        assert (announced.kind, void.kind) == ("unknown", "unknown")
        return
    assert (announced.kind, port.collected(announced.body).settled_at) == ("collection.announced", None)
    assert (void.kind, void.company_number, void.instrument) == ("collection.void", told.company_number, told.instrument)
    assert port.collection_void(void.body) == port.CollectionVoid("p-1", reference, "CHECK_RETURNED")


@in_one_test("rail", [*RAILS])
def test_ends_of_returns_are_read(rail: str) -> None:
    told = read(rail, RETURNED)
    if rail in TILLS:
        assert told.kind == "unknown"
        return
    reference, _, currency, names_company = RAILS[rail]
    assert (told.kind, told.subject) == ("return.final", "D1")
    assert (told.company_number, told.instrument) == ((7, None) if names_company else (None, reference))
    given = port.ReturnFinal("D1", "p-1", settled=True, settled_at=LATER, amount=Money(4000, currency))
    assert port.return_final(told.body) == given
    unsaid = read(rail, RETURNED, amount=None, currency=None)
    assert port.return_final(unsaid.body) == port.ReturnFinal("D1", "p-1", settled=True, settled_at=LATER)
    refused = read(rail, RETURNED, type="RETURN_REJECTED", settledAt=None, code="X")
    assert port.return_final(refused.body) == port.ReturnFinal(
        "D1", "p-1", settled=False, code="X", amount=Money(4000, currency)
    )
    for changes in ({"type": "RETURN_REJECTED"}, {"settledAt": None}, {"reference": RAILS[rail][1][0]}):
        assert read(rail, RETURNED, **changes).kind == "unknown", changes


UNREAD: list[dict[str, Any]] = [
    {"type": "PROTEST"}, {"type": "UNHEARD_OF"}, {"amount": "100.001"}, {"amount": "0.00"}, {"amount": "-1.00"}, {"amount": 100},
    {"currency": "USD"}, {"currency": None}, {"paidAt": "2026-11-23T13:00:00"}, {"paidAt": None}, {"settledAt": None},
    {"type": "ANNOUNCED"}, {"type": "VOID", "reference": "y"}, {"paymentId": ""}, {"paymentId": "p 1"}, {"reference": None},
    {"payer": {"name": "Bento"}}, {"payer": 1}, {"type": "VOID", "code": "X" * 65},
]  # fmt: skip


@in_one_test("rail", [*RAILS])
def test_what_cannot_be_read_is_kept_as_it_came(rail: str) -> None:
    other = {"BRL": "MXN", "MXN": "BRL"}[RAILS[rail][2]]
    for changes in (*UNREAD, {"currency": other}, *({"reference": text} for text in RAILS[rail][1])):
        told = read(rail, PAYMENT | SETTLED, **changes)
        assert (told.kind, told.network_id, told.company_number, told.instrument) == ("unknown", "m-1", None, None), changes
        assert msgspec.json.decode(told.body)["sequence"] == 1


def test_what_has_no_usable_id_is_known_by_its_bytes() -> None:
    for name in (None, "", "a b", "x" * 65, 7):
        told = read(port.BOLETO, PAYMENT, id=name)
        assert told.kind == "unknown"
        assert told.network_id.startswith("raw:")
        again, another = read(port.BOLETO, PAYMENT, id=name), read(port.BOLETO, PAYMENT, id=name, amount="1.00")
        assert told.network_id == again.network_id != another.network_id


def test_a_batch_says_where_it_ends() -> None:
    readers = wire.readers(PARTNERS[port.BOLETO])
    batch = {"movements": [of(port.BOLETO, PAYMENT), of(port.BOLETO, RETURNED)]}
    told, place = read_batch(msgspec.json.encode(batch), readers)
    assert ([one.kind for one in told], place) == (["collection.announced", "return.final"], 2)
    assert read_batch(b'{"movements":[]}', readers) == ([], None)
    unread, place = read_batch(b'{"movements":[{"sequence":5}]}', readers)
    assert (unread[0].kind, place) == ("unknown", 5)


@in_one_test(
    "body",
    [
        b"", b"[]", b'{"movements":[{}]}', b'{"movements":[{"sequence":2},{"sequence":1}]}',
        b'{"movements":[{"sequence":"1"}]}',
    ],
)  # fmt: skip
def test_a_batch_that_cannot_be_confirmed(body: bytes) -> None:
    with pytest.raises(Malformed):
        read_batch(body, wire.readers(PARTNERS[port.BOLETO]))


@in_one_test("rail", [rail for rail in RAILS if rail not in TILLS])
def test_the_status_of_a_return(rail: str) -> None:
    def status(**changes: Any) -> port.NetworkMessage | port.Pending:
        return wire.return_status(PARTNERS[rail], "D1", msgspec.json.encode(of(rail, RETURNED, **changes)))

    for changes, settled in (({"status": "SETTLED"}, True), ({"status": "REJECTED", "code": "X", "settledAt": None}, False)):
        told = status(**changes)
        assert isinstance(told, port.NetworkMessage)
        assert (told.kind, told.subject, port.return_final(told.body).settled) == ("return.final", "D1", settled)
    assert isinstance(status(status="PENDING", settledAt=None), port.Pending)
    for wrong in ({}, {"status": "LOST"}, {"status": "SETTLED", "settledAt": None}, {"status": "SETTLED", "returnId": "D2"}):
        with pytest.raises(Malformed):
            status(**wrong)


@given(st.binary(max_size=60) | st.recursive(st.none() | st.text(max_size=4), lambda s: st.dictionaries(
    st.sampled_from(["id", "type", "sequence", "amount"]), s)).map(msgspec.json.encode))  # fmt: skip
def test_no_bytes_break_it(raw: bytes) -> None:
    for partner in PARTNERS.values():
        assert event_stream.read(raw, wire.readers(partner)).kind == "unknown"
