"""Tries that collect nothing: what fails is sent again the same day, what is refused for good ends at once, each is told."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from lastro.core.errors import NotYet
from lastro.rails import port

from .charging import Bank, at, day
from .desk import brl
from .test_charging import begun, order_status, sent, statuses

ATTEMPT_FAILED = "SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED"


def on_its_day(clock: str) -> datetime:
    """A second of the twentieth day, on which charges here are collected."""
    hour, minute, second = map(int, clock.split(":"))
    return at(20, hour, minute) + timedelta(seconds=second)


async def told_last(bank: Bank) -> dict[str, Any]:
    """What was told of the newest try that failed."""
    found = await bank.told(ATTEMPT_FAILED)
    return dict(max(found, key=lambda one: one["occurredAt"])["data"])


async def test_what_fails_in_the_morning_is_sent_again_and_paid_the_same_day(bank: Bank) -> None:
    made, name = await begun(bank, await bank.accepted(allowChargeAfterDueDate=True))
    assert await bank.refuses(made, "AB11", on_its_day("00:30:00")) == "handled"
    told, read = await bank.attempt(made), await bank.read(made)
    assert (told["kind"], told["collect_on"], told["due_on"]) == ("RIFL", made["adjustedDueDate"], made["dueDate"])
    assert (read["status"], statuses(read), read["retriesLeft"]) == ("PENDING", ["REJECTED", "REQUESTED"], 3)
    assert [one["kind"] for one in read["attempts"]] == ["AGND", "RIFL"]
    assert (read["attempts"][0]["errorCode"], read["attempts"][0]["endToEndId"]) == ("AB11", name)
    assert read["attempts"][0]["errorCure"].endswith(".")
    again = await bank.schedules(made, on_its_day("01:30:05"))
    assert await bank.pays(made, again, on_its_day("01:31:00")) is None
    assert statuses(await bank.read(made)) == ["REJECTED", "PAID"]


@pytest.mark.parametrize(
    ("failed", "sent_at"),
    [("07:59:59", "18:00:00"), ("20:49:59", "20:59:59")],
)
async def test_when_what_failed_is_sent_again(bank: Bank, failed: str, sent_at: str) -> None:
    made, _ = await begun(bank, await bank.accepted())
    await bank.refuses(made, "AB10", on_its_day(failed))
    (due,) = await bank.desk.column(
        "SELECT o.due_at FROM payment_attempts a JOIN outbox o ON o.company_id = a.company_id AND o.reference_id = a.id"
        " WHERE a.company_id = tenant() AND a.kind = 'RIFL'"
    )
    assert due == on_its_day(sent_at)
    assert (await bank.read(made))["status"] == "PENDING"


@pytest.mark.parametrize(("retries", "ends_in"), [(True, "PENDING"), (False, "EXPIRED")])
async def test_a_failure_ends_nothing_before_the_last_window_is_over(bank: Bank, ends_in: str, *, retries: bool) -> None:
    made, _ = await begun(bank, await bank.accepted(allowChargeAfterDueDate=retries))
    assert (made["retriesLeft"], "lastRetryDate" in made) == (3 * retries, retries)
    with pytest.raises(NotYet) as early:
        await bank.refuses(made, "AB03", on_its_day("20:59:59"))
    assert early.value.seconds == 1
    assert (await bank.read(made))["status"] == "PENDING"
    assert await bank.refuses(made, "AB03", on_its_day("21:00:00")) == "handled"
    read = await bank.read(made)
    assert (read["status"], [one["kind"] for one in read["attempts"]]) == (ends_in, ["AGND", "NTAG"][: 1 + retries])


async def test_a_retry_that_fails_on_its_day_is_no_second_retry(bank: Bank) -> None:
    made, _ = await begun(bank, await bank.accepted(allowChargeAfterDueDate=True))
    await bank.refuses(made, "EXPR", at(20, 21))
    await bank.schedules(made, at(20, 22))
    await bank.refuses(made, "ED05", at(21, 1))
    read = await bank.read(made)
    assert [(one["kind"], one["date"]) for one in read["attempts"]][1:] == [
        ("NTAG", day(21).isoformat()), ("RIFL", day(21).isoformat()),
    ]  # fmt: skip
    name = await bank.schedules(made, at(21, 2))
    assert await bank.pays(made, name, at(21, 3)) is None


async def test_a_try_that_is_dropped_as_if_we_had_asked_is_told(bank: Bank) -> None:
    """SLCR on the due day, though nobody here has asked for it: another try follows, and no other event says so."""
    made, _ = await begun(bank, await bank.accepted(allowChargeAfterDueDate=True))
    assert await bank.cancels(made, "SLCR", on_its_day("12:00:00")) == "handled"
    read, told = await bank.read(made), await told_last(bank)
    assert (read["status"], [one["kind"] for one in read["attempts"]]) == ("PENDING", ["AGND", "NTAG"])
    assert (told["status"], told["attempt"]["status"], told["attempt"]["errorCode"]) == ("PENDING", "CANCELED", "SLCR")


async def test_what_waits_for_the_evening_is_dropped_with_its_subscription(bank: Bank) -> None:
    of = await bank.accepted()
    made, _ = await begun(bank, of)
    await bank.refuses(made, "AB10", on_its_day("12:00:00"))
    told = await bank.attempt(made)
    who = port.Requester("USUARIO_PAGADOR", "CPF", "11144477735", "Bento Braga")
    over = port.AuthorizationCanceled("M" + "1" * 31, told["recurrence_id"], "SLDB", who, on_its_day("12:30:00"))
    assert await bank.tell(port.AUTHORIZATION_CANCELED, over, on_its_day("12:30:00")) == "handled"
    read = await bank.read(made)
    assert (read["status"], statuses(read)) == ("CANCELED", ["REJECTED", "CANCELED"])
    assert await bank.desk.column(
        "SELECT outcome FROM outbox o JOIN payment_attempts a ON a.id = o.reference_id WHERE a.kind = 'RIFL'"
    ) == ["withdrawn"]


async def test_what_cannot_heal_ends_at_once_and_frees_its_cycle(bank: Bank) -> None:
    of = await bank.accepted(fixedAmount=None)
    made = await sent(bank, of, amount=brl("500.00"))
    assert await bank.refuses(made, "AM02", at(11, 1)) == "handled"
    read = await bank.read(made)
    assert (read["status"], read["errorCode"], statuses(read)) == ("ERROR", "AM02", ["REJECTED"])
    assert await order_status(bank, made) == "ERROR"
    told = await told_last(bank)
    assert (told["id"], told["status"], told["attempt"]) == (made["id"], "ERROR", read["attempts"][0])
    assert told["attempt"]["errorCode"] == "AM02"
    assert told["attempt"]["errorCure"]
    (coming,) = told["nextActions"]
    assert (coming["action"], coming["by"]) == ("SCHEDULE_PAYMENT", "RECEIVER")
    assert coming["firstDueDate"] <= day(20).isoformat() <= coming["lastDueDate"]
    another = await bank.charge(of, day(20), at(11, 2), amount=brl("50.00"))
    assert await bank.time(another, at(11, 3)) or statuses(another) == ["REQUESTED"]
    name = await bank.schedules(another, at(11, 4))
    assert await bank.time(another, at(20))
    assert await bank.pays(another, name, at(20, 4)) is None


async def test_what_may_pass_is_sent_again_twice(bank: Bank) -> None:
    made = await sent(bank, await bank.accepted())
    for hours, number in ((1, 2), (3, 3)):
        await bank.refuses(made, "AC06", at(11, hours))
        assert len((await bank.read(made))["attempts"]) == number
        told = await told_last(bank)
        assert (told["status"], told["nextActions"][0]["action"]) == ("SCHEDULED", "COLLECT")
        await bank.sent(made)
    await bank.refuses(made, "AC06", at(11, 8))
    assert (await bank.read(made))["status"] == "ERROR"
    assert len(await bank.told(ATTEMPT_FAILED)) == 3


@pytest.mark.parametrize("code", ["AC06", "AB10"])
@pytest.mark.parametrize(("seconds", "ends_in"), [(-1, "SCHEDULED"), (1, "ERROR")])
async def test_nothing_is_sent_again_after_2259_of_the_last_day(bank: Bank, code: str, seconds: int, ends_in: str) -> None:
    made = await sent(bank, await bank.accepted())
    last = at(18, 22, 59)
    await bank.refuses(made, code, last + timedelta(seconds=seconds))
    assert (await bank.read(made))["status"] == ends_in
    due = await bank.desk.column(
        "SELECT due_at FROM outbox WHERE company_id = tenant() AND kind = 'charge.send' AND due_at IS NOT NULL"
    )
    assert due == ([last] if ends_in == "SCHEDULED" else [])


async def test_a_bank_that_drops_what_it_had_is_told_as_a_failed_try(bank: Bank) -> None:
    made = await sent(bank, await bank.accepted())
    await bank.schedules(made, at(11, 1))
    assert await bank.cancels(made, "FAIL", at(12)) == "handled"
    told = await told_last(bank)
    assert (told["status"], told["attempt"]["status"], told["attempt"]["errorCode"]) == ("SCHEDULED", "CANCELED", "FAIL")
    assert (await bank.attempt(made))["kind"] == "RIFL"
