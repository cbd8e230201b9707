"""A payer authorizes a subscription at his bank, without paying (journey 2) or by paying (journey 3). On real rows."""

import asyncio
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import BENTO

from lastro.core.errors import NotYet, Stale
from lastro.core.runner import RequestContext
from lastro.orders.store import order_by_id
from lastro.rails import port
from lastro.standards.calendar import instant
from lastro.subscriptions import SubscriptionOrders

from .bank import Bank, money, name
from .desk import HOOK, JOURNEY_2, JOURNEY_3, Desk, brl

PAYER = {
    "document": {"type": "CPF", "number": "11144477735"},
    "bank": {"branchNumber": "0002", "accountNumber": "123456", "ispb": "87654321"}, "ibgeCode": "3550308",
}  # fmt: skip
IBGE = msgspec.structs.replace(BENTO, ibge_code="3550308")
A_SECOND = timedelta(seconds=1)
STATES = "SELECT state FROM pix_payments WHERE company_id = tenant()"


@pytest.fixture
def bank(desk: Desk) -> Bank:
    return Bank(desk, IBGE)


async def status(desk: Desk, made: dict[str, Any]) -> str:
    found: str = (await desk.read(made["id"]))["status"]
    return found


async def test_a_payer_authorizes_without_paying(desk: Desk, bank: Bank) -> None:
    made = await desk.make(externalId="contract-2", maxAmountFloor=brl("10"))
    assert await bank.authorizes(made, "50.00") is None
    read = await desk.read(made["id"])
    assert [one["status"] for one in read["statusHistory"]] == ["INITIAL", "PENDING_AUTHORIZATION", "ACCEPTED"]
    bank_data = {"ispb": "87654321", "accountNumber": "123456", "branchNumber": "0002"}
    assert read["payer"] == {"name": "Bento Braga", "document": PAYER["document"], "bankData": bank_data}
    assert "AUTHORIZE" not in [one["action"] for one in read["nextActions"]]
    data = {"id": made["id"], "externalId": "contract-2", "status": "ACCEPTED", "payer": PAYER}
    occurred = {"event": "SUBSCRIPTION.ACCEPTED", "occurredAt": read["updatedAt"], "data": data}
    assert await desk.events() == [("SUBSCRIPTION.ACCEPTED", occurred, HOOK)]
    assert await desk.column("SELECT maximum_minor FROM subscriptions WHERE company_id = tenant()") == [5000]


async def test_of_whom_his_bank_says_too_little_the_event_says_nothing(desk: Desk) -> None:
    made = await desk.make()
    assert await Bank(desk).authorizes(made) is None
    ((_, event, _),) = await desk.events()
    assert "payer" not in event["data"], "all of it or nothing"


async def test_who_says_it_once_more_gets_the_same_answer(desk: Desk, bank: Bank) -> None:
    made = await desk.make()
    assert [await bank.authorizes(made, "50.00") for _ in range(2)] == [None, None]
    assert len(await desk.events()) == 1
    assert len((await desk.read(made["id"]))["statusHistory"]) == 3
    another = Bank(desk, msgspec.structs.replace(IBGE, account="9"))
    assert await another.authorizes(made, "50.00") == await bank.authorizes(made, "60.00") == "AP13"


@pytest.mark.parametrize(
    ("changes", "maximum", "late", "code"),
    [
        ({"maxAmountFloor": "10"}, "10.00", None, None),
        ({"maxAmountFloor": "10"}, None, None, None),
        ({"maxAmountFloor": "10"}, "9.99", None, "AP13"),
        ({"fixedAmount": "10"}, "10.00", None, "AP13"),
        ({}, "0.01", None, None),
        ({}, None, timedelta(days=4000), None),  # the code of journey 2 lives until its end date, and has none
        ({"endDate": 40}, None, -A_SECOND, None),
        ({"endDate": 40}, None, timedelta(), "AP13"),
    ],
)
async def test_what_does_not_fit_is_refused_and_stays_pending(
    desk: Desk, bank: Bank, changes: dict[str, Any], maximum: str | None, late: timedelta | None, code: str | None
) -> None:
    last = changes.get("endDate")
    terms = {"endDate": desk.day(last)} if last else {field: brl(value) for field, value in changes.items()}
    made = await desk.make(JOURNEY_2, **terms)
    over = datetime.now(UTC) if last is None else instant(date.fromisoformat(desk.day(last + 1)), time())
    at = over + (late or timedelta())
    assert await bank.authorizes(made, maximum, accepted_at=at) == code
    assert await status(desk, made) == ("ACCEPTED" if code is None else "PENDING_AUTHORIZATION")
    assert len(await desk.events()) == (code is None)
    if code is not None:
        assert await desk.column("SELECT payer_id FROM subscriptions WHERE company_id = tenant()") == [None]
        assert await bank.authorizes(made) is None, "a refusal leaves nothing behind"


async def test_a_recurrence_that_is_not_there_is_refused(desk: Desk, bank: Bank) -> None:
    made = await desk.make()
    assert await bank.authorizes(made, recurrence_id=made["providerId"][:-1] + "_") == "MIDI"


async def test_journey_3_is_not_authorized_without_paying(desk: Desk, bank: Bank) -> None:
    made = await desk.make(JOURNEY_3)
    assert await bank.authorizes(made) == "AP13"
    assert await status(desk, made) == "PENDING_AUTHORIZATION"


async def test_paying_the_first_charge_authorizes(desk: Desk, bank: Bank) -> None:
    made = await desk.make(JOURNEY_3, externalId="contract-3")
    arrival = bank.paying(made, "80.00")
    assert await bank.asks(arrival) is None
    assert await status(desk, made) == "PENDING_AUTHORIZATION", "nothing is authorized before the money is in"
    assert "payer" not in await desk.read(made["id"])
    assert await bank.settles(arrival) == "handled"
    order_id, read = made["initialCharge"]["orderId"], await desk.read(made["id"])
    order = await desk.done("read_order", id=order_id)
    assert (order["status"], read["status"]) == ("PAID", "ACCEPTED")
    assert order["updatedAt"] == read["updatedAt"], "in one act"
    (paid, of_order, _), (accepted, of_subscription, _) = await desk.events()
    assert (paid, accepted) == ("ORDER-PAYIN.PAID", "SUBSCRIPTION.ACCEPTED")
    assert of_order["subscription"] == {"id": made["id"], "code": "contract-3"}
    charge = {"id": order_id, "amount": brl("29.90"), "endToEndId": arrival.end_to_end_id}
    assert of_subscription["data"] == {
        "id": made["id"], "externalId": "contract-3", "status": "ACCEPTED", "payer": PAYER, "initialCharge": charge,
    }  # fmt: skip
    rows = "SELECT (s.maximum_minor, s.payer_ibge_code, s.payer_id = p.payer_id) FROM subscriptions s JOIN pix_payments p USING (order_id)"
    assert await desk.column(rows) == [(8000, "3550308", True)]
    assert await bank.settles(arrival) == "known"
    assert len(await desk.events()) == 2


async def test_a_first_payment_that_is_in_unasked_authorizes_too(desk: Desk, bank: Bank) -> None:
    made = await desk.make(JOURNEY_3)
    assert await bank.settles_unasked(bank.paying(made, "80.00")) == "handled"
    assert await status(desk, made) == "ACCEPTED"
    assert await desk.column("SELECT maximum_minor FROM subscriptions WHERE company_id = tenant()") == [8000]
    assert await desk.column(STATES) == ["SETTLED"]


async def test_what_another_worker_has_paid_meanwhile_is_decided_again(desk: Desk, bank: Bank) -> None:
    """The order is read, and then the subscription; both are paid in one write, which may come between."""
    made = await desk.make(JOURNEY_3)
    arrival = bank.paying(made)
    assert await bank.asks(arrival) is None
    company, order_id = desk.ana.company_id, UUID(made["initialCharge"]["orderId"])
    async with desk.cast.database.session(company) as session:
        context = RequestContext(company, datetime.now(UTC), desk.cast.chance)
        before = await order_by_id(session, company, order_id)
        assert before is not None
        assert await SubscriptionOrders().read(session, context, before) is not None
        assert await bank.settles(arrival) == "handled"
        with pytest.raises(Stale):
            await SubscriptionOrders().read(session, context, before)
        after = await order_by_id(session, company, order_id)
        assert after is not None
        assert await SubscriptionOrders().read(session, context, after) is not None


async def test_the_same_question_twice_gets_the_same_answer(desk: Desk, bank: Bank) -> None:
    made = await desk.make(JOURNEY_3)
    arrival = bank.paying(made)
    assert [await bank.asks(arrival) for _ in range(2)] == [None, None]
    assert await bank.asks(bank.paying(made)) == "DUPL"
    assert await bank.settles(arrival) == "handled"
    assert await bank.asks(arrival) is None


async def test_a_payment_that_fails_leaves_nothing_and_another_may_come(desk: Desk, bank: Bank) -> None:
    made = await desk.make(JOURNEY_3)
    first, second = bank.paying(made, "80.00"), bank.paying(made)
    assert await bank.asks(first) is None
    assert await bank.drops(first) == "handled"
    assert await status(desk, made) == "PENDING_AUTHORIZATION"
    assert await desk.column("SELECT (maximum_minor, payer_id, payer_ibge_code) FROM subscriptions") == [(None, None, None)]
    assert await bank.asks(second) is None
    assert await bank.settles(second) == "handled"
    assert await desk.column("SELECT (maximum_minor, payer_ibge_code) FROM subscriptions") == [(None, "3550308")]


def _without(arrival: port.PixArrival, _: dict[str, Any]) -> port.PixArrival:
    return msgspec.structs.replace(arrival, authorizing=None)


def _anothers(arrival: port.PixArrival, other: dict[str, Any]) -> port.PixArrival:
    return msgspec.structs.replace(arrival, authorizing=port.Authorizing(other["providerId"]))


def _stranger(arrival: port.PixArrival, _: dict[str, Any]) -> port.PixArrival:
    payer = msgspec.structs.replace(arrival.payer, document_number="52998224725")
    return msgspec.structs.replace(arrival, payer=payer)


def _below(arrival: port.PixArrival, _: dict[str, Any]) -> port.PixArrival:
    assert arrival.authorizing is not None
    return msgspec.structs.replace(arrival, authorizing=msgspec.structs.replace(arrival.authorizing, maximum=money("9.99")))


def _more(arrival: port.PixArrival, _: dict[str, Any]) -> port.PixArrival:
    return msgspec.structs.replace(arrival, amount=money("29.91"))


@pytest.mark.parametrize("wrong", [_without, _anothers, _stranger, _below, _more], ids=lambda one: one.__name__.strip("_"))
@pytest.mark.parametrize("is_asked", [True, False])
async def test_neither_where_one_of_the_two_does_not_fit(desk: Desk, bank: Bank, wrong: Any, is_asked: bool) -> None:
    payer = {"name": "Bento", "document": {"type": "CPF", "number": "11144477735"}}
    made = await desk.make(JOURNEY_3, payer=payer, maxAmountFloor=brl("10"))
    arrival = wrong(bank.paying(made), await desk.make(JOURNEY_3))
    if is_asked:
        assert await bank.asks(arrival) == "BE17"
        assert await desk.column(STATES) == ["REFUSED"]
    else:
        assert await bank.settles_unasked(arrival) == "handled"
        assert await desk.column(STATES) == ["RETURNING"]
    assert await status(desk, made) == "PENDING_AUTHORIZATION"
    assert (await desk.done("read_order", id=made["initialCharge"]["orderId"]))["status"] == "INITIAL"
    assert await desk.events() == []
    assert await bank.asks(bank.paying(made)) is None


async def test_only_what_belongs_to_a_subscription_may_authorize(desk: Desk, bank: Bank) -> None:
    """A payer's bank that heard a yes would hold an authorization which nobody here knows of."""
    made = await desk.make(JOURNEY_3)
    for changes in ({"txid": None}, {"txid": "ATTHETILL"}):
        assert await bank.asks(bank.paying(made, **changes)) == "BE17"
        charging: dict[str, Any] = {"authorizing": None, "charging": made["providerId"]}
        assert await bank.asks(bank.paying(made, **changes, **charging)) == "BE17"


@pytest.mark.parametrize("end", ["declined", "canceled"])
async def test_money_for_one_that_has_ended_is_refused_or_returned(desk: Desk, bank: Bank, end: str) -> None:
    made = await desk.make(JOURNEY_3)
    if end == "declined":
        await bank.declines(made)
    else:
        await desk.done("cancel_subscription", {}, id=made["id"])
    assert await bank.asks(bank.paying(made)) == "BE17"
    assert await bank.settles_unasked(bank.paying(made)) == "handled"
    assert sorted(await desk.column(STATES)) == ["REFUSED", "RETURNING"]
    moved = "SELECT array_agg(kind || ' ' || type ORDER BY kind DESC) FROM transfers WHERE company_id = tenant()"
    assert await desk.column(moved) == [["moved PIX_UNFIT", "held PIX_RETURN"]]
    assert await status(desk, made) == ("REJECTED" if end == "declined" else "CANCELED")


@pytest.mark.parametrize("code", ["AP14", None])
async def test_a_payer_declines(desk: Desk, bank: Bank, code: str | None) -> None:
    made = await desk.make(JOURNEY_3)
    assert await bank.declines(made, code) == "handled"
    read = await desk.read(made["id"])
    assert (read["status"], read["cancellations"], read["nextActions"]) == ("REJECTED", [], [])
    assert (await desk.done("read_order", id=made["initialCharge"]["orderId"]))["status"] == "CANCELED"
    assert [kind for kind, _, _ in await desk.events()] == ["ORDER-PAYIN.CANCELED", "SUBSCRIPTION.REJECTED"]
    assert await bank.declines(made) == "known"
    assert await desk.column("SELECT reason FROM history WHERE machine = 'subscriptions' AND trigger = 'decline'") == [code]


async def test_a_no_waits_for_the_end_of_a_payment(desk: Desk, bank: Bank) -> None:
    made = await desk.make(JOURNEY_3)
    arrival = bank.paying(made)
    assert await bank.asks(arrival) is None
    with pytest.raises(NotYet):
        await bank.declines(made)
    assert await bank.drops(arrival) == "handled"
    assert await bank.declines(made) == "handled"
    assert await status(desk, made) == "REJECTED"


async def test_of_two_payers_at_once_one_authorizes(desk: Desk, bank: Bank) -> None:
    made = await desk.make()
    others = [replace(bank, payer=msgspec.structs.replace(IBGE, account=str(n))) for n in range(4)]
    await asyncio.gather(*(one.says(
        port.AUTHORIZATION_ASK,
        port.Authorization(name(), made["providerId"], one.payer, datetime.now(UTC)), made["providerId"],
    ) for one in others))  # fmt: skip
    yes = "SELECT count(*) FROM outbox WHERE kind = 'authorization.answer' AND as_json(body) ->> 'accept' = 'true'"
    assert await desk.column(yes) == [1]
    assert len(await desk.events()) == 1


async def test_journey_2_with_and_without_an_end_is_authorized_alike(desk: Desk, bank: Bank) -> None:
    for ends in (None, desk.day(400)):
        made = await desk.make(JOURNEY_2, endDate=ends)
        assert await bank.authorizes(made) is None
        assert await status(desk, made) == "ACCEPTED"
