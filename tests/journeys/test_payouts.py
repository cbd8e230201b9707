"""Money is sent: by key, by account, to an account here, in parts; and the network's own record says the same."""

from typing import Any
from uuid import uuid4

import pytest

from .play import Play, cents
from .stage import until

PATH = "/order/v1/banking/order-payouts"


def wish(play: Play, amount: str, **given: Any) -> dict[str, Any]:
    return {
        "externalId": f"payout-{uuid4()}", "accountId": play.account["id"], "paymentMethod": "PIX",
        "amount": {"currency": "BRL", "value": amount}, "description": "Salary", **given,
    }  # fmt: skip


async def create(play: Play, amount: str, **given: Any) -> dict[str, Any]:
    answer = await play.call("POST", PATH, wish(play, amount, **given), key=str(uuid4()))
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.json
    return made


async def becomes(play: Play, payout: dict[str, Any], status: str) -> dict[str, Any]:
    async def look() -> dict[str, Any] | None:
        shown: dict[str, Any] = (await play.call("GET", f"{PATH}/{payout['id']}")).json
        assert shown["status"] in ("PENDING", status), shown
        return shown if shown["status"] == status else None

    found = await until(look, f"{status} of {payout['id']}")
    assert found is not None
    return found


@pytest.mark.parametrize("key", ["fabio@fora.example", "98765432100", "+5511987654321", "99999030000110"])
async def test_by_key(play: Play, key: str) -> None:
    before = await play.balance()
    payout = await create(play, "12.34", paymentData={"pixKey": key})
    assert payout["status"] == "PENDING"
    assert payout["endToEndId"].startswith("E99999010")
    shown = await becomes(play, payout, "PAID")
    assert before - await play.balance() == cents("12.34")
    record = await play.statement(payout["endToEndId"])
    assert (record["status"], record["amount"]) == ("SETTLED", "12.34")
    assert shown["paidAt"] == record["settledAt"]
