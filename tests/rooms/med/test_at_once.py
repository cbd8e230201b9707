"""Disputes of one payment, and refunds of it, that are decided at the same moment: never more than the payment together."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.cast import PLACE

from lastro.app.inbox_handlers import inbox_verbs
from lastro.core.commit import commit
from lastro.core.errors import OverQuota, Stale
from lastro.core.money import Money
from lastro.core.runner import Done, RequestContext, Verb
from lastro.core.write import Write
from lastro.med import TERMS, Fall
from lastro.orders import GiveBack, RefundWish
from lastro.rails import port

from .court import Court


async def decided(court: Court, verb: Verb[Any]) -> Write:
    """What is written for a verb by what is known now; it is not written yet."""
    context = RequestContext(court.ana.company_id, datetime.now(UTC), court.cast.chance)
    async with court.cast.database.session(court.ana.company_id) as session:
        known = await verb.read(session, context)
    done = verb.decide(known, context)
    assert isinstance(done, Done), done
    assert done.write is not None
    return done.write


async def test_two_later_credits_are_not_blocked_for_one_payment_twice(court: Court) -> None:
    """Two sessions have looked before either has written."""
    court.terms = replace(TERMS, top_up=timedelta(hours=1))
    name = await court.transaction(await court.paid(1000))
    await court.spend((await court.money())[0])
    notices = [await court.notice(name) for _ in range(2)]
    for notice in notices:
        assert await court.says(notice) == "handled"
    assert await court.blocked() == 0
    await court.cast.credit(court.ana, 5000)
    await court.rows("UPDATE med_objects SET due_at = now() - interval '1 second' RETURNING 1")
    writes = [await decided(court, Fall(one.reference_id, court.stand)) for one in notices]
    ends = await asyncio.gather(*(commit(court.cast.database, one) for one in writes), return_exceptions=True)
    assert [type(end) for end in ends if isinstance(end, Exception)] == [Stale]
    assert await court.blocked() == 1000
    for notice in notices:
        await court.falls(notice)
    assert (await court.blocked(), sorted([(await court.is_so(one))[1] for one in notices])) == (1000, [0, 1000])


@pytest.mark.parametrize("is_refund_first", [True, False])
async def test_a_refund_and_a_block_at_once(court: Court, is_refund_first: bool) -> None:
    order = await court.paid(1000)
    await court.cast.credit(court.ana, 5000)
    notice = await court.notice(await court.transaction(order))
    wish = RefundWish(order, "refund-1", Money(400, "BRL"), "MD06")
    refund = await decided(court, GiveBack(wish, PLACE))
    row = await court.kept(port.MED_NEWS, notice, notice.end_to_end_id, port.MED)
    verb = inbox_verbs(PLACE, terms=court.terms)[port.MED_NEWS](row)
    block = await decided(court, verb)
    first, second = (refund, block) if is_refund_first else (block, refund)
    await commit(court.cast.database, first)
    with pytest.raises(OverQuota if is_refund_first else Stale):
        await commit(court.cast.database, second)
    if is_refund_first:
        assert isinstance(await court.cast.runner.act(court.ana.company_id, verb), Done)
    assert await court.blocked() == (600 if is_refund_first else 1000)
