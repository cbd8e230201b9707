"""Assembly of the reconciliation: whose statements a worker takes, and what of ours their lines may be."""

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
    """Who works on statements, and what ends the connections by which they are asked for."""
    inbox = Inbox(database, work, chance, settings.ispb)

    async def owners(told: Sequence[NetworkMessage]) -> Mapping[str, UUID]:
        """A line is whose the message behind it would be."""
        return (await inbox.owners(told))[1]

    statements, closers = statements_of(settings)
    return Reconciler(database, work, runner, statements, BOOKED, owners, on_worked), closers
