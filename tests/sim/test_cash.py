"""The tills: vouchers registered, paid in cash, settled, canceled, and everything that may go wrong with them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lastro_sim.clock import printed

from .orders import set_clock
from .stage import Message, Sim, running, until

MONDAY = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)  # 10:00 in Brasilia
BODY: dict[str, Any] = {
    "amount": "100.00", "currency": "MXN", "expiresAt": "2026-11-26T13:00:00.000Z", "orderNumber": "pedido-1",
    "description": "Pedido 1", "merchant": "Loja da Ana Ltda",
    "customer": {"name": "Lucía", "document": {"type": "CURP", "number": "NUXL900101MDFXXC09"}},
}  # fmt: skip
TILLS = ("oxxo", "oxxopay", "paynet")


class Voucher:
    """A voucher of a network of tills."""

    def __init__(self, sim: Sim, till: str = "oxxo", number: int = 1) -> None:
        self.sim, self.till, self.reference = sim, till, f"{number:014d}"
        self.path = f"/{till}/v1/charges/{self.reference}"

    async def register(self, status: int = 201, **changes: Any) -> Message:
        answered = await self.sim.ask("PUT", self.path, BODY | changes)
        assert answered.status_code == status, answered.text
        found: Message = answered.json()
        return found

    async def pay(self, **more: Any) -> Message:
        found: Message = await self.sim.act("/phone/pay", {"qrcodeData": self.reference, **more})
        return found

    async def fault(self, behaviour: str, **more: Any) -> None:
        match = {"reference": self.reference}
        await self.sim.act("/faults", {"operation": self.till, "behaviour": behaviour, "match": match, **more})

    async def movements(self, **query: Any) -> list[Message]:
        """What the stream of its network gives next."""
        answered = await self.sim.http.get(f"/{self.till}/v1/movements", params=query, headers=self.sim.authorized)
        assert answered.status_code == 200, answered.text
        told: list[Message] = answered.json()["movements"]
        return told

    async def kinds(self) -> list[str]:
        return [one["type"] for one in await self.movements()]

    async def status(self) -> str:
        found: str = (await self.sim.ask("GET", self.path)).json()["status"]
        return found


async def test_at_oxxo_the_money_comes_on_the_next_business_day(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    voucher = Voucher(sim)
    assert (await voucher.register())["status"] == "REGISTERED"
    paid = await voucher.pay()
    assert paid == {"paymentId": paid["paymentId"], "reference": voucher.reference, "status": "PENDING"}
    (announced,) = await voucher.movements()
    assert announced | {"id": "", "paidAt": ""} == {
        "sequence": 1, "id": "", "type": "ANNOUNCED", "paymentId": paid["paymentId"], "reference": voucher.reference,
        "amount": "100.00", "currency": "MXN", "paidAt": "", "registered": {"amount": "100.00", "number": "pedido-1"},
    }  # fmt: skip
    shown = (await sim.http.get("/clock")).json()
    assert (shown["nextDue"], shown["quiet"]) == ("2026-11-24T11:00:00.000000Z", False)
    await set_clock(sim, MONDAY + timedelta(days=1))
    settled = (await voucher.movements(after=1, wait=5))[0]
    assert (settled["type"], settled["settledAt"]) == ("SETTLED", "2026-11-24T11:00:00.000000Z")
    assert await voucher.movements(after=settled["sequence"]) == []
    assert (await sim.http.get("/clock")).json()["quiet"] is True
    (listed,) = (await sim.http.get("/collecting/oxxo", params={"reference": voucher.reference})).json()["data"]
    assert (listed["status"], [one["status"] for one in listed["payments"]]) == ("PAID", ["SETTLED"])


@pytest.mark.parametrize("till", ["oxxopay", "paynet"])
async def test_elsewhere_it_is_there_at_once(sim: Sim, till: str) -> None:
    await set_clock(sim, MONDAY)
    voucher = Voucher(sim, till)
    await voucher.register()
    assert (await voucher.pay())["status"] == "SETTLED"
    (settled,) = await voucher.movements()
    assert (settled["type"], settled["settledAt"]) == ("SETTLED", settled["paidAt"])
    assert await Voucher(sim, "oxxo").movements() == [], "each network tells of its own"
    assert (await sim.ask("GET", f"/oxxo/v1/charges/{voucher.reference}")).status_code == 404


async def test_a_movement_is_told_until_it_is_confirmed(tmp_path: Path) -> None:
    async with running(tmp_path) as sim:
        await set_clock(sim, MONDAY)
        for number in (1, 2, 3):
            voucher = Voucher(sim, "paynet", number)
            await voucher.register()
            await voucher.pay()
        assert [one["sequence"] for one in await voucher.movements(limit=2)] == [1, 2]
        assert [one["sequence"] for one in await voucher.movements()] == [1, 2, 3], "nothing was confirmed"
        assert [one["sequence"] for one in await voucher.movements(after=2)] == [3]
    async with running(tmp_path) as sim:
        again = Voucher(sim, "paynet", 3)
        assert [one["sequence"] for one in await again.movements()] == [3], "two were confirmed before the restart"
        beyond = await sim.ask("GET", "/paynet/v1/movements?after=4")
        assert (beyond.status_code, beyond.json()["error"]) == (409, "UNKNOWN_PLACE")


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    ({"amount": "9.99"}, 422, "AMOUNT_OUT_OF_RANGE"),
    ({"amount": "10000.01"}, 422, "AMOUNT_OUT_OF_RANGE"),
    ({"expiresAt": "2026-11-23T12:59:59.000Z"}, 422, "TERM_OVER"),
    ({"amount": 100}, 400, "INVALID_REQUEST"),
    ({"currency": "BRL"}, 400, "INVALID_REQUEST"),
    ({"expiresAt": "2026-11-26"}, 400, "INVALID_REQUEST"),
    ({"expiresAt": None}, 400, "INVALID_REQUEST"),
    ({"customer": None}, 400, "INVALID_REQUEST"),
]


async def test_what_is_not_registered(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    voucher = Voucher(sim)
    for changes, status, code in REFUSED:
        assert (await voucher.register(status, **changes))["error"] == code, changes
        assert (await sim.ask("GET", voucher.path)).status_code == 404
    assert (await sim.ask("PUT", "/oxxo/v1/charges/12", BODY)).status_code == 400
    for method, path in (("PUT", voucher.path), ("GET", voucher.path), ("POST", f"{voucher.path}/cancel")):
        assert (await sim.http.request(method, path, json={})).status_code == 401, path
    assert (await sim.http.get("/oxxo/v1/movements")).status_code == 401
    assert (await sim.http.get("/collecting/nobody")).status_code == 404
    await voucher.register()
    await voucher.register(200)
    assert (await voucher.register(409, description="Another"))["error"] == "REFERENCE_DIFFERS"


async def test_a_voucher_is_paid_once_in_time_and_exactly(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    voucher, late, closed = (Voucher(sim, "oxxo", number) for number in (1, 2, 3))
    for one in (voucher, late, closed):
        await one.register()
    for _ in range(2):
        assert (await sim.ask("POST", f"{closed.path}/cancel")).json()["status"] == "CLOSED"
    assert (await closed.pay())["code"] == "CHARGE_REMOVED"
    assert (await voucher.pay(payer="70000000159"))["code"] == "INSUFFICIENT_FUNDS"
    assert (await voucher.pay(amount="99.99"))["code"] == "AMOUNT_NOT_ALLOWED"
    assert (await voucher.pay())["status"] == "PENDING"
    assert (await voucher.pay())["code"] == "ALREADY_PAID"
    refused = await sim.ask("POST", f"{voucher.path}/cancel")
    assert (refused.status_code, refused.json()["error"]) == (409, "ALREADY_PAID")
    await set_clock(sim, MONDAY + timedelta(days=3, seconds=1))
    assert (await late.pay())["code"] == "EXPIRED"
    ahead = Voucher(sim, "oxxo", 4)
    await sim.ask("POST", f"{ahead.path}/cancel")
    assert (await ahead.register(expiresAt="2026-12-26T13:00:00Z"))["status"] == "CLOSED"


async def test_faults_of_paying(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    twice, under, late, void, slow = (Voucher(sim, "oxxo", number) for number in range(1, 6))
    for one in (twice, under, late, void, slow):
        await one.register()
    for behaviour, one in (("twice", twice), ("wrong-amount", under), ("void", void)):
        await one.fault(behaviour)
    await slow.fault("slow", delay=86_400)
    await twice.pay()
    await under.pay(amount="60.00")
    await void.pay()
    await slow.pay()
    await sim.ask("POST", f"{late.path}/cancel")
    await late.fault("late")
    await late.pay()
    told = await twice.movements()
    of = [(one["reference"], one["amount"]) for one in told]
    assert of == [
        (twice.reference, "100.00"), (twice.reference, "100.00"), (under.reference, "60.00"), (void.reference, "100.00"),
        (slow.reference, "100.00"), (late.reference, "100.00"),
    ]  # fmt: skip
    assert len({one["paymentId"] for one in told}) == 6
    await set_clock(sim, MONDAY + timedelta(days=2))
    await until(lambda: len(sim.network.store.rows("SELECT 1 FROM item_movement")) == 12)
    ends = [(one["type"], one["reference"]) for one in (await twice.movements())[6:]]
    in_time = [number for number, _ in of if number != slow.reference]
    assert ends == [
        *(("VOID" if number == void.reference else "SETTLED", number) for number in in_time), ("SETTLED", slow.reference),
    ]  # fmt: skip
    assert await void.status() == "REGISTERED", "whoever would pay it still can"
    dues = sim.network.store.rows("SELECT settled_at FROM item_payment WHERE reference = ?", slow.reference)
    assert [printed(row["settled_at"]) for row in dues] == ["2026-11-25T11:00:00.000000Z"]


@pytest.mark.parametrize("till", TILLS)
async def test_magic_amounts(sim: Sim, till: str) -> None:
    await set_clock(sim, MONDAY)
    listed = (await sim.http.get("/scenarios")).json()["data"]
    assert len([one for one in listed if one["operation"] == till]) == 5
    assert (await Voucher(sim, till, 1).register(422, amount="7007.01"))["error"] == "REGISTRATION_REFUSED"
    lost = Voucher(sim, till, 2)
    await lost.register(503, amount="7007.02")
    assert await lost.status() == "REGISTERED"
    void, twice = Voucher(sim, till, 3), Voucher(sim, till, 4)
    await void.register(amount="7007.03")
    assert (await void.pay())["status"] == "PENDING"
    await twice.register(amount="7007.04")
    await twice.pay()
    await set_clock(sim, MONDAY + timedelta(days=1))
    await until(lambda: not sim.network.store.rows("SELECT 1 FROM item_payment WHERE due_at IS NOT NULL"))
    ends = [(one["type"], one["reference"]) for one in await void.movements() if one["type"] != "ANNOUNCED"]
    assert sorted(ends) == [("SETTLED", twice.reference), ("SETTLED", twice.reference), ("VOID", void.reference)]


async def test_an_announced_payment_becomes_void(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    voucher = Voucher(sim)
    await voucher.register()
    name = (await voucher.pay())["paymentId"]
    path = f"/collecting/oxxo/payments/{name}/void"
    assert await sim.act(path, {"code": "TILL_ERROR"}) == {"paymentId": name, "status": "VOID"}
    assert await sim.act(path, {}) == {"status": "REJECTED", "code": "ALREADY_VOID"}
    assert await sim.act("/collecting/oxxo/payments/nobody/void", {}) == {"status": "REJECTED", "code": "UNKNOWN_PAYMENT"}
    void = (await voucher.movements())[1]
    assert (void["type"], void["code"], void["paymentId"]) == ("VOID", "TILL_ERROR", name)


async def test_the_phone_and_its_page(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    voucher = Voucher(sim)
    await voucher.register()
    read = await sim.act("/phone/read", {"qrcodeData": "0000 0000 0000 01"})
    assert read == {
        "kind": "OXXO", "amount": "100.00", "currency": "MXN", "openAmount": False, "reference": voucher.reference,
        "expiresAt": "2026-11-26T13:00:00.000000Z", "status": "REGISTERED",
    }  # fmt: skip
    till = await sim.http.get("/oxxo", headers={"Accept-Language": "en"})
    assert (f"/phone?qrcodeData={voucher.reference}" in till.text, "To be paid" in till.text) == (True, True)
    assert voucher.reference not in (await sim.http.get("/paynet")).text
    page = await sim.http.get("/phone", params={"qrcodeData": voucher.reference}, headers={"Accept-Language": "en"})
    assert "MX$ 100.00" in page.text
    origin = {"Origin": str(sim.http.base_url).rstrip("/")}
    done = await sim.http.post("/phone", data={"qrcodeData": voucher.reference, "act": "pay"}, headers=origin)
    assert done.status_code == 303
    result = await sim.http.get(done.headers["Location"], headers={"Accept-Language": "en"})
    assert "It has not settled yet" in result.text
    assert voucher.reference in (await sim.http.get("/phone")).text
