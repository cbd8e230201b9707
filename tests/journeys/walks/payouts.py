"""Payouts to another bank and inside: each reaches its network at most once."""

from functools import partial
from typing import Any
from uuid import uuid4

from tests.journeys.insisting import insist
from tests.journeys.play import Play
from tests.journeys.stage import until
from tests.journeys.test_payouts import PATH, place, shown, wish

_MINE = "SELECT count(*) FROM payouts WHERE external_id = $1"
_MOVED = "SELECT kind, type, amount_minor FROM transfers WHERE reference_id = $1::text::uuid ORDER BY created_at, kind"


async def _pays(play: Play, **given: Any) -> dict[str, Any]:
    """A payout that must end as PAID, asked for once, booked once, told once."""
    body, before = wish(play, "10.00", allowDuplicate=True, **given), await play.balance()
    payout: dict[str, Any] = (await insist(partial(play.call, "POST", PATH, body, key=str(uuid4())), 201)).json

    async def paid() -> bool:
        return bool((await shown(play, payout))["status"] == "PAID")

    await until(paid, f"PAID of {payout['id']}", 90.0)
    await play.rest()
    assert before - await play.balance() == 1000
    assert await play.books.fetchval(_MINE, body["externalId"]) == 1
    told = await play.books.fetch("SELECT type FROM events WHERE reference_id = $1::text::uuid", payout["id"])
    assert [r["type"] for r in told] == ["ORDER-PAYOUT.PAID"]
    return payout


async def sending(play: Play, _: None) -> None:
    """To another bank: the network has it once, as it was ordered."""
    payout = await _pays(play, **place())
    booked = [tuple(r) for r in await play.books.fetch(_MOVED, payout["id"])]
    assert booked == [("held", "PIX_OUT", 1000), ("posted", "PIX_OUT", 1000)]
    record = await play.statement(payout["endToEndId"])
    assert (record["status"], record["amount"]) == ("SETTLED", "10.00")


async def inside(play: Play, _: None) -> None:
    """To Dora, who has an account here: she gets it once."""
    (dora,) = (await play.call("GET", "/order/v1/banking/accounts", dora=True)).json["data"]
    bank = dora["bankAccountData"]
    to = place(
        ispb=bank["ispb"], accountNumber=bank["accountNumber"], branchNumber=bank["branchNumber"],
        accountType="PAYMENT_ACCOUNT", receiver={"name": dora["fullName"], "document": dora["document"]},
    )  # fmt: skip
    before = await play.balance(dora=True)
    payout = await _pays(play, **to)
    assert await play.balance(dora=True) - before == 1000
    got = await play.books.fetch("SELECT state FROM pix_payments WHERE end_to_end_id = $1", payout["endToEndId"])
    assert [r["state"] for r in got] == ["SETTLED"]
