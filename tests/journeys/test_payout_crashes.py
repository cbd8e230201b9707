"""kill -9 in every gap while money is sent, to another bank and inside: each payment reaches its network at most once.

A payout passes each gap as often as said here; in each of those moments the process dies once, and a client that insists,
a worker that comes back and the network's own record must agree in the end.
"""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import aiohttp
import pytest

from .conftest import playing
from .play import Answer, Play
from .stage import Stage, until
from .test_crashes import dies_everywhere
from .test_payouts import PATH, place, shown, wish

OF_API = {"run.decided": 1, "commit.sent": 1}
SENT = {"run.decided": 1, "commit.sent": 1, "inbox.stored": 1, "lane.claimed": 2, "outbox.sent": 1, "events.numbered": 1}
# The payer's message, the question, the answer, and the end for each side.
INSIDE = {"run.decided": 3, "commit.sent": 3, "lane.claimed": 4, "outbox.sent": 2}
_MINE = "SELECT count(*) FROM payouts WHERE external_id = $1"
_MOVED = "SELECT kind, type, amount_minor FROM transfers WHERE reference_id = $1::text::uuid ORDER BY created_at, kind"


@pytest.fixture
async def scene(fragile: Stage) -> AsyncIterator[Play]:
    async with playing(fragile) as made:
        yield made


async def insist(play: Play, body: dict[str, Any], key: str) -> Answer:
    """A client that repeats its request under its key until it is answered."""

    async def attempt() -> Answer | None:
        try:
            answer = await play.call("POST", PATH, body, key=key)
        except (aiohttp.ClientError, OSError):
            return None
        return answer if answer.status == 201 else None

    answer = await until(attempt, "an answer")
    assert answer is not None
    return answer


async def _pays(play: Play, **given: Any) -> dict[str, Any]:
    """A payout that must end as PAID, asked for once, booked once, told once."""
    body, key, before = wish(play, "10.00", allowDuplicate=True, **given), str(uuid4()), await play.balance()
    first = await insist(play, body, key)
    assert (await insist(play, body, key)).body == first.body
    payout: dict[str, Any] = first.json

    async def paid() -> bool:
        return bool((await shown(play, payout))["status"] == "PAID")

    await until(paid, f"PAID of {payout['id']}", 90.0)
    await play.rest()
    assert before - await play.balance() == 1000
    assert await play.books.fetchval(_MINE, body["externalId"]) == 1
    told = await play.books.fetch("SELECT type FROM events WHERE reference_id = $1::text::uuid", payout["id"])
    assert [r["type"] for r in told] == ["ORDER-PAYOUT.PAID"]
    return payout


async def sending(play: Play) -> int:
    """To another bank: the network has it once, as it was ordered."""
    payout = await _pays(play, **place())
    booked = [tuple(r) for r in await play.books.fetch(_MOVED, payout["id"])]
    assert booked == [("held", "PIX_OUT", 1000), ("posted", "PIX_OUT", 1000)]
    record = await play.statement(payout["endToEndId"])
    assert (record["status"], record["amount"]) == ("SETTLED", "10.00")
    return 1


async def inside(play: Play) -> int:
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
    return 1


@pytest.mark.parametrize("gap", OF_API)
async def test_the_api_may_die_anywhere(scene: Play, gap: str) -> None:
    try:
        await dies_everywhere(scene, "api", gap, sending, OF_API[gap])
    finally:
        await scene.stage.mend("api")


@pytest.mark.parametrize("gap", SENT)
async def test_the_worker_may_die_anywhere(scene: Play, gap: str) -> None:
    try:
        await dies_everywhere(scene, "worker", gap, sending, SENT[gap])
    finally:
        await scene.stage.mend("worker")


@pytest.mark.parametrize("gap", INSIDE)
async def test_the_worker_may_die_anywhere_inside(scene: Play, gap: str) -> None:
    try:
        await dies_everywhere(scene, "worker", gap, inside, INSIDE[gap])
    finally:
        await scene.stage.mend("worker")
