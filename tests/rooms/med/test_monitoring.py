"""An account whose return gave back too little is watched: later credits are blocked up to what is lacking, and given back."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from lastro import ledger
from lastro.core.commit import commit
from lastro.core.errors import InsufficientFunds
from lastro.core.runner import RequestContext
from lastro.core.write import Write
from lastro.med import Fall
from lastro.rails.port import MedNews
from lastro.worker.collecting import Collecting

from .court import Court


async def watched(court: Court, has: int = 0, **more: Any) -> MedNews:
    """The answered request of a notice about 1,000 that was agreed to, while the account had so much."""
    order = await court.paid(1000)
    await court.spend(1000 - has)
    notice = await court.notice(await court.transaction(order))
    await court.agreed(notice)
    request = court.request(notice, **more)
    assert await court.says(request) == "handled"
    assert await court.falls(request)
    if has:
        assert await court.returned() == "handled"
    await court.falls(request)
    return request


async def credit(court: Court, cents: int) -> None:
    """So much comes in, by whatever way, and the sweep comes by."""
    await court.cast.credit(court.ana, cents)
    await sweep(court)


async def sweep(court: Court) -> None:
    cast = court.cast
    await Collecting(cast.database, cast.database, cast.runner, court.stand).of(court.ana.company_id)


async def stands(court: Court, request: MedNews) -> tuple[int, int, int]:
    """What it lacks, blocks, and gave back of later credits."""
    sql = "SELECT lacking_minor, blocked_minor, later_minor FROM med_objects WHERE id = $1"
    ((lacking, blocked, later),) = await court.rows(sql, request.reference_id)
    return lacking, blocked, later


async def lawful(court: Court) -> None:
    for law in ("what_is_blocked_is_disputed", "a_watched_account_keeps_what_is_lacking", "a_dispute_is_answered_as_decided",
                "no_account_below_floor", "the_directory_hears_what_was_decided"):  # fmt: skip
        assert await court.rows(f"SELECT * FROM law_{law}") == [], law


@pytest.mark.parametrize(("has", "result"), [(0, "REJECTED"), (400, "PARTIALLY_ACCEPTED")])
async def test_later_credits_are_blocked_and_given_back_until_it_is_filled(court: Court, has: int, result: str) -> None:
    """MonitorAccount (DICT 2.12.1): what the directory was told of the request stays as it was."""
    request = await watched(court, has)
    assert (await court.is_so(request))[3] == result
    assert await stands(court, request) == (1000 - has, 0, 0)
    await credit(court, 300)
    assert (await stands(court, request), (await court.money())[0]) == ((700 - has, 300, 0), 0)
    assert await court.falls(request)
    assert await court.returned() == "handled"
    assert await stands(court, request) == (700 - has, 0, 300)
    await credit(court, 5000)
    assert (await stands(court, request), (await court.money())[0]) == ((0, 700 - has, 300), 4300 + has)
    assert await court.falls(request)
    assert await court.returned() == "handled"
    assert (await stands(court, request), await court.blocked()) == ((0, 0, 1000 - has), 0)
    assert not await court.falls(request)
    assert [a["result"] for a in await court.sent("med.answer")] == [result]
    assert (await court.is_so(request))[2] == has
    await credit(court, 50)
    assert (await court.money())[0] == 4350 + has
    await lawful(court)


async def test_nothing_else_takes_what_has_come_before_the_sweep(court: Court) -> None:
    """No credit is slower by it: the debit is refused, under the ledger's own lock."""
    await watched(court)
    await court.cast.credit(court.ana, 900)
    gone = court.cast.transfer(court.ana.customer, court.ana.clearing, 1)
    with pytest.raises(InsufficientFunds):
        await commit(court.cast.database, Write(court.ana.company_id, transfers=(gone,)))
    async with court.cast.database.session(court.ana.company_id) as session:
        (balance,) = await ledger.balances_of(session, court.ana.company_id, [court.ana.account_id], "BRL")
    assert (balance.available.minor, balance.blocked.minor, balance.kept.minor) == (0, 900, 900)
    await court.cast.credit(court.ana, 200)
    await court.spend(100)
    with pytest.raises(InsufficientFunds):
        await court.spend(1)
    await lawful(court)


async def test_what_is_owed_comes_before_what_is_watched(court: Court) -> None:
    """The debt is there first; what is left of a credit is kept for the dispute."""
    request = await watched(court)
    lost = ledger.loss(court.ana.company_id, court.ana.account_id, "BRL")
    booked = court.cast.transfer(lost, court.ana.clearing, 70)
    await commit(court.cast.database, Write(court.ana.company_id, transfers=(booked,)))
    await credit(court, 100)
    await sweep(court)
    assert await stands(court, request) == (970, 30, 0)
    await lawful(court)


@pytest.mark.parametrize(("seconds", "is_over"), [(-1, False), (0, True), (1, True)])
async def test_the_watch_ends_90_days_after_the_payment(court: Court, seconds: int, is_over: bool) -> None:
    """domain.md §6.6: up to 90 days from the transaction. A second before it is over, and a second after."""
    request = await watched(court)
    ((until, settled),) = await court.rows(
        "SELECT m.watched_until, p.settled_at FROM med_objects m JOIN pix_payments p USING (end_to_end_id) WHERE m.id = $1",
        request.reference_id,
    )
    assert until == settled + timedelta(days=90)
    context = RequestContext(court.ana.company_id, until + timedelta(seconds=seconds), court.cast.chance)
    verb = Fall(request.reference_id, court.stand)
    async with court.cast.database.session(context.company_id) as session:
        write = verb.decide(await verb.read(session, context), context).write
    assert bool(write and write.moves and write.moves[0].trigger == "request watch over") is is_over
    await credit(court, 500)
    assert (await court.money())[0] == 0
    await lawful(court)


async def test_what_is_blocked_when_the_time_is_over_is_free(court: Court) -> None:
    request = await watched(court)
    await credit(court, 300)
    await court.rows("UPDATE med_objects SET watched_until = now() - interval '1 s', due_at = now() - interval '1 s'"
                     " WHERE id = $1 RETURNING 1", request.reference_id)  # fmt: skip
    assert await court.falls(request)
    assert (await stands(court, request), (await court.money())[0]) == ((0, 0, 0), 300)
    await lawful(court)


@pytest.mark.parametrize("is_sent", [False, True])
async def test_a_case_that_is_canceled_ends_the_watch(court: Court, is_sent: bool) -> None:
    """A recovery that is given up cancels its notices, decided or not; a return that waits unsent is withdrawn."""
    request = await watched(court)
    await credit(court, 300)
    if is_sent:
        assert await court.falls(request)
    (notice,) = await court.column("SELECT id FROM med_objects WHERE object_type = 'INFRINGEMENT_NOTIFICATION'")
    word = replace_id(request, notice)
    assert await court.says(word) == "handled"
    assert (await stands(court, request), (await court.money())[0]) == ((0, 0, 0), 300)
    assert await court.column("SELECT state FROM refunds") == (["ERROR"] if is_sent else [])
    await credit(court, 200)
    assert (await court.money())[0] == 500
    await lawful(court)


@pytest.mark.parametrize("words", ["the request", "the notice, then the request"])
async def test_a_return_that_settles_although_it_was_called_off_begins_no_watch(court: Court, words: str) -> None:
    """It gave back too little; but nobody asks for more."""
    order = await court.paid(1000)
    await court.spend(600)
    notice = await court.notice(await court.transaction(order))
    await court.agreed(notice)
    request = court.request(notice)
    await court.says(request)
    await court.falls(request)
    await court.rows("UPDATE outbox SET sends = 1 WHERE kind = 'return.send'")
    if "notice" in words:
        assert await court.says(notice, status="CANCELLED") == "handled"
    assert await court.says(request, status="CANCELLED") == "handled"
    assert await court.returned() == "handled"
    await is_not_watched(court, request)
    assert (await court.is_so(request), await court.money()) == (("ANALYSED", 0, 400, "PARTIALLY_ACCEPTED"), (300, 0))


@pytest.mark.parametrize("word", ["the notice's, before the answer", "the notice's, after it", "the request's, after it"])
async def test_a_dispute_that_is_called_off_before_the_watch_begins_has_none(court: Court, word: str) -> None:
    """Whichever comes first: the directory's word, the answer, or the look at what it lacks."""
    order = await court.paid(1000)
    await court.spend(1000)
    notice = await court.notice(await court.transaction(order))
    await court.agreed(notice)
    request = court.request(notice)
    await court.says(request)
    if "before" in word:
        assert await court.says(notice, status="CANCELLED") == "handled"
    assert await court.falls(request)
    if "before" not in word:
        assert await court.says(request if "request's" in word else notice, status="CANCELLED") in ("known", "handled")
        assert set(await court.column("SELECT due_at FROM med_objects WHERE status = 'ANALYSED'")) == {None}
    await is_not_watched(court, request)
    assert await court.money() == (300, 0)


async def is_not_watched(court: Court, request: MedNews) -> None:
    await court.falls(request)
    await credit(court, 300)
    assert await stands(court, request) == (0, 0, 0)
    assert await court.column("SELECT due_at FROM med_objects WHERE watched_since IS NOT NULL OR due_at IS NOT NULL") == []
    await lawful(court)


@pytest.mark.parametrize("is_sent", [False, True])
async def test_a_request_that_is_canceled_while_it_watches_ends_the_watch(court: Court, is_sent: bool) -> None:
    """Of one without a recovery no notice tells it; its own answer may still be on its way, and is not told then."""
    notice = await court.notice(await court.transaction(await court.paid(1000)), recovery_id=None)
    await court.spend(1000)
    request = court.request(notice, reason="OPERATIONAL_FLAW")
    await court.says(request)
    await court.falls(request)
    await court.falls(request)
    await credit(court, 300)
    if is_sent:
        assert await court.falls(request)
    assert await court.says(request, status="CANCELLED") == "known"
    assert (await stands(court, request), (await court.money())[0]) == ((0, 0, 0), 300)
    ((called_off,),) = await court.rows("SELECT called_off_at IS NOT NULL FROM med_objects")
    assert called_off
    assert await court.column("SELECT state FROM refunds") == (["ERROR"] if is_sent else [])
    await credit(court, 200)
    assert (await court.money())[0] == 500
    await lawful(court)


def replace_id(request: MedNews, notice: UUID) -> MedNews:
    """The directory's word that the request's notice is canceled."""
    values = {name: getattr(request, name) for name in request.__struct_fields__}
    values |= {
        "object_type": "INFRINGEMENT_NOTIFICATION",
        "reference_id": notice,
        "status": "CANCELLED",
        "reason": "REFUND_REQUEST",
    }
    return MedNews(**values)


async def test_a_return_of_later_credits_that_fails_is_tried_again(court: Court) -> None:
    request = await watched(court)
    await credit(court, 300)
    assert await court.falls(request)
    assert await court.returned("ED05") == "handled"
    assert await stands(court, request) == (700, 300, 0)
    ((left,),) = await court.rows("SELECT due_at - now() AS left_of_it FROM med_objects WHERE id = $1", request.reference_id)
    assert timedelta(hours=23) < left <= timedelta(days=1)
    assert await court.looked_at(request)
    assert await court.returned() == "handled"
    assert await stands(court, request) == (700, 0, 300)
    await lawful(court)


@pytest.mark.parametrize("why", ["the refund says no", "a setting says no", "nothing is lacking"])
async def test_no_watch_where_none_is_asked_for(court: Court, why: str) -> None:
    if why == "a setting says no":
        court.terms = replace(court.terms, monitor=timedelta(0))
    request = await watched(court, 1000 if why == "nothing is lacking" else 0, monitor=why != "the refund says no")
    await credit(court, 300)
    assert (await stands(court, request), (await court.money())[0]) == ((0, 0, 0), 300)
    assert await court.column("SELECT count(*) FROM med_objects WHERE watched_since IS NOT NULL") == [0]
    await lawful(court)
