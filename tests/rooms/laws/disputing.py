"""Disputes about Ana's money: one that was given back, one that still blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec
from tests.cast import INSTITUTION
from tests.rooms.laws.giving_back import available

from lastro.core.commit import commit
from lastro.core.money import Money
from lastro.core.runner import Done
from lastro.core.write import Write
from lastro.med import Decide, Fall, Stand
from lastro.rails import port
from lastro.rails.port import MedNews

if TYPE_CHECKING:
    from tests.rooms.laws.world import World


async def play(world: World) -> None:
    """Ana's account has afterwards what it had before."""
    cast, ana, stand = world.cast, world.ana, Stand(INSTITUTION)
    before = await available(world)
    for name in ("disputed", "blocked"):
        world.names[name] = await world.create(name)
        await world.told(port.PIX_SETTLED, await world.arrival(name, settled_at=world.now()))
    await cast.credit(ana, 1000)
    for name in ("disputed", "blocked"):
        notice = _notice(world, name)
        world.names[f"{name}_notice"] = notice.reference_id
        await world.told(port.MED_NEWS, notice)
        await world.told(port.MED_NEWS, msgspec.structs.replace(notice, status="RECEIVED"))
        if name == "blocked":
            continue
        assert isinstance(
            await cast.runner.act(ana.company_id, Decide(notice.reference_id, "AGREED", stand, "MULE_ACCOUNT")), Done
        )
        request = msgspec.structs.replace(notice, object_type="REFUND_REQUEST", reference_id=uuid4(), reason="FRAUD")
        world.names["disputed_request"] = request.reference_id
        await world.told(port.MED_NEWS, request)
        assert isinstance(await cast.runner.act(ana.company_id, Fall(request.reference_id, stand)), Done)
        (return_id,) = await world.column("SELECT return_id FROM refunds WHERE origin = 'MED'")
        await world.told(port.RETURN_FINAL, port.ReturnFinal(return_id, "", True, None, world.now()))
    left = await available(world) - before
    await commit(cast.database, Write(ana.company_id, transfers=(cast.transfer(ana.customer, ana.clearing, left),)))


def _notice(world: World, name: str) -> MedNews:
    transaction = world.names[f"{name}_e2e"]
    return MedNews(
        object_type="INFRINGEMENT_NOTIFICATION", reference_id=uuid4(), status="OPEN", role="RECEIVER",
        end_to_end_id=transaction, root_id=transaction, at=world.now(), recovery_id=uuid4(), situation="SCAM",
        reason="REFUND_REQUEST", amount=Money(500, "BRL"),
    )  # fmt: skip
