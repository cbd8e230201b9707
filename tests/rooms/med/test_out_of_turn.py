"""The directory's words in a wrong order, twice, late, and about an account that is closed."""

from uuid import uuid4

import msgspec
import pytest

from lastro.core.errors import NotYet
from lastro.core.money import Money
from lastro.rails.port import ALARMED

from .court import Court


@pytest.mark.parametrize(
    "order",
    [
        "request notice", "notice request", "notice notice request request", "notice RECEIVED request RECEIVED",
        "request RECEIVED notice RECEIVED", "RECEIVED notice request ANALYSED",
    ],
)  # fmt: skip
async def test_words_in_a_wrong_order_or_twice_block_no_more_than_is_contested(court: Court, order: str) -> None:
    """What there is is blocked once, by one or the other; what does not follow is left, and what was said is no word again."""
    await court.paid(1000)
    name = await court.transaction(await court.paid(1000))
    notice = await court.notice(name)
    request = court.request(notice)
    for word in order.split():
        if word.isupper():
            await court.says(notice, status=word, result="AGREED" if word == "ANALYSED" else None)
        else:
            await court.says(request if word == "request" else notice)
    stands = [await court.is_so(one) for one in (notice, request)]
    assert await court.blocked() == sum(blocked for _, blocked, _, _ in stands) == 2000 - (await court.money())[0]
    await court.falls(request)
    await court.returned()
    assert (await court.is_so(request))[2:] == (1000, "TOTALLY_ACCEPTED")
    for law in ("law_what_is_blocked_is_disputed", "law_a_dispute_is_answered_as_decided", "law_what_waits_has_its_time"):
        assert await court.rows(f"SELECT * FROM {law}") == [], law


async def test_words_about_a_return_that_was_made_long_ago(court: Court) -> None:
    """Everything said once more, at its end: nothing is blocked, sent or told again."""
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    await court.agreed(notice)
    request = court.request(notice)
    await court.says(request)
    await court.falls(request)
    await court.returned()
    before = [await court.column(f"SELECT count(*) FROM {table}") for table in ("transfers", "outbox", "events", "history")]
    assert [await court.says(notice, status=s) for s in ("OPEN", "RECEIVED", "ANALYSED")] == ["known"] * 3
    assert [await court.says(request, status=s) for s in ("OPEN", "ANALYSED")] == ["known"] * 2
    assert not await court.falls(notice)
    assert not await court.falls(request)
    after = [await court.column(f"SELECT count(*) FROM {table}") for table in ("transfers", "outbox", "events", "history")]
    assert (after, await court.blocked()) == (before, 0)
    assert [await court.says(notice, status="CANCELLED") for _ in range(2)] == ["handled", "known"]
    assert await court.is_so(notice) == ("CANCELLED", 0, 0, "AGREED")
    assert await court.is_so(request) == ("ANALYSED", 0, 1000, "TOTALLY_ACCEPTED")


@pytest.mark.parametrize("of", ["notice", "request"])
async def test_what_was_given_up_before_it_was_told_blocks_nothing(court: Court, of: str) -> None:
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    news = notice if of == "notice" else court.request(notice)
    assert await court.says(news, status="CANCELLED") == ALARMED
    assert await court.says(news) == "known"
    assert (await court.blocked(), await court.column("SELECT id FROM med_objects")) == (0, [])
    other = await court.notice(news.end_to_end_id)
    assert await court.says(other) == "handled", "another dispute of the same Pix is not over"
    assert await court.blocked() == 1000


async def test_a_dispute_of_a_pix_whose_end_is_not_known_waits_for_it(court: Court) -> None:
    """Set aside for people, the Pix would be paid a second later, and its money be free."""
    order_id = await court.paid(1000)
    name = await court.transaction(order_id)
    notice = await court.notice(name)
    sql = "UPDATE pix_payments SET state = $1 WHERE end_to_end_id = $2"
    await court.rows(sql, "ACCEPTED", name)
    with pytest.raises(NotYet):
        await court.says(notice)
    await court.rows(sql, "SETTLED", name)
    assert await court.says(notice) == "handled"
    assert await court.blocked() == 1000


@pytest.mark.parametrize("end", ["verdict", "given up", "request"])
async def test_what_is_blocked_of_an_account_that_is_closed(court: Court, end: str) -> None:
    """It never goes back to whoever has contested, and is let go where the dispute ends without a request."""
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    await court.says(notice)
    await court.says(notice, status="RECEIVED")
    await court.cast.account_becomes(court.ana.company_id, "CLOSED")
    assert await court.blocked() == 1000
    if end == "given up":
        assert await court.says(notice, status="CANCELLED") == "handled"
    else:
        await court.due(notice)
        assert await court.falls(notice)
        assert await court.blocked() == 1000
    if end == "verdict":
        await court.due(notice)
        assert await court.falls(notice)
    if end == "request":
        request = court.request(notice)
        assert await court.says(request) == "handled"
        await court.falls(request)
        assert await court.is_so(request) == ("ANALYSED", 0, 0, "REJECTED")
        assert [(a["result"], a["rejection"]) for a in await court.sent("med.answer")] == [("REJECTED", "ACCOUNT_CLOSURE")]
    assert (await court.blocked(), await court.column("SELECT id FROM refunds")) == (0, [])
    assert await court.rows("SELECT * FROM law_what_is_blocked_is_disputed") == []


@pytest.mark.parametrize("of", ["notice", "request"])
async def test_a_word_about_another_object_under_its_id_moves_nothing(court: Court, of: str) -> None:
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    news = notice if of == "notice" else court.request(notice)
    assert await court.says(news) == "handled"
    before = [await court.is_so(news), await court.money(), await court.column("SELECT count(*) FROM history")]
    other = await court.transaction(await court.paid(1000))
    paid = await court.money()
    for said in (
        {"amount": Money(999, "BRL")}, {"end_to_end_id": other}, {"role": "PAYER"}, {"recovery_id": uuid4()},
        {"object_type": "REFUND_REQUEST" if of == "notice" else "INFRINGEMENT_NOTIFICATION"},
    ):  # fmt: skip
        assert await court.says(msgspec.structs.replace(news, **said), status="CANCELLED") == ALARMED, said
        assert (await court.is_so(news), await court.money()) == (before[0], paid)
    assert await court.says(news, status="CANCELLED") == "handled"
