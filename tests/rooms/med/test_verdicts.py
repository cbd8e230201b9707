"""What is blocked before a verdict, by later credits too where that is configured, and what goes with the verdict."""

import asyncio
from dataclasses import replace
from datetime import timedelta

from lastro.core.errors import Refused
from lastro.core.runner import Done
from lastro.med import Decide, DisputeTerms
from lastro.rails.port import MedNews

from .court import CHOSEN, Court


async def test_later_credits_top_a_block_up_where_that_is_configured(court: Court) -> None:
    """As far as they go, no further than what is contested, and until the verdict, which waits for its deadline."""
    court.terms = replace(CHOSEN, top_up=timedelta(hours=1))
    notice = await _lacking(court)
    (due,) = await court.column("SELECT due_at - created_at FROM med_objects")
    assert due == timedelta(hours=1)
    assert await court.looked_at(notice)  # nothing has come: only the next look is set
    assert (await court.blocked(), await court.is_so(notice)) == (0, ("OPEN", 0, 0, None))
    await court.cast.credit(court.ana, 700)
    assert await court.looked_at(notice)
    assert (await court.blocked(), (await court.money())[0]) == (700, 0)
    assert await court.says(notice, status="RECEIVED") == "handled"
    await court.cast.credit(court.ana, 700)
    assert await court.looked_at(notice)
    assert (await court.blocked(), (await court.money())[0], await court.is_so(notice)) == (
        1000,
        400,
        ("RECEIVED", 1000, 0, None),
    )
    assert await court.column("SELECT due_at = defense_due_at - interval '1 day' FROM med_objects") == [True]
    await court.due(notice)
    assert await court.falls(notice)
    assert await court.is_so(notice) == ("ANALYSED", 1000, 0, "AGREED")
    assert [status for _, status, _ in await court.notified(notice)] == ["OPEN", "RECEIVED", "ANALYSED"]


async def test_a_block_takes_no_later_credits_by_itself(court: Court) -> None:
    """Looked at before its deadline, as it would be had the setting just been switched off: nobody has decided anything."""
    notice = await _lacking(court)
    await court.cast.credit(court.ana, 700)
    assert await court.looked_at(notice)
    assert (await court.blocked(), await court.is_so(notice)) == (0, ("OPEN", 0, 0, None))
    assert await court.column("SELECT due_at = defense_due_at - interval '1 day' FROM med_objects") == [True]


async def test_credits_that_are_spent_while_a_block_is_topped_up(court: Court) -> None:
    """The account is never below zero, whoever is quicker."""
    court.terms = replace(CHOSEN, top_up=timedelta(hours=1))
    notice = await _lacking(court)
    await court.cast.credit(court.ana, 900)
    await asyncio.gather(court.looked_at(notice), court.spend(500), return_exceptions=True)
    blocked, available = await court.blocked(), (await court.money())[0]
    assert (blocked + available, available >= 0) in ((400, True), (900, True))


async def _decided_by_time(court: Court, terms: DisputeTerms) -> MedNews:
    court.terms = terms
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    await court.says(notice)
    await court.says(notice, status="RECEIVED")
    await court.due(notice)
    assert await court.falls(notice)
    return notice


async def test_a_default_says_the_kind_of_fraud_that_was_chosen(court: Court) -> None:
    """Whatever the notice says happened: nobody has found of which kind it was (DICT 2.12.1, closeInfractionReport)."""
    notice = await _decided_by_time(court, replace(CHOSEN, fraud="OTHER", details="Nobody has decided"))
    assert await court.is_so(notice) == ("ANALYSED", 1000, 0, "AGREED")
    (told,) = await court.sent("med.verdict")
    assert (told["fraud"], told["details"]) == ("OTHER", "Nobody has decided")


async def test_nothing_is_agreed_to_by_itself_without_a_kind_of_fraud(court: Court) -> None:
    """UNKNOWN is not valid: it waits, blocked, and is looked at again a day later."""
    notice = await _decided_by_time(court, replace(CHOSEN, fraud=None))
    assert (await court.is_so(notice), await court.sent("med.verdict")) == (("RECEIVED", 1000, 0, None), [])
    ((left,),) = await court.rows("SELECT due_at - now() FROM med_objects")
    assert timedelta(hours=23) < left <= timedelta(days=1)
    no = await court.cast.runner.act(court.ana.company_id, Decide(notice.reference_id, "AGREED", court.stand))
    assert isinstance(no, Refused)
    assert [(p.field, p.issue) for p in no.problems] == [("fraud", "REQUIRED")]
    assert isinstance(
        await court.cast.runner.act(court.ana.company_id, Decide(notice.reference_id, "DISAGREED", court.stand)), Done
    )
    assert await court.is_so(notice) == ("ANALYSED", 0, 0, "DISAGREED")


async def test_who_decides_knows_better_than_the_notice(court: Court) -> None:
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    await court.says(notice)
    await court.says(notice, status="RECEIVED")
    act = court.cast.runner.act
    no = await act(court.ana.company_id, Decide(notice.reference_id, "DISAGREED", court.stand, "OTHER"))
    assert isinstance(no, Refused)
    assert [(p.field, p.issue) for p in no.problems] == [("fraud", "NOT_ALLOWED")]
    verdict = Decide(notice.reference_id, "AGREED", court.stand, "APPLICATION_FRAUD", "A cloned shop")
    assert isinstance(await act(court.ana.company_id, verdict), Done)
    (told,) = await court.sent("med.verdict")
    assert (told["fraud"], told["details"]) == ("APPLICATION_FRAUD", "A cloned shop")


async def _lacking(court: Court) -> MedNews:
    """A notice that has come when nothing was there."""
    order = await court.paid(1000)
    await court.spend(1000)
    notice = await court.notice(await court.transaction(order))
    assert await court.says(notice) == "handled"
    return notice
