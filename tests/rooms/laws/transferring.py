"""Transfers of any amount: a part that waits, parts that paid, too much that goes back and that nobody took, what people
decide about that, parts of what expired, one given back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import msgspec
from tests.cast import PLACE

from lastro.core.money import Money
from lastro.core.runner import Done
from lastro.orders import Expire, SettleStranded, StrandedWay
from lastro.rails import port
from lastro.rails.port import SPEI, Collected

if TYPE_CHECKING:
    from tests.rooms.laws.world import World

# The transfers of each order for 10.00, in centavos of MXN.
_PARTS = {
    "parts_waiting": (400,), "parts_paid": (400, 700), "parts_stranded": (1050,), "parts_expired": (100,),
    "parts_refunded": (500, 500), "excess_credited": (1020,), "excess_paid_out": (1030,), "second_credited": (1000, 300),
    "second_paid_out": (1000, 200),
}  # fmt: skip
# Which of them nobody took back, and what people have decided.
_DECIDED: tuple[tuple[str, int, StrandedWay], ...] = (
    ("excess_credited", 0, "credit"), ("excess_paid_out", 0, "pay out"), ("second_credited", 1, "credit"),
    ("second_paid_out", 1, "pay out"),
)  # fmt: skip


async def play(world: World) -> None:
    """In MXN alone: what Ana's account has in reais stays."""
    await world.cast.set_fees(world.ana.company_id, 10, 150, method="SPEI")
    for name, parts in _PARTS.items():
        await _make(world, name)
        for place, cents in enumerate(parts):
            await _came(world, name, place, cents)
    (refused,) = await _returns(world, "parts_stranded")
    await world.told(port.RETURN_FINAL, port.ReturnFinal(refused, "", settled=False, code="03"), SPEI)
    for name, place, way in _DECIDED:
        await _decide(world, f"{name}_{place}", way)
    order_id = world.names["parts_expired"]
    done = await world.cast.runner.act(world.ana.company_id, Expire(order_id, PLACE, before_its_time=True))
    assert isinstance(done, Done)
    body = {"orderId": str(world.names["parts_refunded"]), "externalId": "parts-refund", "refundCode": "MD06",
            "amount": {"currency": "MXN", "value": "2.00"}}  # fmt: skip
    made = msgspec.json.decode((await world.ask("create_refund", None, body, key="parts-refund")).body)
    world.names["parts_refund"] = UUID(made["id"])
    final = port.ReturnFinal(made["returnId"], "", settled=True, settled_at=world.now())
    await world.told(port.RETURN_FINAL, final, SPEI)


async def _make(world: World, name: str) -> None:
    body = {
        "order": {"externalId": name, "paymentMethod": "SPEI", "description": "Flores",
                  "notificationUrl": "https://ana.example/hook", "amount": {"currency": "MXN", "value": "10.00"}},
        "customer": {"name": "Bento", "entityType": "INDIVIDUAL", "document": {"type": "CPF", "number": "11144477735"},
                     "email": "bento@example.com"},
    }  # fmt: skip
    made = msgspec.json.decode((await world.ask("create_order", None, body, key=name)).body)
    world.names |= {name: UUID(made["id"]), f"{name}_clabe": made["spei"]["clabe"]}


async def _came(world: World, order: str, place: int, cents: int) -> None:
    name, at = f"{world.names[order].hex}{place}", world.now()
    news = Collected(name, world.names[f"{order}_clabe"], Money(cents, "MXN"), at, at)
    await world.told(port.COLLECTION_SETTLED, news, SPEI)
    (world.names[f"{order}_{place}"],) = await world.column(f"SELECT id FROM pix_payments WHERE end_to_end_id = '{name}'")


async def _decide(world: World, payment: str, way: StrandedWay) -> None:
    (refund_id,) = await world.column(f"SELECT id FROM refunds WHERE payment_id = '{world.names[payment]}'")
    (return_id,) = await world.column(f"SELECT return_id FROM refunds WHERE id = '{refund_id}'")
    await world.told(port.RETURN_FINAL, port.ReturnFinal(return_id, "", settled=False, code="03"), SPEI)
    done = await world.cast.runner.act(world.ana.company_id, SettleStranded(refund_id, way, "note 7", "rita"))
    assert isinstance(done, Done)
    world.names[f"{payment}_refund"] = refund_id


async def _returns(world: World, order: str) -> list[str]:
    payment = world.names[f"{order}_0"]
    return await world.column(f"SELECT return_id FROM refunds WHERE payment_id = '{payment}'")
