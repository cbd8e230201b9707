"""A settlement of pesos that an account had."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from tests.cast import INSTITUTION

from lastro import ledger
from lastro.accounts import Settle
from lastro.core.commit import commit
from lastro.core.money import Money
from lastro.core.write import Transfer, Write

if TYPE_CHECKING:
    from tests.rooms.laws.world import World


async def play(world: World) -> None:
    """Ana's account has no pesos before and none afterwards."""
    company, account = world.ana.company_id, world.ana.account_id
    fees, own = ledger.fees(company, "MXN"), ledger.customer(company, account, "MXN")
    earned = Transfer(world.cast.id(), "moved", fees, own, Money(1500, "MXN"), "TEST", world.cast.id(), world.now())
    await commit(world.cast.database, Write(company, transfers=(earned,)))
    made = await world.cast.act(company, Settle(account, "spei", Money(1500, "MXN"), "T-1", INSTITUTION))
    world.names["settlement"] = UUID(made["id"])
