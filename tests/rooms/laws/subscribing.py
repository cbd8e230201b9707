"""Subscriptions of both journeys: waiting, authorized as their payers' bank will say it, canceled, too late."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from tests.cast import PLACE

from lastro.base.api import Incoming
from lastro.base.commit import commit
from lastro.base.errors import Refused
from lastro.base.run import Done, Door
from lastro.base.write import Row, Write
from lastro.standards.calendar import brasilia_day
from lastro.subscriptions import SUBSCRIPTIONS, Lapse, store
from lastro.subscriptions.notifications import turned

if TYPE_CHECKING:
    from tests.rooms.laws.world import World

_JOURNEYS = ("AUTHORIZATION_QRCODE", "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT")


async def play(world: World) -> None:
    """One of each journey for each way to go; that of journey 3 which is authorized has no way yet."""
    for number, journey in enumerate(_JOURNEYS, start=2):
        for name in ("waiting", "canceled"):
            made = await world.ask(
                "create_subscription", None, body(world, journey, f"{name}_{number}"), key=f"s {name} {number}"
            )
            world.names[f"sub_{name}_{number}"] = UUID(msgspec.json.decode(made.body)["id"])
        await world.ask("cancel_subscription", world.names[f"sub_canceled_{number}"], {}, key=f"stop {number}")
        await _lapsed(world, journey, f"lapsed_{number}")
    made = await world.ask("create_subscription", None, body(world, _JOURNEYS[0], "accepted"), key="s accepted")
    world.names["sub_accepted"] = UUID(msgspec.json.decode(made.body)["id"])
    await _authorized(world, world.names["sub_accepted"])
    (world.names["sub_order"],) = await world.column(
        f"SELECT order_id FROM subscriptions WHERE id = '{world.names['sub_waiting_3']}'"
    )
    (world.names["sub_record"],) = await world.column(
        f"SELECT id FROM subscription_cancellations WHERE subscription_id = '{world.names['sub_canceled_2']}'"
    )


def body(world: World, journey: str, code: str) -> dict[str, Any]:
    """Of a create."""
    asked: dict[str, Any] = {
        "accountId": str(world.ana.account_id), "type": journey, "allowChargeAfterDueDate": False,
        "allowAdjustToBusinessDay": True, "frequencyType": "WEEKLY", "startDate": brasilia_day(world.now()).isoformat(),
        "debtor": {"name": "Bento", "document": {"type": "CPF", "number": "11144477735"}},
        "webhookUrl": "https://ana.example/hook", "externalId": f"subscription-{code}",
    }  # fmt: skip
    if journey == _JOURNEYS[1]:
        asked["initialCharge"] = {"pixKey": world.ana.pix_key, "amount": {"currency": "BRL", "value": "12.00"}}
    return asked


async def _lapsed(world: World, journey: str, name: str) -> None:
    """Made so long ago that its window is over, and found by a worker now."""
    from tests.rooms.laws.world import ROUTES  # noqa: PLC0415 the world plays this, so that it is imported first

    company, asked, past = world.ana.company_id, body(world, journey, name), datetime.now(UTC) - timedelta(days=31)
    verb = ROUTES["create_subscription"].parse(Incoming(company, {}, {}, msgspec.json.encode(asked), asked, None))
    assert not isinstance(verb, Refused), verb
    door = Door(company, past, world.cast.chance)
    async with world.cast.database.session(company) as session:
        known = await verb.read(session, door)
    outcome = verb.decide(known, door)
    assert isinstance(outcome, Done)
    assert outcome.write is not None
    assert outcome.object_id is not None
    await commit(world.cast.database, outcome.write)
    world.names[f"sub_{name}"] = outcome.object_id
    done = await world.cast.runner.act(company, Lapse(outcome.object_id, PLACE))
    assert isinstance(done, Done)
    assert done.write is not None


async def _authorized(world: World, subscription_id: UUID) -> None:
    company, at = world.ana.company_id, world.now()
    async with world.cast.database.session(company) as session:
        shown = await store.shown_by_id(session, company, subscription_id)
    assert shown is not None
    bank = msgspec.json.encode({"ispb": "99999020", "account": "123456", "branch": "0001"}).decode()
    payer = {"id": world.cast.id(), "name": "Bento", "document_type": "CPF", "document_number": "11144477735", "bank": bank}
    move = SUBSCRIPTIONS.move(shown.subscription, "authorize", at, payer_id=payer["id"], accepted_at=at)
    fact = turned(Door(company, at, world.cast.chance), shown, "ACCEPTED")
    await commit(world.cast.database, Write(company, rows=(Row("parties", payer),), moves=(move,), facts=(fact,)))
