"""Charges of cycles, from their making to their end, on real rows."""

import os
from datetime import timedelta
from typing import Any

import pytest

from lastro.core.errors import Kind, NotYet, Refused
from lastro.core.money import Money
from lastro.core.runner import Done
from lastro.rails import port

from .charging import Bank, at, day
from .desk import brl


def another_name() -> str:
    """An endToEndId of the payer's bank."""
    return f"E99999020203101010300{os.urandom(6).hex()[:11]}"


async def test_a_charge_is_made_with_its_order(bank: Bank) -> None:
    of = await bank.accepted(externalId="contract-1", description="Jornal")
    made = await bank.charge(of, day(20), externalId="2027-01")
    assert (made["status"], made["attempts"], made["retriesLeft"]) == ("SCHEDULED", [], 3)
    assert (made["dueDate"], made["amount"], made["autoRetry"]) == (day(20).isoformat(), brl("29.90"), True)
    assert await bank.read(made) == made
    order = await bank.desk.done("read_order", id=made["orderId"])
    assert order["status"] == "INITIAL"
    assert "pix" not in order
    assert order["subscription"] == {
        "id": of, "code": "contract-1", "scheduledPayment": {"id": made["id"], "externalId": "2027-01"},
    }  # fmt: skip
    (event,) = await bank.told("SUBSCRIPTION-PAYMENT.SCHEDULED")
    assert event["data"]["subscription"] == {"id": of, "code": "contract-1"}


async def test_it_goes_its_whole_way(bank: Bank) -> None:
    of = await bank.accepted()
    made = await bank.charge(of, day(20))
    assert not await bank.time(made, at(11) - timedelta(seconds=1))
    assert await bank.time(made, at(11))
    assert [one["status"] for one in (await bank.read(made))["attempts"]] == ["REQUESTED"]
    assert not await bank.time(made, at(20))
    name = await bank.schedules(made, at(11, 1))
    assert not await bank.time(made, at(20) - timedelta(seconds=1))
    assert await bank.time(made, at(20))
    assert (await bank.read(made))["status"] == "PENDING"
    assert (await bank.desk.done("read_order", id=made["orderId"]))["status"] == "PENDING"
    assert await bank.pays(made, name, at(20, 4)) is None
    read = await bank.read(made)
    assert (read["status"], read["retriesLeft"]) == ("PAID", 0)
    assert read["attempts"] == [{"kind": "AGND", "date": day(20).isoformat(), "status": "PAID", "endToEndId": name}]
    (event,) = await bank.told("ORDER-PAYIN.PAID")
    assert event["subscription"]["scheduledPayment"] == {"id": made["id"], "externalId": made["externalId"]}
    assert event["endToEndId"] == name


async def sent(bank: Bank, of: str, **changes: Any) -> dict[str, Any]:
    """A payment due in twenty days of which the payer's bank was told."""
    made = await bank.charge(of, day(20), **changes)
    assert await bank.time(made, at(11))
    await bank.sent(made)
    return made


async def begun(bank: Bank, of: str, **changes: Any) -> tuple[dict[str, Any], str]:
    """A payment whose day has come, and its endToEndId."""
    made = await sent(bank, of, **changes)
    name = await bank.schedules(made, at(11, 1))
    assert await bank.time(made, at(20))
    return made, name


def statuses(payment: dict[str, Any]) -> list[str]:
    return [one["status"] for one in payment["attempts"]]


async def order_status(bank: Bank, payment: dict[str, Any]) -> str:
    return str((await bank.desk.done("read_order", id=payment["orderId"]))["status"])


async def test_what_is_near_is_sent_at_once(bank: Bank) -> None:
    made = await bank.charge(await bank.accepted(), day(5))
    assert statuses(made) == ["REQUESTED"]
    told = await bank.attempt(made)
    assert (told["kind"], told["due_on"], told["collect_on"]) == ("AGND", made["dueDate"], made["adjustedDueDate"])
    assert (told["payer_ispb"], told["payer_document"], told["amount"]["minor"]) == ("99999020", "11144477735", 2990)


async def test_its_day_does_not_begin_while_the_bank_has_not_said_that_it_has_it(bank: Bank) -> None:
    made = await sent(bank, await bank.accepted())
    assert not await bank.time(made, at(20, 12))
    assert (await bank.read(made))["status"] == "SCHEDULED"
    name = await bank.schedules(made, at(20, 13))
    assert (await bank.read(made))["status"] == "PENDING", "the day had come already"
    assert await bank.pays(made, name, at(20, 19)) is None


async def test_money_pays_what_the_bank_never_said_that_it_had(bank: Bank) -> None:
    made = await sent(bank, await bank.accepted())
    assert await bank.pays(made, another_name(), at(20, 3)) is None
    assert (await bank.read(made))["status"] == "PAID"


@pytest.mark.parametrize(
    "says",
    [{"charging": None}, {"charging": "RR9999901020261123abcdefghijk"}, {"name": "another"}],
    ids=["no charge", "of another recurrence", "another endToEndId"],
)
async def test_only_its_own_money_pays_it(bank: Bank, says: dict[str, Any]) -> None:
    made, name = await begun(bank, await bank.accepted())
    asked = dict(says)
    given = another_name() if asked.pop("name", None) else name
    assert await bank.pays(made, given, at(20, 4), **asked) == "BE17"
    assert (await bank.read(made))["status"] == "PENDING"


async def test_another_amount_is_refused(bank: Bank) -> None:
    made, name = await begun(bank, await bank.accepted())
    assert await bank.pays(made, name, at(20, 4), amount=Money(2989, "BRL")) == "BE17"


async def test_what_came_too_late_hides_nothing_that_was_said_before(bank: Bank) -> None:
    made = await sent(bank, await bank.accepted())
    for code, moment in (("AB10", at(11, 1)), ("FCD2", at(19, 1))):
        assert await bank.refuses(made, code, moment) == "handled"
    read = await bank.read(made)
    assert (read["status"], read["errorCode"], read["errorMessage"][:5]) == ("ERROR", "AB10", "AB10:")
    assert [one["errorCode"] for one in read["attempts"]] == ["AB10", "FCD2"]
    order = await bank.desk.done("read_order", id=made["orderId"])
    assert order["errorMessage"] == read["errorMessage"]
    (event,) = await bank.told("SUBSCRIPTION-PAYMENT.ERROR")
    assert event["data"]["errorCode"] == "AB10"


async def test_an_error_frees_its_cycle_and_a_paid_one_does_not(bank: Bank) -> None:
    of = await bank.accepted()
    made = await sent(bank, of)
    await bank.refuses(made, "AC05", at(11, 1))
    again = await bank.charge(of, day(20), at(11, 2))
    body = {"externalId": "third", "dueDate": day(21).isoformat()}
    refused = await bank.desk.refused("create_subscription_payment", body, id=of)
    assert refused == [("dueDate", "CONFLICT")]
    assert (await bank.read(again))["status"] == "SCHEDULED"


async def test_unpaid_days_are_tried_again_one_three_and_five_days_later(bank: Bank) -> None:
    made, _ = await begun(bank, await bank.accepted(allowChargeAfterDueDate=True))
    assert await bank.refuses(made, "EXPR", at(20, 21)) == "handled"
    for days in (21, 23, 25):
        told = await bank.attempt(made)
        assert (told["kind"], told["collect_on"], told["due_on"]) == ("NTAG", day(days).isoformat(), made["dueDate"])
        read = await bank.read(made)
        assert (read["status"], statuses(read)[-1]) == ("PENDING", "REQUESTED")
        await bank.schedules(made, at(days - 1, 22))
        assert await bank.refuses(made, "EXPR", at(days, 21)) == "handled"
    read = await bank.read(made)
    assert (read["status"], statuses(read)) == ("EXPIRED", ["EXPIRED"] * 4)
    assert await order_status(bank, made) == "EXPIRED"
    (event,) = await bank.told("SUBSCRIPTION-PAYMENT.EXPIRED")
    assert event["data"]["errorCode"] == "EXPR"


async def test_the_client_chooses_the_days_of_its_retries(bank: Bank) -> None:
    made, _ = await begun(bank, await bank.accepted(allowChargeAfterDueDate=True), autoRetry=False)
    await bank.refuses(made, "EXPR", at(20, 21))
    assert statuses(await bank.read(made)) == ["EXPIRED"]
    path = {"id": made["subscriptionId"], "paymentId": made["id"]}
    for days in (20, 28):
        outcome = await bank.asked("retry_subscription_payment", at(20, 22), {"date": day(days).isoformat()}, **path)
        assert [(p.field, p.issue) for p in outcome.problems] == [("date", "OUT_OF_RANGE")]  # type: ignore[union-attr]
    outcome = await bank.asked("retry_subscription_payment", at(20, 22), {"date": day(22).isoformat()}, **path)
    assert isinstance(outcome, Done)
    again = await bank.asked("retry_subscription_payment", at(20, 23), {"date": day(23).isoformat()}, **path)
    assert [(p.field, p.issue) for p in again.problems] == [("status", "CONFLICT")]  # type: ignore[union-attr]
    assert not await bank.time(made, at(28)), "an attempt is open"
    await bank.refuses(made, "EXPR", at(22, 21))
    assert not await bank.time(made, at(28) - timedelta(seconds=1))
    assert await bank.time(made, at(28)), "seven days are over"
    read = await bank.read(made)
    assert (read["status"], read["errorCode"], read["errorMessage"][:5]) == ("EXPIRED", "EXPR", "EXPR:")


async def test_what_is_being_settled_waits_for_its_end(bank: Bank) -> None:
    made, name = await begun(bank, await bank.accepted(allowChargeAfterDueDate=False))
    assert await bank.pays(made, name, at(20, 20), ends=False) is None
    with pytest.raises(NotYet):
        await bank.refuses(made, "EXPR", at(20, 21))
    final = port.PixFinal(name, settled=True, settled_at=at(20, 20))
    assert await bank.tell(port.PIX_FINAL, final, at(20, 21)) == "handled"
    assert (await bank.read(made))["status"] == "PAID"
    assert await bank.refuses(made, "EXPR", at(20, 22)) == "alarmed"


async def test_what_nobody_knows_is_put_aside(bank: Bank) -> None:
    nobody = port.ChargeRefused("M9", "RR9999901020261123abcdefghijk", "x" * 32, "AC05", at(1))
    assert await bank.tell(port.CHARGE_REFUSED, nobody, at(1)) == "ignored"


async def test_only_what_is_accepted_is_charged(bank: Bank) -> None:
    made = await bank.desk.make()
    asked = {"externalId": "x", "dueDate": day(20).isoformat(), "amount": brl("1")}
    assert await bank.desk.refused("create_subscription_payment", asked, id=made["id"]) == [("status", "CONFLICT")]
    nothing, of = {**asked, "amount": brl("0")}, await bank.accepted()
    assert await bank.desk.refused("create_subscription_payment", nothing, id=of) == [("amount.value", "OUT_OF_RANGE")]


async def test_a_code_and_a_cycle_are_given_once(bank: Bank) -> None:
    of = await bank.accepted()
    await bank.charge(of, day(20), externalId="same")
    both = {"externalId": "same", "dueDate": day(21).isoformat()}
    assert await bank.desk.refused("create_subscription_payment", both, id=of) == [("externalId", "DUPLICATE")]
    cycle = {"externalId": "another", "dueDate": day(21).isoformat()}
    assert await bank.desk.refused("create_subscription_payment", cycle, id=of) == [("dueDate", "CONFLICT")]
    assert (await bank.charge(of, day(50), externalId="next"))["status"] == "SCHEDULED"
    other = await bank.accepted()
    assert (await bank.charge(other, day(20), externalId="same"))["status"] == "SCHEDULED"


async def test_payments_are_listed_and_shown_with_their_subscription(bank: Bank) -> None:
    of = await bank.accepted()
    first, second = await bank.charge(of, day(20)), await bank.charge(of, day(50))
    page = await bank.desk.done("list_subscription_payments", id=of)
    assert [one["id"] for one in page["data"]] == [second["id"], first["id"]]
    only = await bank.desk.done(
        "list_subscription_payments", id=of, query={"externalId": first["externalId"], "status": "SCHEDULED"}
    )
    assert [one["id"] for one in only["data"]] == [first["id"]]
    read = await bank.desk.read(of)
    assert [one["id"] for one in read["payments"]] == [first["id"], second["id"]]
    assert {one.get("paymentId") for one in read["nextActions"]} >= {first["id"], second["id"]}


async def test_one_of_another_subscription_is_not_there(bank: Bank) -> None:
    made, other = await bank.charge(await bank.accepted(), day(20)), await bank.accepted()
    for operation in ("read_subscription_payment", "cancel_subscription_payment"):
        outcome = await bank.desk.ask(operation, id=other, paymentId=made["id"])
        assert isinstance(outcome, Refused)
        assert outcome.kind == Kind.NOT_FOUND


async def test_an_equal_request_under_its_key_gets_its_answer(bank: Bank) -> None:
    of = await bank.accepted()
    body = {"externalId": "once", "dueDate": day(20).isoformat()}
    answers = [await bank.desk.done("create_subscription_payment", body, key="k", id=of) for _ in range(2)]
    assert answers[0] == answers[1]
    assert await bank.desk.column("SELECT count(*) FROM subscription_payments WHERE company_id = tenant()") == [1]
