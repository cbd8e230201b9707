from typing import Any

from tests.in_one import in_one_test

from .official.directory import refusal
from .stage import Institution, Sim, Till, until

ACCOUNT_AT_LASTRO = {"branch": "0001", "account": "19"}


async def transfer(sim: Sim, amount: str = "10.00") -> Any:
    return await sim.act("/phone/transfer", {"account": ACCOUNT_AT_LASTRO, "amount": amount})


async def order(sim: Sim, operation: str, behaviour: str, **more: Any) -> Any:
    return await sim.act("/faults", {"operation": operation, "behaviour": behaviour} | more)


async def test_reject_comes_after_our_yes(sim: Sim, lastro: Institution) -> None:
    await order(sim, "payin", "reject", code="AM02")
    paid = await transfer(sim)
    assert (paid["status"], paid["code"]) == ("REJECTED", "AM02")
    assert len(lastro.of(paid["endToEndId"], "pacs.008")) == 1
    final = await lastro.final(paid["endToEndId"])
    assert (final["status"], final["code"]) == ("RJCT", "AM02")
    assert (await transfer(sim))["status"] == "SETTLED"


async def test_timeout_comes_after_our_yes(sim: Sim, lastro: Institution) -> None:
    await order(sim, "payin", "timeout")
    paid = await transfer(sim)
    assert (paid["status"], paid["code"]) == ("REJECTED", "AB03")
    assert (await lastro.final(paid["endToEndId"]))["code"] == "AB03"


async def test_late_settles_without_asking(sim: Sim, lastro: Institution) -> None:
    await order(sim, "payin", "late")
    paid = await transfer(sim)
    assert paid["status"] == "SETTLED"
    (told,) = await until(lambda: lastro.of(paid["endToEndId"]))
    assert told["type"] == "camt.054"
    assert told["amount"] == "10.00"
    assert told["payer"]["name"] == "Pessoa Pagadora"
    assert told["acceptedAt"] <= told["settledAt"]


async def test_a_delayed_late_message_waits_for_the_clock(sim: Sim, lastro: Institution) -> None:
    await order(sim, "payin", "late", delay=86_400)
    paid = await transfer(sim)
    clock = (await sim.http.get("/clock")).json()
    assert clock["nextDue"] > clock["now"]
    assert clock["quiet"] is True
    await sim.ask("PUT", "/clock", {"offsetMicroseconds": 86_399_000_000})
    assert lastro.of(paid["endToEndId"]) == []
    await sim.ask("PUT", "/clock", {"offsetMicroseconds": 86_400_000_000})
    (told,) = await until(lambda: lastro.of(paid["endToEndId"]))
    assert told["settledAt"] < clock["nextDue"]


async def test_twice_says_everything_twice(sim: Sim, lastro: Institution) -> None:
    await order(sim, "payin", "twice")
    paid = await transfer(sim)
    assert paid["status"] == "SETTLED"
    heard = await until(lambda: len(lastro.of(paid["endToEndId"])) == 4 and lastro.of(paid["endToEndId"]))
    assert [one["type"] for one in heard].count("pacs.008") == 2
    assert len({one["msgId"] for one in heard}) == 4
    assert {one["status"] for one in heard if one["type"] == "pacs.002"} == {"ACCC"}


async def test_a_lost_answer_is_asked_for_again(sim: Sim, lastro: Institution) -> None:
    await order(sim, "payin", "lost-answer")
    paid = await transfer(sim)
    assert paid["status"] == "SETTLED"
    asked = lastro.of(paid["endToEndId"], "pacs.008")
    assert len({one["msgId"] for one in asked}) == 2
    assert len({one["acceptedAt"] for one in asked}) == 1


async def test_slow_is_pending_for_a_while(sim: Sim, lastro: Institution) -> None:
    object.__setattr__(sim.network.settings, "answer_seconds", 0.05)
    await order(sim, "payin", "slow", delay=0.5)
    paid = await transfer(sim)
    assert paid["status"] == "PENDING"
    assert (await lastro.final(paid["endToEndId"]))["status"] == "ACCC"


async def test_down_is_503_and_the_same_message_works_later(sim: Sim, lastro: Institution) -> None:
    await order(sim, "payin", "down", times=2)
    paid = await transfer(sim)
    assert paid["status"] == "SETTLED"
    assert (await sim.http.get("/faults")).json() == {"data": []}


async def test_a_fault_strikes_only_what_it_matches(sim: Sim, lastro: Institution) -> None:
    await order(sim, "payin", "reject", match={"amount": 20})
    await order(sim, "payin", "reject", match={"payerDocument": "11144477735"}, code="RR04")
    assert (await transfer(sim, "10"))["status"] == "SETTLED"
    assert (await transfer(sim, "20"))["code"] == "ED05"
    assert (await transfer(sim, "20"))["status"] == "SETTLED"
    stranger = {"name": "Carla", "document": {"type": "CPF", "number": "11144477735"}}
    body = {"account": ACCOUNT_AT_LASTRO, "amount": "1", "payer": stranger}
    assert (await sim.act("/phone/transfer", body))["code"] == "RR04"


async def test_faults_are_listed_and_withdrawn(sim: Sim) -> None:
    kept = await order(sim, "payin", "late", delay=1.5, times=3, match={"txId": "abc"})
    assert kept["behaviour"] == "late"
    assert (kept["times"], kept["delay"], kept["match"]) == (3, 1.5, {"txId": "abc"})
    assert (await sim.http.get("/faults")).json() == {"data": [kept]}
    assert (await sim.http.delete("/faults")).status_code == 200
    assert (await sim.http.get("/faults")).json() == {"data": []}


async def test_directory_faults(sim: Sim) -> None:
    headers = {"PI-RequestingParticipant": "99999010", "PI-PayerId": "11222333000181", "PI-EndToEndId": "E" * 32}
    path = "/dict/v2/entries/fabio@fora.example"
    await order(sim, "directory", "down")
    assert (await sim.ask("GET", path, **headers)).status_code == 503
    await order(sim, "directory", "reject", code="EntryWithFraudRelatedRestriction")
    refused = await sim.ask("GET", path, **headers)
    assert refusal(refused) == (400, "EntryWithFraudRelatedRestriction")
    await order(sim, "directory", "slow", delay=0.05)
    assert (await sim.ask("GET", path, **headers)).status_code == 200


@in_one_test(
    ("behaviour", "problem"),
    [("down", "LOCATION_UNAVAILABLE"), ("reject", "SIGNATURE_INVALID"), ("slow", None)],
)
async def test_location_faults(sim: Sim, shop: Till, key: str, behaviour: str, problem: str | None) -> None:
    code, _ = shop.charge(key)
    await order(sim, "location", behaviour, delay=0.05)
    assert (await sim.act("/phone/read", {"qrcodeData": code})).get("problem") == problem


@in_one_test(
    ("value", "status", "code", "kinds"),
    [
        ("7001.01", "REJECTED", "ED05", ["pacs.008", "pacs.002"]),
        ("7001.02", "REJECTED", "AB03", ["pacs.008", "pacs.002"]),
        ("7001.03", "SETTLED", None, ["camt.054"]),
        ("7001.04", "SETTLED", None, ["pacs.008", "pacs.008", "pacs.002", "pacs.002"]),
        ("7001.05", "SETTLED", None, ["pacs.008", "pacs.008", "pacs.002"]),
    ],
)
async def test_magic_amounts(
    sim: Sim, lastro: Institution, value: str, status: str, code: str | None, kinds: list[str]
) -> None:
    paid = await transfer(sim, value)
    assert (paid["status"], paid.get("code")) == (status, code)
    heard = await until(lambda: len(lastro.of(paid["endToEndId"])) >= len(kinds) and lastro.of(paid["endToEndId"]))
    assert sorted(one["type"] for one in heard) == sorted(kinds)


async def test_every_scenario_listed_is_played(sim: Sim, lastro: Institution) -> None:
    for one in (await sim.http.get("/scenarios")).json()["data"]:
        if one["field"] == "payer":
            paid = await sim.act("/phone/transfer", {"account": ACCOUNT_AT_LASTRO, "amount": "1", "payer": one["value"]})
            assert paid["status"] == "REJECTED"
            assert (await sim.http.get("/payments", params={"endToEndId": paid["endToEndId"]})).json() == {"data": []}
        if one["field"] == "key":
            paid = await sim.act("/phone/transfer", {"key": one["value"], "amount": "1"})
            assert paid["status"] == "REJECTED"
