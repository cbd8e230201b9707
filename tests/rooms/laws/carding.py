"""Orders by card: one charged, of which an issuer has taken a part back; one whose payer was not authenticated."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from tests.rooms.orders.cards import Acquirer, charged_back, make, paid, result
from tests.rooms.orders.shop import Shop

if TYPE_CHECKING:
    from tests.rooms.laws.world import World

_URL = "https://ana.example/hook"  # that of all her orders


async def play(world: World) -> None:
    """Ana has pesos afterwards."""
    shop, acquirer = Shop(world.cast, world.ana), Acquirer()
    charged = await paid(shop, acquirer, notificationUrl=_URL)
    await charged_back(shop, charged, 345)
    rejected = await make(shop, acquirer, externalId="card-2", notificationUrl=_URL)
    await result(shop, rejected, "N")
    world.names["charged"], world.names["unauthenticated"] = UUID(charged["id"]), UUID(rejected["id"])
