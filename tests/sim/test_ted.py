"""Transfers through the STR: sent, effective, refused, returned, and everything that may happen to them on the way."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from .orders import FABIO, OPEN, send_ted, set_clock, ted
from .stage import Institution, Message, Sim, running, until, working

ELISA = {"type": "CPF", "number": "98765432100"}


def results(lastro: Institution, message: Message) -> list[Message]:
    return [one for one in lastro.heard if one["type"] == "STR0008R1" and one["numCtrlIf"] == message["numCtrlIf"]]


def returned(lastro: Institution, message: Message) -> list[Message]:
    return [one for one in lastro.heard if one["type"] == "STR0010R2" and one["originalNumCtrlIf"] == message["numCtrlIf"]]


async def result(lastro: Institution, message: Message) -> Message:
    sent = await send_ted(lastro.sim, message)
    assert sent.status_code == 201, sent.text
    found: Message = (await until(lambda: results(lastro, message)))[-1]
    return found


async def asked(sim: Sim, message: Message) -> Any:
    return (await sim.ask("GET", f"/str/v1/transfers/{message['numCtrlIf']}")).json()


async def listed(sim: Sim, message: Message) -> Any:
    (found,) = (await sim.http.get("/teds", params={"numCtrlIf": message["numCtrlIf"]})).json()["data"]
    return found


def to(**changes: Any) -> Message:
    creditor: Message = ted()["creditor"]
    return creditor | changes


async def test_a_transfer_is_effective(sim: Sim, lastro: Institution) -> None:
    await set_clock(sim, OPEN)
    told = await result(lastro, ted())
    assert (told["status"], told["numCtrlIf"]) == ("1", ted()["numCtrlIf"])
    assert told["numCtrlStr"] == "STR20261123000000001"
    assert told["settledAt"].startswith("2026-11-23T13:0")
    assert await asked(sim, ted()) == {
        "numCtrlIf": told["numCtrlIf"], "numCtrlStr": told["numCtrlStr"], "status": "1", "amount": "10.50",
        "settledAt": told["settledAt"], "returned": None, "originalTransaction": told["originalTransaction"],
    }  # fmt: skip
    said = told["originalTransaction"]
    assert (said["amount"], said["creditor"]["account"], said["debtor"]["ispb"]) == ("10.50", "300003", "99999010")
    shown = await listed(sim, ted())
    assert (shown["status"], shown["amount"], shown["creditor"]["account"]) == ("SETTLED", "10.50", "300003")
    assert (await sim.ask("GET", "/str/v1/transfers/nobody")).status_code == 404


async def test_the_same_transfer_is_one_whatever_its_message_is_called(sim: Sim, lastro: Institution) -> None:
    await set_clock(sim, OPEN)
    answers = [(await send_ted(sim, ted() | {"msgId": f"M{n}", "createdAt": f"2026-11-23T13:00:0{n}Z"})) for n in range(3)]
    assert {(one.status_code, one.text) for one in answers} == {(201, answers[0].text)}
    assert len((await sim.http.get("/teds")).json()["data"]) == 1
    assert (
        len({one["numCtrlStr"] for one in await until(lambda: len(results(lastro, ted())) == 3 and results(lastro, ted()))})
        == 1
    )
    for change in ({"amount": "10.51"}, {"purpose": "5"}, {"creditor": to(account="300001")}, {"history": "x"}):
        assert (await send_ted(sim, ted(1, **change))).status_code == 409
    await set_clock(sim, OPEN + timedelta(hours=12))
    assert (await send_ted(sim, ted())).status_code == 201, "known already: no session is needed"


async def test_fifty_at_once_are_one(sim: Sim, lastro: Institution) -> None:
    await set_clock(sim, OPEN)
    answers = await asyncio.gather(*(send_ted(sim, ted()) for _ in range(50)))
    assert len({one.text for one in answers}) == 1
    assert len((await sim.http.get("/teds")).json()["data"]) == 1


@pytest.mark.parametrize(
    ("at", "taken"),
    [
        (datetime(2026, 11, 23, 9, 28, tzinfo=UTC), False),
        (datetime(2026, 11, 23, 9, 30, tzinfo=UTC), True),
        (datetime(2026, 11, 23, 19, 59, tzinfo=UTC), True),
        (datetime(2026, 11, 23, 20, 0, tzinfo=UTC), False),
        (datetime(2026, 11, 20, 13, 0, tzinfo=UTC), False),  # Friday, and the holiday of 20 November
        (datetime(2026, 11, 21, 13, 0, tzinfo=UTC), False),  # Saturday
        (datetime(2026, 12, 25, 13, 0, tzinfo=UTC), False),
        (datetime(2026, 12, 31, 13, 0, tzinfo=UTC), True),
    ],
)
async def test_the_session(sim: Sim, at: datetime, taken: bool) -> None:
    await set_clock(sim, at)
    answered = await send_ted(sim, ted())
    if taken:
        assert answered.status_code == 201
    else:
        assert (answered.status_code, answered.json()["error"]) == (422, "OUTSIDE_STR_SESSION")
        assert (await sim.http.get("/teds")).json() == {"data": []}


@pytest.mark.parametrize(
    ("creditor", "code"),
    [
        ({"account": "399999"}, "2"),
        ({"account": "300005", "document": {"type": "CPF", "number": "13579246828"}}, "1"),
        ({"document": ELISA}, "3"),
        ({"accountType": "PP"}, "84"),
        ({"branch": "2"}, "2"),
        ({"ispb": "99999020", "account": "999"}, "2"),
        ({"ispb": "99999020", "account": "123456", "document": {"type": "CPF", "number": "12345678909"}}, None),
        ({"branch": "0001"}, None),
    ],
)
async def test_what_cannot_be_credited_comes_back(
    sim: Sim, lastro: Institution, creditor: dict[str, Any], code: str | None
) -> None:
    await set_clock(sim, OPEN)
    message = ted(1, creditor=to(**creditor))
    told = await result(lastro, message)
    assert told["status"] == "1"
    assert returned(lastro, message) == []
    await set_clock(sim, OPEN + timedelta(minutes=4))
    assert (await asked(sim, message))["returned"] is None
    await set_clock(sim, OPEN + timedelta(minutes=6))
    if code is None:
        assert (await listed(sim, message))["returned"] is None
        assert (await sim.http.get("/clock")).json()["nextDue"] is None
        return
    (back,) = await until(lambda: returned(lastro, message))
    assert (back["code"], back["amount"], back["originalNumCtrlStr"]) == (code, "10.50", told["numCtrlStr"])
    assert back["numCtrlStr"] not in {told["numCtrlStr"], None}
    assert told["settledAt"] < back["settledAt"]
    assert (await listed(sim, message))["returned"]["numCtrlStr"] == back["numCtrlStr"]


async def test_a_person_sends_one_back_once(sim: Sim, lastro: Institution) -> None:
    await set_clock(sim, OPEN)
    told = await result(lastro, ted())
    await set_clock(sim, OPEN + timedelta(days=3))
    path = "/bank/outside/ted-returns"
    given = await sim.act(path, {"numCtrlStr": told["numCtrlStr"], "code": 70})
    (back,) = await until(lambda: returned(lastro, ted()))
    assert (given["status"], given["numCtrlStr"]) == ("SETTLED", back["numCtrlStr"])
    assert (back["code"], back["settledAt"][:10]) == ("70", "2026-11-26")
    again = await sim.act(path, {"numCtrlIf": ted()["numCtrlIf"], "code": "2"})
    assert again == {"status": "REJECTED", "code": "ALREADY_RETURNED"}
    assert (await sim.act(path, {"numCtrlIf": "nobody", "code": "2"}))["code"] == "UNKNOWN_TRANSFER"
    assert len(returned(lastro, ted())) == 1


async def test_a_refused_transfer_is_not_sent_back(sim: Sim, lastro: Institution) -> None:
    await set_clock(sim, OPEN)
    message = ted(1, creditor=to(ispb="12345678"))
    told = await result(lastro, message)
    assert (told["status"], "settledAt" in told) == ("22", False)
    assert await listed(sim, message) | {"creditor": None, "numCtrlStr": None} == {
        "numCtrlIf": message["numCtrlIf"], "numCtrlStr": None, "status": "REJECTED", "code": "22", "amount": "10.50",
        "settledAt": None, "returned": None, "creditor": None,
    }  # fmt: skip
    refused = await sim.act("/bank/outside/ted-returns", {"numCtrlIf": message["numCtrlIf"], "code": "2"})
    assert refused["code"] == "NOT_SETTLED"


async def fault(sim: Sim, behaviour: str, **more: Any) -> None:
    await sim.act("/faults", {"operation": "ted", "behaviour": behaviour} | more)


async def test_down_reject_and_twice(sim: Sim, lastro: Institution) -> None:
    await set_clock(sim, OPEN)
    await fault(sim, "down", match={"numCtrlIf": ted()["numCtrlIf"]})
    assert (await send_ted(sim, ted())).status_code == 503
    assert (await sim.ask("GET", f"/str/v1/transfers/{ted()['numCtrlIf']}")).status_code == 404
    await fault(sim, "reject", code="14")
    assert (await result(lastro, ted(1)))["status"] == "14"
    await fault(sim, "reject")
    assert (await result(lastro, ted(2)))["status"] == "9"
    await fault(sim, "twice")
    await result(lastro, ted(3))
    pair = await until(lambda: len(results(lastro, ted(3))) == 2 and results(lastro, ted(3)))
    assert len({one["msgId"] for one in pair}) == 2
    await sim.act("/faults", {"operation": "return", "behaviour": "twice"})
    await sim.act("/bank/outside/ted-returns", {"numCtrlIf": ted(3)["numCtrlIf"], "code": "5"})
    pair = await until(lambda: len(returned(lastro, ted(3))) == 2 and returned(lastro, ted(3)))
    assert len({one["numCtrlStr"] for one in pair}) == 1


async def test_a_lost_answer_took_effect(sim: Sim, lastro: Institution) -> None:
    await set_clock(sim, OPEN)
    await fault(sim, "lost-answer")
    assert (await send_ted(sim, ted())).status_code == 503
    assert (await until(lambda: results(lastro, ted())))[0]["status"] == "1"
    assert (await send_ted(sim, ted())).status_code == 201
    assert len((await sim.http.get("/teds")).json()["data"]) == 1


async def test_a_withheld_end_is_told_to_who_asks(sim: Sim, lastro: Institution) -> None:
    await set_clock(sim, OPEN)
    await fault(sim, "timeout")
    assert (await send_ted(sim, ted(1))).status_code == 201
    assert (await send_ted(sim, ted(1))).status_code == 201, "sending again is not asking"
    await result(lastro, ted(2))
    assert results(lastro, ted(1)) == []
    assert (await asked(sim, ted(1)))["status"] == "1"
    (told,) = await until(lambda: results(lastro, ted(1)))
    assert told["status"] == "1"


async def test_slow_is_pending_for_a_while(sim: Sim, lastro: Institution) -> None:
    await set_clock(sim, OPEN)
    await fault(sim, "slow", delay=0.3)
    await send_ted(sim, ted())
    assert (await asked(sim, ted()))["status"] == "17"
    assert (await listed(sim, ted()))["status"] == "PENDING"
    assert (await sim.http.get("/clock")).json()["quiet"] is False
    assert (await until(lambda: results(lastro, ted())))[0]["status"] == "1"


async def test_late_is_told_when_business_time_has_come(sim: Sim, lastro: Institution) -> None:
    await set_clock(sim, OPEN)
    await fault(sim, "late", delay=86_400)
    await send_ted(sim, ted())
    assert (await asked(sim, ted()))["status"] == "1"
    await result(lastro, ted(2))
    assert results(lastro, ted()) == []
    await set_clock(sim, OPEN + timedelta(days=1, seconds=1))
    (told,) = await until(lambda: results(lastro, ted()))
    assert told["settledAt"].startswith("2026-11-23")


async def test_a_refusal_may_turn_out_to_have_left(sim: Sim, lastro: Institution) -> None:
    await set_clock(sim, OPEN)
    await fault(sim, "reject-then-settle", delay=3600, code="24")
    assert (await result(lastro, ted()))["status"] == "24"
    assert (await asked(sim, ted()))["status"] == "24"
    assert (await asked(sim, ted()))["settledAt"] is None
    await set_clock(sim, OPEN + timedelta(hours=1, seconds=1))
    both = await until(lambda: len(results(lastro, ted())) == 2 and results(lastro, ted()))
    assert [one["status"] for one in both] == ["24", "1"]
    assert (await asked(sim, ted()))["status"] == "1"


async def test_a_slow_one_ends_after_a_restart(tmp_path: Path) -> None:
    async with running(tmp_path) as sim:
        await set_clock(sim, OPEN)
        await fault(sim, "slow", delay=0.2)
        await send_ted(sim, ted())
    async with running(tmp_path) as sim, working(sim) as lastro:
        assert (await until(lambda: results(lastro, ted())))[0]["status"] == "1"


async def test_every_magic_value_is_played(sim: Sim, lastro: Institution) -> None:
    await set_clock(sim, OPEN)
    magic = [one for one in (await sim.http.get("/scenarios")).json()["data"] if one["operation"] == "ted"]
    assert len(magic) == 25
    for number, one in enumerate(magic, start=1):
        change = {"amount": one["value"]} if one["field"] == "amount" else {"creditor": to(account=one["value"])}
        told = await result(lastro, ted(number, **change))
        if one["field"] == "amount" and one["value"].startswith("7002."):
            assert told["status"] == str(int(one["value"][-2:]))
            assert one["outcome"].startswith(f"status {told['status']}:")
    await set_clock(sim, OPEN + timedelta(minutes=6))
    for number, one in enumerate(magic, start=1):
        back = (await listed(sim, ted(number)))["returned"]
        assert one["outcome"].endswith(f"code {back['code']}") if back else one["outcome"].startswith("status")


BAD: list[tuple[dict[str, Any], str]] = [
    ({"type": "STR0004"}, "type"), ({"type": None}, "type"), ({"msgId": "a b"}, "msgId"), ({"createdAt": "now"}, "createdAt"),
    ({"numCtrlIf": None}, "numCtrlIf"), ({"numCtrlIf": "x" * 21}, "numCtrlIf"), ({"numCtrlIf": "a-b"}, "numCtrlIf"),
    ({"amount": "1"}, "amount"), ({"amount": 1}, "amount"), ({"amount": "0.00"}, "amount"), ({"amount": None}, "amount"),
    ({"purpose": None}, "purpose"), ({"purpose": "0"}, "purpose"), ({"purpose": "x"}, "purpose"), ({"purpose": "99999"}, "history"),
    ({"history": "x" * 201}, "history"), ({"debtor": None}, "debtor"), ({"creditor": []}, "creditor"),
    ({"creditor": to(ispb="99999010")}, "creditor.ispb"), ({"creditor": to(ispb="1")}, "creditor.ispb"),
    ({"creditor": to(account="0300003")}, "creditor.account"), ({"creditor": to(account="1" * 14)}, "creditor.account"),
    ({"creditor": to(account="٣")}, "creditor.account"), ({"creditor": to(branch="12345")}, "creditor.branch"),
    ({"creditor": to(accountType="SL")}, "creditor.accountType"), ({"creditor": to(name="x" * 81)}, "creditor.name"),
    ({"creditor": to(document=None)}, "creditor.document"),
    ({"creditor": to(document=FABIO["document"] | {"number": "1"})}, "creditor.document.number"),  # type: ignore[operator]
]  # fmt: skip


async def test_malformed_transfers(sim: Sim) -> None:
    await set_clock(sim, OPEN)
    for change, field in BAD:
        answered = await send_ted(sim, ted(1, **change))
        assert answered.status_code == 400, (change, answered.text)
        assert [one["field"] for one in answered.json()["details"]] == [field], change
    assert (await sim.ask("POST", "/str/v1/msgs/99999020", ted())).status_code == 403
    assert (await sim.ask("POST", "/str/v1/msgs/nobody", ted())).status_code == 400
    assert (await sim.http.get("/teds")).json() == {"data": []}
