"""What every part of the simulator is given: its memory, its clock, its chance, its bells."""

from dataclasses import dataclass

from lastro_sim.bells import Bells
from lastro_sim.chance import Chance
from lastro_sim.clock import SECOND, Clock
from lastro_sim.settings import Settings
from lastro_sim.store import Store
from lastro_sim.tracing import Tracer

LOOKS_EVERY_SECONDS = 1.0  # so often the timer looks by itself


@dataclass(frozen=True)
class Network:
    """The simulated world, passed to every function that plays a part in it. tracer: where traces are on."""

    settings: Settings
    store: Store
    clock: Clock
    chance: Chance
    bells: Bells
    tracer: Tracer | None = None

    def falls_due(self, at: int) -> None:
        """Something ends by itself at this machine time: wake the timer if it would not have looked by then."""
        if at - self.clock.machine() < LOOKS_EVERY_SECONDS * SECOND:
            self.bells.ring("timer")

    def move_clock(self, offset: int) -> None:
        """Set how far business time is from machine time, and wake what has fallen due."""
        self.store.remember("clock-offset", offset)
        self.clock.offset = offset
        self.bells.ring("timer")
        for row in self.store.rows("SELECT DISTINCT ispb FROM message WHERE confirmed = 0"):
            self.bells.ring(f"out:{row['ispb']}")
