"""A charge that its receiver or its payer calls off before its day, on real rows."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from msgspec.structs import replace
from tests.cast import PLACE

from lastro.api_kit.routes import Incoming
from lastro.core.commit import commit
from lastro.core.errors import Refused, Stale
from lastro.core.money import Money
from lastro.core.runner import Done, RequestContext
from lastro.rails import port
from lastro.subscriptions.actions.advance import Advance

from .charging import BENTO, Bank, at, day
from .test_charging import begun, order_status, sent, statuses


async def cancel(bank: Bank, payment: dict[str, Any], moment: datetime) -> Any:
    path = {"id": payment["subscriptionId"], "paymentId": payment["id"]}
    return await bank.asked("cancel_subscription_payment", moment, {}, **path)


async def test_what_nobody_was_told_of_is_called_off_at_once(bank: Bank) -> None:
    of = await bank.accepted()
    made = await bank.charge(of, day(20))
    outcome = await cancel(bank, made, at(10))
    assert isinstance(outcome, Done)
    assert outcome.status is None
    read = await bank.read(made)
    assert (read["status"], read["reason"]) == ("CANCELED", "REQUESTED_BY_RECEIVER")
    assert await order_status(bank, made) == "CANCELED"
    assert [e["data"]["reason"] for e in await bank.told("SUBSCRIPTION-PAYMENT.CANCELED")] == ["REQUESTED_BY_RECEIVER"]
    assert (await bank.charge(of, day(20)))["status"] == "SCHEDULED", "its cycle is free"


# Both take the instruction in hand: one has it there still, the other has put it down again, unheard by anybody.
IN_HAND, TRIED = "lease_token = gen_random_uuid(), leased_until = now(), sends = 1", "sends = 1"


@pytest.mark.parametrize(("since", "is_asked"), [("sends = 0", False), (TRIED, True), (IN_HAND, True)])
async def test_an_instruction_that_nobody_has_sent_is_withdrawn(bank: Bank, since: str, is_asked: bool) -> None:
    made = await sent(bank, await bank.accepted())
    await bank.refuses(made, "AB10", at(11, 1))
    told = await bank.attempt(made)
    await bank.desk.column(f"UPDATE outbox SET {since} WHERE network_id = $1 RETURNING id", told["message_id"])
    outcome = await cancel(bank, made, at(11, 2))
    assert isinstance(outcome, Done)
    assert outcome.status == (202 if is_asked else None)
    read = await bank.read(made)
    assert (read["status"], statuses(read)[-1]) == (("SCHEDULED", "REQUESTED") if is_asked else ("CANCELED",) * 2)
    still_due = "SELECT network_id FROM outbox WHERE company_id = tenant() AND kind LIKE 'charge%' AND due_at IS NOT NULL"
    assert len(await bank.desk.column(still_due)) == (2 if is_asked else 0)
    if not is_asked:
        answered: dict[str, Any] = msgspec.json.decode(outcome.body)
        assert answered["attempts"] == read["attempts"]
        assert await order_status(bank, made) == "CANCELED"
        assert (await bank.charge(made["subscriptionId"], day(20)))["status"] == "SCHEDULED", "its cycle is free"


async def test_an_instruction_that_is_taken_in_hand_meanwhile_is_not_withdrawn(bank: Bank) -> None:
    of = await bank.accepted()
    made = await bank.charge(of, day(20))
    assert await bank.time(made, at(11))
    verb = bank.desk.routes["cancel_subscription_payment"].parse(
        Incoming(bank.company, {"id": of, "paymentId": made["id"]}, {}, b"", {}, None)
    )
    assert not isinstance(verb, Refused)
    context = RequestContext(bank.company, at(12), bank.desk.cast.chance)
    async with bank.desk.cast.database.session(bank.company) as session:
        known = await verb.read(session, context)
    await bank.sent(made)
    outcome = verb.decide(known, context)
    assert isinstance(outcome, Done)
    assert outcome.write is not None
    with pytest.raises(Stale):
        await commit(bank.desk.cast.database, outcome.write)
    assert (await cancel(bank, made, at(12))).status == 202


async def test_a_worker_that_comes_late_does_not_forget_the_day_that_the_bank_has_just_set(bank: Bank) -> None:
    """Two find it due; one sends it, and its bank answers before the other has written that it waits for that answer."""
    made = await bank.charge(await bank.accepted(), day(20))
    assert await bank.time(made, at(11))
    verb, context = Advance(UUID(made["id"]), PLACE), RequestContext(bank.company, at(11), bank.desk.cast.chance)
    async with bank.desk.cast.database.session(bank.company) as session:
        outcome = verb.decide(await verb.read(session, context), context)
    await bank.schedules(made, at(11))
    assert isinstance(outcome, Done)
    assert outcome.write is not None
    with pytest.raises(Stale):
        await commit(bank.desk.cast.database, outcome.write)
    assert await bank.desk.column("SELECT due_at FROM subscription_payments WHERE company_id = tenant()") != [None]


@pytest.mark.parametrize(
    ("outcome", "ends_in"), [("CONFIRMED", "CANCELED"), ("REFUSED", "SCHEDULED"), ("FAILED", "SCHEDULED")]
)
async def test_what_the_bank_was_told_of_it_has_to_drop(bank: Bank, outcome: str, ends_in: str) -> None:
    made = await sent(bank, await bank.accepted())
    name = await bank.schedules(made, at(11, 1))
    asked = await cancel(bank, made, at(12))
    assert asked.status == 202
    again = await cancel(bank, made, at(12, 1))
    assert [(p.field, p.issue) for p in again.problems] == [("status", "CONFLICT")]
    assert "cancelRequestedAt" in await bank.read(made)
    assert not await bank.time(made, at(20)), "its day does not begin while that is open"
    code = None if outcome == "CONFIRMED" else "NIPA"
    assert await bank.answers(made, outcome, at(12, 2), code) == "handled"
    assert await bank.answers(made, outcome, at(12, 3), code) == "known"
    read = await bank.read(made)
    assert (read["status"], statuses(read)) == (ends_in, ["CANCELED" if ends_in == "CANCELED" else "SCHEDULED"])
    if ends_in == "SCHEDULED":
        assert datetime.fromisoformat(read["cancelRejectedAt"]) == at(12, 2)
        assert read["cancelErrorMessage"].startswith(f"{read['cancelErrorCode']}: ")
        assert (await cancel(bank, made, at(12, 4))).status == 202, "it may be asked again"
        asked_again = await bank.read(made)
        assert "cancelRequestedAt" in asked_again
        assert not {"cancelRejectedAt", "cancelErrorCode"} & set(asked_again)
        assert await bank.answers(made, outcome, at(12, 5), "OTHR") == "handled"
        assert await bank.time(made, at(20))
        assert await bank.pays(made, name, at(20, 4)) is None


async def test_it_can_be_called_off_until_ten_the_evening_before(bank: Bank) -> None:
    made = await sent(bank, await bank.accepted())
    late = await cancel(bank, made, at(19, 22))
    assert [(p.field, p.issue) for p in late.problems] == [("status", "CONFLICT")]
    assert isinstance(await cancel(bank, made, at(19, 22) - timedelta(seconds=1)), Done)
    assert await bank.answers(made, "CONFIRMED", at(19, 22)) == "handled"


async def test_what_was_to_be_dropped_and_is_refused_is_canceled(bank: Bank) -> None:
    made = await sent(bank, await bank.accepted())
    assert isinstance(await cancel(bank, made, at(12)), Done)
    await bank.refuses(made, "AM02", at(12, 1))
    read = await bank.read(made)
    assert (read["status"], statuses(read)) == ("CANCELED", ["REJECTED"])
    assert (read["reason"], read["attempts"][0]["errorCode"]) == ("REQUESTED_BY_RECEIVER", "AM02")


async def test_the_payer_calls_a_single_charge_off(bank: Bank) -> None:
    of = await bank.accepted()
    made = await sent(bank, of)
    await bank.schedules(made, at(11, 1))
    assert await bank.cancels(made, "SLBD", at(19, 23, 58)) == "handled"
    assert await bank.cancels(made, "SLBD", at(19, 23, 58)) == "known"
    read = await bank.read(made)
    assert (read["status"], read["reason"], statuses(read)) == ("CANCELED", "REQUESTED_BY_PAYER", ["CANCELED"])
    assert (await bank.desk.read(of))["status"] == "ACCEPTED"


async def test_too_late_a_cancellation_is_an_end_without_money(bank: Bank) -> None:
    made, _ = await begun(bank, await bank.accepted(allowChargeAfterDueDate=False))
    assert await bank.cancels(made, "ACCT", at(20, 1)) == "handled"
    read = await bank.read(made)
    assert (read["status"], statuses(read)) == ("EXPIRED", ["CANCELED"])


@pytest.mark.parametrize("outcome", ["CONFIRMED", "REFUSED"])
@pytest.mark.parametrize("other", ["recurrence", "amount", "number", "creditor", "debtor"])
async def test_a_word_on_another_cancellation_moves_nothing(bank: Bank, other: str, outcome: str) -> None:
    made = await sent(bank, await bank.accepted())
    await bank.schedules(made, at(11, 1))
    assert (await cancel(bank, made, at(12))).status == 202
    before, told = await bank.read(made), await bank.attempt(made)
    right = port.Facts(Money(2990, "BRL"), number=told["txid"], debtor=port.Side(document=BENTO.document_number))
    says: dict[str, Any] = {
        "recurrence": {"recurrence_id": "RN" + told["recurrence_id"][2:-1] + "~", "of": right},
        "amount": {"of": replace(right, amount=Money(2991, "BRL"))},
        "number": {"of": replace(right, number="0" * 32)},
        "creditor": {"of": replace(right, creditor=port.Side(account="999999999"))},
        "debtor": {"of": replace(right, debtor=port.Side(document="24681357928"))},
    }  # fmt: skip
    assert await bank.answers(made, outcome, at(12, 2), **says[other]) == port.ALARMED
    assert await bank.read(made) == before
    assert await bank.answers(made, outcome, at(12, 3), of=right, recurrence_id=told["recurrence_id"]) == "handled"


@pytest.mark.parametrize("other", ["recurrence", "amount", "number", "creditor", "debtor"])
async def test_a_word_on_another_charge_moves_nothing(bank: Bank, other: str) -> None:
    """Scheduled, refused, or called off by its payer: each is compared with the instruction."""
    made = await sent(bank, await bank.accepted())
    told, before = await bank.attempt(made), await bank.read(made)
    right = port.Facts(Money(2990, "BRL"))
    changes: dict[str, dict[str, Any]] = {
        "recurrence": {"recurrence_id": told["recurrence_id"][:-1] + "~"}, "number": {"txid": "0" * 32},
        "amount": {"of": replace(right, amount=Money(1, "BRL"))},
        "creditor": {"of": replace(right, creditor=port.Side(document="24681357928"))},
        "debtor": {"of": replace(right, debtor=port.Side(ispb="99999030"))},
    }  # fmt: skip
    ids = {"recurrence_id": told["recurrence_id"], "txid": told["txid"], "of": right, **changes[other]}
    name, ours = "E9999902020260101" + "0" * 15, told["message_id"]
    for kind, word in (
        (port.CHARGE_SCHEDULED, port.ChargeScheduled(ours, end_to_end_id=name, scheduled_at=at(11), **ids)),
        (port.CHARGE_REFUSED, port.ChargeRefused(ours, code="AB10", **ids)),
        (port.CHARGE_CANCELED, port.ChargeCanceled("M9", ours, code="SLBD", canceled_at=at(11), **ids)),
    ):  # fmt: skip
        assert await bank.tell(kind, word, at(11, 1)) == port.ALARMED
        assert await bank.read(made) == before
    assert await bank.desk.column("SELECT count(*) FROM inbox WHERE outcome = 'alarmed'") == [3], "its trace is kept"
    await bank.schedules(made, at(11, 2))
