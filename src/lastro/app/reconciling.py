"""The wiring of the reconciliation: statements that a worker takes, and our side of their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro import orders, payouts
from lastro.app.networks import statements_of
from lastro.rails import port
from lastro.rails.inbox import Inbox
from lastro.reconciliation import Reconciler

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from uuid import UUID

    from lastro.app.banks import Banks
    from lastro.app.networks import Closers
    from lastro.config.settings import Settings
    from lastro.core.db import Database
    from lastro.core.ids import Chance
    from lastro.core.runner import Runner
    from lastro.core.work_queue import OnWorked
    from lastro.rails.port import Booked, NetworkMessage


def booked_on(rail: str) -> Sequence[Booked]:
    """Returns our objects that a line of this rail's statements may be."""
    return (*orders.on_statements(rail), *payouts.ON_STATEMENTS.get(rail, ()))


BOOKED = {rail: booked_on(rail) for rail in port.RAILS}


def reconciler_of(
    settings: Settings, work: Database, runner: Runner, chance: Chance, banks: Banks, on_worked: OnWorked
) -> tuple[Reconciler, Closers]:
    """Returns the reconciler of statements, and the closers of its connections. banks: their statements too."""
    database = runner.database
    inbox = Inbox(database, work, chance, settings.ispb)

    async def owners(told: Sequence[NetworkMessage]) -> Mapping[str, UUID]:
        """Returns the owners of lines: those of the messages behind them."""
        return (await inbox.owners(told))[1]

    statements, closers = statements_of(settings)
    statements |= banks.statements()
    booked = BOOKED | {rail: booked_on(rail) for rail in statements}
    return Reconciler(database, work, runner, statements, booked, owners, on_worked), closers
