"""Every state with everything that may happen: what states.md 1 and 2 allow is done, all else changes nothing."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.cast import PLACE
from tests.in_one import in_one_test

from lastro.core.commit import commit
from lastro.core.errors import Refused
from lastro.core.runner import RequestContext
from lastro.core.write import Write
from lastro.subscriptions import SUBSCRIPTIONS, CloseAccount, Lapse, store
from lastro.subscriptions.notifications import subscription_event

from .bank import Bank
from .desk import JOURNEY_2, JOURNEY_3, Desk
from .test_cancel import CANCEL, ends

Made = dict[str, Any]
PENDING, ACCEPTED, WAITING = "PENDING_AUTHORIZATION", "ACCEPTED", "ACCEPTED, a cancellation PENDING"
BEGINNINGS = (PENDING, ACCEPTED, WAITING, "REJECTED", "CANCELED", "ERROR")


async def pending(desk: Desk, bank: Bank, made: Made) -> None:
    """As it is made."""


async def accepted(desk: Desk, bank: Bank, made: Made) -> None:
    if "initialCharge" in made:
        await bank.pays(made)
    else:
        assert await bank.authorizes(made) is None


async def waiting(desk: Desk, bank: Bank, made: Made) -> None:
    await accepted(desk, bank, made)
    await desk.done(CANCEL, {}, id=made["id"])


async def rejected(desk: Desk, bank: Bank, made: Made) -> None:
    assert await bank.declines(made) == "handled"


async def canceled(desk: Desk, bank: Bank, made: Made) -> None:
    await desk.done(CANCEL, {}, id=made["id"])


async def failed(desk: Desk, bank: Bank, made: Made) -> None:
    """As a rail will say it that has to be asked: no verb leads there yet."""
    from lastro import orders  # noqa: PLC0415

    company, context = desk.ana.company_id, RequestContext(desk.ana.company_id, datetime.now(UTC), desk.cast.chance)
    async with desk.cast.database.session(company) as session:
        shown = await store.shown_by_id(session, company, UUID(made["id"]))
        assert shown is not None
        order_id = None if shown.first_charge is None else shown.first_charge.order_id
        ending = None if order_id is None else await orders.ending(session, company, order_id)
    move = SUBSCRIPTIONS.move(shown.subscription, "fail", context.now)
    write = Write(company, moves=(move,), events=(subscription_event(context, shown, "ERROR"),))
    if ending is not None:
        write += orders.with_subscription(ending, "fail", context, PLACE) or Write(company)
    await commit(desk.cast.database, write)


BEGIN: dict[str, Callable[[Desk, Bank, Made], Awaitable[None]]] = dict(
    zip(BEGINNINGS, (pending, accepted, waiting, rejected, canceled, failed), strict=True)
)


async def authorize(desk: Desk, bank: Bank, made: Made) -> str:
    return str(await bank.authorizes(made, "77.00"))


async def pay(desk: Desk, bank: Bank, made: Made) -> str:
    if "initialCharge" not in made:
        return "nothing to pay"
    arrival = bank.paying(made)
    code = await bank.asks(arrival)
    if code is None:
        assert await bank.settles(arrival) == "handled"
    return str(code)


async def decline(desk: Desk, bank: Bank, made: Made) -> str:
    return await bank.declines(made)


async def payer_cancels(desk: Desk, bank: Bank, made: Made) -> str:
    return await bank.cancels(made)


async def client_cancels(desk: Desk, bank: Bank, made: Made) -> str:
    outcome = await desk.ask(CANCEL, {}, key=f"another, {made['id']}", id=made["id"])
    return outcome.problems[0].issue if isinstance(outcome, Refused) else "done"


async def confirmed(desk: Desk, bank: Bank, made: Made) -> str:
    return await bank.decides(made, "CONFIRMED")


async def refused(desk: Desk, bank: Bank, made: Made) -> str:
    return await bank.decides(made, "REFUSED", "AP13")


async def not_taken(desk: Desk, bank: Bank, made: Made) -> str:
    return await bank.decides(made, "FAILED", "HTTP400")


async def lapses(desk: Desk, bank: Bank, made: Made) -> str:
    company, at = desk.ana.company_id, datetime.now(UTC) + timedelta(days=402)
    verb = Lapse(UUID(made["id"]), PLACE)
    async with desk.cast.database.session(company) as session:
        known = await verb.read(session, RequestContext(company, at, desk.cast.chance))
    outcome = verb.decide(known, RequestContext(company, at, desk.cast.chance))
    if outcome.write is not None:
        await commit(desk.cast.database, outcome.write)
    return "nothing" if outcome.write is None else "done"


async def is_over(desk: Desk, bank: Bank, made: Made) -> str:
    return "done" if await ends(desk, made, datetime.now(UTC) + timedelta(days=401)) else "nothing"


async def closes(desk: Desk, bank: Bank, made: Made) -> str:
    await desk.cast.account_becomes(desk.ana.company_id, "CLOSED")
    done = await desk.cast.runner.act(desk.ana.company_id, CloseAccount(UUID(made["id"]), PLACE))
    return "nothing" if done.write is None else "done"


# By what happens: where it leads from which beginning; and what it is answered or settled with where it changes nothing.
HAPPENS: dict[Callable[[Desk, Bank, Made], Awaitable[str]], tuple[dict[str, str], set[str]]] = {
    authorize: ({PENDING: "ACCEPTED"}, {"AP13"}),
    pay: ({PENDING: "ACCEPTED"}, {"BE17", "DUPL", "nothing to pay"}),
    decline: ({PENDING: "REJECTED"}, {"ignored", "known"}),
    payer_cancels: (dict.fromkeys((PENDING, ACCEPTED, WAITING), "CANCELED"), {"ignored"}),
    client_cancels: ({PENDING: "CANCELED", ACCEPTED: "ACCEPTED"}, {"CONFLICT"}),
    confirmed: ({WAITING: "CANCELED"}, {"alarmed"}),
    refused: ({WAITING: "ACCEPTED"}, {"ignored"}),
    not_taken: ({WAITING: "ACCEPTED"}, {"ignored"}),
    lapses: ({PENDING: "CANCELED"}, {"nothing"}),
    is_over: (dict.fromkeys((ACCEPTED, WAITING), "CANCELED"), {"nothing"}),
    closes: (dict.fromkeys((PENDING, ACCEPTED, WAITING), "CANCELED"), {"nothing"}),
}
# What only one of the two journeys knows.
ONLY: dict[Callable[[Desk, Bank, Made], Awaitable[str]], str] = {authorize: JOURNEY_2, pay: JOURNEY_3}


async def of_subscriptions(desk: Desk) -> list[Any]:
    """What was told, but for the account's own closing."""
    return [told for told in await desk.events() if told[0] != "ACCOUNT.STATUS_CHANGED"]


@pytest.mark.parametrize("beginning", BEGINNINGS)
@pytest.mark.parametrize("journey", [JOURNEY_2, JOURNEY_3], ids=["2", "3"])
@in_one_test("happens", HAPPENS, ids=lambda one: one.__name__)
async def test_every_state_with_everything_that_may_happen(
    desk: Desk, journey: str, beginning: str, happens: Callable[[Desk, Bank, Made], Awaitable[str]]
) -> None:
    """The last is the end of the account, after which nothing is made in it."""
    bank = Bank(desk)
    made = await desk.make(journey, endDate=desk.day(400))
    await BEGIN[beginning](desk, bank, made)
    before, told = await desk.read(made["id"]), await of_subscriptions(desk)
    answer = await happens(desk, bank, made)
    after = await desk.read(made["id"])
    leads, unmoved = HAPPENS[happens]
    if beginning in leads and ONLY.get(happens, journey) == journey:
        assert after["status"] == leads[beginning]
        assert after != before
        turns = len(await of_subscriptions(desk)) - len(told)
        assert (turns > 0) == (after["status"] != before["status"])
    else:
        assert after == before
        assert await of_subscriptions(desk) == told
        assert answer in unmoved, answer
