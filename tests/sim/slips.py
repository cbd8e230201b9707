"""Slips as the institution on the stage registers them, and what it is told of them."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from lastro.standards import boleto, boleto_numbers
from lastro.standards.own_numbers import own_digits

from .orders import PAYER
from .stage import Message, Sim

MONDAY = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)  # 10:00 in Brasilia
DUE, LAST_DAY = date(2026, 11, 26), date(2026, 11, 27)


class Slip:
    """A slip of the company with number 7."""

    def __init__(self, sequence: int = 1, cents: int = 10_000, due: date = DUE, until: date = LAST_DAY) -> None:
        self.number = own_digits(7, sequence)
        self.path = f"/boleto/v1/charges/{self.number}"
        free_field = boleto_numbers.free_field("0001", self.number)
        self.barcode = boleto.barcode(boleto.Boleto(bank="990", free_field=free_field, amount_minor=cents, due_date=due))
        self.line = boleto.printed_line(boleto.digitable_line(self.barcode))
        self.body: dict[str, Any] = {
            "barcode": self.barcode, "amount": f"{cents // 100}.{cents % 100:02d}", "currency": "BRL",
            "dueDate": due.isoformat(), "expiresAt": f"{until + timedelta(days=1)}T02:59:59.999999Z",
            "payableUntil": until.isoformat(), "number": "pedido-1", "description": "Pedido 1",
            "beneficiary": {"name": PAYER["name"], "document": PAYER["document"]},
            "payer": {"name": "Bento", "document": {"type": "CPF", "number": "12345678909"}, "address": "Rua A, 1"},
        }  # fmt: skip

    async def register(self, sim: Sim, status: int = 201, **changes: Any) -> Message:
        answered = await sim.ask("PUT", self.path, self.body | changes)
        assert answered.status_code == status, answered.text
        found: Message = answered.json()
        return found

    async def pay(self, sim: Sim, **more: Any) -> Message:
        found: Message = await sim.act("/phone/pay", {"qrcodeData": self.line, **more})
        return found
