"""The simulator's shared state: store, clock, chance and bells."""

from dataclasses import dataclass, field

from lastro_sim.bells import Bells
from lastro_sim.chance import Chance
from lastro_sim.clock import SECOND, Clock
from lastro_sim.settings import Settings
from lastro_sim.store import Store
from lastro_sim.tracing import Tracer

LOOKS_EVERY_SECONDS = 1.0  # the timer's own polling interval


@dataclass(frozen=True)
class Network:
    """The simulated world, passed to its functions.

    tracer: set while traces are on. faulty: the operations that faults have been ordered for, kept by `faults`.
    """

    settings: Settings
    store: Store
    clock: Clock
    chance: Chance
    bells: Bells
    tracer: Tracer | None = None
    faulty: set[str] = field(default_factory=set)

    def falls_due(self, at: int) -> None:
        """Wakes the timer if it would look later than this machine time."""
        if at - self.clock.machine() < LOOKS_EVERY_SECONDS * SECOND:
            self.bells.ring("timer")

    def move_clock(self, offset: int) -> None:
        """Sets the offset of business time and wakes the due work."""
        self.store.remember("clock-offset", offset)
        self.clock.offset = offset
        self.bells.ring("timer")
        for row in self.store.rows("SELECT DISTINCT ispb FROM message WHERE confirmed = 0"):
            self.bells.ring(f"out:{row['ispb']}")
