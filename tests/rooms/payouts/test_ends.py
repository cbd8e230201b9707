"""A payout ends by its network's word, once; what the network does not know ends only when it can no longer arrive."""

from datetime import UTC, datetime, timedelta

import pytest

from lastro.rails import port

from .office import Office


async def never(office: Office, end_to_end_id: str) -> str:
    """The network was asked just now."""
    sends = await office.column("SELECT sends FROM outbox WHERE network_id = $1 AND lease_token IS NULL", end_to_end_id)
    return await office.told(port.PAYMENT_NEVER, port.PaymentNever(end_to_end_id, *sends))


async def doubted(office: Office, end_to_end_id: str, code: str = "admi.002") -> str:
    return await office.told(port.PAYMENT_DOUBTED, port.PaymentDoubted(end_to_end_id, code))


async def sent(office: Office) -> None:
    """Every message that is open has been sent."""
    await office.column(
        "UPDATE outbox SET due_at = NULL, done_at = business_now(), outcome = 'sent', sends = 1, lease_token = NULL,"
        " leased_until = NULL WHERE company_id = tenant() RETURNING 1"
    )


async def passes(office: Office) -> None:
    """A day goes by: what has not arrived will not arrive."""
    assert await office.column("UPDATE payouts SET send_until = business_now() WHERE company_id = tenant() RETURNING 1")


async def test_paid(office: Office) -> None:
    await office.fee(50)
    payout = await office.make(1000)
    await office.claim_messages()
    at = datetime.now(UTC) - timedelta(seconds=3)
    assert await office.settle(payout, at) == "handled"
    (row,) = await office.rows("SELECT * FROM payouts")
    assert (row["status"], row["paid_at"], row["ask_at"]) == ("PAID", at, None)
    assert await office.money() == (10_000_000 - 1050, 0)
    assert await office.events(payout["id"]) == ["ORDER-PAYOUT.PAID"]


@pytest.mark.parametrize("code", ["AC03", "AM04", "ED05", "XX99"])
async def test_refused(office: Office, code: str) -> None:
    await office.fee(50)
    payout = await office.make(1000)
    assert await office.refuse(payout, code) == "handled"
    (row,) = await office.rows("SELECT * FROM payouts")
    assert (row["status"], row["error_code"], row["paid_at"]) == ("ERROR", code, None)
    assert row["error_message"].startswith(f"{code}: ")
    assert await office.money() == (10_000_000, 0)
    assert await office.events(payout["id"]) == ["ORDER-PAYOUT.ERROR"]


async def test_a_refusal_without_a_word(office: Office) -> None:
    payout = await office.make(1000)
    final = port.PaymentFinal(payout["endToEndId"], settled=False)
    assert await office.told(port.PAYMENT_FINAL, final) == "handled"
    assert await office.column("SELECT error_message FROM payouts") == ["REFUSED: refused by the network"]


async def test_the_same_end_twice_changes_nothing(office: Office) -> None:
    payout, failed = await office.make(1000), await office.make(900)
    for outcome in ("handled", "known"):
        assert await office.settle(payout) == outcome
        assert await office.refuse(failed) == outcome
    assert await office.money() == (9_999_000, 0)
    assert await office.events(payout["id"]) == ["ORDER-PAYOUT.PAID"]


async def test_a_word_against_the_first_is_looked_at_by_people(office: Office) -> None:
    payout, failed = await office.make(1000), await office.make(900)
    await office.settle(payout)
    await office.refuse(failed)
    assert await office.refuse(payout) == port.ALARMED
    assert await office.settle(failed) == port.ALARMED
    assert await office.settle({"endToEndId": "E99999010202601311200000000nobody"}) == port.ALARMED
    assert (await office.state(payout["id"]), await office.state(failed["id"])) == ("PAID", "ERROR")
    assert await office.money() == (9_999_000, 0)


async def test_what_was_doubted_waits_for_what_the_network_knows(office: Office) -> None:
    """Its message was not processed, but an earlier copy may have arrived."""
    payout = await office.make(1000)
    await sent(office)
    assert await doubted(office, payout["endToEndId"]) == "handled"
    assert (await office.state(payout["id"]), await office.money()) == ("PENDING", (9_999_000, 1000))
    ((asks_now,),) = await office.rows("SELECT ask_at <= business_now() FROM payouts")
    assert asks_now
    assert await office.settle(payout) == "handled"
    (row,) = await office.rows("SELECT status, error_code, error_message FROM payouts")
    assert tuple(row) == ("PAID", None, None), "what was doubted and is paid has no error"
    assert await doubted(office, payout["endToEndId"]) == "known"


async def test_what_was_doubted_and_is_not_there_has_failed(office: Office) -> None:
    payout = await office.make(1000)
    await sent(office)
    await doubted(office, payout["endToEndId"], "RJCT")
    assert await never(office, payout["endToEndId"]) == "handled"
    assert await office.column("SELECT status || ' ' || error_code FROM payouts") == ["ERROR RJCT"]
    assert await office.money() == (10_000_000, 0)


async def test_what_never_arrived_expires_when_its_time_is_over(office: Office) -> None:
    await office.fee(50)
    payout = await office.make(1000)
    await sent(office)
    assert await never(office, payout["endToEndId"]) == "known", "its time is not over"
    await passes(office)
    assert await never(office, payout["endToEndId"]) == "handled"
    assert await office.state(payout["id"]) == "EXPIRED"
    assert await office.money() == (10_000_000, 0)
    assert (await office.used())["PIX.day"] == 0
    assert await office.events(payout["id"]) == ["ORDER-PAYOUT.EXPIRED"]
    assert await never(office, payout["endToEndId"]) == "known"


async def test_not_while_somebody_has_it_in_hand(office: Office) -> None:
    payout = await office.make(1000)
    await passes(office)
    await office.claim_messages()
    assert await never(office, payout["endToEndId"]) == "known"
    assert await office.state(payout["id"]) == "PENDING"


async def test_and_then_nobody_takes_it_in_hand(office: Office) -> None:
    """Never sent, since the network was away: the message is withdrawn with the payout."""
    payout = await office.make(1000)
    await passes(office)
    assert await never(office, payout["endToEndId"]) == "handled"
    assert await office.column("SELECT outcome FROM outbox") == ["withdrawn"]
    assert await office.claim_messages() == []


async def test_never_of_what_has_ended(office: Office) -> None:
    payout = await office.make(1000)
    await office.settle(payout)
    await passes(office)
    assert await never(office, payout["endToEndId"]) == "known"
    assert await office.state(payout["id"]) == "PAID"
