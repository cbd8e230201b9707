from typing import Any

from tests.in_one import in_one_test

from .stage import Institution, Message, Sim, until

ORIGINAL = "99999010202611210052"


def return_id(number: int) -> str:
    return f"D{ORIGINAL}{number:011d}"


async def paid(sim: Sim, amount: str = "10.00") -> str:
    done = await sim.act("/phone/transfer", {"account": {"branch": "0001", "account": "19"}, "amount": amount})
    assert done["status"] == "SETTLED"
    name: str = done["endToEndId"]
    return name


async def give_back(lastro: Institution, end_to_end_id: str, number: int, amount: str, **more: Any) -> Message:
    """Ask for a return and wait for its end."""
    fields = {"returnId": return_id(number), "endToEndId": end_to_end_id, "amount": amount, "reason": "MD06"} | more
    already = len(ends(lastro, number))
    sent = await lastro.sim.send(lastro.message("pacs.004", **fields))
    assert sent.status_code == 201, sent.text
    found = await until(lambda: len(ends(lastro, number)) > already and ends(lastro, number))
    last: Message = found[-1]
    return last


def ends(lastro: Institution, number: int) -> list[Message]:
    return [one for one in lastro.heard if one.get("returnId") == return_id(number)]


async def test_returns_add_up_to_the_payment_and_no_further(sim: Sim, lastro: Institution) -> None:
    end_to_end_id = await paid(sim)
    first = await give_back(lastro, end_to_end_id, 1, "4.00")
    assert (first["status"], first["endToEndId"]) == ("ACSC", end_to_end_id)
    assert (await give_back(lastro, end_to_end_id, 2, "6.01"))["code"] == "AM09"
    assert (await give_back(lastro, end_to_end_id, 3, "6.00"))["status"] == "ACSC"
    assert (await give_back(lastro, end_to_end_id, 4, "0.01"))["code"] == "AM09"
    listed = (await sim.payment(end_to_end_id))["returns"]
    assert [(one["amount"], one["status"]) for one in listed] == [
        ("4.00", "SETTLED"),
        ("6.01", "REJECTED"),
        ("6.00", "SETTLED"),
        ("0.01", "REJECTED"),
    ]
    asked = (await sim.ask("GET", f"/spi/v1/returns/{return_id(1)}")).json()
    assert (asked["status"], asked["amount"]) == ("ACCC", "4.00")


async def heard(lastro: Institution, number: int, times: int) -> None:
    """Returns when a return's end was told so often."""
    await until(lambda: len(ends(lastro, number)) == times)


async def test_magic_amounts(sim: Sim, lastro: Institution) -> None:
    """Of what a participant returns; what is returned at the phone goes its way."""
    expected = {"7006.01": ("RJCT", "ED05", 1), "7006.02": ("RJCT", "AC07", 1), "7006.04": ("ACSC", None, 2),
                "7006.05": ("ACSC", None, 1)}  # fmt: skip
    for number, (value, (status, code, ended)) in enumerate(expected.items(), start=1):
        end = await give_back(lastro, await paid(sim, "8000.00"), number, value)
        assert (end["status"], end.get("code")) == (status, code)
        await heard(lastro, number, ended)


async def test_reject_and_twice(sim: Sim, lastro: Institution) -> None:
    end_to_end_id = await paid(sim)
    await sim.act("/faults", {"operation": "return", "behaviour": "reject", "code": "AM04"})
    assert (await give_back(lastro, end_to_end_id, 1, "10.00"))["code"] == "AM04"
    await sim.act("/faults", {"operation": "return", "behaviour": "twice"})
    assert (await give_back(lastro, end_to_end_id, 2, "10.00"))["status"] == "ACSC"
    await until(lambda: len(ends(lastro, 2)) == 2)


async def test_a_withheld_end_is_told_to_who_asks(sim: Sim, lastro: Institution) -> None:
    end_to_end_id = await paid(sim)
    await sim.act("/faults", {"operation": "return", "behaviour": "timeout", "match": {"returnId": return_id(1)}})
    fields = {"returnId": return_id(1), "endToEndId": end_to_end_id, "amount": "1.00", "reason": "MD06"}
    assert (await sim.send(lastro.message("pacs.004", **fields))).status_code == 201
    await give_back(lastro, end_to_end_id, 2, "1.00")
    assert ends(lastro, 1) == []
    assert (await sim.ask("GET", f"/spi/v1/returns/{return_id(1)}")).json()["status"] == "ACCC"
    await until(lambda: ends(lastro, 1))


async def test_slow_and_down(sim: Sim, lastro: Institution) -> None:
    end_to_end_id = await paid(sim)
    await sim.act("/faults", {"operation": "return", "behaviour": "down"})
    fields = {"returnId": return_id(1), "endToEndId": end_to_end_id, "amount": "10.00", "reason": "MD06"}
    message = lastro.message("pacs.004", **fields)
    assert (await sim.send(message)).status_code == 503
    await sim.act("/faults", {"operation": "return", "behaviour": "slow", "delay": 0.3})
    assert (await sim.send(message)).status_code == 201
    assert (await sim.ask("GET", f"/spi/v1/returns/{return_id(1)}")).json()["status"] == "PENDING"
    assert (await sim.http.get("/clock")).json()["quiet"] is False
    assert (await give_back(lastro, end_to_end_id, 2, "0.01"))["code"] == "AM09"
    await until(lambda: ends(lastro, 1))


@in_one_test(
    "change",
    [
        {"amount": "1"}, {"amount": "1.000"}, {"amount": "-1.00"}, {"amount": 1}, {"amount": None},
        {"returnId": "D1"}, {"returnId": None}, {"returnId": 7}, {"reason": "XXXX"}, {"reason": None},
        {"endToEndId": None}, {"endToEndId": []}, {"endToEndId": "E" * 33}, {"details": "x" * 141},
        {"msgId": None}, {"msgId": "a b"}, {"createdAt": "yesterday"}, {"createdAt": "2026-11-21T00:00:00"}, {"type": "x"},
    ],
)  # fmt: skip
async def test_malformed_returns(sim: Sim, change: dict[str, Any]) -> None:
    fields = {"returnId": return_id(1), "endToEndId": "E" * 32, "amount": "1.00", "reason": "MD06"}
    answered = await sim.send(Institution(sim).message("pacs.004", **fields) | change)
    assert answered.status_code == 400
    body = answered.json()
    assert body["error"] == "INVALID_REQUEST"
    assert [one["field"] for one in body["details"]] == list(change)
