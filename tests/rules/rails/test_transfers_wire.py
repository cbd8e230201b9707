"""What banks of account numbers tell, read to the letter; what cannot be read is kept as it came."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from lastro.core.money import Money
from lastro.rails import event_stream, port
from lastro.rails.messages import Malformed
from lastro.rails.transfers import wire
from lastro.rails.transfers.dialects import DEPOSIT, SPEI, Dialect
from lastro.standards import clabe, receiving_accounts

CLABE = str(clabe.Clabe("990", "180", clabe.own_account(7)))
ACCOUNT = str(receiving_accounts.own("991", "0001", 7))
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
PAID = {
    "id": "m-1", "type": "SETTLED", "paymentId": "MB0011A", "amount": "100.00", "paidAt": "2026-11-23T12:00:00Z",
    "settledAt": "2026-11-23T12:00:00Z",
    "payer": {"name": "Lucía", "document": {"type": "CURP", "number": "NUXL900101MDFXXC09"}},
}  # fmt: skip
OF_SPEI, OF_DEPOSIT = {"clabe": CLABE, "currency": "MXN"}, {"account": ACCOUNT, "currency": "BRL"}
BACK = {"id": "m-2", "type": "RETURNED", "returnId": "D1", "paymentId": "MB0011A", "settledAt": "2026-11-23T12:00:00Z"}


def told(dialect: Dialect, message: dict[str, Any], **changes: Any) -> port.NetworkMessage:
    fields = {name: value for name, value in (message | changes).items() if value is not None}
    return event_stream.read(json.dumps(fields).encode(), wire.readers(dialect))


@pytest.mark.parametrize(("dialect", "of"), [(SPEI, OF_SPEI), (DEPOSIT, OF_DEPOSIT)])
def test_a_transfer(dialect: Dialect, of: dict[str, str]) -> None:
    settled = told(dialect, PAID | of)
    number = of[dialect.field]
    assert (settled.kind, settled.network_id, settled.subject) == (port.COLLECTION_SETTLED, "m-1", number)
    assert settled.instrument == number
    assert port.collected(settled.body) == port.Collected(
        "MB0011A", number, Money(10_000, of["currency"]), NOON, NOON, port.Person("Lucía", "CURP", "NUXL900101MDFXXC09")
    )
    assert port.collected(told(dialect, PAID | of, payer=None).body).payer is None


def test_a_return_that_went_out_and_one_that_did_not() -> None:
    back = told(SPEI, BACK | OF_SPEI)
    assert (back.kind, back.subject, back.instrument) == (port.RETURN_FINAL, "D1", CLABE)
    assert port.return_final(back.body) == port.ReturnFinal("D1", "MB0011A", settled=True, settled_at=NOON)
    refused = told(SPEI, BACK | OF_SPEI, type="RETURN_REJECTED", settledAt=None, code="03")
    assert port.return_final(refused.body) == port.ReturnFinal("D1", "MB0011A", settled=False, code="03")


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "ANNOUNCED"}, {"type": "VOID"}, {"settledAt": None}, {"currency": "BRL"}, {"currency": None},
        {"amount": "0.00"}, {"amount": "100.001"}, {"amount": 100}, {"paymentId": ""}, {"paymentId": "a b"},
        {"clabe": None}, {"clabe": CLABE[:17]}, {"clabe": CLABE[:17] + str((int(CLABE[17]) + 1) % 10)},
        {"clabe": None, "account": ACCOUNT}, {"paidAt": "2026-11-23T12:00:00"}, {"payer": {"name": "Lucía"}},
    ],
)  # fmt: skip
def test_what_cannot_be_read(changes: dict[str, Any]) -> None:
    assert told(SPEI, PAID | OF_SPEI, **changes).kind == port.UNKNOWN


@pytest.mark.parametrize("changes", [{"type": "RETURN_REJECTED"}, {"settledAt": None}, {"clabe": "x"}])
def test_which_returns_cannot_be_read(changes: dict[str, Any]) -> None:
    assert told(SPEI, BACK | OF_SPEI, **changes).kind == port.UNKNOWN


def test_what_is_said_of_an_account_number() -> None:
    order = port.CollectionOrder(
        CLABE, Money(10_000, "MXN"), port.Person("L" * 200, "RFC", "NUXL900101AB1"),
        port.Person("Ana Flores Ltda", "CNPJ", "11222333000181"), "Flores", "book-1",
        datetime(2026, 11, 26, 13, 0, 0, 123456, tzinfo=UTC),
    )  # fmt: skip
    assert json.loads(wire.written(order)) == {
        "amount": "100.00", "currency": "MXN", "expiresAt": "2026-11-26T13:00:00.123Z", "number": "book-1",
        "description": "Flores",
        "beneficiary": {"name": "Ana Flores Ltda", "document": {"type": "CNPJ", "number": "11222333000181"}},
        "payer": {"name": "L" * 140, "document": {"type": "RFC", "number": "NUXL900101AB1"}},
    }  # fmt: skip
    back = port.ReturnOrder("D1", "MB0011A", Money(1, "MXN"), "MD06")
    assert json.loads(wire.returned(back)) == {"paymentId": "MB0011A", "amount": "0.01", "reason": "MD06"}


@pytest.mark.parametrize(
    ("status", "settled"), [("PENDING", None), ("SETTLED", True), ("REJECTED", False)]
)  # fmt: skip
def test_what_became_of_a_return(status: str, settled: bool | None) -> None:
    answer = {name: value for name, value in BACK.items() if name not in ("id", "type")} | {"status": status}
    if not settled:
        del answer["settledAt"]
    found = wire.return_status("D1", json.dumps(answer).encode())
    assert (found.settled if isinstance(found, port.ReturnFinal) else None) == settled
    for wrong in (answer | {"returnId": "D2"}, answer | {"status": "X"}):
        with pytest.raises(Malformed):
            wire.return_status("D1", json.dumps(wrong).encode())
