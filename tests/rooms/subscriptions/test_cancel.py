"""An authorized subscription ends: its payer takes it back, its receiver asks for it, its time is over. On real rows."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.cast import BENTO, PLACE
from tests.in_one import in_one_test

from lastro.core.errors import NotYet, Refused
from lastro.core.runner import Done, Reply
from lastro.rails import port
from lastro.rails.port.needs import over_sql
from lastro.rails.rejected_messages import REFUSED_ENDS
from lastro.subscriptions import NEEDS, CloseAccount, End

from .bank import Bank, name
from .desk import HOOK, JOURNEY_2, JOURNEY_3, Desk

CANCEL = "cancel_subscription"
HOLDER = {"document": {"type": "CNPJ", "number": "11222333000181"}}
PAYER = {"document": {"type": "CPF", "number": "11144477735"}}
ORDERED = "SELECT body FROM outbox WHERE company_id = tenant() AND kind = 'cancellation.send'"


@pytest.fixture
def bank(desk: Desk) -> Bank:
    return Bank(desk)


async def accepted(desk: Desk, bank: Bank, journey: str = JOURNEY_2, **changes: Any) -> dict[str, Any]:
    """One that is authorized."""
    made = await desk.make(journey, **changes)
    if journey == JOURNEY_2:
        assert await bank.authorizes(made) is None
    else:
        await bank.pays(made)
    return made


async def event_types(desk: Desk) -> list[str]:
    return [kind for kind, _, _ in await desk.events()]


@pytest.mark.parametrize("journey", [JOURNEY_2, JOURNEY_3])
@pytest.mark.parametrize("is_accepted", [True, False])
async def test_its_payer_takes_it_back(desk: Desk, bank: Bank, journey: str, is_accepted: bool) -> None:
    made = await (accepted(desk, bank, journey) if is_accepted else desk.make(journey))
    message_id = name()
    assert await bank.cancels(made, message_id=message_id) == "handled"
    read = await desk.read(made["id"])
    (record,) = read["cancellations"]
    assert (read["status"], read["nextActions"]) == ("CANCELED", [])
    assert (record["status"], record["reason"], record["idempotencyKey"]) == ("ACCEPTED", "REQUESTED_BY_PAYER", message_id)
    assert [one["status"] for one in record["statusHistory"]] == ["PENDING", "ACCEPTED"]
    assert record["requestedBy"] == PAYER
    assert await desk.column("SELECT raw_reason FROM subscription_cancellations") == ["SLDB"]
    ended = [one for one in await event_types(desk) if one.endswith("CANCELED")]
    first = ["ORDER-PAYIN.CANCELED"] if journey == JOURNEY_3 and not is_accepted else []
    assert ended == [*first, "SUBSCRIPTION.CANCELED"]
    body = next(body for kind, body, _ in await desk.events() if kind == "SUBSCRIPTION.CANCELED")
    assert body["data"]["reason"] == "REQUESTED_BY_PAYER"
    assert await bank.cancels(made, message_id=message_id) == "known"
    assert await bank.cancels(made) == "ignored"
    assert (await desk.read(made["id"]))["cancellations"] == [record]
    assert await event_types(desk) == sorted(await event_types(desk))


@pytest.mark.parametrize(
    ("code", "reason"),
    [("SLDB", "REQUESTED_BY_PAYER"), ("SLCR", "REQUESTED_BY_RECEIVER"), ("ACCL", "ACCOUNT_CLOSED"),
     ("FRUD", "FRAUD_SUSPECTED"), ("DCSD", "OTHER"), ("ZZZZ", "OTHER")],
)  # fmt: skip
async def test_the_networks_code_is_kept_as_it_came(desk: Desk, bank: Bank, code: str, reason: str) -> None:
    made = await accepted(desk, bank)
    await bank.cancels(made, code)
    assert [one["reason"] for one in (await desk.read(made["id"]))["cancellations"]] == [reason]
    assert await desk.column("SELECT raw_reason FROM subscription_cancellations") == [code]


@in_one_test(
    ("requester", "is_accepted", "shown"),
    [
        (port.Requester("PSP_PAGADOR", "CPF", "52998224725"), True, "52998224725"),
        (port.Requester("PSP_PAGADOR"), True, BENTO.document_number),
        (port.Requester("USUARIO_PAGADOR"), False, "12345678909"),  # nobody has authorized: the debtor
        (port.Requester("PSP_RECEBEDOR"), True, "11222333000181"),
    ],
)
async def test_who_wanted_it_is_shown(
    desk: Desk, bank: Bank, requester: port.Requester, is_accepted: bool, shown: str
) -> None:
    debtor = {"name": "Clara", "document": {"type": "CPF", "number": "12345678909"}}
    made = await (accepted(desk, bank, debtor=debtor) if is_accepted else desk.make(debtor=debtor))
    await bank.cancels(made, requester=requester)
    (record,) = (await desk.read(made["id"]))["cancellations"]
    assert record["requestedBy"]["document"]["number"] == shown


async def test_a_payer_that_cancels_before_we_hear_of_the_end_of_his_payment_has_paid_first(desk: Desk, bank: Bank) -> None:
    made = await desk.make(JOURNEY_3)
    arrival = bank.paying(made)
    assert await bank.asks(arrival) is None
    with pytest.raises(NotYet):
        await bank.cancels(made)
    assert await bank.settles(arrival) == "handled"
    assert await bank.cancels(made) == "handled"
    read = await desk.read(made["id"])
    assert [one["status"] for one in read["statusHistory"]][2:] == ["ACCEPTED", "CANCELED"]
    assert (await desk.done("read_order", id=made["initialCharge"]["orderId"]))["status"] == "PAID"


async def test_a_payer_that_cancels_while_his_payment_fails_has_not_paid(desk: Desk, bank: Bank) -> None:
    made = await desk.make(JOURNEY_3)
    arrival = bank.paying(made)
    assert await bank.asks(arrival) is None
    with pytest.raises(NotYet):
        await bank.cancels(made)
    assert await bank.drops(arrival) == "handled"
    assert await bank.cancels(made) == "handled"
    assert (await desk.done("read_order", id=made["initialCharge"]["orderId"]))["status"] == "CANCELED"


@pytest.mark.parametrize(
    ("reason", "code"), [("REQUESTED_BY_RECEIVER", "SLCR"), ("FRAUD_SUSPECTED", "FRUD"), ("OTHER", "SLCR")]
)
async def test_the_payers_bank_is_asked_to_end_what_was_authorized(desk: Desk, bank: Bank, reason: str, code: str) -> None:
    made = await accepted(desk, bank)
    record = await desk.done(CANCEL, {"reason": reason}, key="stop", id=made["id"])
    assert (record["status"], record["idempotencyKey"], record["reason"]) == ("PENDING", "stop", reason)
    assert [one["status"] for one in record["statusHistory"]] == ["PENDING"]
    read = await desk.read(made["id"])
    assert (read["status"], read["cancellations"]) == ("ACCEPTED", [record])
    (body,) = await desk.column(ORDERED)
    order = port.cancellation_order(bytes(body))
    assert (order.recurrence_id, order.code, order.requester.role) == (made["providerId"], code, "USUARIO_RECEBEDOR")
    assert order.requester.document_number == "11222333000181"
    assert await desk.refused(CANCEL, {}, key="again", id=made["id"]) == [("status", "CONFLICT")]
    assert await bank.decides(made, "CONFIRMED") == "handled"
    read = await desk.read(made["id"])
    (record,) = read["cancellations"]
    assert (read["status"], record["status"], record["requestedBy"]) == ("CANCELED", "ACCEPTED", HOLDER)
    assert [one["status"] for one in record["statusHistory"]] == ["PENDING", "ACCEPTED"]
    body = next(body for kind, body, _ in await desk.events() if kind == "SUBSCRIPTION.CANCELED")
    assert body["data"]["reason"] == reason
    assert await bank.decides(made, "CONFIRMED") == "known"
    assert (await event_types(desk)).count("SUBSCRIPTION.CANCELED") == 1


@pytest.mark.parametrize(("outcome", "becomes"), [("REFUSED", "REJECTED"), ("FAILED", "ERROR")])
async def test_a_no_leaves_it_as_it_is_and_another_may_be_asked(desk: Desk, bank: Bank, outcome: str, becomes: str) -> None:
    made = await accepted(desk, bank)
    await desk.done(CANCEL, {}, id=made["id"])
    assert await bank.decides(made, outcome, "AP13") == "handled"
    read = await desk.read(made["id"])
    (record,) = read["cancellations"]
    assert (read["status"], record["status"], record["errorCode"]) == ("ACCEPTED", becomes, "AP13")
    assert record["errorMessage"] == "AP13: refused by the network"
    assert "SUBSCRIPTION.CANCELED" not in await event_types(desk)
    assert await bank.decides(made, outcome, "AP13") == "known"
    assert await bank.decides(made, "CONFIRMED") == "alarmed", "there it is over, and people must look"
    assert (await desk.read(made["id"]))["status"] == "ACCEPTED"
    await desk.done(CANCEL, {}, id=made["id"])
    assert await bank.decides(made, "CONFIRMED") == "handled"
    assert [one["status"] for one in (await desk.read(made["id"]))["cancellations"]] == [becomes, "ACCEPTED"]


async def test_what_the_network_would_never_take_is_an_end_too(desk: Desk, bank: Bank) -> None:
    made = await accepted(desk, bank)
    await desk.done(CANCEL, {}, id=made["id"])
    (body,) = await desk.column(ORDERED)
    told = REFUSED_ENDS[port.CANCELLATION_SEND](bytes(body), "HTTP400")
    assert await bank.says(told.kind, port.cancellation_final(told.body), told.subject) == "handled"
    assert [one["status"] for one in (await desk.read(made["id"]))["cancellations"]] == ["ERROR"]


async def test_a_waiting_one_is_accepted_when_it_ends_another_way(desk: Desk, bank: Bank) -> None:
    made = await accepted(desk, bank)
    await desk.done(CANCEL, {}, id=made["id"])
    assert await bank.cancels(made) == "handled"
    read = await desk.read(made["id"])
    assert [one["status"] for one in read["cancellations"]] == ["ACCEPTED", "ACCEPTED"]
    assert (await event_types(desk)).count("SUBSCRIPTION.CANCELED") == 1
    assert await bank.decides(made, "REFUSED", "MIDI") == "ignored", "there is nothing left to cancel"
    assert await bank.decides(made, "CONFIRMED") == "known"


async def test_words_about_what_nobody_knows_change_nothing(desk: Desk, bank: Bank) -> None:
    made = await accepted(desk, bank)
    assert await bank.decides(made, "REFUSED", "MIDI") == "ignored"
    assert await bank.decides(made, "CONFIRMED") == "alarmed"
    unknown = {**made, "providerId": made["providerId"][:-1] + "_"}
    assert await bank.cancels(unknown) == await bank.declines(unknown) == "ignored"
    assert (await desk.read(made["id"]))["status"] == "ACCEPTED"


async def test_of_many_that_ask_at_once_one_is_asked(desk: Desk, bank: Bank) -> None:
    made = await accepted(desk, bank)
    outcomes = await asyncio.gather(*(desk.ask(CANCEL, {}, key=str(n), id=made["id"]) for n in range(5)))
    assert sum(isinstance(one, Reply) for one in outcomes) == 1
    assert all(isinstance(one, Reply) or [p.issue for p in one.problems] == ["CONFLICT"] for one in outcomes)
    assert len(await desk.column(ORDERED)) == 1


async def test_whichever_of_both_sides_is_first_it_ends_once(desk: Desk, bank: Bank) -> None:
    for _ in range(5):
        made = await accepted(desk, bank)
        await asyncio.gather(desk.ask(CANCEL, {}, id=made["id"]), bank.cancels(made))
        read = await desk.read(made["id"])
        assert read["status"] == "CANCELED"
        assert {one["status"] for one in read["cancellations"]} == {"ACCEPTED"}


async def ends(desk: Desk, made: dict[str, Any], at: datetime) -> bool:
    """A worker finds it at that time; whether it has ended. What is written bears the time it is now."""
    from lastro.core.commit import commit  # noqa: PLC0415
    from lastro.core.runner import RequestContext  # noqa: PLC0415

    company, verb = desk.ana.company_id, End(UUID(made["id"]), PLACE)
    async with desk.cast.database.session(company) as session:
        known = await verb.read(session, RequestContext(company, at, desk.cast.chance))
    outcome = verb.decide(known, RequestContext(company, at, desk.cast.chance))
    assert isinstance(outcome, Done)
    if outcome.write is not None:
        await commit(desk.cast.database, outcome.write)
    return outcome.write is not None


@pytest.mark.parametrize("is_asked_for", [True, False])
async def test_it_ends_with_its_last_day(desk: Desk, bank: Bank, is_asked_for: bool) -> None:
    made = await accepted(desk, bank, endDate=desk.day(10))
    if is_asked_for:
        await desk.done(CANCEL, {}, id=made["id"])
    over = datetime.fromisoformat(f"{desk.day(11)}T00:00:00-03:00").astimezone(UTC)
    assert await desk.column("SELECT ends_at FROM subscriptions") == [over]
    assert not await ends(desk, made, over - timedelta(seconds=1))
    assert await ends(desk, made, over)
    read = await desk.read(made["id"])
    assert read["status"] == "CANCELED"
    record = read["cancellations"][-1]
    assert (record["status"], record["reason"], record["requestedBy"]) == ("ACCEPTED", "RECURRENCE_ENDED", HOLDER)
    assert {one["status"] for one in read["cancellations"]} == {"ACCEPTED"}
    assert not await ends(desk, made, over)
    assert len(await desk.column(ORDERED)) == is_asked_for, "the payer's bank knows the day by itself"


async def test_what_has_no_last_day_does_not_end(desk: Desk, bank: Bank) -> None:
    made = await accepted(desk, bank)
    assert await desk.column("SELECT ends_at FROM subscriptions") == [None]
    assert not await ends(desk, made, datetime.now(UTC) + timedelta(days=4000))


async def closed(desk: Desk, made: dict[str, Any]) -> bool:
    done = await desk.cast.runner.act(desk.ana.company_id, CloseAccount(UUID(made["id"]), PLACE))
    assert isinstance(done, Done)
    return done.write is not None


@pytest.mark.parametrize("journey", [JOURNEY_2, JOURNEY_3])
@pytest.mark.parametrize("is_accepted", [True, False])
async def test_it_ends_with_its_account(desk: Desk, bank: Bank, journey: str, is_accepted: bool) -> None:
    made = await (accepted(desk, bank, journey) if is_accepted else desk.make(journey))
    assert not await closed(desk, made)
    await desk.cast.account_becomes(desk.ana.company_id, "CLOSED")
    assert await closed(desk, made)
    read = await desk.read(made["id"])
    (record,) = read["cancellations"]
    assert (read["status"], record["status"], record["reason"]) == ("CANCELED", "ACCEPTED", "ACCOUNT_CLOSED")
    orders = [port.cancellation_order(bytes(body)) for body in await desk.column(ORDERED)]
    assert [(one.code, one.requester.role) for one in orders] == [("ACCL", "PSP_RECEBEDOR")] * is_accepted
    is_over = f"SELECT {over_sql(NEEDS)} FROM outbox WHERE kind = '{port.CANCELLATION_SEND}' AND company_id = tenant()"
    assert await desk.column(is_over) == [False] * is_accepted, "it waits for no answer, and is told all the same"
    if journey == JOURNEY_3:
        order = await desk.done("read_order", id=made["initialCharge"]["orderId"])
        assert order["status"] == ("PAID" if is_accepted else "CANCELED")
    if is_accepted:
        assert await bank.decides(made, "CONFIRMED") == "known"
    assert not await closed(desk, made)
    assert ("SUBSCRIPTION.CANCELED", HOOK) in [(kind, url) for kind, _, url in await desk.events()]


async def test_an_account_that_closes_waits_for_the_end_of_a_payment(desk: Desk, bank: Bank) -> None:
    made = await desk.make(JOURNEY_3)
    arrival = bank.paying(made)
    assert await bank.asks(arrival) is None
    await desk.cast.account_becomes(desk.ana.company_id, "CLOSED")
    assert not await closed(desk, made)
    await bank.drops(arrival)
    assert await closed(desk, made)


async def test_who_may_not_write_subscriptions_is_refused(desk: Desk, bank: Bank) -> None:
    made, caio, dora = await accepted(desk, bank), await desk.cast.caio(desk.ana), await desk.cast.dora()
    for client in (caio, dora.client):
        assert isinstance(await desk.ask(CANCEL, {}, client=client, id=made["id"]), Refused)
    assert (await desk.read(made["id"]))["cancellations"] == []
