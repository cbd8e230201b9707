"""The collecting bank: slips registered, paid, settled, closed and given back, and everything that may go wrong with them."""

import asyncio
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from lastro_sim.clock import printed

from .orders import set_clock
from .slips import DUE, LAST_DAY, MONDAY, RETURN, Slip, movements
from .stage import Sim, running, until

EN, PT = {"Accept-Language": "en"}, {"Accept-Language": "pt-BR"}


async def kinds(sim: Sim) -> list[str]:
    return [one["type"] for one in await movements(sim)]


async def test_a_slip_is_paid_and_settles_on_the_next_business_day(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    slip = Slip()
    assert (await slip.register(sim))["status"] == "REGISTERED"
    paid = await slip.pay(sim)
    assert paid == {"paymentId": paid["paymentId"], "nossoNumero": slip.number, "status": "PENDING"}
    (announced,) = await movements(sim)
    assert announced | {"id": "", "paidAt": ""} == {
        "sequence": 1, "id": "", "type": "ANNOUNCED", "paymentId": paid["paymentId"], "nossoNumero": slip.number,
        "amount": "100.00", "paidAt": "",
        "payer": {"name": "Pessoa Pagadora", "document": {"type": "CPF", "number": "12345678909"}},
        "registered": announced["registered"],
    }  # fmt: skip
    said = announced["registered"]
    assert (said["amount"], said["number"], said["beneficiary"]["document"]["type"]) == ("100.00", "pedido-1", "CNPJ")
    assert announced["paidAt"].startswith("2026-11-23T13:0")
    assert (await sim.http.get("/clock")).json()["nextDue"] == "2026-11-24T11:00:00.000000Z"
    await set_clock(sim, MONDAY + timedelta(days=2))
    settled = (await movements(sim, after=1, wait=5))[0]
    assert (settled["type"], settled["settledAt"]) == ("SETTLED", "2026-11-24T11:00:00.000000Z")
    assert (settled["paymentId"], settled["paidAt"]) == (paid["paymentId"], announced["paidAt"])
    assert await slip.status(sim) == "PAID"
    (listed,) = (await sim.http.get("/slips", params={"nossoNumero": slip.number})).json()["data"]
    assert [one["status"] for one in listed["payments"]] == ["SETTLED"]


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
        dues = sim.network.store.rows("SELECT due_at FROM slip_payment WHERE nosso_numero = ?", slip.number)
        assert [printed(row["due_at"]) for row in dues] == [settles_at]


async def test_one_step_of_the_clock_settles_in_the_order_of_time(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    first, second = Slip(1), Slip(2)
    for slip in (first, second):
        await slip.register(sim)
    await sim.act(
        "/faults", {"operation": "boleto", "behaviour": "slow", "delay": 86_400, "match": {"nossoNumero": first.number}}
    )
    for slip in (first, second):
        await slip.pay(sim)
    await set_clock(sim, MONDAY + timedelta(days=30))
    await until(lambda: len(sim.network.store.rows("SELECT 1 FROM slip_movement")) == 4)
    told = await movements(sim)
    assert [(one["nossoNumero"], one.get("settledAt", "")[:10]) for one in told[2:]] == [
        (second.number, "2026-11-24"), (first.number, "2026-11-25"),
    ]  # fmt: skip


async def test_a_movement_is_told_until_it_is_confirmed(tmp_path: Path) -> None:
    async with running(tmp_path) as sim:
        await set_clock(sim, MONDAY)
        for sequence in (1, 2, 3):
            slip = Slip(sequence)
            await slip.register(sim)
            await slip.pay(sim)
        assert [one["sequence"] for one in await movements(sim, limit=2)] == [1, 2]
        assert [one["sequence"] for one in await movements(sim)] == [1, 2, 3], "nothing was confirmed"
        assert [one["sequence"] for one in await movements(sim, after=2)] == [3]
        assert (await sim.http.get("/clock")).json()["quiet"] is False
    async with running(tmp_path) as sim:
        assert [one["sequence"] for one in await movements(sim)] == [3], "two were confirmed before the restart"
        assert await movements(sim, after=3) == []
        assert (await sim.http.get("/clock")).json()["quiet"] is True
        beyond = await sim.ask("GET", "/boleto/v1/movements?after=4")
        assert (beyond.status_code, beyond.json()["error"]) == (409, "UNKNOWN_PLACE")


async def test_who_waits_hears_at_once(sim: Sim) -> None:
    slip = Slip(due=date(2049, 1, 4), until=date(2049, 1, 5))
    await slip.register(sim)
    asking = asyncio.ensure_future(movements(sim, wait=30))
    await asyncio.sleep(0)
    await slip.pay(sim)
    assert [one["type"] for one in await asyncio.wait_for(asking, 10)] == ["ANNOUNCED"]


async def test_registering_is_done_once(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    slip = Slip()
    await slip.register(sim)
    await slip.register(sim, 200)
    differs = await slip.register(sim, 409, description="Another")
    assert differs["error"] == "SLIP_DIFFERS"
    await set_clock(sim, MONDAY + timedelta(days=60))
    assert (await slip.register(sim, 200))["status"] == "EXPIRED", "known already: its term does not matter"


OTHER = Slip(9)


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    ({"amount": "0.00"}, 422, "AMOUNT_ZERO"),
    ({"amount": "99.99"}, 422, "BARCODE_DIFFERS"),
    ({"dueDate": "2026-11-25"}, 422, "BARCODE_DIFFERS"),
    ({"barcode": OTHER.barcode}, 422, "BARCODE_DIFFERS"),
    ({"barcode": "9" * 44}, 422, "BARCODE_INVALID"),
    ({"beneficiary": {"name": "X", "document": {"type": "CPF", "number": "70000000310"}}}, 422, "BENEFICIARY_UNKNOWN"),
    ({"beneficiary": {"name": "X", "document": {"type": "CPF", "number": "11111111111"}}}, 422, "BENEFICIARY_UNKNOWN"),
    ({"payableUntil": "2026-11-25"}, 400, "INVALID_REQUEST"),
    ({"barcode": "123"}, 400, "INVALID_REQUEST"),
    ({"amount": 100}, 400, "INVALID_REQUEST"),
    ({"dueDate": "soon"}, 400, "INVALID_REQUEST"),
    ({"payer": None}, 400, "INVALID_REQUEST"),
]


async def test_what_is_not_registered(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    slip = Slip()
    for changes, status, code in REFUSED:
        assert (await slip.register(sim, status, **changes))["error"] == code, changes
        assert (await sim.ask("GET", slip.path)).status_code == 404
    assert (await slip.pay(sim))["code"] == "SLIP_NOT_FOUND"


async def test_doors_and_numbers(sim: Sim) -> None:
    await set_clock(sim, MONDAY + timedelta(days=7))
    slip = Slip()
    assert (await slip.register(sim, 422))["error"] == "TERM_OVER"
    assert (await sim.ask("PUT", "/boleto/v1/slips/12", slip.body)).status_code == 400
    for method, path in (
        ("PUT", slip.path), ("GET", slip.path), ("POST", f"{slip.path}/close"), ("GET", "/boleto/v1/movements"),
        ("PUT", f"/boleto/v1/returns/{RETURN}"), ("GET", f"/boleto/v1/returns/{RETURN}"),
    ):  # fmt: skip
        assert (await sim.http.request(method, path, json={})).status_code == 401, path


async def test_a_slip_is_paid_once_and_in_time(sim: Sim) -> None:
    await set_clock(sim, datetime(2026, 11, 28, 2, 59, tzinfo=UTC))  # the last minute of its last day in Brasilia
    slip, late, closed = Slip(1), Slip(2), Slip(3)
    for one in (slip, late, closed):
        await one.register(sim)
    assert (await sim.ask("POST", f"{closed.path}/close")).json()["status"] == "CLOSED"
    assert (await sim.ask("POST", f"{closed.path}/close")).status_code == 200, "again changes nothing"
    assert (await closed.pay(sim))["code"] == "CHARGE_REMOVED"
    assert (await slip.pay(sim, payer="70000000159"))["code"] == "INSUFFICIENT_FUNDS"
    assert (await slip.pay(sim, amount="99.99"))["code"] == "AMOUNT_NOT_ALLOWED"
    assert (await slip.pay(sim))["status"] == "PENDING"
    assert (await slip.pay(sim))["code"] == "ALREADY_PAID"
    refused = await sim.ask("POST", f"{slip.path}/close")
    assert (refused.status_code, refused.json()["error"]) == (409, "SLIP_PAID")
    await set_clock(sim, datetime(2026, 11, 28, 3, 0, 1, tzinfo=UTC))
    assert (await late.pay(sim))["code"] == "EXPIRED"
    assert await kinds(sim) == ["ANNOUNCED"]


async def test_a_number_may_be_closed_before_its_slip_comes(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    slip = Slip()
    assert (await sim.ask("POST", f"{slip.path}/close")).status_code == 200
    assert (await sim.ask("GET", slip.path)).status_code == 404
    assert (await slip.register(sim))["status"] == "CLOSED"
    assert (await slip.pay(sim))["code"] == "CHARGE_REMOVED"


async def test_faults_of_registering(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    faults = (("reject", 422, 404), ("timeout", 504, 404), ("down", 503, 404), ("lost-answer", 503, 200))
    for sequence, (behaviour, status, kept) in enumerate(faults):
        slip = Slip(sequence)
        await sim.act("/faults", {"operation": "boleto", "behaviour": behaviour, "match": {"nossoNumero": slip.number}})
        await slip.register(sim, status)
        assert (await sim.ask("GET", slip.path)).status_code == kept, behaviour
        await slip.register(sim, 201 if kept == 404 else 200)


async def test_faults_of_paying(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    twice, under, again, late, void = (Slip(n) for n in range(1, 6))
    for slip in (twice, under, again, late, void):
        await slip.register(sim)

    async def fault(behaviour: str, slip: Slip) -> None:
        await sim.act("/faults", {"operation": "boleto", "behaviour": behaviour, "match": {"nossoNumero": slip.number}})

    for behaviour, slip in (("twice", twice), ("wrong-amount", under), ("void", void)):
        await fault(behaviour, slip)
    await twice.pay(sim)
    await under.pay(sim, amount="60.00")
    await void.pay(sim)
    await again.pay(sim)
    await fault("twice", again)
    await again.pay(sim, amount="100.00")
    await sim.ask("POST", f"{late.path}/close")
    await fault("late", late)
    await late.pay(sim)
    told = await movements(sim)
    of = [(one["nossoNumero"], one["amount"]) for one in told]
    assert of == [
        (twice.number, "100.00"), (twice.number, "100.00"), (under.number, "60.00"), (void.number, "100.00"),
        (again.number, "100.00"), (again.number, "100.00"), (late.number, "100.00"),
    ]  # fmt: skip
    assert len({one["paymentId"] for one in told}) == 7
    await set_clock(sim, MONDAY + timedelta(days=1))
    await until(lambda: len(sim.network.store.rows("SELECT 1 FROM slip_movement")) == 14)
    ends = [(one["type"], one["nossoNumero"]) for one in (await movements(sim))[7:]]
    assert ends == [("VOID" if number == void.number else "SETTLED", number) for number, _ in of]
    assert await void.status(sim) == "REGISTERED", "whoever would pay it still can"


async def test_an_announced_payment_becomes_void(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    slip = Slip()
    await slip.register(sim)
    name = (await slip.pay(sim))["paymentId"]
    path = f"/slips/payments/{name}/void"
    assert await sim.act(path, {"code": "CHECK_RETURNED"}) == {"paymentId": name, "status": "VOID"}
    assert await sim.act(path, {}) == {"status": "REJECTED", "code": "ALREADY_VOID"}
    assert await sim.act("/slips/payments/nobody/void", {}) == {"status": "REJECTED", "code": "UNKNOWN_PAYMENT"}
    void = (await movements(sim))[1]
    assert (void["type"], void["code"], void["paymentId"]) == ("VOID", "CHECK_RETURNED", name)
    await set_clock(sim, MONDAY + timedelta(days=9))
    assert await kinds(sim) == ["ANNOUNCED", "VOID"]


async def settled(sim: Sim) -> str:
    """A settled payment of 100.00; its id."""
    await set_clock(sim, MONDAY)
    slip = Slip()
    await slip.register(sim)
    name: str = (await slip.pay(sim))["paymentId"]
    await set_clock(sim, MONDAY + timedelta(days=1))
    await until(lambda: sim.network.store.row("SELECT 1 FROM slip_payment WHERE status = 'SETTLED'"))
    return name


async def give_back(sim: Sim, status: int, name: str = RETURN, **changes: Any) -> Any:
    answered = await sim.ask("PUT", f"/boleto/v1/returns/{name}", {"amount": "40.00", "reason": "MD06"} | changes)
    assert answered.status_code == status, answered.text
    return answered.json()


async def test_money_goes_back_once_and_never_more_than_came(sim: Sim) -> None:
    payment = await settled(sim)
    assert (await give_back(sim, 201, paymentId=payment))["status"] == "SETTLED"
    assert (await give_back(sim, 200, paymentId=payment))["status"] == "SETTLED"
    assert (await give_back(sim, 409, paymentId=payment, amount="1.00"))["error"] == "RETURN_DIFFERS"
    other = RETURN[:-1] + "b"
    assert (await give_back(sim, 422, other, paymentId=payment, amount="60.01"))["error"] == "MORE_THAN_PAID"
    assert (await give_back(sim, 422, other, paymentId="nobody"))["error"] == "UNKNOWN_PAYMENT"
    assert (await sim.ask("GET", f"/boleto/v1/returns/{other}")).status_code == 404
    assert (await give_back(sim, 201, other, paymentId=payment, amount="60.00"))["status"] == "SETTLED"
    told = (await movements(sim))[2:]
    assert [(one["type"], one["returnId"], one["amount"]) for one in told] == [
        ("RETURNED", RETURN, "40.00"), ("RETURNED", other, "60.00"),
    ]  # fmt: skip


RETURNS: list[tuple[str, int, str | None, list[str]]] = [
    ("reject", 201, "REJECTED", ["RETURN_REJECTED"]), ("timeout", 201, "SETTLED", []), ("lost-answer", 503, "SETTLED", ["RETURNED"]),
    ("twice", 201, "SETTLED", 2 * ["RETURNED"]), ("down", 503, None, []), ("slow", 201, "PENDING", []),
]  # fmt: skip


async def test_faults_of_returns(sim: Sim) -> None:
    payment, place = await settled(sim), 2
    for number, (behaviour, status, first, expected) in enumerate(RETURNS):
        name = f"{RETURN[:-1]}{number}"
        await sim.act("/faults", {"operation": "return", "behaviour": behaviour, "delay": 3600, "match": {"returnId": name}})
        await give_back(sim, status, name, paymentId=payment, amount="1.00")
        asked = await sim.ask("GET", f"/boleto/v1/returns/{name}")
        assert (asked.json()["status"] if first else asked.status_code) == (first or 404), behaviour
        told = await movements(sim, after=place)
        assert [one["type"] for one in told] == expected, behaviour
        place += len(told)
    await set_clock(sim, MONDAY + timedelta(days=1, hours=2))
    assert [one["type"] for one in await movements(sim, after=place, wait=5)] == ["RETURNED"], "the slow one"


async def test_what_has_not_settled_is_not_given_back(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    slip = Slip()
    await slip.register(sim)
    payment = (await slip.pay(sim))["paymentId"]
    assert (await give_back(sim, 422, paymentId=payment))["error"] == "PAYMENT_NOT_SETTLED"


async def test_the_phone_reads_line_and_bars(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    slip = Slip()
    await slip.register(sim)
    for text in (slip.line, slip.line.replace(".", "").replace(" ", ""), slip.barcode):
        read = await sim.act("/phone/read", {"qrcodeData": text})
        assert (read["kind"], read["amount"], read["status"]) == ("BOLETO", "100.00", "REGISTERED")
        assert (read["dueDate"], read["payableUntil"]) == (DUE.isoformat(), LAST_DAY.isoformat())
        assert read["receiver"]["name"] == "Loja da Ana Ltda"
    unknown = await sim.act("/phone/read", {"qrcodeData": Slip(5, 1234).line})
    assert unknown == {
        "kind": "BOLETO", "amount": "12.34", "openAmount": False, "dueDate": "2026-11-26",
        "problem": "SLIP_NOT_FOUND",
    }  # fmt: skip
    for broken in (slip.line[:-1] + "9", "1" * 46, "8" + slip.barcode[1:], "12"):
        for path in ("/phone/read", "/phone/pay"):
            assert (await sim.http.post(path, json={"qrcodeData": broken})).status_code == 400


async def test_the_phone_page_shows_a_slip(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    slip = Slip()
    await slip.register(sim)
    page = (await sim.http.get("/phone", params={"qrcodeData": slip.line}, headers=PT)).text
    for text in ("Loja da Ana Ltda", "R$ 100,00", "Vencimento", "26/11/2026", "Pagável até", "27/11/2026", "Bento"):
        assert text in page
    paid = await sim.http.post("/phone", data={"qrcodeData": slip.line, "payer": "12345678909"})
    assert paid.status_code == 303
    result = (await sim.http.get(paid.headers["location"], headers=PT)).text
    assert "Pagamento recebido pelo banco" in result
    assert slip.number in result
    assert slip.number in (await sim.http.get("/phone")).text
    assert "já foi paga" in (await sim.http.get("/phone", params={"qrcodeData": slip.line}, headers=PT)).text
    refused = await sim.http.post("/phone", data={"qrcodeData": Slip(2).line})
    assert "not registered" in (await sim.http.get(refused.headers["location"], headers=EN)).text
    assert (await sim.http.get("/phone/slip/nobody")).status_code == 404


async def test_magic_amounts_do_what_they_say(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    magic = {
        one["value"]: one["outcome"]
        for one in (await sim.http.get("/scenarios")).json()["data"]
        if one["operation"] == "boleto"
    }
    assert list(magic) == [f"7005.0{n}" for n in range(1, 6)]
    slips = [Slip(n, 700_500 + n) for n in range(1, 6)]
    assert (await slips[0].register(sim, 422))["error"] == "REGISTRATION_REFUSED"
    await slips[1].register(sim, 503)
    for slip in slips[2:]:
        await slip.register(sim)
        await slip.pay(sim)
    await set_clock(sim, MONDAY + timedelta(days=5))
    await until(lambda: not sim.network.store.rows("SELECT 1 FROM slip_payment WHERE due_at IS NOT NULL"))
    ends = [(one["type"], one["nossoNumero"], one.get("settledAt", "")[:10]) for one in (await movements(sim))[4:]]
    assert ends == [
        ("VOID", slips[2].number, ""), ("SETTLED", slips[3].number, "2026-11-24"), ("SETTLED", slips[3].number, "2026-11-24"),
        ("SETTLED", slips[4].number, "2026-11-25"),
    ]  # fmt: skip
