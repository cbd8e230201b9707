"""The protocol of the worker's parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from lastro.banks import Banks
    from lastro.core.db import Database
    from lastro.core.ids import Chance
    from lastro.core.runner import Runner
    from lastro.core.secrets import KeyRing
    from lastro.plans import Planner
    from lastro.rails.port import InboxVerb, Need, Rail, Waiting
    from lastro.reconciliation import Reconciler
    from lastro.webhooks import Deliverer
    from lastro.worker.sweeper import Due


class Assembled(Protocol):
    """Parts of the worker process, as `lastro.app.wiring.assemble(settings, on_commit, on_worked)` makes them."""

    @property
    def database(self) -> Database:
        """The database, as the role of one company at a time."""

    @property
    def work(self) -> Database:
        """The database, as the role that finds work across companies."""

    @property
    def runner(self) -> Runner:
        """The runner, whose on_commit is the one that assemble was given."""

    @property
    def rails(self) -> Mapping[str, Rail]:
        """The networks, by the name that outbox and inbox rows carry."""

    @property
    def waiting(self) -> Mapping[str, Sequence[Waiting]]:
        """By rail: the domains' unfinished work there, which it must end."""

    @property
    def held_back(self) -> str:
        """An SQL condition on outbox rows: it must not be sent yet."""

    @property
    def early(self) -> str:
        """An SQL condition on outbox rows: an earlier message about the object is unsent."""

    @property
    def needs(self) -> Mapping[str, Need]:
        """By outbox kind: until when the row is needed."""

    @property
    def inbox_verbs(self) -> Mapping[str, InboxVerb]:
        """The inbox handlers, by inbox kind."""

    @property
    def banks(self) -> Banks:
        """The bank list, by which payers' institutions are named."""

    @property
    def dues(self) -> Sequence[Due]:
        """The sweeps of the domains."""

    @property
    def deliverer(self) -> Deliverer:
        """The numbering and delivery of events."""

    @property
    def planner(self) -> Planner:
        """The planner, which checks and applies plans of payouts."""

    @property
    def reconciler(self) -> Reconciler:
        """The reconciler, which takes the statements of networks and partners."""

    @property
    def chance(self) -> Chance:
        """The source of ids and lease tokens."""

    @property
    def stepping(self) -> Callable[[], Awaitable[bool | None]] | None:
        """The sandbox clock's next step, which says whether it did one; None outside the sandbox."""

    @property
    def rotating(self) -> Callable[[], Awaitable[bool]] | None:
        """The rotation of the keys of tokens, when it is time; None where nobody has to."""

    @property
    def key_ring(self) -> KeyRing | None:
        """The key ring, proved before anything works; None where nothing is sealed."""

    async def close(self) -> None:
        """Ends every connection."""
