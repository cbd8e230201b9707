"""An account that owes pays nobody else; and a TED that had been taken for failed is proven to have left, and comes back."""

from datetime import UTC, datetime
from typing import Any

import pytest

from lastro.accounts import Collect
from lastro.core import work_queue
from lastro.core.money import Money
from lastro.core.runner import Done, Reply
from lastro.payouts import Proved, Returned
from lastro.rails import port
from lastro.rails.handling import LANE
from lastro.rails.port import Claimed

from .office import HERE, Office


async def failed_ted(office: Office, cents: int = 1000) -> tuple[dict[str, Any], str]:
    """A TED that the STR has refused, so we were told; and its control number."""
    payout = await office.make(cents, method="TED")
    (number,) = await office.column("SELECT control_number FROM payouts WHERE id = $1::text::uuid", payout["id"])
    final = port.PaymentFinal(number, settled=False, code="22")
    assert await office.told(port.PAYMENT_FINAL, final) == "handled"
    assert await office.state(payout["id"]) == "ERROR"
    return payout, number


async def prove(office: Office, number: str) -> None:
    done = await office.cast.runner.act(office.ana.company_id, Proved(number, datetime.now(UTC), HERE))
    assert isinstance(done, Done), done


async def spend(office: Office, cents: int) -> None:
    await office.settle(await office.make(cents))


async def collect(office: Office) -> None:
    await office.cast.runner.act(office.ana.company_id, Collect(office.ana.account_id, "BRL"))


async def owed(office: Office) -> int:
    return int((await office.column("SELECT max(owed) FROM balances"))[0])


async def in_debt(office: Office, cents: int = 700) -> None:
    """Ana's account has nothing, and owes so much."""
    payout, number = await failed_ted(office, cents)
    await spend(office, 10_000_000)
    await prove(office, number)
    assert (await office.state(payout["id"]), await office.money(), await owed(office)) == ("PAID", (0, 0), cents)


def back(number: str, cents: int, return_id: str = "STR20260131000000001") -> port.PaymentReturned:
    return port.PaymentReturned(number, return_id, Money(cents, "BRL"), "3", datetime.now(UTC))


@pytest.fixture(autouse=True)
async def no_limit(office: Office) -> None:
    await office.limit(transaction=1_000_000_000, day=None)
    await office.limit(transaction=1_000_000_000, day=None, method="TED")


async def test_who_owes_makes_no_payout(office: Office) -> None:
    await in_debt(office)
    await office.cast.credit(office.ana, 699)
    problem = await office.refused(office.wish(1))
    assert (problem.field, problem.issue) == ("accountId", "NOT_ALLOWED")
    assert "owes" in problem.description
    await office.cast.credit(office.ana, 2)
    await collect(office)
    assert (await office.money(), await owed(office)) == ((1, 0), 0)
    await spend(office, 1)


async def test_what_more_than_pays_it_can_go_out_before_it_is_taken(office: Office) -> None:
    """It is not available, and so not lost: the rest goes out."""
    await in_debt(office)
    await office.cast.credit(office.ana, 1000)
    assert (await office.refused(office.wish(301))).issue == "INSUFFICIENT_FUNDS"
    await spend(office, 300)
    await collect(office)
    assert (await office.money(), await owed(office)) == ((0, 0), 0)


async def test_a_scheduled_one_ends_as_with_too_little(office: Office) -> None:
    later = await office.make(100, scheduled_on=office.tomorrow())
    await in_debt(office)
    also = await office.make(100, scheduled_on=office.tomorrow())
    assert await office.state(also["id"]) == "PENDING", "what it owes is asked when the day has come, as what it has"
    await office.cast.credit(office.ana, 300)
    await office.begin(later["id"])
    (row,) = await office.rows("SELECT status, error_code FROM payouts WHERE id = $1::text::uuid", later["id"])
    assert tuple(row) == ("PENDING", None), "it is tried again in the evening"
    await office.cast.credit(office.ana, 500)
    await office.begin(also["id"])
    assert await office.state(also["id"]) == "PENDING"
    assert await office.money() == (700, 100)


async def test_what_was_held_before_goes_on(office: Office) -> None:
    paid, refused, canceled = [await office.make(100) for _ in range(3)]
    await spend(office, 10_000_000 - 300 - 700)
    _, number = await failed_ted(office, 700)
    await spend(office, 700)
    await prove(office, number)
    assert (await office.money(), await owed(office)) == ((0, 300), 700)
    await office.settle(paid)
    await office.refuse(refused)
    reply = await office.cancel(canceled["id"])
    assert isinstance(reply, Reply)
    await collect(office)
    assert (await office.money(), await owed(office)) == ((0, 0), 500), "what came back was for what it owes"


async def test_what_comes_back_of_a_payout_pays_what_is_owed(office: Office) -> None:
    payout = await office.make(1000)
    await office.settle(payout)
    await spend(office, 10_000_000 - 1000 - 700)
    _, number = await failed_ted(office, 700)
    await spend(office, 700)
    await prove(office, number)
    await office.give_back(payout, 400)
    await collect(office)
    assert (await office.money(), await owed(office)) == ((0, 0), 300)


async def test_a_second_loss_leaves_what_pays_the_first(office: Office) -> None:
    """Two TEDs left that were taken for failed; what has come meanwhile pays the first of them."""
    _, first = await failed_ted(office, 700)
    _, second = await failed_ted(office, 500)
    await spend(office, 10_000_000)
    await prove(office, first)
    await office.cast.credit(office.ana, 900)
    await prove(office, second)
    sql = "SELECT type, amount_minor FROM transfers WHERE type IN ('TED_PROVED', 'TED_LACK') ORDER BY created_at, type"
    assert [tuple(r) for r in await office.rows(sql)] == [("TED_LACK", 700), ("TED_LACK", 300), ("TED_PROVED", 200)]
    await collect(office)
    assert (await office.money(), await owed(office)) == ((0, 0), 300)


# ── what comes back of a TED before it is known to have left ──


async def test_it_is_set_aside_and_taken_up_once_it_is_proven(office: Office) -> None:
    payout, number = await failed_ted(office)
    assert await office.told(port.PAYMENT_RETURNED, back(number, 1000)) == port.ALARMED
    assert (await office.state(payout["id"]), await office.money()) == ("ERROR", (10_000_000, 0))
    await prove(office, number)
    await office.work()
    assert (await office.state(payout["id"]), await office.money()) == ("REFUNDED", (10_000_000, 0))
    assert await office.column("SELECT type FROM transfers WHERE type LIKE 'TED_%' AND kind = 'moved' ORDER BY type") == [
        "TED_PROVED", "TED_RETURNED",
    ]  # fmt: skip
    assert await office.events(payout["id"]) == [f"ORDER-PAYOUT.{end}" for end in ("ERROR", "PAID", "REFUNDED")]


@pytest.mark.parametrize("end", ["ERROR", "EXPIRED"])
async def test_a_pix_is_proven_too(office: Office, end: str) -> None:
    """It has left after all: the account pays what it has, owes the rest, and what came back meanwhile is taken up."""
    payout = await office.make(1000)
    name = payout["endToEndId"]
    if end == "ERROR":
        assert await office.refuse(payout) == "handled"
    else:
        await expire(office, name)
    assert await office.state(payout["id"]) == end
    assert await office.give_back(payout, 400) == port.ALARMED
    await spend(office, 9_999_300)
    await prove(office, name)
    assert await office.column("SELECT type FROM transfers WHERE type LIKE 'PIX%' AND reference_id = $1 AND kind = 'moved'"
                               " ORDER BY type", office.id_of(payout)) == ["PIX_LACK", "PIX_PROVED"]  # fmt: skip
    await office.work()
    assert (await office.state(payout["id"]), await owed(office)) == ("PARTIAL_REFUNDED", 300)
    assert await office.used() == {k: v for k, v in (await office.used()).items() if v in (10_000_300, 0)}
    assert await office.events(payout["id"]) == [f"ORDER-PAYOUT.{e}" for e in (end, "PAID", "PARTIAL_REFUNDED")]
    for law in (
        "law_a_payout_is_held_until_it_ends",
        "law_a_payout_ends_by_the_networks_word",
        "law_quotas_count_what_was_sent",
    ):
        assert await office.column(f"SELECT count(*) FROM {law}") == [0], law


async def test_a_batch_that_expired_follows_what_is_proven(office: Office) -> None:
    sql = "UPDATE account_limits SET transaction_minor = 500 WHERE account_id = $1 AND payment_method = 'PIX' RETURNING 1"
    assert await office.column(sql, office.ana.account_id)
    batch = await office.make(1000)
    names = [c["endToEndId"] for c in batch["batch"]["transactions"]]
    for name in names:
        await expire(office, name)
    assert await office.state(batch["id"]) == "EXPIRED"
    for name, state in zip(names, ("PARTIALLY_PAID", "PAID"), strict=True):
        await prove(office, name)
        await office.work()
        assert await office.state(batch["id"]) == state


async def expire(office: Office, name: str) -> None:
    """The network has never heard of it, and its time is over."""
    await office.column("UPDATE payouts SET send_until = business_now() WHERE end_to_end_id = $1 RETURNING 1", name)
    assert await office.told(port.PAYMENT_NEVER, port.PaymentNever(name, 0)) == "handled"


async def test_it_pays_what_the_proof_made_the_account_owe(office: Office) -> None:
    _, number = await failed_ted(office, 700)
    await office.told(port.PAYMENT_RETURNED, back(number, 700))
    await spend(office, 10_000_000)
    await prove(office, number)
    await office.work()
    assert (await office.money(), await owed(office)) == ((700, 0), 700)
    await collect(office)
    assert (await office.money(), await owed(office)) == ((0, 0), 0)


async def test_each_return_is_taken_up_once(office: Office) -> None:
    """Two parts, one of them told twice, and one more than there was to return."""
    payout, number = await failed_ted(office)
    for cents, name in ((300, "STR1"), (300, "STR1"), (200, "STR2"), (900, "STR3")):
        assert await office.told(port.PAYMENT_RETURNED, back(number, cents, name)) == port.ALARMED
    await prove(office, number)
    await office.work()
    assert (await office.state(payout["id"]), await office.money()) == ("PARTIAL_REFUNDED", (10_000_000 - 500, 0))
    sql = "SELECT return_id, amount_minor, is_unfit FROM payout_returns ORDER BY return_id"
    assert [tuple(r) for r in await office.rows(sql)] == [
        ("STR1", 300, False), ("STR2", 200, False), ("STR3", 900, True),
    ]  # fmt: skip
    assert await office.told(port.PAYMENT_RETURNED, back(number, 300, "STR1")) == "known"


async def test_what_is_set_aside_while_it_is_being_proven_is_decided_again(office: Office) -> None:
    """It had read that the TED failed, and then that is no longer so: it must not be forgotten."""
    payout, number = await failed_ted(office)
    row_id = await office.store(port.PAYMENT_RETURNED, back(number, 1000))

    class Overtaken(Returned):
        async def read(self, session: Any, context: Any) -> Any:
            known = await super().read(session, context)
            if known[0] is not None and known[0].state == "ERROR":
                await prove(office, number)
                await office.work()
            return known

    (row,) = await work_queue.claim(office.cast.database, LANE, office.ana.company_id, office.cast.id(), 1)
    verb = Overtaken(back(number, 1000), Claimed(row["id"], row["lease_token"]), HERE)
    await office.cast.runner.act(office.ana.company_id, verb)
    assert await office.column("SELECT outcome FROM inbox WHERE id = $1", row_id) == ["handled"]
    assert (await office.state(payout["id"]), await office.money()) == ("REFUNDED", (10_000_000, 0))
