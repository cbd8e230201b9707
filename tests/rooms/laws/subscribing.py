"""Subscriptions of both journeys: waiting, authorized, declined, canceled by either side, too late."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from tests.cast import BENTO, PLACE
from tests.rooms.laws import charging

from lastro.api_kit.routes import Incoming
from lastro.core.commit import commit
from lastro.core.errors import Refused
from lastro.core.money import Money
from lastro.core.runner import Done, RequestContext
from lastro.rails import port
from lastro.standards.calendar import brasilia_day
from lastro.subscriptions import Lapse

if TYPE_CHECKING:
    from tests.rooms.laws.world import World

_JOURNEYS = ("AUTHORIZATION_QRCODE", "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT")


async def play(world: World) -> None:
    """One of each journey for each way to go."""
    for number, journey in enumerate(_JOURNEYS, start=2):
        for name in ("waiting", "canceled"):
            made = await world.ask(
                "create_subscription", None, body(world, journey, f"{name}_{number}"), key=f"s {name} {number}"
            )
            world.names[f"sub_{name}_{number}"] = UUID(msgspec.json.decode(made.body)["id"])
        await world.ask("cancel_subscription", world.names[f"sub_canceled_{number}"], {}, key=f"stop {number}")
        await _lapsed(world, journey, f"lapsed_{number}")
    await _by_the_payers_bank(world)
    for name in ("charged", "charged_too"):
        await _authorized(world, name)
    await charging.play(world, ("sub_charged", "sub_charged_too"))
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

    company, past = world.ana.company_id, datetime.now(UTC) - timedelta(days=31)
    asked, first = body(world, journey, name), brasilia_day(past)
    asked |= {"startDate": first.isoformat(), "endDate": (first + timedelta(days=20)).isoformat()}
    verb = ROUTES["create_subscription"].parse(Incoming(company, {}, {}, msgspec.json.encode(asked), asked, None))
    assert not isinstance(verb, Refused), verb
    context = RequestContext(company, past, world.cast.chance)
    async with world.cast.database.session(company) as session:
        known = await verb.read(session, context)
    outcome = verb.decide(known, context)
    assert isinstance(outcome, Done)
    assert outcome.write is not None
    assert outcome.object_id is not None
    await commit(world.cast.database, outcome.write)
    world.names[f"sub_{name}"] = outcome.object_id
    done = await world.cast.runner.act(company, Lapse(outcome.object_id, PLACE))
    assert isinstance(done, Done)
    assert done.write is not None


_DECIDED: dict[str, port.CancellationOutcome | None] = {"asked": None, "confirmed": "CONFIRMED", "refused": "REFUSED"}


async def _made(world: World, journey: str, name: str) -> str:
    """One that waits; what the network knows it by."""
    made = msgspec.json.decode(
        (await world.ask("create_subscription", None, body(world, journey, name), key=f"s {name}")).body
    )
    world.names[f"sub_{name}"] = UUID(made["id"])
    recurrence_id: str = made["providerId"]
    return recurrence_id


async def _authorized(world: World, name: str) -> str:
    """One that its payer has authorized without paying."""
    recurrence_id = await _made(world, _JOURNEYS[0], name)
    await world.told(port.AUTHORIZATION_ASK, _asking(world, recurrence_id))
    return recurrence_id


def _asking(world: World, recurrence_id: str) -> port.Authorization:
    return port.Authorization(f"M{recurrence_id}", recurrence_id, BENTO, world.now())


async def _by_the_payers_bank(world: World) -> None:
    """Authorized, paid and authorized, declined, refused by us, taken back; asked to end, and what became of that."""
    await _authorized(world, "accepted")
    recurrence_id = await _made(world, _JOURNEYS[1], "paid_3")
    authorizing = port.Authorizing(recurrence_id, Money(5000, "BRL"))
    arrival = await world.arrival("subscription-paid_3", amount=Money(1200, "BRL"), authorizing=authorizing)
    await world.told(port.PIX_ASK, arrival)
    await world.told(port.PIX_FINAL, port.PixFinal(arrival.end_to_end_id, True, settled_at=world.now()))
    for journey, name in zip(_JOURNEYS, ("declined_2", "declined_3"), strict=True):
        recurrence_id = await _made(world, journey, name)
        declined = port.AuthorizationDeclined(f"M{name}", recurrence_id, BENTO, world.now(), "AP14")
        await world.told(port.AUTHORIZATION_DECLINED, declined)
        await world.told(port.AUTHORIZATION_ASK, _asking(world, recurrence_id))
    recurrence_id = await _authorized(world, "taken_back")
    by = port.Requester("USUARIO_PAGADOR", BENTO.document_type, BENTO.document_number)
    canceled = port.AuthorizationCanceled("Mtaken_back", recurrence_id, "SLDB", by, world.now())
    await world.told(port.AUTHORIZATION_CANCELED, canceled)
    for name, outcome in _DECIDED.items():
        recurrence_id = await _authorized(world, name)
        await world.ask("cancel_subscription", world.names[f"sub_{name}"], {}, key=f"stop {name}")
        sql = f"SELECT message_id FROM subscription_cancellations WHERE subscription_id = '{world.names[f'sub_{name}']}'"
        (message_id,) = await world.column(sql)
        if outcome is not None:
            final = port.CancellationFinal(message_id, recurrence_id, outcome, None, world.now())
            await world.told(port.CANCELLATION_FINAL, final)
