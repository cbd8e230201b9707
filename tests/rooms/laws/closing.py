"""Two accounts more: one was blocked, unblocked and closed, one was refused to close and is blocked."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from tests.cast import PLACE
from tests.rooms.closing.counter import Directory

from lastro.accounts import ChangeStatus, Why
from lastro.closing import Clear, Close

if TYPE_CHECKING:
    from tests.rooms.laws.world import World

_WHY = Why("OPERATOR_DECISION", "for a reason")


async def play(world: World) -> None:
    """The closed one had a key, which is deleted."""
    company, act = world.ana.company_id, world.cast.act
    account = await world.cast.open_account(company)
    closed = UUID(account["id"])
    await world.cast.add_key(company, closed)
    for trigger in ("block", "unblock"):
        await act(company, ChangeStatus(closed, trigger, _WHY))
    made = await act(company, Close(closed, _WHY))
    for _ in range(2):
        await world.cast.runner.act(company, Clear(UUID(made["id"]), PLACE, Directory()))
    refused = await act(company, Close(world.ana.account_id, _WHY))
    assert refused["status"] == "REFUSED"
    world.names |= {"closed_account": closed, "close_request": UUID(made["id"]), "refused_request": UUID(refused["id"])}
