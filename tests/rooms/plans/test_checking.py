"""Every line of a plan is looked at before anything moves: what it would be, or all that stands in its way."""

import asyncio
import hashlib
from typing import Any

import pytest
from tests.cast import Cast
from tests.rooms.payouts.office import FABIO, FORA, KEY, entry_of
from tests.rooms.payouts.test_create import dynamic_qr, static_qr
from tests.rooms.plans.bureau import BY_KEY, TO_FABIO, Bureau

from lastro.core import work_queue
from lastro.plans import LANE, engine
from lastro.plans.actions import check
from lastro.rails.port import BudgetSpent, Charge, Transient

_MOVED = ("payouts", "transfers", "outbox", "balances", "quotas", "parties")
CARLA = "carla@fora.example"


async def moved(bureau: Bureau) -> str:
    """A hash over all that a payout would change."""
    found = [
        await bureau.office.column(f"SELECT t::text FROM {table} t WHERE company_id = tenant() ORDER BY 1")
        for table in _MOVED
    ]
    return hashlib.sha256(repr(found).encode()).hexdigest()


async def issues(bureau: Bureau, plan: dict[str, Any]) -> dict[int, list[tuple[str, str]]]:
    """By its line, what stands in its way."""
    return {
        line["line"]: [(one["field"], one["issue"]) for one in line["issues"]]
        for line in await bureau.lines(plan, "INVALID")
    }


# ── what is wrong ──


async def test_all_that_is_wrong_is_said_at_once_by_line_and_nothing_moves(bureau: Bureau) -> None:
    office, made = bureau.office, await bureau.office.make(777)
    bureau.office.outside.entries[CARLA] = entry_of(CARLA)
    before = await moved(bureau)
    payouts: list[Any] = [
        bureau.payout("1.00"),
        {},
        7,
        bureau.payout("0"),
        bureau.payout("2.00", accountId="0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"),
        bureau.payout("3.00", paymentData={"pixKey": "nobody@fora.example"}),
        bureau.payout("4.00", paymentData={"bankAccount": {**TO_FABIO["bankAccount"], "ispb": "00000001"}}),
        bureau.payout("5.00", paymentData={"qrcodeData": "no QR"}),
        bureau.payout("6.00", paymentMethod="TED", paymentData=BY_KEY),
        bureau.payout("7.00", externalId=(await office.column("SELECT external_id FROM payouts WHERE id = $1::text::uuid", made["id"]))[0]),
        bureau.payout("8.00", scheduledDate="2020-01-01"),
        bureau.payout("9.00", paymentData={"pixKey": CARLA},
                      receiver={"name": "Carla", "document": {"type": "CPF", "number": "52998224725"}}),
        bureau.payout("99999999.00"),
    ]  # fmt: skip
    payouts.append({**bureau.payout("10.00"), "externalId": payouts[0]["externalId"]})
    plan = await bureau.checked(payouts)
    assert (plan["status"], plan["progress"]["checked"], plan["progress"]["unfit"]) == ("INVALID", 14, 13)
    assert "expiresAt" not in plan
    found = await issues(bureau, plan)
    assert len(found.pop(2)) == 6
    assert found == {
        3: [("", "INVALID")], 4: [("amount.value", "OUT_OF_RANGE")], 5: [("accountId", "INVALID")],
        6: [("paymentData.pixKey", "INVALID")], 7: [("paymentData.bankAccount.ispb", "INVALID")],
        8: [("paymentData.qrcodeData", "INVALID")], 9: [("paymentData.pixKey", "NOT_ALLOWED")],
        10: [("externalId", "DUPLICATE")], 11: [("scheduledDate", "OUT_OF_RANGE")], 12: [("receiver.document", "MISMATCH")],
        13: [("amount", "LIMIT_EXCEEDED")], 14: [("externalId", "DUPLICATE")],
    }  # fmt: skip
    assert [line["line"] for line in await bureau.lines(plan, "VALID")] == [1]
    assert await moved(bureau) == before
    assert await bureau.events(plan) == ["PAYOUT-PLAN.INVALID"]


async def test_a_csvs_problems_name_its_columns_and_the_files_lines(bureau: Bureau) -> None:
    account = bureau.ana.account_id
    table = (
        "externalId;accountId;paymentMethod;amount;description;pixKey\r\n"
        f"a;{account};PIX;10,50;Salary;{KEY}\r\n"
        "\r\n"
        f"b;{account};PIX;0,00;Salary;{KEY}\r\n"
        f"c;{account};PIX;1,00;Salary;nobody@fora.example\r\n"
    )
    plan = await bureau.checked(table.encode())
    assert (plan["status"], plan["format"], plan["lines"]) == ("INVALID", "CSV", 3)
    assert await issues(bureau, plan) == {4: [("amount", "OUT_OF_RANGE")], 5: [("pixKey", "INVALID")]}
    result = await bureau.result(plan)
    assert [row.split(",")[:3] for row in result[1:]] == [["2", "a", "VALID"], ["4", "", "INVALID"], ["5", "c", "INVALID"]]


# ── what it would be ──


async def test_every_way_is_looked_up_and_priced(bureau: Bureau) -> None:
    office = bureau.office
    await office.fee(5)
    await office.limit(transaction=1000)
    before = await moved(bureau)
    dora = await bureau.cast.dora()
    here = {
        "paymentData": {"bankAccount": {**TO_FABIO["bankAccount"], "ispb": bureau.office.ways.ispb,
                                        "accountNumber": dora.account_number, "accountType": "PAYMENT_ACCOUNT"}},
        "receiver": {"name": dora.holder.full_name,
                     "document": {"type": dora.holder.document_type, "number": dora.holder.document_number}},
    }  # fmt: skip
    plan = await bureau.checked([
        bureau.payout("1.00", paymentData=BY_KEY), bureau.payout("2.00"), bureau.payout("3.00", paymentMethod="TED"),
        bureau.payout("25.00"), bureau.payout("4.00", **here),
        bureau.payout("5.00", paymentData={"qrcodeData": static_qr(KEY)}),
    ])  # fmt: skip
    assert plan["status"] == "READY", await bureau.lines(plan)
    lines = await bureau.lines(plan)
    assert [line["transfers"] for line in lines] == [1, 1, 1, 3, 1, 1]
    assert [line["fee"]["value"] for line in lines] == ["0.05", "0.05", "0.00", "0.05", "0.05", "0.05"]
    assert [line["receiver"]["name"] for line in lines] == [FABIO.name] * 4 + [dora.holder.full_name, FABIO.name]
    assert lines[0]["receiver"]["pixKey"] == KEY
    ((account,), (pix, ted)) = plan["accounts"], plan["accounts"][0]["methods"]
    assert (pix["payouts"], pix["transfers"], pix["amount"]["value"], pix["fees"]["value"]) == (5, 7, "37.00", "0.25")
    assert (ted["payouts"], ted["amount"]["value"], pix["dayLimitLeft"]["value"]) == (1, "3.00", "1000000.00")
    assert (account["available"]["value"], account["availableAfter"]["value"]) == ("100000.00", "99959.75")
    assert await moved(bureau) == before
    assert office.outside.asked == [KEY, KEY]


async def test_too_little_is_shown_and_no_reason_to_refuse(bureau: Bureau) -> None:
    plan = await bureau.checked([bureau.payout("15000.00"), *(bureau.payout(f"14999.0{n}") for n in range(1, 8))])
    (account,) = plan["accounts"]
    assert (plan["status"], account["isCovered"], account["availableAfter"]["value"]) == ("READY", False, "-19993.28")


async def test_what_is_like_another_is_named(bureau: Bureau) -> None:
    made = await bureau.office.make(1050)
    plan = await bureau.checked(
        [bureau.payout(), bureau.payout("3.00"), bureau.payout("3.00"), bureau.payout(allowDuplicate=True)]
    )
    assert [line.get("possibleDuplicate") for line in await bureau.lines(plan)] == [made["id"], None, "line 2", "line 1"]
    assert plan["status"] == "READY"


async def test_a_company_that_refuses_duplicates_refuses_lines_that_are_alike(bureau: Bureau) -> None:
    await bureau.office.column("UPDATE companies SET refuses_duplicates = true, version = version + 1 RETURNING 1")
    await bureau.office.make(1050)
    same = bureau.payout("3.00")
    plan = await bureau.checked(
        [bureau.payout(), same, {**same, "externalId": "b"}, {**same, "externalId": "c", "allowDuplicate": True}]
    )
    assert await issues(bureau, plan) == {1: [("amount", "DUPLICATE")], 3: [("amount", "DUPLICATE")]}


async def test_lines_are_alike_by_who_receives_however_far_apart(bureau: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    """By account, key and code; also where they are looked at in different portions."""
    monkeypatch.setattr(engine, "_CHECKED_AT_ONCE", 2)
    bureau.office.outside.entries[CARLA] = entry_of(CARLA, account=f"00{FORA.account}")
    other_number = {k: v for k, v in TO_FABIO["bankAccount"].items() if k != "ispb"}
    ways: list[dict[str, Any]] = [
        TO_FABIO, BY_KEY, {"pixKey": CARLA}, {"qrcodeData": static_qr(KEY)},
        {"bankAccount": {**other_number, "bankNumber": "992", "accountNumber": f"0{FORA.account}"}},
    ]  # fmt: skip
    payouts = [bureau.payout("3.00", paymentData=way) for way in ways]
    plan = await bureau.checked(payouts)
    assert [line.get("possibleDuplicate") for line in await bureau.lines(plan)] == [None, *["line 1"] * 4]
    await bureau.office.column("UPDATE companies SET refuses_duplicates = true, version = version + 1 RETURNING 1")
    again = [{**one, "externalId": f"again-{n}"} for n, one in enumerate(payouts)]
    assert await issues(bureau, await bureau.checked(again)) == {n: [("amount", "DUPLICATE")] for n in range(2, 6)}


async def test_a_payout_made_meanwhile_by_another_name_stops_the_line(bureau: Bureau) -> None:
    await bureau.office.column("UPDATE companies SET refuses_duplicates = true, version = version + 1 RETURNING 1")
    plan = await bureau.approved([bureau.payout("3.00", paymentData=BY_KEY), bureau.payout("4.00")])
    await bureau.office.make(300)
    await bureau.apply(plan)
    await bureau.work()
    (line,) = await bureau.lines(plan, "REFUSED")
    assert [(one["field"], one["issue"]) for one in line["issues"]] == [("amount", "DUPLICATE")]


async def test_the_bytes_are_kept_until_somebody_has_read_them(bureau: Bureau) -> None:
    bodies = "SELECT body IS NULL FROM payout_plan_bodies WHERE id = $1::text::uuid"
    plan = await bureau.take(bureau.differing(1))
    assert await bureau.office.column(bodies, plan["id"]) == [False]
    await bureau.work()
    assert await bureau.office.column(bodies, plan["id"]) == [True]
    canceled = await bureau.take(bureau.differing(1))
    await bureau.cancel(canceled)
    assert await bureau.office.column(bodies, canceled["id"]) == [True]


# ── who has to be asked ──


@pytest.mark.parametrize("silence", [Transient("away", 7), BudgetSpent(7)])
async def test_silence_makes_a_plan_wait_where_it_is(bureau: Bureau, silence: Exception) -> None:
    entries = bureau.office.outside.entries
    for n in range(20):
        entries[f"{n}@fora.example"] = entry_of(f"{n}@fora.example")
    entries["11@fora.example"] = silence
    plan = await bureau.take([bureau.payout(f"{n + 1}.00", paymentData={"pixKey": f"{n}@fora.example"}) for n in range(20)])
    await bureau.work()
    waiting = await bureau.read(plan)
    assert (waiting["status"], waiting["progress"]["checked"]) == ("VALIDATING", 11)
    (seconds,) = await bureau.office.column("SELECT extract(epoch FROM due_at - business_now())::float8 FROM payout_plans")
    assert 5 < seconds <= 7
    entries["11@fora.example"] = entry_of("11@fora.example")
    await bureau.due()
    await bureau.work()
    found = await bureau.read(plan)
    assert (found["status"], found["progress"]["checked"]) == ("READY", 20)
    assert [line["line"] for line in await bureau.lines(plan)] == list(range(1, 21))


async def test_a_dead_address_of_a_qr_ends_its_line_after_an_hour(bureau: Bureau) -> None:
    code = dynamic_qr()
    plan = await bureau.take([bureau.payout("1.00", paymentData={"qrcodeData": code}), bureau.payout("2.00")])
    bureau.office.outside.charges = Dead()  # type: ignore[assignment]
    await bureau.work()
    assert (await bureau.read(plan))["status"] == "VALIDATING"
    await bureau.an_hour_later()
    await bureau.work()
    assert await issues(bureau, plan) == {1: [("paymentData.qrcodeData", "INVALID")]}


class Dead(dict[str, Charge]):
    """A location at which nobody answers."""

    def __getitem__(self, location: str) -> Charge:
        raise Transient(location)


def by_qrs(bureau: Bureau, paths: list[str]) -> list[dict[str, Any]]:
    """A payout by each QR at one host."""
    codes = [dynamic_qr(f"banco.example/qr/v2/{path}") for path in paths]
    return [bureau.payout(f"{n}.00", paymentData={"qrcodeData": code}) for n, code in enumerate(codes, start=1)]


async def test_all_qrs_of_a_dead_host_end_an_hour_after_its_first_silence(bureau: Bureau) -> None:
    """More of them than are asked at once: those behind the first eight have not been asked at all until then."""
    plan = await bureau.take([*by_qrs(bureau, [str(n) for n in range(20)]), bureau.payout("99.00")])
    bureau.office.outside.charges = Dead()  # type: ignore[assignment]
    await bureau.work()
    assert (await bureau.read(plan))["status"] == "VALIDATING"
    await bureau.an_hour_later()
    await bureau.work()
    assert (await bureau.read(plan))["status"] == "INVALID"
    assert await issues(bureau, plan) == {line: [("paymentData.qrcodeData", "INVALID")] for line in range(1, 21)}


async def test_a_dead_address_of_a_host_that_lives_ends_alone(bureau: Bureau) -> None:
    class Partly(dict[str, Charge]):
        def __getitem__(self, location: str) -> Charge:
            if location.endswith("dead"):
                raise Transient(location)
            return Charge(KEY, None, location.replace("/", "").replace(".", ""))

    plan = await bureau.take(by_qrs(bureau, ["dead", "a", "b"]))
    bureau.office.outside.charges = Partly()  # type: ignore[assignment]
    await bureau.work()
    assert (await bureau.read(plan))["status"] == "VALIDATING"
    await bureau.an_hour_later()
    await bureau.work()
    assert await issues(bureau, plan) == {1: [("paymentData.qrcodeData", "INVALID")]}


async def test_our_own_key_behind_a_dynamic_qr_is_not_asked_of_the_directory(bureau: Bureau) -> None:
    dora = await bureau.cast.dora()
    bureau.office.outside.charges = {"banco.example/qr/v2/x": Charge(dora.pix_key, None, "T1")}
    plan = await bureau.checked([bureau.payout("1.00", paymentData={"qrcodeData": dynamic_qr()}, receiver=None)])
    assert plan["status"] == "READY", await bureau.lines(plan)
    assert bureau.office.outside.asked == []


# ── whatever stops ──


async def test_two_workers_at_one_plan_look_at_each_line_once(bureau: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lastro.plans.engine._CHECKED_AT_ONCE", 4)
    plan = await bureau.take(bureau.differing(22))
    ((row,), other) = await bureau.claim(), bureau.another_planner()
    await asyncio.gather(bureau.planner.row(row), other.row(row))
    await bureau.due()
    await bureau.work()
    assert [line["line"] for line in await bureau.lines(plan)] == list(range(1, 23))
    assert (await bureau.read(plan))["status"] == "READY"
    assert await bureau.events(plan) == ["PAYOUT-PLAN.READY"]


async def test_a_worker_that_dies_leaves_what_it_has_found(bureau: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lastro.plans.engine._CHECKED_AT_ONCE", 4)
    plan = await bureau.take(bureau.differing(10))
    dies_after(monkeypatch, 2)
    (row,) = await bureau.claim()
    with pytest.raises(Killed):
        await bureau.planner.row(row)
    assert (await bureau.read(plan))["progress"]["checked"] == 8
    monkeypatch.undo()
    assert await work_queue.claim(bureau.cast.database, LANE, bureau.ana.company_id, bureau.cast.id(), 5) == [], (
        "it is leased"
    )
    await bureau.end_leases()
    await bureau.work()
    assert (await bureau.read(plan))["progress"]["checked"] == 10
    assert (await bureau.read(plan))["status"] == "READY"


class Killed(Exception):  # noqa: N818 what it is
    """kill -9."""


def dies_after(monkeypatch: pytest.MonkeyPatch, writes: int) -> None:
    """The process ends where the next write would be decided."""
    decide, left = check.Check.decide, [writes]

    def dying(self: Any, known: Any, context: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise Killed
        return decide(self, known, context)

    monkeypatch.setattr(check.Check, "decide", dying)


async def test_few_plans_are_kept_in_memory_whoever_ends_them(bureau: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lastro.plans.engine._CHECKED_AT_ONCE", 1)
    monkeypatch.setattr("lastro.plans.engine._AT_A_TIME_SECONDS", 0.0)
    monkeypatch.setattr("lastro.plans.engine._MOST_KEPT", 1)
    for number in (1, 2):
        await bureau.take([*bureau.differing(3), bureau.payout(f"{number}.77")])
    planner, rows = bureau.planner, await bureau.claim()
    for row in rows:
        await planner.row(row)
    assert len(rows) == 2
    assert list(planner._kept) == [rows[-1]["id"]]


async def test_a_worker_gives_a_plan_back_when_its_time_is_over(bureau: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lastro.plans.engine._CHECKED_AT_ONCE", 4)
    monkeypatch.setattr("lastro.plans.engine._AT_A_TIME_SECONDS", 0.0)
    plan = await bureau.take(bureau.differing(10))
    ((row,), sends) = await bureau.claim(), "SELECT sends FROM payout_plans"
    await bureau.planner.row(row)
    assert (await bureau.read(plan))["status"] == "VALIDATING"
    await bureau.work(rounds=50)
    assert (await bureau.office.column(sends))[0] > 1
    monkeypatch.undo()
    await bureau.work()
    assert (await bureau.read(plan))["status"] == "READY"


async def test_a_thousand_lines_are_looked_at_in_reasonable_time(cast: Cast, bureau: Bureau) -> None:
    clock = asyncio.get_running_loop().time
    plan, begun = await bureau.take(bureau.differing(1000)), clock()
    await bureau.work()
    assert (await bureau.read(plan))["status"] == "READY"
    assert clock() - begun < 20
