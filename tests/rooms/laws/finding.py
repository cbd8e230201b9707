"""A Pix at a merchant's own bank that no order asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.core.money import Money
from lastro.orders import KeepForeign
from lastro.rails.port import ForeignPayment

if TYPE_CHECKING:
    from tests.rooms.laws.world import World


async def play(world: World) -> None:
    """It is listed, and nothing else."""
    found = ForeignPayment("efi1", "E12345678202601311200foreign0001", Money(700, "BRL"), world.now())
    await world.cast.runner.act(world.ana.company_id, KeepForeign([found]))
