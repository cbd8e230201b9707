"""Review: above a company's line a payout is held and not sent, until a person approves it, refuses it, or its client cancels."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import Cast

from lastro.companies import ReviewAbove
from lastro.core.errors import Kind, Refused
from lastro.core.money import Money
from lastro.core.runner import Done, Reply, Verb
from lastro.payouts import HELD_BACK, Approve, Begin, ReadPayout, Refuse
from lastro.standards.calendar import add_business_days, brasilia_day, day_bounds, ted_opens_at

from .office import HERE, Office

FULL = 10_000_000
LINE = 5_000


async def review_above(office: Office, cents: int | None = LINE) -> None:
    line = None if cents is None else Money(cents, "BRL")
    assert isinstance(await office.cast.runner.act(office.ana.company_id, ReviewAbove(line)), Done)


async def act(office: Office, verb: Verb[Any]) -> Done | Refused:
    return await office.cast.runner.act(office.ana.company_id, verb)


async def approve(office: Office, payout_id: str) -> Done | Refused:
    return await act(office, Approve(UUID(payout_id), "bia", HERE))


async def refuse(office: Office, payout_id: str) -> Done | Refused:
    return await act(office, Refuse(UUID(payout_id), "bia", "looks like a mule", HERE))


async def row_of(office: Office, payout_id: str) -> Any:
    (row,) = await office.rows("SELECT * FROM payouts WHERE id = $1::text::uuid", payout_id)
    return row


async def moves(office: Office, payout_id: str) -> list[tuple[str, str, str | None]]:
    sql = "SELECT trigger, to_state, reason FROM history WHERE reference_id = $1::text::uuid ORDER BY version"
    return [(r["trigger"], r["to_state"], r["reason"]) for r in await office.rows(sql, payout_id)]


async def messages(office: Office) -> int:
    (count,) = await office.column("SELECT count(*) FROM outbox")
    return int(count)


@pytest.mark.parametrize(
    ("cents", "line", "status"),
    [
        (LINE - 1, LINE, "PENDING"), (LINE, LINE, "PENDING"), (LINE + 1, LINE, "ANALYSIS"), (FULL // 2, None, "PENDING"),
        (1, 1, "PENDING"), (2, 1, "ANALYSIS"),
    ],
)  # fmt: skip
async def test_above_the_line_and_not_at_it(office: Office, cents: int, line: int | None, status: str) -> None:
    await office.limit(transaction=FULL)
    await review_above(office, line)
    payout = await office.make(cents)
    assert (payout["status"], await office.state(payout["id"])) == (status, status)
    assert await messages(office) == (0 if status == "ANALYSIS" else 1)


async def test_it_is_held_and_nobody_is_told(office: Office) -> None:
    await office.fee(50)
    await review_above(office)
    payout = await office.make(6_000)
    assert payout["endToEndId"].startswith(f"E{HERE.ispb}"), "fixed before anything is decided"
    assert await office.money() == (FULL - 6_050, 6_050)
    assert await office.used() == {"PIX.day": 6_000} | ({"PIX.night": 6_000} if "PIX.night" in await office.used() else {})
    assert await moves(office, payout["id"]) == [
        ("create", "INITIAL", None), ("accept", "PENDING", None), ("review", "ANALYSIS", None),
    ]  # fmt: skip
    row = await row_of(office, payout["id"])
    assert (row["message_id"], row["ask_at"], row["send_until"], row["version"]) == (None, None, None, 3)
    assert (await messages(office), await office.events(payout["id"])) == (0, [])


async def test_too_little_is_refused_before_anybody_looks(cast: Cast) -> None:
    office = await Office.open(cast, await cast.ana(), 5_999)
    await review_above(office)
    assert (await office.refused(office.wish(6_000))).issue == "INSUFFICIENT_FUNDS"


async def test_approved_it_goes(office: Office) -> None:
    await office.fee(50)
    await review_above(office)
    payout = await office.make(6_000)
    before = await office.now()
    assert isinstance(await approve(office, payout["id"]), Done)
    row = await row_of(office, payout["id"])
    assert row["status"] == "PENDING"
    assert before + timedelta(hours=24) <= row["send_until"] <= await office.now() + timedelta(hours=24)
    assert (await moves(office, payout["id"]))[-1] == ("approve", "PENDING", "by bia")
    assert await office.money() == (FULL - 6_050, 6_050), "held once"
    (message,) = await office.claim_messages()
    assert (message["id"], message["network_id"]) == (row["message_id"], payout["endToEndId"])
    await office.settle(payout)
    assert await office.events(payout["id"]) == ["ORDER-PAYOUT.PAID"]
    assert await office.money() == (FULL - 6_050, 0)


async def test_refused_it_is_as_if_it_had_never_been(office: Office) -> None:
    await office.fee(50)
    await review_above(office)
    payout = await office.make(6_000)
    assert isinstance(await refuse(office, payout["id"]), Done)
    assert await office.money() == (FULL, 0)
    assert set((await office.used()).values()) == {0}
    row = await row_of(office, payout["id"])
    assert (row["status"], row["error_code"]) == ("CANCELED", "REVIEW_REFUSED")
    assert row["error_message"] == "REVIEW_REFUSED: the institution refused the payout in its review"
    assert (await moves(office, payout["id"]))[-1] == ("reject", "CANCELED", "by bia: looks like a mule")
    assert await office.events(payout["id"]) == ["ORDER-PAYOUT.CANCELED"]
    (body,) = await office.column("SELECT body FROM events")
    told = msgspec.json.decode(bytes(body))
    assert (told["status"], told["errorCode"]) == ("CANCELED", "REVIEW_REFUSED")
    assert b"mule" not in bytes(body), "why is for the institution alone"
    assert b"bia" not in bytes(body)
    assert await messages(office) == 0


async def test_its_client_takes_it_back(office: Office) -> None:
    await office.fee(50)
    await review_above(office)
    payout = await office.make(6_000)
    reply = await office.cancel(payout["id"])
    assert isinstance(reply, Reply)
    assert b'"status":"CANCELED"' in reply.body
    assert b"errorCode" not in reply.body
    assert await office.money() == (FULL, 0)
    assert await office.events(payout["id"]) == ["ORDER-PAYOUT.CANCELED"]


@pytest.mark.parametrize("end", ["approve", "refuse", "cancel", "never in review"])
async def test_what_is_decided_is_decided(office: Office, end: str) -> None:
    await review_above(office, None if end == "never in review" else LINE)
    payout = await office.make(6_000)
    if end != "never in review":
        await {"approve": approve, "refuse": refuse, "cancel": Office.cancel}[end](office, payout["id"])
    before = await moves(office, payout["id"])
    state = await office.state(payout["id"])
    for again in (approve, refuse):
        refused = await again(office, payout["id"])
        assert isinstance(refused, Refused)
        (problem,) = refused.problems
        assert (refused.kind, problem.field, problem.issue) == (Kind.CONFLICT, "status", "CONFLICT")
        assert problem.description.startswith(f"is {state} and not ANALYSIS")
    assert await moves(office, payout["id"]) == before


async def test_of_another_company_or_of_a_transfer_alone_nothing_is_decided(office: Office) -> None:
    await office.limit(transaction=4_000)
    await review_above(office)
    batch = await office.make(6_000)
    (first, _) = batch["batch"]["transactions"]
    dora = await office.cast.dora()
    for company_id, payout_id in ((dora.company_id, batch["id"]), (office.ana.company_id, first["id"])):
        for verb in (Approve(UUID(payout_id), "bia", HERE), Refuse(UUID(payout_id), "bia", "no", HERE)):
            refused = await office.cast.runner.act(company_id, verb)
            assert isinstance(refused, Refused)
            assert refused.kind is Kind.NOT_FOUND
    assert await office.children(batch["id"]) == ["ANALYSIS"] * 2


# ── batches ──


async def reviewed_batch(office: Office) -> dict[str, Any]:
    """60.00 in three transfers, none of which is above the line by itself."""
    await office.limit(transaction=2_500)
    await office.fee(50)
    await review_above(office)
    return await office.make(6_000)


async def test_a_batch_waits_whole(office: Office) -> None:
    batch = await reviewed_batch(office)
    assert batch["status"] == "ANALYSIS"
    assert [c["status"] for c in batch["batch"]["transactions"]] == ["ANALYSIS"] * 3
    assert (batch["batch"]["pendingCount"], batch["batch"]["pendingAmount"]) == (3, "60.00")
    assert (await office.money(), await messages(office)) == ((FULL - 6_050, 6_050), 0)


async def test_a_batch_goes_whole(office: Office) -> None:
    batch = await reviewed_batch(office)
    done = await approve(office, batch["id"])
    assert isinstance(done, Done)
    assert msgspec.json.decode(done.body)["transfers"] == 3
    assert (await office.state(batch["id"]), await office.children(batch["id"])) == ("PENDING", ["PENDING"] * 3)
    names = {m["network_id"] for m in await office.claim_messages()}
    assert names == {c["endToEndId"] for c in batch["batch"]["transactions"]}
    for child in batch["batch"]["transactions"]:
        await office.settle(child)
    assert await office.events(batch["id"]) == ["ORDER-PAYOUT.PAID"]
    assert await office.money() == (FULL - 6_050, 0)


async def test_each_transfer_of_a_refused_batch_says_why(office: Office) -> None:
    batch = await reviewed_batch(office)
    await refuse(office, batch["id"])
    reply = await office.cast.run(
        office.ana.client, ReadPayout(UUID(batch["id"])), operation="read_payout", permission="payouts:read"
    )
    assert isinstance(reply, Reply)
    found = msgspec.json.decode(reply.body)
    why = ("REVIEW_REFUSED", "REVIEW_REFUSED: the institution refused the payout in its review")
    shown = [(p["errorCode"], p["errorMessage"]) for p in (found, *found["batch"]["transactions"])]
    assert shown == [why] * 4


@pytest.mark.parametrize("end", [refuse, Office.cancel])
async def test_a_batch_ends_whole(office: Office, end: Any) -> None:
    batch = await reviewed_batch(office)
    assert not isinstance(await end(office, batch["id"]), Refused)
    assert (await office.state(batch["id"]), await office.children(batch["id"])) == ("CANCELED", ["CANCELED"] * 3)
    await office.work()
    assert await office.state(batch["id"]) == "CANCELED"
    assert await office.events(batch["id"]) == ["ORDER-PAYOUT.CANCELED"]
    assert (await office.money(), set((await office.used()).values())) == ((FULL, 0), {0})


# ── on a day, and by TED ──


@pytest.mark.parametrize("transaction", [FULL, 2_500])
async def test_a_scheduled_one_is_looked_at_when_its_day_has_come(office: Office, transaction: int) -> None:
    await office.limit(transaction=transaction)
    await office.fee(50)
    await review_above(office)
    payout = await office.make(6_000, scheduled_on=office.tomorrow())
    assert (payout["status"], await office.money()) == ("PENDING", (FULL, 0))
    await office.begin(payout["id"])
    assert (await office.state(payout["id"]), await office.money()) == ("ANALYSIS", (FULL - 6_050, 6_050))
    assert set(await office.children(payout["id"])) <= {"ANALYSIS"}
    assert (await moves(office, payout["id"]))[-1] == ("review", "ANALYSIS", None)
    assert await messages(office) == 0
    assert isinstance(await act(office, Begin(UUID(payout["id"]), office.ways)), Done)
    assert await office.money() == (FULL - 6_050, 6_050), "it begins once"
    assert isinstance(await approve(office, payout["id"]), Done)
    assert await messages(office) == (1 if transaction == FULL else 3)


async def test_the_line_of_that_day_is_what_counts(office: Office) -> None:
    await review_above(office)
    payout = await office.make(6_000, scheduled_on=office.tomorrow())
    await review_above(office, None)
    await office.begin(payout["id"])
    assert (await office.state(payout["id"]), await messages(office)) == ("PENDING", 1)


async def test_the_time_of_a_ted_counts_from_its_approval(own_cast: Cast) -> None:
    office = await Office.open(own_cast, await own_cast.ana())
    await review_above(office)
    payout = await office.make(6_000, method="TED")
    number = (await row_of(office, payout["id"]))["control_number"]
    async with own_cast.database.session() as session:
        nine_days = timedelta(days=9) // timedelta(microseconds=1)
        await session.fetch("UPDATE clock SET offset_us = offset_us + $1, version = version + 1 RETURNING 1", nine_days)
    before = await office.now()
    assert isinstance(await approve(office, payout["id"]), Done)
    row = await row_of(office, payout["id"])
    ((name, due, body),) = await office.rows("SELECT network_id, due_at, body FROM outbox")
    assert row["control_number"] == number == name == msgspec.json.decode(bytes(body))["control_number"]
    opens = ted_opens_at(before) or before
    assert opens <= due < opens + timedelta(minutes=1)
    assert row["send_until"] == day_bounds(add_business_days(brasilia_day(due), 5))[1]
    assert row["ask_at"] > due


# ── at the same time ──


async def test_approved_once_however_many_do_it(office: Office) -> None:
    await review_above(office)
    payout = await office.make(6_000)
    outcomes = await asyncio.gather(*(approve(office, payout["id"]) for _ in range(8)), return_exceptions=True)
    assert sum(isinstance(o, Done) for o in outcomes) == 1
    assert (await messages(office), await office.money()) == (1, (FULL - 6_000, 6_000))


@pytest.mark.parametrize("transaction", [FULL, 2_500])
async def test_approved_refused_and_canceled_at_once(office: Office, transaction: int) -> None:
    """One comes first, and what may follow it: a cancel after an approval takes its messages back."""
    await office.limit(transaction=transaction)
    await review_above(office)
    for n in range(8):
        payout = await office.make(6_000 + n)
        acts = {"approve": approve, "refuse": refuse, "cancel": Office.cancel}
        names = [*acts][n % 3 :] + [*acts][: n % 3]
        outcomes = await asyncio.gather(*(acts[name](office, payout["id"]) for name in names))
        approved, refused, canceled = (outcomes[names.index(name)] for name in acts)
        await office.work()
        is_canceled, is_refused = isinstance(canceled, Reply), isinstance(refused, Done)
        assert not (is_refused and (is_canceled or isinstance(approved, Done)))
        assert isinstance(approved, Done) or is_refused or is_canceled
        assert await office.state(payout["id"]) == ("CANCELED" if is_canceled or is_refused else "PENDING")
        open_ones = await office.column(
            "SELECT o.id FROM outbox o JOIN payouts p ON p.company_id = o.company_id AND p.id = o.reference_id"
            " WHERE o.due_at IS NOT NULL AND (p.id = $1::text::uuid OR p.batch_id = $1::text::uuid)", payout["id"],
        )  # fmt: skip
        assert bool(open_ones) == (not is_canceled and not is_refused)
        assert len(await office.events(payout["id"])) == (1 if is_canceled or is_refused else 0)


async def test_the_line_is_drawn_while_a_payout_is_made(office: Office) -> None:
    """Whoever comes first: what was decided by the line of before is decided again."""
    for n in range(6):
        await review_above(office, None)
        reply, _ = await asyncio.gather(office.ask(office.wish(6_000 + n)), review_above(office))
        assert isinstance(reply, Reply)
        assert (await office.make(7_000 + n))["status"] == "ANALYSIS"


async def test_a_blocked_accounts_approved_payout_waits_for_the_account(office: Office) -> None:
    await review_above(office)
    payout = await office.make(6_000)
    await office.account_becomes("INACTIVE")
    assert isinstance(await approve(office, payout["id"]), Done)
    assert await office.state(payout["id"]) == "PENDING"
    held_back = await office.column(f"SELECT count(*) FROM outbox WHERE due_at IS NOT NULL AND {HELD_BACK}")
    assert held_back == [1], "the worker leaves it, until the account may pay again"
    await office.account_becomes("ACTIVE")
    assert await office.column(f"SELECT count(*) FROM outbox WHERE due_at IS NOT NULL AND {HELD_BACK}") == [0]
    await office.settle(payout)
    assert await office.state(payout["id"]) == "PAID"
