"""A recurrence that holds at a fixed moment of business time, instructions of it, and a clock that walks."""

import asyncio
import random
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from lastro.standards import pix_ids
from lastro_sim.clock import counted

from .stage import OWNER, Institution, Message, Sim, Till, until

# A Monday. Brasilia is three hours behind.
NOW = datetime(2027, 3, 1, 15, 0, tzinfo=UTC)
STARTS_ON = date(2027, 3, 5)
DUE = date(2027, 3, 8)
FIRST_TRY, SECOND_TRY, CLOSING = "00:30", "18:30", "21:00"


def at(day: date, hour: str) -> datetime:
    """An instant by Brasilia's clock."""
    return datetime.fromisoformat(f"{day.isoformat()}T{hour}:00-03:00").astimezone(UTC)


async def go_to(sim: Sim, moment: datetime) -> None:
    """Business time is this, at once."""
    offset = counted(moment) - sim.network.clock.machine()
    assert (await sim.ask("PUT", "/clock", {"offsetMicroseconds": offset})).status_code == 200


async def walk_to(sim: Sim, moment: datetime) -> list[datetime]:
    """As lastro's clock goes: from one due instant to the next, waiting for quiet at each. Answers where it stopped."""
    stops: list[datetime] = []
    while True:
        shown = await quiet(sim)
        due = None if shown["nextDue"] is None else datetime.fromisoformat(shown["nextDue"])
        if due is None or due > moment:
            break
        stops.append(due)
        await go_to(sim, due + timedelta(milliseconds=1))
    await go_to(sim, moment)
    await quiet(sim)
    return stops


async def quiet(sim: Sim) -> Any:
    """The clock as it is shown once nothing is under way. Some of it takes machine time, however fast the machine is."""
    async with asyncio.timeout(10):
        while not (shown := (await sim.http.get("/clock")).json())["quiet"]:
            pass
    return shown


@dataclass
class Held:
    """A recurrence that a payer has authorized. payer: his document."""

    sim: Sim
    lastro: Institution
    id_rec: str
    payer: str = "12345678909"

    def instruction(self, **changes: Any) -> Message:
        """A pain.013 for the first cycle; each of a charge of its own unless the txid is given."""
        txid = pix_ids.dynamic_txid(7, random.SystemRandom().randbytes(24))
        kind = "CPF" if len(self.payer) == 11 else "CNPJ"
        fields = {
            "idRec": self.id_rec, "txId": txid, "kind": "AGND", "amount": "29.90", "dueDate": DUE.isoformat(),
            "settlementDate": DUE.isoformat(),
            "payer": {"ispb": "99999020", "document": {"type": kind, "number": self.payer}},
            "receiver": OWNER | {"branch": "0001", "account": "00000019", "accountType": "TRAN"},
            "remittance": "Mensalidade",
        }  # fmt: skip
        return self.lastro.message("pain.013") | fields | changes

    async def scheduled(self, **changes: Any) -> tuple[Message, str]:
        """An instruction that the payer's bank took, and the endToEndId that it gave."""
        message = self.instruction(**changes)
        told = await self.answered(message)
        assert told["status"] == "ACCP", told
        return message, told["endToEndId"]

    async def answered(self, message: Message) -> Message:
        """Sends an instruction and hears what the bank says of it."""
        assert (await self.sim.send(message)).status_code == 201
        return (await until(lambda: self.told(message)))[-1]  # type: ignore[no-any-return]

    def told(self, message: Message, kind: str = "pain.014") -> list[Message]:
        return [one for one in self.lastro.heard if one["type"] == kind and one["originalMsgId"] == message["msgId"]]

    async def ended(self, message: Message) -> tuple[str, str | None]:
        """How the network says that an instruction stands."""
        found = (await self.asked(message))[1]
        return found["status"], found.get("code")

    async def asked(self, message: Message, what: str = "charges") -> tuple[int, Any]:
        answered = await self.sim.ask("GET", f"/spi/v1/{what}/{message['msgId']}")
        return answered.status_code, answered.json()

    async def charges(self) -> list[Any]:
        found: list[Any] = (await self.sim.http.get("/charges", params={"idRec": self.id_rec})).json()["data"]
        return found

    def cancellation(self, message: Message, **changes: Any) -> Message:
        fields = {"originalMsgId": message["msgId"], "idRec": self.id_rec, "txId": message["txId"], "reason": "SLCR"}
        return self.lastro.message("camt.055", **(fields | changes))


async def holding(
    sim: Sim, lastro: Institution, shop: Till, *, payer: str | None = None, maximum: str | None = None, **terms: Any
) -> Held:
    """A recurrence that holds at NOW."""
    await go_to(sim, NOW)
    code, id_rec = shop.recurrence(**({"starts_on": STARTS_ON} | terms))
    said = {"qrcodeData": code} | ({} if payer is None else {"payer": payer})
    done = await sim.act("/phone/authorize", said | ({} if maximum is None else {"maximumAmount": maximum}))
    assert done["status"] == "AUTHORIZED", done
    return Held(sim, lastro, id_rec, payer or "12345678909")
