"""Slips: waiting, announced, paid, void, paid a second time."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import msgspec

from lastro.core.commit import commit
from lastro.core.money import Money
from lastro.core.write import Write
from lastro.rails import port
from lastro.rails.port import BOLETO, Collected, CollectionVoid

if TYPE_CHECKING:
    from tests.rooms.laws.world import World

_ADDRESS = {
    "state": "SP", "city": "São Paulo", "street": "Rua A", "neighborhood": "Centro", "number": "10", "postalCode": "01001000",
}  # fmt: skip


async def play(world: World) -> None:
    """Ana's account has afterwards what it had before."""
    await world.cast.set_fees(world.ana.company_id, 10, 150, method="BOLETO")
    for name in ("slip_waiting", "slip_announced", "slip_paid", "slip_void"):
        await _make(world, name)
    for name in ("slip_announced", "slip_paid", "slip_void"):
        await _told(world, port.COLLECTION_ANNOUNCED, name, name)
    await _told(world, port.COLLECTION_SETTLED, "slip_paid", "slip_paid")
    await _told(world, port.COLLECTION_SETTLED, "slip_paid", "slip_twice")
    void = CollectionVoid(f"{world.names['slip_void']}:slip_void", world.names["slip_void_number"], "07")
    await world.told(port.COLLECTION_VOID, void, BOLETO)
    sql = f"SELECT amount_minor FROM transfers WHERE reference_id = '{world.names['slip_paid']}' AND type = 'BOLETO_IN'"
    (came,) = await world.column(sql)
    out = world.cast.transfer(world.ana.customer, world.ana.clearing, came)
    await commit(world.cast.database, Write(world.ana.company_id, transfers=(out,)))


async def _make(world: World, name: str) -> None:
    body = {
        "order": {"externalId": name, "paymentMethod": "BOLETO", "description": "Flores",
                  "notificationUrl": "https://ana.example/hook", "amount": {"currency": "BRL", "value": "10.00"}},
        "customer": {"name": "Bento", "entityType": "INDIVIDUAL", "document": {"type": "CPF", "number": "11144477735"},
                     "email": "bento@example.com", "address": _ADDRESS},
    }  # fmt: skip
    made = msgspec.json.decode((await world.ask("create_order", None, body, key=name)).body)
    world.names |= {name: UUID(made["id"]), f"{name}_number": made["boleto"]["barcode"][23:43]}


async def _told(world: World, kind: str, order: str, payment: str) -> None:
    at = world.now()
    settled_at = at if kind == port.COLLECTION_SETTLED else None
    name = f"{world.names[order]}:{payment}"
    news = Collected(name, world.names[f"{order}_number"], Money(1000, "BRL"), at, settled_at)
    await world.told(kind, news, BOLETO)
    (world.names[f"{payment}_payment"],) = await world.column(f"SELECT id FROM pix_payments WHERE end_to_end_id = '{name}'")
