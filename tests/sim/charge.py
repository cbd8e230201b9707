"""What somebody may pay at a partner that collects, registered and paid there, and what the partner tells of it."""

from datetime import timedelta
from typing import Any

from .orders import set_clock
from .slips import MONDAY, Slip
from .stage import Message, Sim, until

RETURN = "D99999010202611271300" + 11 * "a"
PERSON = {"name": "Lucía", "document": {"type": "CURP", "number": "NUXL900101MDFXXC09"}}
BODY: dict[str, Any] = {
    "amount": "100.00", "expiresAt": "2026-11-26T13:00:00.000Z", "number": "pedido-1", "description": "Pedido 1",
    "beneficiary": PERSON, "payer": PERSON,
}  # fmt: skip
PAYER = {"name": "Pessoa Pagadora", "document": {"type": "CPF", "number": "12345678909"}}
# By partner: its currency, the digits of a reference, whether its money comes the next morning, its magic amounts.
PARTNERS = {
    "boleto": ("BRL", 20, True, "7005"), "oxxo": ("MXN", 14, True, "7007"), "oxxopay": ("MXN", 14, False, "7007"),
    "paynet": ("MXN", 16, False, "7007"), "paynet2": ("MXN", 16, False, "7007"),
    "spei": ("MXN", 18, False, "7008"), "deposit": ("BRL", 19, False, "7008"),
}  # fmt: skip
BANKS, TILLS = ("spei", "deposit"), ("oxxo", "oxxopay", "paynet", "paynet2")
ONCE = [partner for partner in PARTNERS if partner not in BANKS]  # what was paid there is not paid again
ANNOUNCING = [partner for partner, (_, _, waits, _) in PARTNERS.items() if waits]


class Charge:
    """Something to be paid at a partner. Each has a number that no other partner has."""

    def __init__(self, sim: Sim, partner: str, number: int = 1, cents: int = 10_000) -> None:
        self.sim, self.partner = sim, partner
        self.currency, digits, *_ = PARTNERS[partner]
        self.slip = Slip(number, cents) if partner == "boleto" else None
        reference = f"{number + 100 * [*PARTNERS].index(partner):0{digits}d}"
        self.reference = self.slip.number if self.slip else reference
        self.typed = self.slip.line if self.slip else self.reference
        self.path = f"/{partner}/v1/charges/{self.reference}"
        amount = f"{cents // 100}.{cents % 100:02d}"
        self.body = self.slip.body if self.slip else BODY | {"currency": self.currency, "amount": amount}

    async def register(self, status: int = 201, **changes: Any) -> Message:
        answered = await self.sim.ask("PUT", self.path, self.body | changes)
        assert answered.status_code == status, (self.partner, answered.text)
        found: Message = answered.json()
        return found

    async def pay(self, **more: Any) -> Message:
        found: Message = await self.sim.act("/phone/pay", {"qrcodeData": self.typed, **more})
        return found

    async def close(self, status: int = 200) -> Message:
        answered = await self.sim.ask("POST", f"{self.path}/close")
        assert answered.status_code == status, (self.partner, answered.text)
        found: Message = answered.json()
        return found

    async def fault(self, behaviour: str, **more: Any) -> None:
        match = {"reference": self.reference}
        await self.sim.act("/faults", {"operation": self.partner, "behaviour": behaviour, "match": match, **more})

    async def status(self) -> str:
        found: str = (await self.sim.ask("GET", self.path)).json()["status"]
        return found

    async def give_back(self, status: int, name: str = RETURN, **changes: Any) -> Message:
        asked = {"amount": "40.00", "reason": "MD06"} | changes
        answered = await self.sim.ask("PUT", f"/{self.partner}/v1/returns/{name}", asked)
        assert answered.status_code == status, (self.partner, answered.text)
        found: Message = answered.json()
        return found

    async def settled(self) -> str:
        """A settled payment of it; its id."""
        await self.register()
        name: str = (await self.pay())["paymentId"]
        await set_clock(self.sim, MONDAY + timedelta(days=1))
        await none_due(self.sim)
        return name


async def movements(sim: Sim, partner: str, **query: Any) -> list[Message]:
    """What the stream of a partner gives next."""
    answered = await sim.http.get(f"/{partner}/v1/movements", params=query, headers=sim.authorized)
    assert answered.status_code == 200, answered.text
    told: list[Message] = answered.json()["movements"]
    return told


async def kinds(sim: Sim, partner: str, **query: Any) -> list[str]:
    return [one["type"] for one in await movements(sim, partner, **query)]


async def none_due(sim: Sim) -> None:
    await until(lambda: not sim.network.store.rows("SELECT 1 FROM item_payment WHERE due_at IS NOT NULL"))
