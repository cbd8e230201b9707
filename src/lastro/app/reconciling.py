"""The wiring of the reconciliation: statements that a worker takes, and our side of their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro import orders, payouts
from lastro.app.networks import statements_of
from lastro.rails.inbox import Inbox
from lastro.reconciliation import Reconciler

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from uuid import UUID

    from lastro.app.networks import Closers
    from lastro.config.settings import Settings
    from lastro.core.db import Database
    from lastro.core.ids import Chance
    from lastro.core.runner import Runner
    from lastro.core.work_queue import OnWorked
    from lastro.rails.port import Booked, NetworkMessage

# By rail: what a line of its statements may be.
BOOKED: Mapping[str, Sequence[Booked]] = {
    rail: (*orders.ON_STATEMENTS.get(rail, ()), *payouts.ON_STATEMENTS.get(rail, ()))
    for rail in orders.ON_STATEMENTS.keys() | payouts.ON_STATEMENTS.keys()
}


def reconciler_of(
    settings: Settings, database: Database, work: Database, runner: Runner, chance: Chance, on_worked: OnWorked
) -> tuple[Reconciler, Closers]:
    """Returns the reconciler of statements, and the closers of its connections."""
    inbox = Inbox(database, work, chance, settings.ispb)

    async def owners(told: Sequence[NetworkMessage]) -> Mapping[str, UUID]:
        """Returns the owners of lines: those of the messages behind them."""
        return (await inbox.owners(told))[1]

    statements, closers = statements_of(settings)
    return Reconciler(database, work, runner, statements, BOOKED, owners, on_worked), closers
