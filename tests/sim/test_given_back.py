"""What the receiver's bank gives back of a payment that the institution had sent."""

from typing import Any

from lastro_sim.clock import DAY

from .orders import ended, payout
from .stage import Institution, Message, Sim, until


async def sent(lastro: Institution, number: int = 1, amount: str = "25.00") -> str:
    message = payout(lastro, number, amount=amount)
    assert (await ended(lastro, message))["status"] == "ACSC"
    name: str = message["endToEndId"]
    return name


async def give_back(sim: Sim, end_to_end_id: str, **more: Any) -> Any:
    return await sim.act("/phone/return", {"endToEndId": end_to_end_id} | more)


def told(lastro: Institution, end_to_end_id: str) -> list[Message]:
    return lastro.of(end_to_end_id, "pacs.004")


async def test_part_and_then_the_rest(sim: Sim, lastro: Institution) -> None:
    end_to_end_id = await sent(lastro)
    first = await give_back(sim, end_to_end_id, amount="10.00", details="Produto errado")
    assert first["status"] == "SETTLED"
    (message,) = await until(lambda: told(lastro, end_to_end_id))
    assert message["msgId"] != first["returnId"]
    assert message | {"msgId": "", "createdAt": "", "settledAt": message["settledAt"]} == {
        "type": "pacs.004", "msgId": "", "createdAt": "", "returnId": first["returnId"], "endToEndId": end_to_end_id,
        "amount": "10.00", "reason": "MD06", "details": "Produto errado", "settledAt": message["settledAt"],
        "originalTransaction": message["originalTransaction"],
    }  # fmt: skip
    assert message["settledAt"].endswith("Z")
    assert (message["originalTransaction"]["amount"], message["originalTransaction"]["creditor"]["ispb"]) == (
        "25.00", "99999030",
    )  # fmt: skip
    assert first["returnId"].startswith("D99999030")
    assert (await give_back(sim, end_to_end_id, amount="15.01"))["code"] == "AM09"
    rest = await give_back(sim, end_to_end_id, reason="BE08")
    second = (await until(lambda: len(told(lastro, end_to_end_id)) == 2 and told(lastro, end_to_end_id)))[1]
    assert (second["amount"], second["reason"], second["returnId"]) == ("15.00", "BE08", rest["returnId"])
    assert (await give_back(sim, end_to_end_id))["code"] == "AM09"
    listed = (await sim.payment(end_to_end_id))["returns"]
    assert [(one["amount"], one["status"], one.get("code")) for one in listed] == [
        ("10.00", "SETTLED", None),
        ("15.01", "REJECTED", "AM09"),
        ("15.00", "SETTLED", None),
        ("25.00", "REJECTED", "AM09"),
    ]
    asked = (await sim.ask("GET", f"/spi/v1/returns/{rest['returnId']}")).json()
    assert (asked["status"], asked["amount"], asked["endToEndId"]) == ("ACCC", "15.00", end_to_end_id)
    assert len(told(lastro, end_to_end_id)) == 2


async def test_the_window_is_ninety_days(sim: Sim, lastro: Institution) -> None:
    end_to_end_id = await sent(lastro)
    await sim.ask("PUT", "/clock", {"offsetMicroseconds": 90 * DAY - 60_000_000})
    assert (await give_back(sim, end_to_end_id, amount=1))["status"] == "SETTLED"
    await sim.ask("PUT", "/clock", {"offsetMicroseconds": 90 * DAY + 60_000_000})
    assert (await give_back(sim, end_to_end_id, amount=1))["code"] == "DT05"


async def test_only_what_was_received_here_is_given_back(sim: Sim, lastro: Institution) -> None:
    assert (await give_back(sim, "E" * 32))["code"] == "ED05"
    paid = await sim.act("/phone/transfer", {"account": {"branch": "0001", "account": "19"}, "amount": "10"})
    assert (await give_back(sim, paid["endToEndId"]))["code"] == "ED05"
    refused = payout(lastro, 2, amount="7001.01")
    await ended(lastro, refused)
    assert (await give_back(sim, refused["endToEndId"]))["code"] == "ED05"
    assert not [one for one in lastro.heard if one["type"] == "pacs.004"]


async def test_faults(sim: Sim, lastro: Institution) -> None:
    end_to_end_id = await sent(lastro)
    await sim.act("/faults", {"operation": "return", "behaviour": "twice", "match": {"amount": "1"}})
    await give_back(sim, end_to_end_id, amount="1")
    pair = await until(lambda: len(told(lastro, end_to_end_id)) == 2 and told(lastro, end_to_end_id))
    assert len({one["msgId"] for one in pair}) == 2
    assert len({one["returnId"] for one in pair}) == 1
    await sim.act("/faults", {"operation": "return", "behaviour": "reject", "code": "AB09"})
    assert (await give_back(sim, end_to_end_id, amount="2"))["code"] == "AB09"
    await sim.act("/faults", {"operation": "return", "behaviour": "slow", "delay": 0.2})
    assert (await give_back(sim, end_to_end_id, amount="3"))["status"] == "PENDING"
    assert (await give_back(sim, end_to_end_id, amount="21.01"))["code"] == "AM09"
    slow = (await until(lambda: len(told(lastro, end_to_end_id)) == 3 and told(lastro, end_to_end_id)))[-1]
    assert slow["amount"] == "3.00"
    await sim.act("/faults", {"operation": "return", "behaviour": "late", "delay": 3600})
    assert (await give_back(sim, end_to_end_id, amount="4"))["status"] == "SETTLED"
    clock = (await sim.http.get("/clock")).json()
    assert clock["nextDue"] > clock["now"]
    await sim.ask("PUT", "/clock", {"offsetMicroseconds": 3600 * 1_000_000})
    late = (await until(lambda: len(told(lastro, end_to_end_id)) == 4 and told(lastro, end_to_end_id)))[-1]
    assert (late["amount"], late["settledAt"] < clock["nextDue"]) == ("4.00", True)
    assert (await sim.http.get("/faults")).json() == {"data": []}


async def test_a_late_fault_waits_for_a_return_of_a_bank_here(sim: Sim, lastro: Institution) -> None:
    """The institution's own return is settled by its pacs.002, which this fault does not know."""
    paid = await sim.act("/phone/transfer", {"account": {"branch": "0001", "account": "19"}, "amount": "10"})
    await sim.act("/faults", {"operation": "return", "behaviour": "late", "delay": 3600})
    return_id = "D" + "99999010202611210052" + "0" * 11
    fields = {"returnId": return_id, "endToEndId": paid["endToEndId"], "amount": "1.00", "reason": "MD06"}
    await sim.send(lastro.message("pacs.004", **fields))
    await until(lambda: [one for one in lastro.heard if one.get("returnId") == return_id])
    assert len((await sim.http.get("/faults")).json()["data"]) == 1
