"""Refunds that Ana asks for: paid, still on its way, refused, proved after that; of one order part, of another all."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import msgspec
from tests.cast import PLACE

from lastro.core.commit import commit
from lastro.core.money import Money
from lastro.core.write import Write
from lastro.orders import ProvedRefund
from lastro.rails import port

if TYPE_CHECKING:
    from tests.rooms.laws.world import World


async def play(world: World) -> None:
    """Ana's account has afterwards what it had before."""
    cast, ana = world.cast, world.ana
    before = await available(world)
    for name in ("part_back", "all_back"):
        world.names[name] = await world.create(name)
        await world.told(port.PIX_SETTLED, await world.arrival(name, settled_at=world.now()))
    await cast.credit(ana, 1000)
    for name, order, cents in (
        ("back_paid", "part_back", 400), ("back_pending", "part_back", 110), ("back_error", "part_back", 50),
        ("back_proved", "part_back", 60), ("back_all", "all_back", 1000),
    ):  # fmt: skip
        await ask(world, name, order, cents)
    await _ended(world, "back_paid")
    for name in ("back_error", "back_proved"):
        await _ended(world, name, "ED05")
    await cast.act(ana.company_id, ProvedRefund(world.names["back_proved_return"], world.now(), PLACE))
    await _ended(world, "back_all")
    left = await available(world) - before
    await commit(cast.database, Write(ana.company_id, transfers=(cast.transfer(ana.customer, ana.clearing, left),)))


async def ask(world: World, name: str, order: str, cents: int) -> None:
    """A refund of this name."""
    body = {
        "orderId": str(world.names[order]), "externalId": name, "refundCode": "MD06",
        "amount": {"currency": "BRL", "value": str(Money(cents, "BRL"))},
    }  # fmt: skip
    made = msgspec.json.decode((await world.ask("create_refund", None, body, key=name)).body)
    world.names |= {name: UUID(made["id"]), f"{name}_return": made["returnId"]}


async def _ended(world: World, name: str, code: str | None = None) -> None:
    at = world.now() if code is None else None
    await world.told(port.RETURN_FINAL, port.ReturnFinal(world.names[f"{name}_return"], "", code is None, code, at))


async def available(world: World) -> int:
    (balance,) = await world.column(
        "SELECT credits_folded + credit_tail(company_id, ledger_account_id, fold_xid, NULL) - debits - held FROM balances"
        f" WHERE ledger_account_id = '{world.ana.customer.id}'"
    )
    return int(balance)
