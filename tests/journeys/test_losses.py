"""A TED that was taken for failed has left: what the account lacks it owes, and its next credits pay that first."""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from lastro.cli import CommandFailed

from .play import Play
from .test_teds import PATH, at_the_str, becomes, booked, create, events, in_session, number_of, operator, shown, wish


async def test_what_was_taken_for_failed_is_proved_and_what_the_account_lacks_it_owes(play: Play) -> None:
    await in_session(play)
    opened = await operator(
        play, "account", "open", "1", "--holder-type", "individual", "--name", "Caio Lima", "--document", "529.982.247-25",
        "--email", "caio@example.com", "--phone", "+5511987650009",
    )  # fmt: skip
    account = {"id": opened["id"]}
    await operator(play, "account", "add-key", opened["id"])
    order = await play.order("20.00", accountId=account["id"])
    await play.pay(order)
    await play.becomes(order, "PAID")
    await play.fault("ted", "reject-then-settle", delay=600, code="9")
    payout = await create(play, "15.00", accountId=account["id"])
    await becomes(play, payout, "ERROR")
    spent = await create(
        play, "12.00", accountId=account["id"], paymentMethod="PIX", paymentData={"pixKey": "fabio@fora.example"}
    )
    await becomes(play, spent, "PAID")
    number = await number_of(play, payout)
    await play.advance(advance="PT11M")
    await play.wait_for("SELECT true FROM inbox WHERE subject = $1 AND outcome = 'alarmed'", number)
    (record,) = await at_the_str(play, payout)
    assert (record["status"], (await shown(play, payout))["status"]) == ("SETTLED", "ERROR")
    for wrong in (-timedelta(days=1), timedelta(days=1)):
        settled_at = (datetime.fromisoformat(record["settledAt"]) + wrong).isoformat()
        with pytest.raises(CommandFailed, match="must lie between"):
            await operator(play, "payout", "prove", number, "--settled-at", settled_at)
    proved = await operator(play, "payout", "prove", number, "--settled-at", record["settledAt"])
    assert (proved["status"], "errorCode" in proved) == ("PAID", False)
    with pytest.raises(CommandFailed, match="the payment is PAID"):
        await operator(play, "payout", "prove", number, "--settled-at", record["settledAt"])
    found = await becomes(play, payout, "PAID")
    assert datetime.fromisoformat(found["paidAt"]) == datetime.fromisoformat(record["settledAt"])
    assert await play.balance(account) == 0
    assert (await booked(play, payout))[-2:] == [
        ("moved", "TED_LACK", "LOSS", "NET", 700), ("moved", "TED_PROVED", "CUST", "NET", 800),
    ]  # fmt: skip
    assert [e["event"] for e in await events(play, payout)] == ["ORDER-PAYOUT.ERROR", "ORDER-PAYOUT.PAID"]
    await the_next_credits_pay(play, account)


async def the_next_credits_pay(play: Play, account: dict[str, Any]) -> None:
    """7.00 are owed; before they are paid nothing goes out, and then what is more than they were."""

    async def credit(amount: str, taken: list[int]) -> None:
        order = await play.order(amount, accountId=account["id"])
        await play.pay(order)
        await play.becomes(order, "PAID")
        await play.wait_for("SELECT array_agg(amount_minor ORDER BY created_at) = $2::bigint[] FROM transfers"
                            " WHERE reference_id = $1::text::uuid AND type = 'LOSS_RECOVERED'", account["id"], taken)  # fmt: skip

    async def owes() -> str:
        return str((await operator(play, "account", "show", account["id"]))["owes"])

    assert await owes() == "7.00"
    await credit("5.00", [500])
    assert (await owes(), await play.balance(account)) == ("2.00", 0)
    refused = await play.call("POST", PATH, wish(play, "0.01", accountId=account["id"]), key=str(uuid4()))
    assert refused.status == 400
    assert [(e["field"], e["issue"]) for e in refused.json["details"]] == [("accountId", "NOT_ALLOWED")]
    await credit("6.00", [500, 200])
    assert (await owes(), await play.balance(account)) == ("0.00", 400)
    payout = await create(
        play, "4.00", accountId=account["id"], paymentMethod="PIX", paymentData={"pixKey": "fabio@fora.example"}
    )
    await becomes(play, payout, "PAID")
    assert await play.balance(account) == 0
