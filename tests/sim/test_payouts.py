from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.in_one import in_one_test

from lastro.standards import pix_ids

from .orders import FABIO, PAYER, ended, payout
from .stage import Institution, Message, Sim, until


async def test_a_payment_to_an_outside_account(sim: Sim, lastro: Institution) -> None:
    message = payout(lastro, remittance="Nota 12", receiver=FABIO | {"key": "fabio@fora.example"})
    assert (await ended(lastro, message))["status"] == "ACSC"
    listed = await sim.payment(message["endToEndId"])
    assert (listed["status"], listed["amount"]) == ("SETTLED", "25.00")


async def test_the_same_payment_again_is_one_payment(sim: Sim, lastro: Institution) -> None:
    for _ in range(3):
        await ended(lastro, payout(lastro))
    await until(lambda: len(lastro.of(payout(lastro)["endToEndId"])) == 3)
    assert len((await sim.http.get("/payments")).json()["data"]) == 1
    for change in ({"receiver": FABIO | {"account": "300001"}}, {"amount": "25.01"}, {"txId": "abc"}):
        other = payout(lastro, **change)
        await sim.send(other)
        await not_processed(lastro, other)


async def not_processed(lastro: Institution, message: Message) -> None:
    await until(lambda: [one for one in lastro.heard if one.get("relatedMsgId") == message["msgId"]])


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"receiver": FABIO | {"account": "999"}}, "AC03"),
        ({"receiver": FABIO | {"document": {"type": "CPF", "number": "12345678909"}}}, "BE01"),
        ({"receiver": FABIO | {"accountType": "SVGS"}}, "AC14"),
        ({"receiver": FABIO | {"ispb": "12345678"}}, "RC10"),
        ({"receiver": FABIO | {"ispb": "99999010"}}, "AG12"),
        ({"receiver": {**FABIO, "account": "300004", "document": None}}, "AC06"),
        ({"receiver": {**FABIO, "account": "300005", "document": None}}, "AC07"),
        ({"endToEndId": "E" * 32}, "FF08"),
        ({"amount": "0.00"}, "AM01"),
    ],
)
async def test_refusals(sim: Sim, lastro: Institution, changes: dict[str, Any], code: str) -> None:
    final = await ended(lastro, payout(lastro, **changes))
    assert (final["status"], final["code"]) == ("RJCT", code)
    assert len(lastro.of(final["endToEndId"])) == 1


async def test_a_customer_of_the_payers_bank_can_be_paid(sim: Sim, lastro: Institution) -> None:
    place = {"ispb": "99999020", "branch": "0001", "account": "123456", "accountType": "CACC"}
    assert (await ended(lastro, payout(lastro, receiver=place)))["status"] == "ACSC"


async def test_the_sender_must_be_the_payers_bank(sim: Sim, lastro: Institution) -> None:
    message = payout(lastro, payer=PAYER | {"ispb": "12345678"})
    assert (await sim.send(message)).status_code == 201
    await not_processed(lastro, message)


async def test_faults_of_payouts(sim: Sim, lastro: Institution) -> None:
    await sim.act("/faults", {"operation": "payout", "behaviour": "reject", "code": "AB09"})
    assert (await ended(lastro, payout(lastro, 1)))["code"] == "AB09"
    await sim.act("/faults", {"operation": "payout", "behaviour": "slow", "delay": 0.2})
    message = payout(lastro, 2)
    await sim.send(message)
    assert (await sim.ask("GET", f"/spi/v1/payments/{message['endToEndId']}")).json()["status"] == "PENDING"
    assert (await lastro.final(message["endToEndId"]))["status"] == "ACSC"
    await sim.act("/faults", {"operation": "payout", "behaviour": "timeout"})
    message = payout(lastro, 3)
    await sim.send(message)
    await ended(lastro, payout(lastro, 4))
    assert lastro.of(message["endToEndId"]) == []
    assert (await sim.ask("GET", f"/spi/v1/payments/{message['endToEndId']}")).json()["status"] == "ACCC"
    assert (await lastro.final(message["endToEndId"]))["status"] == "ACSC"
    await sim.act("/faults", {"operation": "payout", "behaviour": "twice"})
    await ended(lastro, payout(lastro, 5))
    await until(lambda: len(lastro.of(payout(lastro, 5)["endToEndId"])) == 2)
    await sim.act("/faults", {"operation": "payout", "behaviour": "down"})
    assert (await sim.send(payout(lastro, 6))).status_code == 503
    assert (await sim.ask("GET", f"/spi/v1/payments/{payout(lastro, 6)['endToEndId']}")).status_code == 404


async def test_a_lost_answer_is_503_and_the_payment_is_made_all_the_same(sim: Sim, lastro: Institution) -> None:
    await sim.act("/faults", {"operation": "payout", "behaviour": "lost-answer"})
    message = payout(lastro)
    assert (await sim.send(message)).status_code == 503
    assert (await lastro.final(message["endToEndId"]))["status"] == "ACSC"
    assert (await sim.send(message)).status_code == 201
    assert len((await sim.http.get("/payments")).json()["data"]) == 1


async def test_a_payment_that_its_bank_does_not_see_settles_all_the_same(sim: Sim, lastro: Institution) -> None:
    await sim.act("/faults", {"operation": "payout", "behaviour": "unseen", "delay": 0.5})
    message = payout(lastro)
    assert [(await sim.send(message)).status_code for _ in range(2)] == [503, 409]
    assert (await sim.ask("GET", f"/spi/v1/payments/{message['endToEndId']}")).status_code == 404
    assert (await lastro.final(message["endToEndId"]))["status"] == "ACSC"
    assert (await sim.send(message)).status_code == 201
    assert len((await sim.http.get("/payments")).json()["data"]) == 1


@in_one_test(("hours", "status"), [(-12.1, "RJCT"), (-11.9, "ACSC"), (11.9, "ACSC"), (12.1, "RJCT")])
async def test_the_minute_in_an_id_lies_within_twelve_hours(
    sim: Sim, lastro: Institution, hours: float, status: str
) -> None:
    name = payout(lastro)["endToEndId"]
    message = payout(lastro, endToEndId=pix_ids.redated(name, datetime.now(UTC) + timedelta(hours=hours)))
    final = await ended(lastro, message)
    assert (final["status"], final.get("code")) == (status, "FF08" if status == "RJCT" else None)


@pytest.mark.parametrize(
    ("amount", "status", "code"),
    [("7001.01", "RJCT", "ED05"), ("7001.02", "RJCT", "AB03"), ("7001.05", "RJCT", "AM04"), ("7001.04", "ACSC", None)],
)
async def test_magic_amounts(sim: Sim, lastro: Institution, amount: str, status: str, code: str | None) -> None:
    final = await ended(lastro, payout(lastro, amount=amount))
    assert (final["status"], final.get("code")) == (status, code)
    if amount == "7001.04":
        await until(lambda: len(lastro.of(final["endToEndId"])) == 2)


async def test_a_magic_payment_tells_its_end_to_who_asks(sim: Sim, lastro: Institution) -> None:
    message = payout(lastro, 1, amount="7001.03")
    await sim.send(message)
    await ended(lastro, payout(lastro, 2))
    assert lastro.of(message["endToEndId"]) == []
    assert (await sim.ask("GET", f"/spi/v1/payments/{message['endToEndId']}")).json()["status"] == "ACCC"
    assert (await lastro.final(message["endToEndId"]))["status"] == "ACSC"
