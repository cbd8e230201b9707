"""What the worker works with, whoever put it together."""

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
    from lastro.worker.due_poller import Due


class Assembled(Protocol):
    """Parts of the worker process, as `lastro.app.wiring.assemble(settings, on_commit, hear)` makes them."""

    @property
    def database(self) -> Database:
        """As the role that works for one company at a time."""

    @property
    def work(self) -> Database:
        """As the role that finds work across companies."""

    @property
    def runner(self) -> Runner:
        """Whose on_commit is what assemble was given."""

    @property
    def rails(self) -> Mapping[str, Rail]:
        """The networks, by the name that outbox and inbox rows carry."""

    @property
    def waiting(self) -> Mapping[str, Sequence[Waiting]]:
        """By rail: what the rooms have there that it must end."""

    @property
    def held_back(self) -> str:
        """Says of an outbox row that it must not be sent yet."""

    @property
    def early(self) -> str:
        """Says of an outbox row that what it is about has not been told yet."""

    @property
    def needs(self) -> Mapping[str, Need]:
        """By outbox kind: until when it is needed."""

    @property
    def inbox_verbs(self) -> Mapping[str, InboxVerb]:
        """By inbox kind."""

    @property
    def banks(self) -> Banks:
        """The bank list, by which payers' institutions are named."""

    @property
    def dues(self) -> Sequence[Due]:
        """The sweeps of the rooms."""

    @property
    def deliverer(self) -> Deliverer:
        """Numbers and delivers events."""

    @property
    def planner(self) -> Planner:
        """Checks and applies plans of payouts."""

    @property
    def reconciler(self) -> Reconciler:
        """Takes the statements of networks and partners."""

    @property
    def chance(self) -> Chance:
        """Ids and lease tokens."""

    @property
    def stepping(self) -> Callable[[], Awaitable[bool]] | None:
        """The sandbox clock's next step, which says whether it did one; None outside the sandbox."""

    @property
    def rotating(self) -> Callable[[], Awaitable[bool]] | None:
        """Rotates the keys of tokens when it is time; None where nobody has to."""

    @property
    def key_ring(self) -> KeyRing | None:
        """Proved before anything works; None where nothing is sealed."""

    async def close(self) -> None:
        """Ends every connection."""
