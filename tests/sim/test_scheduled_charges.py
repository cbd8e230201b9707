"""Charges of Pix Automático at the payer's bank: instructed, scheduled or refused, collected once in a window of their day."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.in_one import in_one_test

from lastro_sim.bank import charging
from lastro_sim.settings import LASTRO_ISPB

from .collecting import CLOSING, DUE, FIRST_TRY, NOW, SECOND_TRY, STARTS_ON, at, go_to, holding, quiet, walk_to
from .stage import OWNER, Institution, Sim, Till, running, till, until, working
from .test_authorizations import PAYER

DAY = timedelta(days=1)


async def test_a_charge_is_scheduled_and_collected_in_the_first_window_of_its_day(
    sim: Sim, lastro: Institution, shop: Till
) -> None:
    held = await holding(sim, lastro, shop, amount="29.90")
    message = held.instruction()
    assert (await held.asked(message))[0] == 404
    told = await held.answered(message)
    assert (told["idRec"], told["txId"], told["status"]) == (held.id_rec, message["txId"], "ACCP")
    name = told["endToEndId"]
    assert await held.asked(message) == (200, {
        "msgId": message["msgId"], "idRec": held.id_rec, "txId": message["txId"], "status": "SCHEDULED",
        "endToEndId": name, "decidedAt": told["decidedAt"], "originalTransaction": told["originalTransaction"],
    })  # fmt: skip
    said = told["originalTransaction"]
    assert (said["amount"], said["txId"], said["creditor"]["account"]) == ("29.90", message["txId"], "00000019")
    assert (await sim.http.get("/payments", params={"endToEndId": name})).json() == {"data": []}
    assert await walk_to(sim, at(DUE, "00:29")) == []
    assert lastro.of(name, "pacs.008") == []
    assert await walk_to(sim, at(DUE, "08:00")) == [at(DUE, FIRST_TRY)]
    (asked,) = lastro.of(name, "pacs.008")
    assert {field: asked[field] for field in asked if field not in {"msgId", "createdAt", "acceptedAt"}} == {
        "type": "pacs.008", "endToEndId": name, "txId": message["txId"], "amount": "29.90", "localInstrument": "AUTO",
        "purpose": "IPAY", "payer": PAYER, "recurrence": {"idRec": held.id_rec}, "remittance": "Mensalidade",
        "receiver": {
            "name": OWNER["name"], "document": OWNER["document"], "ispb": LASTRO_ISPB, "branch": "0001",
            "account": "00000019", "accountType": "TRAN",
        },
    }  # fmt: skip
    assert (await lastro.final(name))["status"] == "ACCC"
    assert ((await sim.payment(name))["status"], (await sim.payment(name))["txId"]) == ("SETTLED", message["txId"])
    status, found = await held.asked(message)
    assert (status, found["status"], found["payment"]["endToEndId"]) == (200, "SETTLED", name)
    assert found["payment"]["settledAt"] == (await sim.payment(name))["settledAt"]
    assert len(held.told(message)) == 1
    (listed,) = await held.charges()
    assert (listed["status"], listed["endToEndId"], listed["receiver"]["name"]) == ("SETTLED", name, "Loja da Ana Ltda")


TODAY = NOW.date()
REFUSALS: list[tuple[dict[str, Any], dict[str, Any], str | None]] = [
    ({}, {}, None),
    ({}, {"idRec": "RR9999901020270301aaaaaaaaaaa"}, "MIDI"),
    ({}, {"payer": {"ispb": "99999030", "document": {"type": "CPF", "number": "12345678909"}}}, "RC09"),
    ({}, {"payer": {"ispb": "99999020", "document": {"type": "CPF", "number": "11144477735"}}}, "DENC"),
    ({}, {"receiver": {"name": "X", "document": {"type": "CNPJ", "number": "99999020000185"}, "branch": "1", "account": "1",
                       "accountType": "TRAN"}}, "CRNC"),
    ({"amount": "29.90"}, {"amount": "29.91"}, "AM09"), ({"amount": "29.90"}, {}, None), ({}, {"amount": "0.01"}, None),
    ({}, {"dueDate": "2027-03-04", "settlementDate": "2027-03-05"}, "DTED"),
    ({"ends_on": date(2027, 3, 7)}, {}, "DTED"), ({"ends_on": DUE}, {}, None),
    ({}, {"settlementDate": "2027-03-09"}, "DTED"), ({}, {"settlementDate": "2027-03-07"}, "DTED"),
    # On a weekend it may be moved to Monday, or not.
    ({}, {"dueDate": "2027-03-06"}, None), ({}, {"dueDate": "2027-03-06", "settlementDate": "2027-03-06"}, None),
    ({}, {"dueDate": "2027-03-06", "settlementDate": "2027-03-09"}, "DTED"),
    ({}, {"dueDate": "2027-03-11", "settlementDate": "2027-03-11"}, None),
    ({}, {"dueDate": "2027-03-12", "settlementDate": "2027-03-12"}, "FCD1"),
    ({"starts_on": TODAY}, {"dueDate": "2027-03-03", "settlementDate": "2027-03-03"}, None),
    ({"starts_on": TODAY}, {"dueDate": "2027-03-02", "settlementDate": "2027-03-02"}, "FCD2"),
    ({"starts_on": TODAY}, {"kind": "RIFL", "dueDate": "2027-03-02", "settlementDate": "2027-03-02"}, "NITX"),
    ({}, {"kind": "RIFL"}, "NITX"),
    ({}, {"kind": "NTAG"}, "NITX"),
]  # fmt: skip


@in_one_test(("terms", "changes", "code"), REFUSALS)
async def test_what_the_bank_does_not_schedule(
    sim: Sim, lastro: Institution, shop: Till, terms: dict[str, Any], changes: dict[str, Any], code: str | None
) -> None:
    held = await holding(sim, lastro, shop, **terms)
    told = await held.answered(held.instruction(**changes))
    assert (told["status"], told.get("code")) == ("ACCP" if code is None else "RJCT", code)
    assert ("endToEndId" in told) == (code is None)


async def test_an_authorization_that_does_not_hold_allows_nothing(sim: Sim, lastro: Institution, shop: Till) -> None:
    held = await holding(sim, lastro, shop)
    await sim.act("/phone/cancel-subscription", {"idRec": held.id_rec})
    assert (await held.answered(held.instruction()))["code"] == "MSUC"
    message = held.instruction()
    assert (await sim.send(message, "99999099")).status_code == 201
    assert await held.ended(message) == ("RJCT", "MIDI"), "another institution's recurrence is none of its own"


async def test_one_order_of_a_charge_and_one_charge_of_a_cycle(sim: Sim, lastro: Institution, shop: Till) -> None:
    held = await holding(sim, lastro, shop)
    first, _ = await held.scheduled()
    again = held.instruction(txId=first["txId"])
    assert (await held.answered(again))["code"] == "NIEC"
    other = held.instruction(dueDate="2027-03-09", settlementDate="2027-03-09")
    assert (await held.answered(other))["code"] == "DTED"
    await walk_to(sim, at(DUE, "12:00"))
    assert (await held.answered(held.instruction(txId=first["txId"])))["code"] == "NIPA"
    assert (await held.answered(held.instruction(dueDate="2027-03-15", settlementDate="2027-03-15")))["code"] == "DTED"
    await go_to(sim, at(date(2027, 3, 30), "12:00"))
    await held.scheduled(dueDate="2027-04-05", settlementDate="2027-04-05")


async def test_the_same_message_again_changes_nothing_and_is_told_again(sim: Sim, lastro: Institution, shop: Till) -> None:
    held = await holding(sim, lastro, shop)
    message, name = await held.scheduled()
    assert (await sim.send(message)).json() == (await sim.send(message)).json()
    await until(lambda: len(held.told(message)) == 3)
    assert {one["endToEndId"] for one in held.told(message)} == {name}
    assert len(await held.charges()) == 1
    changed = await sim.send(message | {"amount": "30.00"})
    assert changed.status_code == 409
    await walk_to(sim, at(DUE, "12:00"))
    await sim.send(message)
    await walk_to(sim, at(DUE, "22:00"))
    assert len(lastro.of(name, "pacs.008")) == 1
    assert len((await sim.http.get("/payments")).json()["data"]) == 1


BROKE = "70000000159"


async def test_who_has_no_money_is_tried_in_both_windows(sim: Sim, lastro: Institution, shop: Till) -> None:
    held = await holding(sim, lastro, shop, payer=BROKE)
    message, name = await held.scheduled()
    stops = await walk_to(sim, at(DUE, "20:59"))
    assert stops == [at(DUE, FIRST_TRY), at(DUE, SECOND_TRY)]
    assert len(held.told(message)) == 1, "until the last window closes there may be money"
    (listed,) = await held.charges()
    assert (listed["status"], listed["unpaid"]) == ("SCHEDULED", "EXPR")
    assert await walk_to(sim, at(DUE, "21:01")) == [at(DUE, CLOSING)]
    told = held.told(message)[-1]
    assert (told["status"], told["code"]) == ("RJCT", "EXPR")
    assert lastro.of(name, "pacs.008") == []
    assert await held.ended(message) == ("RJCT", "EXPR")
    assert (await sim.http.get("/payments")).json() == {"data": []}


@in_one_test(
    ("amount", "on_the_day", "retry"),
    [
        ("7004.07", ("SETTLED", None), None), ("7004.08", ("RJCT", "EXPR"), ("RJCT", "EXPR")),
        ("7004.09", ("RJCT", "EXPR"), ("SETTLED", None)), ("7004.14", ("RJCT", "AB10"), ("SETTLED", None)),
        ("7004.11", ("RJCT", "AC05"), None), ("7004.12", ("SETTLED", None), None),
        ("7004.04", ("SETTLED", None), None), ("7004.06", ("SETTLED", None), None), ("7004.13", ("SETTLED", None), None),
    ],
)  # fmt: skip
async def test_magic_amounts_on_the_day(
    sim: Sim, lastro: Institution, shop: Till, amount: str, on_the_day: tuple[str, str | None], retry: Any
) -> None:
    held = await holding(sim, lastro, shop)
    message = held.instruction(amount=amount)
    await sim.send(message)
    stops = await walk_to(sim, at(DUE, "21:01"))
    assert (at(DUE, SECOND_TRY) in stops) == (amount in {"7004.07", "7004.08", "7004.09"})
    assert await held.ended(message) == on_the_day
    if retry is not None:
        day = (DUE + DAY).isoformat()
        again, _ = await held.scheduled(amount=amount, txId=message["txId"], kind="NTAG", settlementDate=day)
        await walk_to(sim, at(DUE + DAY, "21:01"))
        assert await held.ended(again) == retry


@in_one_test(
    ("amount", "codes"),
    [
        ("7004.01", ["AB10", "AB10"]),
        ("7004.02", ["AB10", None]),
        ("7004.03", ["AC05", "NITX"]),
        ("7004.10", ["AM02", "AM02"]),
    ],
)
async def test_magic_amounts_that_are_not_scheduled(
    sim: Sim, lastro: Institution, shop: Till, amount: str, codes: list[str | None]
) -> None:
    held = await holding(sim, lastro, shop)
    first = held.instruction(amount=amount)
    second = held.instruction(amount=amount, txId=first["txId"])
    assert [(await held.answered(one)).get("code") for one in (first, second)] == codes


async def test_magic_amounts_of_what_gets_lost(sim: Sim, lastro: Institution, shop: Till) -> None:
    held = await holding(sim, lastro, shop)
    twice, _ = await held.scheduled(amount="7004.04")
    await until(lambda: len(held.told(twice)) == 2)
    held = await holding(sim, lastro, shop)
    lost = held.instruction(amount="7004.05")
    assert (await sim.send(lost)).status_code == 503
    await until(lambda: held.told(lost))
    assert (await sim.send(lost)).status_code == 201
    held = await holding(sim, lastro, shop)
    silent = held.instruction(amount="7004.06")
    await sim.send(silent)
    await quiet(sim)
    assert held.told(silent) == []
    assert (await held.ended(silent))[0] == "SCHEDULED"
    await until(lambda: held.told(silent))
    held = await holding(sim, lastro, shop)
    _, name = await held.scheduled(amount="7004.12")
    await walk_to(sim, at(DUE, "08:00"))
    assert [one["type"] for one in lastro.of(name) if one["type"] != "pain.014"] == ["camt.054"]
    listed = [one for one in (await sim.http.get("/scenarios")).json()["data"] if one["operation"] == "charge"]
    assert [one["value"] for one in listed] == [f"7004.{number:02d}" for number in range(1, 16)]


async def test_three_new_tries_and_none_where_the_authorization_allows_none(
    sim: Sim, lastro: Institution, shop: Till
) -> None:
    held = await holding(sim, lastro, shop)
    message, _ = await held.scheduled(amount="7004.08")
    for number in range(1, 4):
        await walk_to(sim, at(DUE + (number - 1) * DAY, "21:01"))
        day = (DUE + number * DAY).isoformat()
        await held.scheduled(amount="7004.08", txId=message["txId"], kind="NTAG", settlementDate=day)
    await walk_to(sim, at(DUE + 3 * DAY, "21:01"))
    day = (DUE + 4 * DAY).isoformat()
    fourth = held.instruction(amount="7004.08", txId=message["txId"], kind="NTAG", settlementDate=day)
    assert (await held.answered(fourth))["code"] == "QUNT"
    once = await holding(sim, lastro, shop, recurrence_id="RN9999901020270301aaaaaaaaaaa", retries=False)
    once.id_rec = "RN9999901020270301aaaaaaaaaaa"
    await go_to(sim, NOW)
    message, _ = await once.scheduled(amount="7004.08")
    await walk_to(sim, at(DUE, "21:01"))
    again = once.instruction(amount="7004.08", txId=message["txId"], kind="NTAG", settlementDate="2027-03-09")
    assert (await once.answered(again))["code"] == "IRNT"


async def test_a_new_try_ends_before_the_next_cycle(sim: Sim, lastro: Institution, shop: Till) -> None:
    held = await holding(sim, lastro, shop, frequency="WEEKLY")
    message, _ = await held.scheduled(amount="7004.08")
    await walk_to(sim, at(DUE, "21:01"))
    over = (STARTS_ON + 7 * DAY).isoformat()
    again = {"amount": "7004.08", "txId": message["txId"], "kind": "NTAG"}
    await held.scheduled(**again, settlementDate=(STARTS_ON + 6 * DAY).isoformat())
    other = await holding(sim, lastro, shop, frequency="WEEKLY")
    message, _ = await other.scheduled(amount="7004.08")
    await walk_to(sim, at(DUE, "21:01"))
    again = {"amount": "7004.08", "txId": message["txId"], "kind": "NTAG"}
    assert (await other.answered(other.instruction(**again, settlementDate=over)))["code"] == "DTED"


async def test_the_receivers_no_ends_the_charge(sim: Sim, lastro: Institution, shop: Till) -> None:
    held = await holding(sim, lastro, shop)
    message, name = await held.scheduled()
    lastro.refusals[message["txId"]] = "BE17"
    assert at(DUE, SECOND_TRY) not in await walk_to(sim, at(DUE, "21:01"))
    assert await held.ended(message) == ("RJCT", "BE17")
    assert len(lastro.of(name, "pacs.008")) == 1
    assert (await lastro.final(name))["code"] == "BE17"


async def test_a_bank_that_slept_through_the_day_has_failed(sim: Sim, lastro: Institution, shop: Till) -> None:
    held = await holding(sim, lastro, shop)
    message, name = await held.scheduled()
    await go_to(sim, at(DUE + 30 * DAY, "12:00"))
    await until(lambda: len(held.told(message)) == 2)
    assert await held.ended(message) == ("RJCT", "AB10")
    assert lastro.of(name, "pacs.008") == []


async def test_a_clock_that_lands_between_the_windows_waits_for_the_second(
    sim: Sim, lastro: Institution, shop: Till
) -> None:
    held = await holding(sim, lastro, shop)
    message, name = await held.scheduled()
    await go_to(sim, at(DUE, "12:00"))
    await quiet(sim)
    assert lastro.of(name, "pacs.008") == []
    assert await walk_to(sim, at(DUE, "20:00")) == [at(DUE, SECOND_TRY)]
    assert (await held.ended(message))[0] == "SETTLED"


async def test_a_month_of_the_clock_runs_all_of_it_in_order(sim: Sim, lastro: Institution, shop: Till) -> None:
    weekly = await holding(sim, lastro, shop, frequency="WEEKLY")
    broke = await holding(sim, lastro, shop, payer=BROKE, starts_on=date(2027, 3, 8))
    names = []
    for day in (date(2027, 3, 5), date(2027, 3, 10)):
        if day > date(2027, 3, 6):
            weekly = await holding(sim, lastro, shop, frequency="WEEKLY")
        names.append((await weekly.scheduled(dueDate=day.isoformat(), settlementDate=day.isoformat()))[1])
    unpaid, _ = await broke.scheduled()
    stops = await walk_to(sim, NOW + 31 * DAY)
    assert stops == [
        at(date(2027, 3, 5), FIRST_TRY), at(DUE, FIRST_TRY), at(DUE, SECOND_TRY), at(DUE, CLOSING),
        at(date(2027, 3, 10), FIRST_TRY),
    ]  # fmt: skip
    settled = [(await sim.payment(name))["settledAt"] for name in names]
    assert settled == sorted(settled)
    assert [one[:10] for one in settled] == ["2027-03-05", "2027-03-10"]
    assert await broke.ended(unpaid) == ("RJCT", "EXPR")


async def test_a_killed_bank_goes_on_where_it_was(tmp_path: Path) -> None:
    async with running(tmp_path) as sim, working(sim) as lastro, till(sim) as shop:
        held = await holding(sim, lastro, shop)
        message, name = await held.scheduled()
    async with running(tmp_path, answer_seconds=0.05) as sim:
        await go_to(sim, at(DUE, "01:00"))
        await until(lambda: sim.network.store.row("SELECT 1 FROM instruction WHERE step = 'PAYING'"))
    async with running(tmp_path) as sim, working(sim) as lastro:
        assert (await lastro.final(name))["status"] == "ACCC"
        held.sim, held.lastro = sim, lastro
        assert (await held.ended(message))[0] == "SETTLED"
        await walk_to(sim, at(DUE, "22:00"))
        assert len({one["msgId"] for one in lastro.of(name, "pacs.008")}) == 1
        assert len((await sim.http.get("/payments")).json()["data"]) == 1


async def test_many_charges_of_a_day_are_paid_a_few_at_a_time(
    sim: Sim, lastro: Institution, shop: Till, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(charging, "AT_ONCE", 2)
    charges = [(await (await holding(sim, lastro, shop)).scheduled())[1] for _ in range(5)]
    lastro.silent = True
    await go_to(sim, at(DUE, "01:00"))
    await until(lambda: len([one for one in lastro.heard if one["type"] == "pacs.008"]) == 2)
    shown = (await sim.http.get("/clock")).json()
    assert not shown["quiet"]
    assert len((await sim.http.get("/payments")).json()["data"]) == 2
    lastro.silent = False
    for question in [one for one in lastro.heard if one["type"] == "pacs.008"]:
        await lastro.answer(question)
    await quiet(sim)
    assert [(await sim.payment(name))["status"] for name in charges] == ["SETTLED"] * 5


async def test_the_receivers_silence_ends_the_charge(impatient: Sim) -> None:
    async with working(impatient) as lastro, till(impatient) as shop:
        object.__setattr__(impatient.network.settings, "ask_seconds", 10.0)
        held = await holding(impatient, lastro, shop)
        message, _ = await held.scheduled()
        object.__setattr__(impatient.network.settings, "ask_seconds", 0.05)
        lastro.silent = True
        await go_to(impatient, at(DUE, "01:00"))
        await until(lambda: len(held.told(message)) == 2)
        assert await held.ended(message) == ("RJCT", "AB03")
