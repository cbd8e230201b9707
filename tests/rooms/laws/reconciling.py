"""A day whose statement says what the books have; another of which a difference is open, and others are settled."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from tests.rooms.laws import paying_out

from lastro.app.reconciling import BOOKED
from lastro.core.commit import commit
from lastro.core.money import Money
from lastro.core.write import Write
from lastro.rails import port
from lastro.rails.port import NetworkMessage, StatementLine
from lastro.reconciliation import Accept
from lastro.reconciliation.actions.compare import Compare, Lack
from lastro.reconciliation.actions.days import Begin, Finish
from lastro.reconciliation.actions.settle import FIRST, Look
from lastro.reconciliation.store import of_day
from lastro.standards.calendar import brasilia_day

if TYPE_CHECKING:
    from tests.rooms.laws.world import World

    from lastro.reconciliation.model import Statement

_NOTHING = NetworkMessage(port.UNKNOWN, "", "x", b"")


async def play(world: World) -> None:
    """Statements are of Ana's company here, as if it were the institution."""
    whole, other = await _begun(world)
    names = world.names
    (given_back,) = await world.column(f"SELECT return_id FROM refunds WHERE id = '{names['returned_refund']}'")
    lines = [
        _line(world, port.IN, names["paid_e2e"]), _line(world, port.RETURN_OUT, given_back),
        _line(world, port.OUT, names["out_paid_e2e"]), _line(world, port.OUT, names["out_too_much_sent_on_e2e"]),
        _line(world, port.RETURN_IN, names["out_partial_return"], 400), _line(world, port.FEE, "tariff", 35),
    ]  # fmt: skip
    await _act(world, Compare(whole, lines, BOOKED["pix"]))
    await _act(world, Finish(whole, None))
    await _differ(world, other)


async def _begun(world: World) -> list[Statement]:
    today = brasilia_day(world.now())
    days = [today - timedelta(days=3), today - timedelta(days=2)]
    await _act(world, Begin("pix", days))
    async with world.cast.database.session(world.ana.company_id) as session:
        found = [await of_day(session, world.ana.company_id, "pix", day) for day in days]
    return [one for one in found if one is not None]


async def _differ(world: World, other: Statement) -> None:
    """Open: an amount. Accepted: a movement of nobody. Booked: what was never heard of. Explained: what was missing."""
    ignore_worked = await world.arrival("unheard", txid=None, settled_at=world.now())
    told = NetworkMessage(port.PIX_SETTLED, "", ignore_worked.end_to_end_id, port.encode(ignore_worked))
    lines = [
        _line(world, port.IN, world.names["unasked_e2e"], 999), _line(world, port.OUT, "nobodys"),
        _line(world, port.IN, ignore_worked.end_to_end_id, told=told),
    ]  # fmt: skip
    await _act(world, Compare(other, lines, BOOKED["pix"]))
    await paying_out.handle(world, world.ana.company_id, port.PIX_SETTLED)
    await _spend(world, ignore_worked.end_to_end_id)
    await _act(world, Lack(other, [(port.IN, world.names["paid_e2e"])], BOOKED["pix"]))
    (nobodys,) = await world.column("SELECT id FROM statement_items WHERE network_id = 'nobodys'")
    await _act(world, Accept(UUID(str(nobodys)), "bia", "called"))
    await _act(world, Look("pix", BOOKED["pix"], FIRST, 500))


async def _spend(world: World, name: str) -> None:
    """Ana's account has afterwards what it had before."""
    sql = f"SELECT t.amount_minor FROM transfers t JOIN orders o ON o.id = t.reference_id WHERE o.external_id = '{name}' AND t.type = 'PIX_IN'"
    (came,) = await world.column(sql)
    out = world.cast.transfer(world.ana.customer, world.ana.clearing, came)
    await commit(world.cast.database, Write(world.ana.company_id, transfers=(out,)))


def _line(world: World, kind: str, name: str, cents: int = 1000, told: NetworkMessage = _NOTHING) -> StatementLine:
    return StatementLine(f"{kind}-{name}", kind, name, None, Money(cents, "BRL"), world.now(), told)


async def _act(world: World, verb: Any) -> None:
    await world.cast.runner.act(world.ana.company_id, verb)
