"""What every partner that collects does: items registered, paid, settled, closed, given back, and all that may go wrong."""

import asyncio
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from lastro_sim.clock import printed

from .charge import ANNOUNCING, BANKS, ONCE, PARTNERS, PAYER, RETURN, TILLS, Charge, kinds, movements, none_due
from .orders import set_clock
from .slips import MONDAY, Slip
from .stage import Sim, running


async def test_it_is_paid_and_settles_the_next_morning_or_at_once(sim: Sim) -> None:
    for partner, (currency, _, waits, _) in PARTNERS.items():
        await set_clock(sim, MONDAY)
        charge = Charge(sim, partner)
        assert (await charge.register())["status"] == "REGISTERED"
        paid = await charge.pay()
        assert paid == {
            "paymentId": paid["paymentId"], "reference": charge.reference, "status": "PENDING" if waits else "SETTLED",
        }  # fmt: skip
        (first,) = await movements(sim, partner)
        settled_at = {} if waits else {"settledAt": first["paidAt"]}
        said = first["registered"]
        assert first | {"id": "", "sequence": 0} == {
            "sequence": 0, "id": "", "type": "ANNOUNCED" if waits else "SETTLED", "paymentId": paid["paymentId"],
            "reference": charge.reference, "amount": "100.00", "currency": currency, "paidAt": first["paidAt"], **settled_at,
            **({} if partner in TILLS else {"payer": PAYER}), "registered": said,
        }, partner  # fmt: skip
        assert (said["amount"], said["number"]) == ("100.00", "pedido-1")
        assert said["beneficiary"]["document"]["type"] == charge.body["beneficiary"]["document"]["type"]
        assert first["paidAt"].startswith("2026-11-23T13:0")
        if waits:
            shown = (await sim.http.get("/clock")).json()
            assert (shown["nextDue"], shown["quiet"]) == ("2026-11-24T11:00:00.000000Z", False)
            await set_clock(sim, MONDAY + timedelta(days=2))
            (settled,) = await movements(sim, partner, after=first["sequence"], wait=5)
            assert (settled["type"], settled["settledAt"]) == ("SETTLED", "2026-11-24T11:00:00.000000Z")
            assert (settled["paymentId"], settled["paidAt"]) == (paid["paymentId"], first["paidAt"])
            first = settled
        assert await movements(sim, partner, after=first["sequence"]) == [], "each partner tells of its own"
        assert (await sim.http.get("/clock")).json()["quiet"] is True
        assert await charge.status() == "PAID"
        (listed,) = (await sim.http.get(f"/collecting/{partner}", params={"reference": charge.reference})).json()["data"]
        assert (listed["status"], [one["status"] for one in listed["payments"]]) == ("PAID", ["SETTLED"])
        if partner == "spei":
            assert len(paid["paymentId"]) == 30
            assert paid["paymentId"].isalnum(), "a clave de rastreo"


MORNINGS = [
    (datetime(2026, 11, 24, 2, 0, tzinfo=UTC), "2026-11-24T11:00:00.000000Z"),  # Monday 23:00 in Brasilia
    (datetime(2026, 11, 27, 13, 0, tzinfo=UTC), "2026-11-30T11:00:00.000000Z"),  # Friday
    (datetime(2026, 11, 28, 13, 0, tzinfo=UTC), "2026-12-01T11:00:00.000000Z"),  # Saturday counts as Monday
]


async def test_which_morning(sim: Sim) -> None:
    for sequence, (paid_at, settles_at) in enumerate(MORNINGS):
        await set_clock(sim, paid_at)
        slip = Slip(sequence, due=date(2026, 12, 3), until=date(2026, 12, 4))
        await slip.register(sim)
        await slip.pay(sim)
        dues = sim.network.store.rows("SELECT due_at FROM item_payment WHERE reference = ?", slip.number)
        assert [printed(row["due_at"]) for row in dues] == [settles_at]


async def test_one_step_of_the_clock_settles_in_the_order_of_time(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    first, second = Charge(sim, "boleto", 1), Charge(sim, "boleto", 2)
    for charge in (first, second):
        await charge.register()
    await first.fault("slow", delay=86_400)
    for charge in (first, second):
        await charge.pay()
    await set_clock(sim, MONDAY + timedelta(days=30))
    await none_due(sim)
    assert [(one["reference"], one.get("settledAt", "")[:10]) for one in (await movements(sim, "boleto"))[2:]] == [
        (second.reference, "2026-11-24"), (first.reference, "2026-11-25"),
    ]  # fmt: skip


async def test_a_movement_is_told_until_it_is_confirmed(tmp_path: Path) -> None:
    async with running(tmp_path) as sim:
        await set_clock(sim, MONDAY)
        for number in (1, 2, 3):
            charge = Charge(sim, "paynet", number)
            await charge.register()
            await charge.pay()
        assert [one["sequence"] for one in await movements(sim, "paynet", limit=2)] == [1, 2]
        assert [one["sequence"] for one in await movements(sim, "paynet")] == [1, 2, 3], "nothing was confirmed"
        assert [one["sequence"] for one in await movements(sim, "paynet", after=2)] == [3]
        assert (await sim.http.get("/clock")).json()["quiet"] is False
    async with running(tmp_path) as sim:
        assert [one["sequence"] for one in await movements(sim, "paynet")] == [3], "two were confirmed before the restart"
        assert await movements(sim, "paynet", after=3) == []
        assert (await sim.http.get("/clock")).json()["quiet"] is True
        beyond = await sim.ask("GET", "/paynet/v1/movements?after=4")
        assert (beyond.status_code, beyond.json()["error"]) == (409, "UNKNOWN_PLACE")


async def test_who_waits_hears_at_once(sim: Sim) -> None:
    slip = Slip(due=date(2049, 1, 4), until=date(2049, 1, 5))
    await slip.register(sim)
    asking = asyncio.ensure_future(movements(sim, "boleto", wait=30))
    await asyncio.sleep(0)
    await slip.pay(sim)
    assert [one["type"] for one in await asyncio.wait_for(asking, 10)] == ["ANNOUNCED"]


async def test_it_is_paid_once_in_time_and_exactly(sim: Sim) -> None:
    for partner in PARTNERS:
        await set_clock(sim, MONDAY)
        charge, late, closed, ahead = (Charge(sim, partner, number) for number in (1, 2, 3, 4))
        for one in (charge, late, closed):
            await one.register()
        for _ in range(2):
            assert (await closed.close())["status"] == "CLOSED", "again changes nothing"
        assert (await closed.pay())["code"] == "CHARGE_REMOVED"
        await ahead.close()
        assert (await sim.ask("GET", ahead.path)).status_code == 404
        assert (await ahead.register())["status"] == "CLOSED"
        assert (await ahead.pay())["code"] == "CHARGE_REMOVED"
        assert (await charge.pay(payer="70000000159"))["code"] == "INSUFFICIENT_FUNDS"
        if partner in ONCE:
            assert (await charge.pay(amount="99.99"))["code"] == "AMOUNT_NOT_ALLOWED"
            assert "code" not in await charge.pay()
            assert (await charge.pay())["code"] == "ALREADY_PAID"
            assert (await charge.close(409))["error"] == "ALREADY_PAID"
        await set_clock(sim, datetime(2026, 11, 28, 3, 0, 1, tzinfo=UTC))
        assert (await late.pay())["code"] == "EXPIRED"
        assert len(await kinds(sim, partner)) == (2 if partner in ANNOUNCING else 1 if partner in ONCE else 0)


async def test_a_bank_takes_any_amount_as_often_as_it_comes(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    for partner in BANKS:
        account = Charge(sim, partner)
        await account.register()
        typed = f"{account.reference[:3]} {account.reference[3:7]}-{account.reference[7:]}"
        read = await sim.act("/phone/read", {"qrcodeData": typed})
        assert (read["kind"], read["amount"], read["currency"]) == (partner.upper(), "100.00", account.currency)
        paid = [await account.pay(**more) for more in ({"amount": "40.00"}, {"amount": "70.00"}, {})]
        assert {one["status"] for one in paid} == {"SETTLED"}
        told = await movements(sim, partner)
        assert [(one["type"], one["amount"]) for one in told] == [("SETTLED", v) for v in ("40.00", "70.00", "100.00")]
        await account.close()
        assert (await account.pay())["code"] == "CHARGE_REMOVED"
        await account.fault("late")
        assert (await account.pay(amount="1.00"))["status"] == "SETTLED"
        for wrong in ("slow", "void"):
            answered = await sim.http.post("/faults", json={"operation": partner, "behaviour": wrong})
            assert answered.status_code == 400, "nothing is announced there"


async def test_faults_of_paying(sim: Sim) -> None:
    for partner in ANNOUNCING:
        await set_clock(sim, MONDAY)
        twice, under, again, late, void, slow = (Charge(sim, partner, number) for number in range(1, 7))
        for one in (twice, under, again, late, void, slow):
            await one.register()
        for behaviour, one in (("twice", twice), ("wrong-amount", under), ("void", void)):
            await one.fault(behaviour)
        await slow.fault("slow", delay=86_400)
        await twice.pay()
        await under.pay(amount="60.00")
        await void.pay()
        await again.pay()
        await again.fault("twice")
        await again.pay(amount="100.00")
        await slow.pay()
        await late.close()
        await late.fault("late")
        await late.pay()
        told = await movements(sim, partner)
        of = [(one["reference"], one["amount"]) for one in told]
        assert of == [
            (twice.reference, "100.00"), (twice.reference, "100.00"), (under.reference, "60.00"), (void.reference, "100.00"),
            (again.reference, "100.00"), (again.reference, "100.00"), (slow.reference, "100.00"), (late.reference, "100.00"),
        ]  # fmt: skip
        assert len({one["paymentId"] for one in told}) == 8
        await set_clock(sim, MONDAY + timedelta(days=2))
        await none_due(sim)
        ends = [(one["type"], one["reference"]) for one in (await movements(sim, partner))[8:]]
        in_time = [number for number, _ in of if number != slow.reference]
        assert ends == [
            *(("VOID" if number == void.reference else "SETTLED", number) for number in in_time), ("SETTLED", slow.reference),
        ]  # fmt: skip
        assert await void.status() == "REGISTERED", "whoever would pay it still can"
        dues = sim.network.store.rows("SELECT settled_at FROM item_payment WHERE reference = ?", slow.reference)
        assert [printed(row["settled_at"]) for row in dues] == ["2026-11-25T11:00:00.000000Z"]


async def test_an_announced_payment_becomes_void(sim: Sim) -> None:
    for partner in ANNOUNCING:
        await set_clock(sim, MONDAY)
        charge = Charge(sim, partner)
        await charge.register()
        name, acts = (await charge.pay())["paymentId"], f"/collecting/{partner}/payments"
        assert await sim.act(f"{acts}/{name}/void", {"code": "CHECK_RETURNED"}) == {"paymentId": name, "status": "VOID"}
        assert await sim.act(f"{acts}/{name}/void", {}) == {"status": "REJECTED", "code": "ALREADY_VOID"}
        assert await sim.act(f"{acts}/nobody/void", {}) == {"status": "REJECTED", "code": "UNKNOWN_PAYMENT"}
        void = (await movements(sim, partner))[1]
        assert (void["type"], void["code"], void["paymentId"]) == ("VOID", "CHECK_RETURNED", name)
        await set_clock(sim, MONDAY + timedelta(days=9))
        assert await kinds(sim, partner) == ["ANNOUNCED", "VOID"]


async def test_money_goes_back_once_and_never_more_than_came(sim: Sim) -> None:
    for partner in ("boleto", "spei"):
        await set_clock(sim, MONDAY)
        charge, other, refused = Charge(sim, partner), RETURN[:-1] + "b", RETURN[:-1] + "c"
        payment = await charge.settled()
        place = len(await movements(sim, partner))
        assert (await charge.give_back(201, paymentId=payment))["status"] == "SETTLED"
        assert (await charge.give_back(200, paymentId=payment))["status"] == "SETTLED"
        assert (await charge.give_back(409, paymentId=payment, amount="1.00"))["error"] == "RETURN_DIFFERS"
        assert (await charge.give_back(422, other, paymentId=payment, amount="60.01"))["error"] == "MORE_THAN_PAID"
        assert (await charge.give_back(422, other, paymentId="nobody"))["error"] == "UNKNOWN_PAYMENT"
        assert (await sim.ask("GET", f"/{partner}/v1/returns/{other}")).status_code == 404
        await sim.act("/faults", {"operation": "return", "behaviour": "reject", "code": "03"})
        assert (await charge.give_back(201, refused, paymentId=payment, amount="60.00"))["code"] == "03"
        assert (await charge.give_back(201, other, paymentId=payment, amount="60.00"))["status"] == "SETTLED"
        told = (await movements(sim, partner))[place:]
        assert [(one["type"], one["returnId"], one["amount"], one["reference"], one.get("code")) for one in told] == [
            ("RETURNED", RETURN, "40.00", charge.reference, None), ("RETURN_REJECTED", refused, "60.00", charge.reference, "03"),
            ("RETURNED", other, "60.00", charge.reference, None),
        ]  # fmt: skip


RETURNS: list[tuple[str, int, str | None, list[str]]] = [
    ("reject", 201, "REJECTED", ["RETURN_REJECTED"]), ("timeout", 201, "SETTLED", []), ("lost-answer", 503, "SETTLED", ["RETURNED"]),
    ("twice", 201, "SETTLED", 2 * ["RETURNED"]), ("down", 503, None, []), ("slow", 201, "PENDING", []),
]  # fmt: skip


async def test_faults_of_returns(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    charge, place = Charge(sim, "boleto"), 2
    payment = await charge.settled()
    for number, (behaviour, status, first, expected) in enumerate(RETURNS):
        name = f"{RETURN[:-1]}{number}"
        await sim.act("/faults", {"operation": "return", "behaviour": behaviour, "delay": 3600, "match": {"returnId": name}})
        await charge.give_back(status, name, paymentId=payment, amount="1.00")
        asked = await sim.ask("GET", f"/boleto/v1/returns/{name}")
        assert (asked.json()["status"] if first else asked.status_code) == (first or 404), behaviour
        told = await kinds(sim, "boleto", after=place)
        assert told == expected, behaviour
        place += len(told)
    await set_clock(sim, MONDAY + timedelta(days=1, hours=2))
    assert await kinds(sim, "boleto", after=place, wait=5) == ["RETURNED"], "the slow one"


async def test_what_has_not_settled_is_not_given_back(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    charge = Charge(sim, "boleto")
    await charge.register()
    payment = (await charge.pay())["paymentId"]
    assert (await charge.give_back(422, paymentId=payment))["error"] == "PAYMENT_NOT_SETTLED"


async def test_magic_amounts_do_what_they_say(sim: Sim) -> None:
    scenarios = (await sim.http.get("/scenarios")).json()["data"]
    for partner, (_, _, _, magic) in PARTNERS.items():
        await set_clock(sim, MONDAY)
        listed = [one["value"] for one in scenarios if one["operation"] == partner]
        assert listed == [f"{magic}.0{n}" for n in ((1, 2, 4) if partner in BANKS else range(1, 6))], partner
        refused, lost, void, twice, slow = (Charge(sim, partner, n, int(magic) * 100 + n) for n in range(1, 6))
        assert (await refused.register(422))["error"] == "REGISTRATION_REFUSED"
        await lost.register(503)
        assert await lost.status() == "REGISTERED"
        for charge in (twice,) if partner in BANKS else (void, twice, slow):
            await charge.register()
            await charge.pay()
        await set_clock(sim, MONDAY + timedelta(days=5))
        await none_due(sim)
        ends = [
            (one["type"], one["reference"], one.get("settledAt", "")[:10])
            for one in await movements(sim, partner) if one["type"] != "ANNOUNCED"
        ]  # fmt: skip
        waits = PARTNERS[partner][2]
        day, later = ("2026-11-24", "2026-11-25") if waits else ("2026-11-23", "2026-11-24")
        assert sorted(ends) == sorted([
            *2 * [("SETTLED", twice.reference, day)],
            *([] if partner in BANKS else [("VOID", void.reference, ""), ("SETTLED", slow.reference, later)]),
        ]), partner  # fmt: skip
