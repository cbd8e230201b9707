"""Pix at a merchant's own bank that no order asked for: one that nobody has claimed, one that a person claimed."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from tests.cast import PLACE
from tests.rooms.rails.api_pix_bank import Bank, serving

from lastro.core.commit import commit
from lastro.core.money import Money
from lastro.core.runner import Done
from lastro.core.write import Row, Write
from lastro.orders import ORDERS, ClaimForeign, DeclareConnection, KeepForeign
from lastro.rails.api_pix.issuing import ApiPixIssuer
from lastro.rails.port import ForeignPayment
from lastro.standards.pix_ids import dynamic_txid

if TYPE_CHECKING:
    from tests.rooms.laws.world import World


async def play(world: World) -> None:
    """Both are at a connection of Ana's."""
    own = await world.cast.open_account(world.ana.company_id)  # what a bank pays pays nothing out
    declared = DeclareConnection(rail(world), {"shop@ana.example": str(own["number"])})
    assert isinstance(await world.cast.runner.act(world.ana.company_id, declared), Done)
    for name, cents in (("foreign", 700), ("foreignclaimed", 500)):
        found = ForeignPayment(rail(world), f"E12345678202601311200{name[-11:]:0>11}", Money(cents, "BRL"), world.now())
        await world.cast.runner.act(world.ana.company_id, KeepForeign([found]))
        sql = f"SELECT id FROM foreign_payments WHERE payment_id = '{found.payment_id}'"
        (world.names[name],) = await world.column(sql)
    world.names["foreign_order"] = await asked(world, world.cast.id(), 500)
    bank = Bank()
    bank.shows(found)
    async with serving(bank) as line:
        issuers = {rail(world): ApiPixIssuer(rail(world), line, "utc")}
        verb = ClaimForeign(
            UUID(str(world.names["foreignclaimed"])), str(world.names["foreign_order"]), "rita", PLACE, issuers
        )
        assert isinstance(await world.cast.runner.act(world.ana.company_id, verb), Done)


def rail(world: World) -> str:
    """The connection's name, which no other world has."""
    return f"bank{world.ana.number}"


async def asked(world: World, order_id: UUID, cents: int) -> UUID:
    """An order of 5.00 or so whose code the bank made, at no fee."""
    at, txid = world.now(), dynamic_txid(world.ana.number, order_id.bytes + order_id.bytes[:8])
    values = {
        "id": order_id, "account_id": world.ana.account_id, "external_id": txid, "origin": "TRANSPARENT",
        "payment_method": "PIX", "currency": "BRL", "amount_minor": cents, "final_amount_minor": cents,
        "description": "Flores", "notification_url": "https://ana.example/hook", "txid": txid, "expires_at": at + timedelta(days=1),
        "created_at": at, "updated_at": at,
    }  # fmt: skip
    row = Row("instruments", {"order_id": order_id, "rail": rail(world), "reference": txid})
    await commit(world.cast.database, Write(world.ana.company_id, rows=(*ORDERS.born(values, at), row)))
    return order_id
