"""What a run tries of its largest tables: a part that chance draws anew in each run, the same in all processes of a run.

DRAW_SEED draws a run's part again, DRAW_ALL=1 tries all: docs/decisions/drawn-cases.md.
"""

import os
import random
import secrets
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
SEED = "DRAW_SEED"
ALL = bool(os.environ.get("DRAW_ALL"))


def begin() -> str:
    """Gives the run its seed, for the processes that it starts, too. It has one already when it is a part of a run."""
    return os.environ.setdefault(SEED, secrets.token_hex(4))


def chance(table: str) -> random.Random:
    """By what a run draws from this table."""
    return random.Random(f"{begin()} {table}")


def some(table: str, cases: Sequence[T], parts: int) -> list[T]:
    """One part in so many of the cases, in their order; at least one where there are any."""
    if ALL:
        return list(cases)
    numbers = chance(table).sample(range(len(cases)), -(-len(cases) // parts))
    return [cases[number] for number in sorted(numbers)]
