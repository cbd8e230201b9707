"""A payout whose id the network gives to another payment: listed, and ended by people with evidence, never by their word alone."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from lastro.core.commit import commit
from lastro.core.errors import Problem, Refused
from lastro.core.money import Money
from lastro.core.runner import Done
from lastro.core.write import Row, Write
from lastro.payouts import Proved, contradicted_in, shown_contradicted
from lastro.rails import port
from lastro.rails.port import CLOCKS_DIFFER
from lastro.reconciliation import STATEMENTS, Disproved, days_taken
from lastro.standards import pix_ids
from lastro.standards.calendar import brasilia_day

from .office import HERE, Office
from .test_words_of_another import RIGHT

CENTS = 1000
ANOTHER = replace(RIGHT, creditor=replace(RIGHT.creditor, account="300001"))


@dataclass
class Waiting:
    """A payout that was sent, and what is said under its id."""

    office: Office
    id: str
    name: str
    rail: str

    async def said(self, of: port.Facts | None = ANOTHER, *, is_answer: bool = True) -> str:
        at = datetime.now(UTC)
        says = port.PaymentFinal(self.name, True, None, at, of=of)
        return await self.office.told(port.PAYMENT_FINAL, says, is_answer=is_answer)

    async def stated(self, cents: int, at: datetime) -> None:
        """A statement has it as left, with another payment's receiver or not."""
        row = {
            "id": self.office.cast.id(), "statement_id": self.office.cast.id(), "edition": 1, "line_id": "line-1",
            "rail": self.rail, "day": brasilia_day(at), "kind": port.OUT, "network_id": self.name, "amount_minor": cents,
            "currency": "BRL", "settled_at": at, "verdict": "AMOUNT", "created_at": datetime.now(UTC),
        }  # fmt: skip
        await commit(self.office.cast.database, Write(self.office.ana.company_id, rows=(Row("statement_lines", row),)))

    async def disprove(self, whole: Iterable[date] | None = None) -> str | None:
        """What the no says; None: it is ended."""
        today = brasilia_day(datetime.now(UTC))
        days = [today - timedelta(days=n) for n in range(-1, 12)] if whole is None else whole
        verb = Disproved(self.name, "rita", "call 77 with the STR", frozenset(days), HERE)
        done = await self.office.cast.runner.act(self.office.ana.company_id, verb)
        return None if isinstance(done, Done) else no(done)

    async def prove(self, at: datetime) -> str | None:
        done = await self.office.cast.runner.act(self.office.ana.company_id, Proved(self.name, at, HERE))
        return None if isinstance(done, Done) else no(done)

    async def stands(self) -> tuple[str, tuple[int, int]]:
        return await self.office.state(self.id), await self.office.money()


def no(done: Any) -> str:
    assert isinstance(done, Refused)
    (problem,) = done.problems
    assert isinstance(problem, Problem)
    return problem.description


async def waiting(office: Office, method: str = "TED", *, sends: int = 1) -> Waiting:
    """A payout of 10.00 that was sent; the id of a Pix is so old that it is not taken any more."""
    made = await office.make(CENTS, method=method)
    name = made["endToEndId"]
    if method == "TED":
        (name,) = await office.column("SELECT control_number FROM payouts")
    else:
        old, name = name, pix_ids.redated(name, datetime.now(UTC) - timedelta(hours=13))
        await office.column("UPDATE payouts SET end_to_end_id = $1 WHERE end_to_end_id = $2 RETURNING 1", name, old)
        await office.column("UPDATE outbox SET network_id = $1 WHERE network_id = $2 RETURNING 1", name, old)
    sent = "due_at = NULL, done_at = business_now(), outcome = 'sent'" if sends else "due_at = business_now()"
    await office.column(f"UPDATE outbox SET sends = $1, {sent} RETURNING 1", sends)
    return Waiting(office, made["id"], name, method.lower())


async def over(office: Office) -> None:
    """No copy of it is sent from now on."""
    assert await office.column("UPDATE payouts SET send_until = business_now() RETURNING 1")


@pytest.mark.parametrize("method", ["TED", "PIX"])
async def test_it_is_listed_and_ends_as_failed_once_it_is_proved_that_it_was_never_taken(
    office: Office, method: str
) -> None:
    one = await waiting(office, method)
    await over(office)
    assert await one.said() == port.ALARMED
    async with office.cast.database.session(office.ana.company_id) as session:
        ((payout, words),) = await contradicted_in(session, office.ana.company_id, 10)
    shown = shown_contradicted(payout, words, HERE)
    assert (shown["id"], shown["name"], shown["differs"], shown["words"]) == (one.id, one.name, ["creditor account"], 1)
    await one.stated(CENTS + 1, datetime.now(UTC) - timedelta(minutes=20))  # the other payment's, of the time that was lost
    assert await one.disprove() is None
    assert await one.stands() == ("ERROR", (10_000_000, 0))
    assert await office.column("SELECT error_code FROM payouts") == ["NEVER_TAKEN"]
    assert await office.column("SELECT outcome, due_at FROM outbox") == ["withdrawn"]
    assert (await office.events(one.id))[-1] == "ORDER-PAYOUT.ERROR"
    (reason,) = await office.column("SELECT reason FROM history WHERE trigger = 'disprove'")
    assert reason == "by rita: call 77 with the STR"
    async with office.cast.database.session(office.ana.company_id) as session:
        assert await contradicted_in(session, office.ana.company_id, 10) == []
    assert "is ERROR" in str(await one.disprove())
    # Had it left after all, its statement would prove that, too.
    assert await one.prove(datetime.now(UTC)) is None
    assert await one.stands() == ("PAID", (10_000_000 - CENTS, 0))


async def test_nothing_ends_while_the_proof_lacks_anything(office: Office) -> None:
    one = await waiting(office)
    before = await one.stands()
    assert "its network is asked about it" in str(await one.disprove())
    assert await one.said() == port.ALARMED
    assert "a copy of its message may be taken until" in str(await one.disprove())
    await over(office)
    assert await one.said(is_answer=False) == port.ALARMED
    assert "has not answered since" in str(await one.disprove()), "what it tells of its own accord answers nothing"
    assert await one.said() == port.ALARMED
    for lacking in {brasilia_day(datetime.now(UTC) - ago) for ago in (CLOCKS_DIFFER, timedelta(0))}:
        assert lacking.isoformat() in str(await one.disprove({lacking + timedelta(days=n) for n in (-1, 1)}))
    await one.stated(CENTS + 1, datetime.now(UTC))  # nobody else can have the id by now
    assert "has left by its statement" in str(await one.disprove())
    assert await one.stands() == before == ("PENDING", (10_000_000 - CENTS, CENTS))


async def test_a_line_of_just_before_it_was_made_may_be_its_own(office: Office) -> None:
    """A clock of ours that was fast has made it too late."""
    one = await waiting(office)
    await over(office)
    await one.said()
    await one.stated(CENTS, datetime.now(UTC) - timedelta(minutes=3))
    assert "has left by its statement" in str(await one.disprove())


async def test_a_line_from_before_it_was_made_is_another_payments(office: Office) -> None:
    one = await waiting(office)
    await over(office)
    await one.said()
    await one.stated(CENTS, datetime.now(UTC) - timedelta(hours=1))
    assert await one.disprove() is None


async def test_a_pix_may_be_taken_for_twelve_hours_behind_its_ids_minute(office: Office) -> None:
    made = await office.make(CENTS)
    await over(office)
    await office.column("UPDATE outbox SET sends = 1, due_at = NULL, done_at = business_now(), outcome = 'sent' RETURNING 1")
    one = Waiting(office, made["id"], made["endToEndId"], "pix")
    await one.said()
    assert "a copy of its message may be taken until" in str(await one.disprove())
    assert (await one.stands())[0] == "PENDING"


async def test_one_that_was_never_sent_needs_no_statement(office: Office) -> None:
    one = await waiting(office, sends=0)
    await one.said()
    assert "not sent yet" in str(await one.prove(datetime.now(UTC)))
    assert await one.disprove(()) is None
    assert await one.stands() == ("ERROR", (10_000_000, 0))
    assert await office.column("SELECT outcome FROM outbox") == ["withdrawn"]


async def test_one_that_somebody_has_in_hand_is_left_alone(office: Office) -> None:
    one = await waiting(office, "PIX", sends=0)
    await one.said()
    assert await office.claim_messages()
    for refused in (await one.disprove(), await one.prove(datetime.now(UTC))):
        assert "being sent at this moment" in str(refused)
    assert (await one.stands())[0] == "PENDING"


async def test_it_is_proved_to_have_left_and_what_was_held_is_posted_once(office: Office) -> None:
    one = await waiting(office)
    before = await one.stands()
    assert "its network is asked about it" in str(await one.prove(datetime.now(UTC)))
    assert await one.stands() == before
    await one.said()
    assert await one.prove(datetime.now(UTC)) is None
    assert await one.stands() == ("PAID", (10_000_000 - CENTS, 0))
    assert await office.column("SELECT type FROM transfers WHERE type LIKE 'TED%'") == ["TED_OUT"] * 2, "held, posted"
    assert await one.said(of=RIGHT) == "known"


async def test_a_childs_end_is_its_batchs(office: Office) -> None:
    await office.limit(transaction=600)
    made = await office.make(CENTS)
    (first, *_) = await office.column("SELECT end_to_end_id FROM payouts WHERE batch_id IS NOT NULL ORDER BY sequence")
    of = replace(RIGHT, amount=Money(601, "BRL"))
    assert (
        await office.told(port.PAYMENT_FINAL, port.PaymentFinal(first, True, None, datetime.now(UTC), of=of)) == port.ALARMED
    )
    one = Waiting(office, made["id"], first, "pix")
    assert await one.disprove(()) is None
    assert await office.children(made["id"]) == ["ERROR", "PENDING"]


async def test_a_day_is_whole_when_it_is_taken_and_goes_on_where_the_one_before_ended(office: Office) -> None:
    day, company, now = date(2040, 3, 1), office.ana.company_id, datetime.now(UTC)
    for n, (state, opening, closing) in enumerate([("TAKEN", 0, 5), ("TAKEN", 5, 7), ("TAKEN", 8, 9), ("TAKING", 9, None)]):
        row = {
            "id": office.cast.id(), "rail": "pix", "day": day + timedelta(days=n), "opening_minor": opening,
            "closing_minor": closing, "created_at": now, "updated_at": now,
        }  # fmt: skip
        moves = ("begin", "finish") if state == "TAKEN" else ("begin",)
        await commit(office.cast.database, Write(company, rows=STATEMENTS.born(row, now, moves)))
    async with office.cast.database.session(company) as session:
        found = await days_taken(session, company, "pix", day)
    assert found == {day}, "the third opens with a gap, so that the second may lack a line; the fourth is not taken"
