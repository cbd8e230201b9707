"""What happens to charges without their client's asking: autoSchedule, and the end of their subscription. On real rows."""

import os
from datetime import date, datetime, timedelta
from uuid import UUID

import pytest
from tests.cast import PLACE

from lastro.core.errors import Refused
from lastro.core.runner import Done
from lastro.rails import port
from lastro.subscriptions import CloseAccount, End

from .charging import TODAY, Bank, at, day
from .desk import brl


async def dues(bank: Bank, of: str) -> list[str]:
    page = await bank.desk.done("list_subscription_payments", id=of, query={"sort": "asc"})
    return [one["dueDate"] for one in page["data"]]


def days_until(wanted: date) -> int:
    return (wanted - TODAY).days


async def test_each_cycle_is_charged_once_nine_days_before(bank: Bank) -> None:
    of = await bank.accepted(autoSchedule=True, frequencyType="WEEKLY", startDate=day(20).isoformat())
    assert not await bank.cycle(of, at(11) - timedelta(seconds=1))
    for week in range(3):
        moment = at(11 + 7 * week)
        assert await bank.cycle(of, moment)
        for _ in range(3):
            assert not await bank.cycle(of, moment), "whatever is run again"
    assert await dues(bank, of) == [day(20 + 7 * week).isoformat() for week in range(3)]
    (made, *_) = (await bank.desk.done("list_subscription_payments", id=of, query={"sort": "asc"}))["data"]
    assert (made["externalId"], made["amount"]) == (f"auto-{day(20).isoformat()}", brl("29.90"))
    assert [one["status"] for one in made["attempts"]] == ["REQUESTED"], "it is sent when it is made"


async def test_a_worker_finds_just_what_is_due(bank: Bank) -> None:
    of = await bank.accepted(autoSchedule=True, startDate=day(20).isoformat())
    column = "SELECT charge_at FROM subscriptions WHERE company_id = tenant() AND id = $1"
    assert await bank.desk.column(column, UUID(of)) == [at(11)]
    assert await bank.cycle(of, at(11))
    (next_at,) = await bank.desk.column(column, UUID(of))
    assert next_at > at(11 + 18)


async def test_what_its_client_has_charged_the_service_does_not(bank: Bank) -> None:
    of = await bank.accepted(autoSchedule=True, frequencyType="WEEKLY", startDate=day(20).isoformat())
    await bank.charge(of, day(21), externalId=f"auto-{day(27).isoformat()}")
    assert not await bank.cycle(of, at(11))
    assert await bank.cycle(of, at(18))
    page = await bank.desk.done("list_subscription_payments", id=of)
    assert page["data"][0]["externalId"] == f"auto-{day(27).isoformat()}-2", "its code was taken"


async def test_what_was_canceled_is_not_made_again(bank: Bank) -> None:
    of = await bank.accepted(autoSchedule=True, frequencyType="WEEKLY", startDate=day(20).isoformat())
    assert await bank.cycle(of, at(11))
    (made,) = (await bank.desk.done("list_subscription_payments", id=of))["data"]
    await bank.sent(made)
    await bank.asked("cancel_subscription_payment", at(12), {}, id=of, paymentId=made["id"])
    assert await bank.answers(made, "CONFIRMED", at(12, 1)) == "handled"
    assert not await bank.cycle(of, at(13))
    assert await bank.cycle(of, at(18))
    assert await dues(bank, of) == [day(20).isoformat(), day(27).isoformat()]


CHARGE_AT = "SELECT charge_at FROM subscriptions WHERE company_id = tenant() AND id = $1"


@pytest.mark.parametrize("end", ["canceled by its receiver", "canceled by its payer", "refused"])
async def test_a_cycle_whose_own_payment_has_ended_is_charged(bank: Bank, end: str) -> None:
    of = await bank.accepted(autoSchedule=True, frequencyType="WEEKLY", startDate=day(20).isoformat())
    own = await bank.charge(of, day(21))
    assert not await bank.cycle(of, at(11))
    assert await bank.desk.column(CHARGE_AT, UUID(of)) == [at(18)], "the service goes on to the next cycle"
    assert await bank.time(own, at(12))
    await bank.sent(own)
    if end == "canceled by its receiver":
        await bank.asked("cancel_subscription_payment", at(13), {}, id=of, paymentId=own["id"])
        assert await bank.answers(own, "CONFIRMED", at(13)) == "handled"
    elif end == "canceled by its payer":
        await bank.schedules(own, at(12, 1))
        assert await bank.cancels(own, "SLBD", at(13)) == "handled"
    else:
        assert await bank.refuses(own, "AC05", at(13)) == "handled"
    assert await bank.desk.column(CHARGE_AT, UUID(of)) == [at(13)]
    assert await bank.cycle(of, at(13))
    assert not await bank.cycle(of, at(13))
    assert await bank.desk.column(CHARGE_AT, UUID(of)) == [at(18)]
    assert await bank.cycle(of, at(18))
    assert await dues(bank, of) == [day(21).isoformat(), day(20).isoformat(), day(27).isoformat()]


async def test_where_that_ends_too_late_its_cycle_stays_without_a_charge(bank: Bank) -> None:
    of = await bank.accepted(autoSchedule=True, frequencyType="WEEKLY", startDate=day(20).isoformat())
    own = await bank.charge(of, day(22))
    assert not await bank.cycle(of, at(11))
    await bank.asked("cancel_subscription_payment", at(18), {}, id=of, paymentId=own["id"])
    assert await bank.cycle(of, at(18))
    assert await dues(bank, of) == [day(22).isoformat(), day(27).isoformat()]


async def test_what_the_service_has_charged_is_not_looked_at_again(bank: Bank) -> None:
    of = await bank.accepted(autoSchedule=True, frequencyType="WEEKLY", startDate=day(20).isoformat())
    assert await bank.cycle(of, at(11))
    (made,) = (await bank.desk.done("list_subscription_payments", id=of))["data"]
    before = await bank.desk.column(CHARGE_AT, UUID(of))
    assert await bank.refuses(made, "AC05", at(12)) == "handled"
    assert await bank.desk.column(CHARGE_AT, UUID(of)) == before


async def test_a_first_cycle_too_near_is_passed_over(bank: Bank) -> None:
    of = await bank.accepted(autoSchedule=True, frequencyType="WEEKLY", startDate=day(1).isoformat())
    assert next(one["action"] for one in (await bank.desk.read(of))["nextActions"]) == "SKIP_CYCLE"
    assert await bank.cycle(of, at(0, 23))
    assert await dues(bank, of) == [day(8).isoformat()]


async def test_a_charge_waits_for_its_account_and_is_made_while_it_is_in_time(bank: Bank) -> None:
    of = await bank.accepted(autoSchedule=True, startDate=day(20).isoformat())
    await bank.desk.cast.account_becomes(bank.desk.ana.company_id, "INACTIVE")
    refused = await bank.asked(
        "create_subscription_payment", at(11), {"externalId": "own", "dueDate": day(20).isoformat()}, id=of
    )
    assert isinstance(refused, Refused), "its client cannot make one either"
    assert not await bank.cycle(of, at(11, 5))
    assert await bank.desk.column(CHARGE_AT, UUID(of)) == [at(12)]
    (awaited,) = (await bank.desk.read(of))["nextActions"]
    assert (awaited["action"], awaited["by"], awaited["firstDueDate"]) == ("AWAIT_ACCOUNT", "SERVICE", day(20).isoformat())
    assert datetime.fromisoformat(awaited["until"]) == at(18)
    await bank.desk.cast.account_becomes(bank.desk.ana.company_id, "ACTIVE")
    assert await bank.cycle(of, at(17, 23))
    assert await dues(bank, of) == [day(20).isoformat()]


async def test_a_cycle_in_which_the_account_stayed_inactive_is_left_out(bank: Bank) -> None:
    of = await bank.accepted(autoSchedule=True, frequencyType="WEEKLY", startDate=day(20).isoformat())
    await bank.desk.cast.account_becomes(bank.desk.ana.company_id, "INACTIVE")
    for moment in range(11, 19):
        assert not await bank.cycle(of, at(moment))
    await bank.desk.cast.account_becomes(bank.desk.ana.company_id, "ACTIVE")
    assert await bank.cycle(of, at(19))
    assert await dues(bank, of) == [day(27).isoformat()]


async def test_none_is_due_after_the_last_day(bank: Bank) -> None:
    of = await bank.accepted(
        autoSchedule=True, frequencyType="WEEKLY", startDate=day(20).isoformat(), endDate=day(28).isoformat()
    )
    for moment in range(11, 60, 7):
        await bank.cycle(of, at(moment))
    assert await dues(bank, of) == [day(20).isoformat(), day(27).isoformat()]
    assert await bank.desk.column(
        "SELECT charge_at FROM subscriptions WHERE company_id = tenant() AND id = $1", UUID(of)
    ) == [None]


async def payer_cancels(bank: Bank, of: str, moment: datetime) -> None:
    (recurrence_id,) = await bank.desk.column(
        "SELECT provider_id FROM subscriptions WHERE company_id = tenant() AND id = $1", UUID(of)
    )
    requester = port.Requester("USUARIO_PAGADOR", "CPF", "11144477735", "Bento Braga")
    said = port.AuthorizationCanceled("M" + os.urandom(15).hex(), recurrence_id, "SLDB", requester, moment)
    assert await bank.tell(port.AUTHORIZATION_CANCELED, said, moment) == "handled"


async def test_what_is_not_being_collected_ends_with_its_subscription(bank: Bank) -> None:
    of = await bank.accepted(frequencyType="WEEKLY", startDate=day(1).isoformat())
    unsent, sent = await bank.charge(of, day(30)), await bank.charge(of, day(20))
    assert await bank.time(sent, at(11))
    await bank.schedules(sent, at(11, 1))
    await payer_cancels(bank, of, at(12))
    for one, attempts in ((unsent, []), (sent, ["CANCELED"])):
        read = await bank.read(one)
        assert (read["status"], read["reason"]) == ("CANCELED", "SUBSCRIPTION_CANCELED")
        assert [attempt["status"] for attempt in read["attempts"]] == attempts
        assert (await bank.desk.done("read_order", id=one["orderId"]))["status"] == "CANCELED"
    assert await bank.cancels(sent, "CCLD", at(12, 1)) == "known"
    assert len(await bank.told("SUBSCRIPTION-PAYMENT.CANCELED")) == 2


async def test_what_is_being_collected_ends_as_its_attempt_does(bank: Bank) -> None:
    of = await bank.accepted(allowChargeAfterDueDate=True)
    made = await bank.charge(of, day(20))
    assert await bank.time(made, at(11))
    name = await bank.schedules(made, at(11, 1))
    assert await bank.time(made, at(20))
    await payer_cancels(bank, of, at(20, 3))
    assert (await bank.read(made))["status"] == "PENDING"
    assert await bank.pays(made, name, at(20, 4)) is None
    assert (await bank.read(made))["status"] == "PAID"


async def test_what_was_being_collected_and_is_unpaid_is_canceled(bank: Bank) -> None:
    of = await bank.accepted(allowChargeAfterDueDate=True)
    made = await bank.charge(of, day(20))
    assert await bank.time(made, at(11))
    await bank.schedules(made, at(11, 1))
    assert await bank.time(made, at(20))
    await payer_cancels(bank, of, at(20, 3))
    assert await bank.refuses(made, "EXPR", at(20, 21)) == "handled"
    read = await bank.read(made)
    assert (read["status"], read["reason"]) == ("CANCELED", "SUBSCRIPTION_CANCELED")


async def test_a_retry_that_waits_for_its_day_is_canceled(bank: Bank) -> None:
    of = await bank.accepted(allowChargeAfterDueDate=True)
    made = await bank.charge(of, day(20))
    assert await bank.time(made, at(11))
    await bank.schedules(made, at(11, 1))
    assert await bank.time(made, at(20))
    await bank.refuses(made, "EXPR", at(20, 21))
    await payer_cancels(bank, of, at(20, 22))
    read = await bank.read(made)
    assert (read["status"], [one["status"] for one in read["attempts"]]) == ("CANCELED", ["EXPIRED", "CANCELED"])


async def test_the_last_day_waits_for_the_last_payment(bank: Bank) -> None:
    of = await bank.accepted(endDate=day(21).isoformat(), allowChargeAfterDueDate=False)
    made = await bank.charge(of, day(20))
    assert await bank.time(made, at(11))
    await bank.schedules(made, at(11, 1))
    assert await bank.time(made, at(20))
    end = End(UUID(of), PLACE)
    outcome = await bank.act(end, at(22))
    assert isinstance(outcome, Done)
    assert outcome.write is None
    await bank.refuses(made, "EXPR", at(22, 1))
    assert (await bank.act(end, at(22, 2))).write is not None
    assert (await bank.desk.read(of))["status"] == "CANCELED"


async def test_charges_end_with_the_account(bank: Bank) -> None:
    of = await bank.accepted()
    made = await bank.charge(of, day(20))
    await bank.desk.cast.account_becomes(bank.desk.ana.company_id, "CLOSED")
    assert (await bank.act(CloseAccount(UUID(of), PLACE), at(1))).write is not None
    assert (await bank.read(made))["status"] == "CANCELED"
