"""A payout above its company's line, through HTTP, an operator's commands, the worker and the simulated network."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest

from lastro.cli import CommandFailed

from .play import Play, cents
from .test_teds import PATH, becomes, events, operator, shown

LINE = "40.00"


def wish(play: Play, amount: str, **given: Any) -> dict[str, Any]:
    return {
        "externalId": f"{play.name}-{uuid4()}", "accountId": play.account["id"], "paymentMethod": "PIX",
        "paymentData": {"pixKey": "fabio@fora.example"}, "amount": {"currency": "BRL", "value": amount},
        "description": "Salary", "allowDuplicate": True, **given,
    }  # fmt: skip


async def create(play: Play, amount: str, **given: Any) -> dict[str, Any]:
    answer = await play.call("POST", PATH, wish(play, amount, **given), key=str(uuid4()))
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.json
    return made


async def waiting(play: Play) -> set[str]:
    return {p["id"] for p in await operator(play, "payout", "review", "list")}


@pytest.fixture
async def reviewing(play: Play) -> AsyncIterator[Play]:
    """The company has the line while the test goes on; the stage is shared."""
    company = str(await play.books.fetchval(
        "SELECT n.number FROM company_numbers n JOIN accounts a ON a.company_id = n.company_id WHERE a.id = $1::text::uuid",
        play.account["id"],
    ))  # fmt: skip
    await operator(play, "company", "review", company, "--above", LINE)
    yield play
    await operator(play, "company", "review", company, "--off")


async def test_approved_it_is_paid_by_the_network(reviewing: Play) -> None:
    play = reviewing
    before = await play.balance()
    small, large = await create(play, LINE), await create(play, "40.01")
    assert (small["status"], large["status"]) == ("PENDING", "ANALYSIS")
    await becomes(play, small, "PAID")
    assert await play.balance() == before - cents(LINE) - cents("40.01"), "held all the same"
    assert (await shown(play, large))["status"] == "ANALYSIS"
    assert (await play.act(f"/payments?endToEndId={large['endToEndId']}", method="GET"))["data"] == []
    assert large["id"] in await waiting(play)
    done = await operator(play, "payout", "approve", large["id"], "--by", "Bia Braga")
    assert done["status"] == "PENDING"
    await becomes(play, large, "PAID")
    assert large["id"] not in await waiting(play)
    assert (await play.statement(large["endToEndId"]))["status"] == "SETTLED"
    assert [e["event"] for e in await events(play, large)] == ["ORDER-PAYOUT.PAID"]
    with pytest.raises(CommandFailed, match="status is PAID and not ANALYSIS"):
        await operator(play, "payout", "refuse", large["id"], "--reason", "too late")
    assert await play.balance() == before - cents(LINE) - cents("40.01")


async def test_refused_its_client_is_told_that_and_no_more(reviewing: Play) -> None:
    play = reviewing
    before = await play.balance()
    payout = await create(play, "41.00")
    await operator(play, "payout", "refuse", payout["id"], "--by", "Bia Braga", "--reason", "looks like a mule")
    found = await shown(play, payout)
    assert (found["status"], found["errorCode"]) == ("CANCELED", "REVIEW_REFUSED")
    assert found["errorMessage"] == "REVIEW_REFUSED: the institution refused the payout in its review"
    assert await play.balance() == before
    (told,) = await events(play, payout)
    assert (told["event"], told["errorCode"]) == ("ORDER-PAYOUT.CANCELED", "REVIEW_REFUSED")
    story = await play.call("GET", f"{PATH}/{payout['id']}/story")
    assert story.status == 200
    assert story.json["entries"][-1]["kind"] in {"event", "attempt"}
    assert {e["trigger"] for e in story.json["entries"] if e["kind"] == "state"} >= {"review", "reject"}
    assert b"Bia" not in story.body
    assert b"mule" not in story.body
    kept = "SELECT reason FROM history WHERE reference_id = $1::text::uuid AND trigger = 'reject'"
    assert await play.books.fetchval(kept, payout["id"]) == "by Bia Braga: looks like a mule"


async def test_its_client_takes_a_batch_back(reviewing: Play) -> None:
    play = reviewing
    before = await play.balance()
    await operator(play, "account", "limits", play.account["id"], "--method", "PIX", "--transaction", "20.00")
    try:
        batch = await create(play, "50.00")
        assert (batch["status"], {c["status"] for c in batch["batch"]["transactions"]}) == ("ANALYSIS", {"ANALYSIS"})
        answer = await play.call("POST", f"{PATH}/{batch['id']}/cancel", key=str(uuid4()))
        assert (answer.status, answer.json["status"]) == (200, "CANCELED")
        assert answer.json["batch"]["failedCount"] == 3
    finally:
        await operator(play, "account", "limits", play.account["id"], "--method", "PIX", "--transaction", "15000.00")
    with pytest.raises(CommandFailed, match="status is CANCELED and not ANALYSIS"):
        await operator(play, "payout", "approve", batch["id"])
    assert await play.balance() == before
    assert [e["event"] for e in await events(play, batch)] == ["ORDER-PAYOUT.CANCELED"]
