"""A plan that was approved is made line by line: as it was approved, once, whatever stops or changes meanwhile."""

import asyncio
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.rooms.payouts.office import KEY, entry_of
from tests.rooms.payouts.test_create import dynamic_qr, static_qr
from tests.rooms.plans.bureau import BY_KEY, Bureau

from lastro.core import failpoints
from lastro.plans.actions import make
from lastro.plans.actions.list import Lines
from lastro.rails.port import BudgetSpent, Charge, NoCharge, Transient


async def refused(bureau: Bureau, plan: dict[str, Any]) -> dict[int, tuple[str, str]]:
    return {
        line["line"]: (line["issues"][0]["field"], line["issues"][0]["issue"])
        for line in await bureau.lines(plan, "REFUSED")
    }


async def made(bureau: Bureau, plan: dict[str, Any]) -> list[int]:
    """The lines that have become payouts; each payout is of one line."""
    found = await bureau.lines(plan, "CREATED")
    assert len({line["payoutId"] for line in found}) == len(found) == await bureau.payouts()
    return [line["line"] for line in found]


async def apply(bureau: Bureau, plan: dict[str, Any]) -> dict[str, Any]:
    await bureau.apply(plan)
    await bureau.work()
    return await bureau.read(plan)


# ── as it was approved ──


async def test_every_way_becomes_a_payout(bureau: Bureau) -> None:
    office = bureau.office
    await office.fee(5)
    await office.limit(transaction=1000)
    plan = await bureau.applied([
        bureau.payout("1.00", paymentData=BY_KEY), bureau.payout("2.00"), bureau.payout("3.00", paymentMethod="TED"),
        bureau.payout("25.00"), bureau.payout("5.00", paymentData={"qrcodeData": static_qr(KEY)}),
        bureau.payout("6.00", scheduledDate=office.tomorrow().isoformat()),
    ])  # fmt: skip
    assert (plan["status"], plan["progress"]) == ("APPLIED", {"lines": 6, "checked": 6, "unfit": 0, "created": 6})
    lines = await bureau.lines(plan)
    assert [line["payoutStatus"] for line in lines] == ["PENDING"] * 6
    rows = await office.rows(
        "SELECT id, initiation, children, fee_minor, payment_method FROM payouts WHERE batch_id IS NULL ORDER BY amount_minor"
    )
    by_id = {str(row["id"]): row for row in rows}
    assert [by_id[line["payoutId"]]["children"] for line in lines] == [0, 0, 0, 3, 0, 0]
    assert [by_id[line["payoutId"]]["initiation"] for line in lines] == [
        "KEY", "MANUAL", "MANUAL", "MANUAL", "STATIC_QR", "MANUAL",
    ]  # fmt: skip
    assert await office.money() == (10_000_000 - 3600 - 20, 3600 + 20), "the one for tomorrow holds nothing yet"
    (account,) = plan["accounts"]
    assert account["available"] == account["availableAfter"], "nothing is left to be made"
    (ended,) = [await office.column("SELECT convert_from(body, 'UTF8') FROM events WHERE type = 'PAYOUT-PLAN.APPLIED'")]
    told = msgspec.json.decode(ended[0])
    assert (told["id"], told["status"], told["hash"], told["created"], told["unfit"]) == (
        plan["id"], "APPLIED", plan["hash"], 6, 0,
    )  # fmt: skip
    assert (await bureau.result(plan))[1].startswith(f"1,{lines[0]['externalId']},CREATED,1.00,0.05,1,")


async def test_a_payout_that_ends_is_seen_in_the_plan(bureau: Bureau) -> None:
    plan = await bureau.applied(bureau.differing(2))
    first = (await bureau.lines(plan))[0]
    (name,) = await bureau.office.column("SELECT end_to_end_id FROM payouts WHERE id = $1::text::uuid", first["payoutId"])
    await bureau.office.settle({"endToEndId": name})
    assert [line["payoutStatus"] for line in await bureau.lines(plan)] == ["PAID", "PENDING"]
    assert name in (await bureau.result(plan))[1]


async def leads_elsewhere(bureau: Bureau) -> None:
    bureau.office.outside.entries[KEY] = entry_of(KEY, account="999999")


async def key_is_gone(bureau: Bureau) -> None:
    del bureau.office.outside.entries[KEY]


async def costs_more(bureau: Bureau) -> None:
    await bureau.office.fee(7)


async def is_split(bureau: Bureau) -> None:
    await bureau.office.limit(transaction=100)


async def account_is_blocked(bureau: Bureau) -> None:
    await bureau.office.account_becomes("INACTIVE")


async def day_is_over(bureau: Bureau) -> None:
    await bureau.office.limit(day=1)


async def nothing_is_left(bureau: Bureau) -> None:
    await bureau.office.make(9_999_900)


@pytest.mark.parametrize(
    ("change", "field", "issue"),
    [
        (leads_elsewhere, "paymentData", "MISMATCH"), (key_is_gone, "paymentData.pixKey", "INVALID"),
        (costs_more, "amount", "MISMATCH"), (is_split, "amount", "MISMATCH"), (account_is_blocked, "accountId", "NOT_ALLOWED"),
        (day_is_over, "amount", "LIMIT_EXCEEDED"), (nothing_is_left, "amount", "INSUFFICIENT_FUNDS"),
    ],
)  # fmt: skip
async def test_what_is_no_longer_as_it_was_approved_is_refused(bureau: Bureau, change: Any, field: str, issue: str) -> None:
    plan = await bureau.approved([bureau.payout("2.00", paymentData=BY_KEY)])
    await change(bureau)
    before = await bureau.payouts()
    found = await apply(bureau, plan)
    assert (found["status"], found["progress"]["unfit"]) == ("FAILED", 1)
    assert await refused(bureau, plan) == {1: (field, issue)}
    assert await bureau.payouts() == before
    assert (await bureau.events(plan))[-1] == "PAYOUT-PLAN.FAILED"
    if change is account_is_blocked:
        await bureau.office.account_becomes("ACTIVE")


async def test_a_code_that_was_used_in_between_is_refused(bureau: Bureau) -> None:
    lines = bureau.differing(3)
    plan = await bureau.approved(lines)
    await bureau.office.make(50, external_id=lines[1]["externalId"])
    found = await apply(bureau, plan)
    assert (found["status"], found["progress"]["created"]) == ("PARTIALLY_APPLIED", 2)
    assert await refused(bureau, plan) == {2: ("externalId", "DUPLICATE")}
    assert (await bureau.events(plan))[-1] == "PAYOUT-PLAN.PARTIALLY_APPLIED"


async def test_a_csvs_refusals_name_its_columns(bureau: Bureau) -> None:
    head = "externalId,accountId,paymentMethod,amount,description,pixKey"
    plan = await bureau.approved(f"{head}\na,{bureau.ana.account_id},PIX,1.00,Salary,{KEY}\n".encode())
    await key_is_gone(bureau)
    await apply(bureau, plan)
    assert await refused(bureau, plan) == {2: ("pixKey", "INVALID")}


async def test_what_the_account_can_pay_is_made_and_the_rest_is_refused(bureau: Bureau) -> None:
    """100,000.00 for seven payouts of 14,000.0n and one small one: the eighth is tried though the seventh failed."""
    lines = [bureau.payout(f"14000.0{n}") for n in range(1, 9)] + [bureau.payout("1999.00")]
    plan = await bureau.applied(lines)
    assert plan["status"] == "PARTIALLY_APPLIED"
    short = await refused(bureau, plan)
    assert set(short.values()) == {("amount", "INSUFFICIENT_FUNDS")}
    assert (len(short), plan["progress"]["created"]) == (1, 8)
    available, held = await bureau.office.money()
    assert (available + held, available >= 0) == (10_000_000, True)


async def test_a_limit_of_the_day_makes_what_fits(bureau: Bureau) -> None:
    await bureau.office.limit(day=700)
    plan = await bureau.applied([bureau.payout(f"2.0{n}") for n in range(1, 6)])
    assert (plan["status"], plan["progress"]["created"], plan["progress"]["unfit"]) == ("PARTIALLY_APPLIED", 3, 2)
    assert set((await refused(bureau, plan)).values()) == {("amount", "LIMIT_EXCEEDED")}
    used = (await bureau.office.used())["PIX.day"]
    assert plan["accounts"][0]["methods"][0]["dayLimitLeft"]["value"] == f"0.{700 - used}"


# ── who has to be asked ──


@pytest.mark.parametrize("silence", [Transient("away"), BudgetSpent(7)])
async def test_silence_makes_a_plan_wait_in_the_middle_of_being_applied(bureau: Bureau, silence: Exception) -> None:
    entries, keys = bureau.office.outside.entries, [f"{n}@fora.example" for n in range(30)]
    entries |= {key: entry_of(key) for key in keys}
    plan = await bureau.approved([bureau.payout(f"{n + 1}.00", paymentData={"pixKey": key}) for n, key in enumerate(keys)])
    entries[keys[3]] = silence
    found = await apply(bureau, plan)
    assert (found["status"], found["progress"]["unfit"], found["progress"]["created"] < 20) == ("APPLYING", 0, True)
    assert 4 not in await made(bureau, plan)
    entries[keys[3]] = entry_of(keys[3])
    await bureau.due()
    await bureau.work()
    assert (await bureau.read(plan))["status"] == "APPLIED"
    assert await made(bureau, plan) == list(range(1, 31))


async def test_a_dead_address_of_a_qr_is_refused_after_an_hour(bureau: Bureau) -> None:
    class Dead(dict[str, Charge | NoCharge]):
        def __getitem__(self, location: str) -> Charge | NoCharge:
            raise Transient(location)

    bureau.office.outside.charges = {"banco.example/qr/v2/x": Charge(KEY, None, "T1")}
    plan = await bureau.approved([bureau.payout("1.00", paymentData={"qrcodeData": dynamic_qr()}), bureau.payout("2.00")])
    bureau.office.outside.charges = Dead()
    found = await apply(bureau, plan)
    assert (found["status"], found["progress"]["created"]) == ("APPLYING", 1)
    await bureau.an_hour_later()
    await bureau.work()
    assert (await bureau.read(plan))["status"] == "PARTIALLY_APPLIED"
    assert await refused(bureau, plan) == {1: ("paymentData.qrcodeData", "INVALID")}
    assert await made(bureau, plan) == [2]


async def silent_first(bureau: Bureau, count: int, seconds: float = 0.0) -> dict[str, Any]:
    """An approved plan: so many QRs of one host, each silent for so long by now, and three lines behind them."""
    locations = [f"banco.example/qr/v2/{n}" for n in range(count)]
    bureau.office.outside.charges = {one: Charge(KEY, None, f"T{n}") for n, one in enumerate(locations)}
    by_qr = [bureau.payout(f"{n}.00", paymentData={"qrcodeData": dynamic_qr(one)}) for n, one in enumerate(locations, 1)]
    plan = await bureau.approved([*by_qr, *bureau.differing(3)])

    async def silence(location: str, now: datetime) -> Charge:
        assert now.tzinfo is not None
        await asyncio.sleep(seconds)
        raise Transient(location)

    bureau.office.outside.read = silence  # type: ignore[method-assign]
    return plan


async def test_lines_behind_silent_ones_are_made_meanwhile(bureau: Bureau) -> None:
    """More are silent than are taken at once."""
    plan = await silent_first(bureau, 25)
    found = await apply(bureau, plan)
    assert (found["status"], found["progress"]["created"]) == ("APPLYING", 3)
    assert await made(bureau, plan) == [26, 27, 28]
    await bureau.an_hour_later()
    await bureau.work()
    assert (await bureau.read(plan))["status"] == "PARTIALLY_APPLIED"
    assert await refused(bureau, plan) == dict.fromkeys(range(1, 26), ("paymentData.qrcodeData", "INVALID"))


async def test_a_look_goes_on_behind_the_silent_lines_of_the_last_one(
    bureau: Bureau, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A silent line takes seconds: no look comes to more than a few of them."""
    monkeypatch.setattr("lastro.plans.engine._AT_A_TIME_SECONDS", 0.2)
    plan, planner = await silent_first(bureau, 12, seconds=0.3), bureau.planner
    await bureau.apply(plan)
    for _ in range(40):
        for row in await bureau.claim():
            await planner.row(row)
    assert await made(bureau, plan) == [13, 14, 15]


async def test_few_plans_are_kept_in_mind_that_are_not_at_their_end(bureau: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lastro.plans.engine._MOST_TRIED", 1)
    monkeypatch.setattr("lastro.plans.engine._AT_A_TIME_SECONDS", 0.0)
    planner = bureau.planner
    for _ in range(2):
        await bureau.apply(await bureau.approved(bureau.differing(1)))
    rows = await bureau.claim()
    for row in rows:
        await planner.row(row)
    assert list(planner._tried) == [rows[-1]["id"]]


# ── whatever stops ──


async def test_two_workers_at_one_plan_make_each_line_once(bureau: Bureau) -> None:
    plan = await bureau.approved(bureau.differing(45))
    await bureau.apply(plan)
    (row,) = await bureau.claim()
    planners = [bureau.planner, *(bureau.another_planner() for _ in range(3))]
    await asyncio.gather(*(planner.row(row) for planner in planners))
    await bureau.due()
    await bureau.work()
    assert (await bureau.read(plan))["status"] == "APPLIED"
    assert await made(bureau, plan) == list(range(1, 46))
    assert (await bureau.events(plan)).count("PAYOUT-PLAN.APPLIED") == 1


class Killed(BaseException):
    """kill -9."""


@pytest.mark.parametrize("place", ["run.decided", "commit.sent"])
async def test_a_worker_that_dies_between_two_lines_leaves_whole_ones(bureau: Bureau, place: str) -> None:
    """Before a write is sent, and after it was: the next worker makes what has no payout, and nothing else."""
    plan, left = await bureau.approved(bureau.differing(12)), [5]
    await bureau.apply(plan)
    (row,) = await bureau.claim()

    def reached(name: str) -> None:
        left[0] -= name == place
        if left[0] < 0:
            raise Killed

    failpoints.listen(reached)
    try:
        with pytest.raises(Killed):
            await bureau.planner.row(row)
    finally:
        failpoints.listen(None)
    some = await made(bureau, plan)
    assert 0 < len(some) < 12
    await bureau.end_leases()
    await bureau.work()
    assert (await bureau.read(plan))["status"] == "APPLIED"
    assert await made(bureau, plan) == list(range(1, 13))


async def test_a_cancel_in_the_middle_keeps_what_is_made_and_makes_no_more(
    bureau: Bureau, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = await bureau.approved(bureau.differing(60))
    await bureau.apply(plan)
    look_up, count = make.Make.call_out, [0]
    canceling: list[asyncio.Task[Any]] = []

    async def counting(self: Any, known: Any, context: Any) -> Any:
        count[0] += 1
        if count[0] == 25:
            canceling.append(asyncio.ensure_future(bureau.cancel(plan)))
        if canceling:  # else a busy machine makes all the others before it
            await asyncio.wait(canceling)
        return await look_up(self, known, context)

    monkeypatch.setattr(make.Make, "call_out", counting)
    await bureau.work()
    ended = await canceling[0]
    assert ended["status"] == "CANCELED"
    found = await bureau.read(plan)
    some = await made(bureau, plan)
    assert (found["status"], found["progress"]["created"]) == ("CANCELED", len(some))
    assert 20 <= len(some) < 60
    assert {line["status"] for line in await bureau.lines(plan)} == {"CREATED", "VALID"}


async def test_lines_are_read_in_pages(bureau: Bureau) -> None:
    plan, seen, after = await bureau.checked(bureau.differing(7)), [], 0
    while True:
        page = await bureau.done(Lines(UUID(plan["id"]), None, after, 3), permission="payouts:read", key=None)
        seen += [line["line"] for line in page["data"]]
        if not page["hasNext"]:
            break
        after = int(page["nextCursor"])
    assert (seen, "nextCursor" in page) == (list(range(1, 8)), False)
    for status, count in (("VALID", 7), ("INVALID", 0), ("REFUSED", 0), ("CREATED", 0)):
        assert len(await bureau.lines(plan, status)) == count


async def test_a_cancel_while_a_line_is_decided_comes_first(bureau: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, look_up = await bureau.approved(bureau.differing(1)), make.Make.call_out
    await bureau.apply(plan)
    canceled: list[Any] = []

    async def canceling(self: Any, known: Any, context: Any) -> Any:
        if not canceled:
            canceled.append(await bureau.cancel(plan))
        return await look_up(self, known, context)

    monkeypatch.setattr(make.Make, "call_out", canceling)
    await bureau.work()
    assert ((await bureau.read(plan))["status"], await bureau.payouts(), len(canceled)) == ("CANCELED", 0, 1)
