"""Charges of subscriptions: waiting, sent, to be collected, paid, refused, canceled, and one that the bank is to drop."""

from __future__ import annotations

from datetime import time, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

import msgspec
from tests.cast import BENTO

from lastro.core.money import Money
from lastro.rails import port
from lastro.standards.calendar import brasilia_day, instant

if TYPE_CHECKING:
    from tests.rooms.laws.world import World


async def play(world: World, subscriptions: tuple[str, str]) -> None:
    """Of two subscriptions that their payers have authorized, each with a cycle a week from today on."""
    first, second = subscriptions
    # What is to be sent now falls on a day at most ten ahead: one of eight that is a Saturday is collected on the tenth.
    for name, of, days in (
        ("paid", first, 5), ("refused", first, 7), ("waiting", first, 15), ("canceled", first, 22), ("asked", second, 5),
        ("requested", second, 7),
    ):  # fmt: skip
        body = {
            "externalId": f"charge-{name}", "dueDate": (brasilia_day(world.now()) + timedelta(days=days)).isoformat(),
            "amount": {"currency": "BRL", "value": "12.00"},
        }  # fmt: skip
        reply = await world.ask("create_subscription_payment", world.names[of], body, key=f"c {name}")
        made = msgspec.json.decode(reply.body)
        world.names |= {f"charge_{name}": UUID(made["id"]), f"charge_{name}_order": UUID(made["orderId"])}
    paid, asked, refused = [await _instruction(world, name) for name in ("paid", "asked", "refused")]
    for told, name in ((paid, "PAID"), (asked, "ASKED")):
        scheduled = port.ChargeScheduled(told.message_id, told.recurrence_id, told.txid, _end_to_end_id(name), world.now())
        await world.told(port.CHARGE_SCHEDULED, scheduled)
    no = port.ChargeRefused(refused.message_id, refused.recurrence_id, refused.txid, "AC05", world.now())
    await world.told(port.CHARGE_REFUSED, no)
    arrival = await world.arrival(
        "subscription-charge", end_to_end_id=_end_to_end_id("PAID"), txid=paid.txid, amount=Money(1200, "BRL"),
        payer=BENTO, charging=paid.recurrence_id, accepted_at=instant(paid.collect_on, time(12)),
    )  # fmt: skip
    await world.told(port.PIX_ASK, arrival)
    await world.told(port.PIX_FINAL, port.PixFinal(arrival.end_to_end_id, True, settled_at=world.now()))
    for name, of in (("canceled", first), ("asked", second)):
        payment = str(world.names[f"charge_{name}"])
        await world.ask("cancel_subscription_payment", world.names[of], {}, key=f"drop {name}", paymentId=payment)


async def _instruction(world: World, name: str) -> port.ChargeInstruction:
    (body,) = await world.column(
        "SELECT o.body FROM payment_attempts a JOIN outbox o ON o.company_id = a.company_id AND o.reference_id = a.id"
        f" WHERE a.payment_id = '{world.names[f'charge_{name}']}'"
    )
    return port.charge_instruction(bytes(body))


def _end_to_end_id(name: str) -> str:
    return f"E99999020202601311200{name:0>11}"
