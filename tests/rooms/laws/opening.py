"""Requests for accounts: one that waits for documents, one that is looked at, one refused, one that became an account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from tests.rooms.accounts.openings import ALL, Desk

if TYPE_CHECKING:
    from tests.rooms.laws.world import World


async def play(world: World) -> None:
    """Each of another holder."""
    desk = Desk(world.cast, world.ana)
    asked: dict[str, Any] = {}
    for name, cpf in (
        ("asked", "52998224725"),
        ("analysed", "11144477735"),
        ("reproved", "24681357928"),
        ("opened", "12345678909"),
    ):
        document = {"document": {"type": "CPF", "number": cpf}}
        asked[name] = await (desk.ask(**document) if name == "asked" else desk.handed_over(**document))
        world.names[name] = UUID(asked[name]["accountRequestId"])
    await desk.judge(asked["reproved"], "REPROVED", code="DOCUMENT_ILLEGIBLE", fields=[ALL[0]])
    await desk.judge(asked["opened"])
