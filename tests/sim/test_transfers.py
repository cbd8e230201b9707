"""Banks of account numbers: opened for orders, paid in any amount and as often as people like, closed, given back."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from .orders import set_clock
from .stage import Message, Sim

MONDAY = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)
PERSON = {"name": "Lucía", "document": {"type": "CURP", "number": "NUXL900101MDFXXC09"}}
BODY: dict[str, Any] = {
    "amount": "100.00", "expiresAt": "2026-11-26T13:00:00.000Z", "number": "pedido-1", "description": "Pedido 1",
    "beneficiary": PERSON, "payer": PERSON,
}  # fmt: skip
BANKS = {
    "spei": ("clabes", "clabe", "990180000000000010", "MXN"),
    "deposit": ("accounts", "account", "9910001000000000000", "BRL"),
}


class Account:
    """An account number of a bank."""

    def __init__(self, sim: Sim, bank: str = "spei") -> None:
        self.sim, self.bank = sim, bank
        accounts, self.field, self.number, self.currency = BANKS[bank]
        self.path = f"/{bank}/v1/{accounts}/{self.number}"

    async def open(self, status: int = 201, **changes: Any) -> Message:
        answered = await self.sim.ask("PUT", self.path, BODY | {"currency": self.currency} | changes)
        assert answered.status_code == status, answered.text
        found: Message = answered.json()
        return found

    async def pay(self, **more: Any) -> Message:
        found: Message = await self.sim.act("/phone/pay", {"qrcodeData": self.number, **more})
        return found

    async def fault(self, behaviour: str, **more: Any) -> None:
        match = {"reference": self.number}
        await self.sim.act("/faults", {"operation": self.bank, "behaviour": behaviour, "match": match, **more})

    async def told(self) -> list[Message]:
        answered = await self.sim.http.get(f"/{self.bank}/v1/movements", headers=self.sim.authorized)
        assert answered.status_code == 200, answered.text
        found: list[Message] = answered.json()["movements"]
        return found

    async def give_back(self, payment_id: str, amount: str, return_id: str = "D1", status: int = 201) -> Message:
        body = {"paymentId": payment_id, "amount": amount, "reason": "MD06"}
        answered = await self.sim.ask("PUT", f"/{self.bank}/v1/returns/{return_id}", body)
        assert answered.status_code == status, answered.text
        found: Message = answered.json()
        return found


@pytest.mark.parametrize("bank", BANKS)
async def test_any_amount_comes_at_once(sim: Sim, bank: str) -> None:
    await set_clock(sim, MONDAY)
    account = Account(sim, bank)
    assert (await account.open())["status"] == "REGISTERED"
    assert (await account.open(200))["status"] == "REGISTERED", "the same again"
    assert (await account.open(409, amount="1.00"))["error"] == "REFERENCE_DIFFERS"
    typed = f"{account.number[:3]} {account.number[3:7]}-{account.number[7:]}"
    read = await sim.act("/phone/read", {"qrcodeData": typed})
    assert (read["kind"], read["amount"], read["currency"]) == (bank.upper(), "100.00", account.currency)
    paid = [await account.pay(**({} if value is None else {"amount": value})) for value in ("40.00", "70.00", None)]
    assert {one["status"] for one in paid} == {"SETTLED"}
    told = await account.told()
    assert [(one["type"], one["amount"]) for one in told] == [("SETTLED", v) for v in ("40.00", "70.00", "100.00")]
    assert told[0] | {"id": "", "paidAt": ""} == {
        "sequence": 1, "id": "", "type": "SETTLED", "paymentId": paid[0]["paymentId"], account.field: account.number,
        "amount": "40.00", "currency": account.currency, "paidAt": "", "settledAt": told[0]["paidAt"],
        "payer": {"name": "Pessoa Pagadora", "document": {"type": "CPF", "number": "12345678909"}},
        "registered": told[0]["registered"],
    }  # fmt: skip
    assert (told[0]["registered"]["amount"], told[0]["registered"]["number"]) == ("100.00", "pedido-1")
    if bank == "spei":
        assert len(paid[0]["paymentId"]) == 30
        assert paid[0]["paymentId"].isalnum(), "a clave de rastreo"


async def test_it_is_given_back_in_parts_and_never_more(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    account = Account(sim)
    await account.open()
    paid = (await account.pay(amount="100.00"))["paymentId"]
    assert (await account.give_back(paid, "60.00"))["status"] == "SETTLED"
    assert (await account.give_back(paid, "60.00", status=200))["status"] == "SETTLED"
    assert (await account.give_back(paid, "40.01", "D2", 422))["error"] == "MORE_THAN_PAID"
    await sim.act("/faults", {"operation": "return", "behaviour": "reject", "code": "03"})
    assert (await account.give_back(paid, "40.00", "D3"))["code"] == "03"
    *_, back, refused = await account.told()
    assert (back["type"], back["returnId"], back["clabe"]) == ("RETURNED", "D1", account.number)
    assert (refused["type"], refused["code"]) == ("RETURN_REJECTED", "03")
    assert (await sim.ask("GET", "/spei/v1/returns/D1")).json()["status"] == "SETTLED"
    assert (await sim.ask("GET", "/spei/v1/returns/D9")).status_code == 404


async def test_what_is_closed_or_over_takes_nothing_but_under_a_fault(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    account = Account(sim)
    await account.open()
    await set_clock(sim, MONDAY + timedelta(days=3, seconds=1))
    assert (await account.pay())["code"] == "EXPIRED"
    closed = await sim.ask("POST", f"{account.path}/close")
    assert closed.json()["status"] == "CLOSED"
    assert (await account.pay())["code"] == "CHARGE_REMOVED"
    await account.fault("late")
    assert (await account.pay(amount="1.00"))["status"] == "SETTLED"


@pytest.mark.parametrize(
    ("changes", "status", "error"),
    [
        ({"currency": "USD"}, 400, "INVALID_REQUEST"),
        ({"amount": 100}, 400, "INVALID_REQUEST"),
        ({"expiresAt": "2026-11-26"}, 400, "INVALID_REQUEST"),
        ({"beneficiary": None}, 400, "INVALID_REQUEST"),
        ({"expiresAt": "2026-11-23T12:59:59.000Z"}, 422, "TERM_OVER"),
        ({"amount": "7008.01"}, 422, "REGISTRATION_REFUSED"),
        ({"amount": "7008.02"}, 503, None),
    ],
)
async def test_what_is_refused(sim: Sim, changes: dict[str, Any], status: int, error: str | None) -> None:
    await set_clock(sim, MONDAY)
    answered = await Account(sim).open(status, **changes)
    assert error in (None, answered.get("error"))


async def test_magic_and_faults_of_its_payment(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    account = Account(sim, "deposit")
    await account.open(amount="7008.04")
    await account.pay()
    assert len(await account.told()) == 2
    for wrong in ("slow", "void"):
        answered = await sim.http.post("/faults", json={"operation": "deposit", "behaviour": wrong})
        assert answered.status_code == 400, "nothing is announced there"
