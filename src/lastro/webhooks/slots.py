"""How many requests run at once: to all receivers together, to one endpoint, and to it for one company."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from lastro.webhooks.rules import DEFAULT_PLAN, Plan

if TYPE_CHECKING:
    from uuid import UUID

Key: TypeAlias = "tuple[UUID, int]"  # company and endpoint

_FEWEST_SLOTS = 2  # of an endpoint that does not answer: enough to notice that it does again


@dataclass(frozen=True, slots=True)
class DeliverySettings:
    """per_endpoint: requests at once to one scheme, host and port. at_once: to all. claim: deliveries taken at a time."""

    is_sandbox: bool
    plan: Plan = DEFAULT_PLAN
    per_endpoint: int = 32
    at_once: int = 1024
    claim: int = 32
    claims_at_once: int = 4


@dataclass(slots=True)
class Slots:
    """How many requests run, against how many may. A company whose endpoint gives no answer loses half of its slots there
    each time, and gets one back with each answer: so endpoints that time out cannot take all the room between them, and a
    host that companies share is not lost to all of them by one.
    """

    settings: DeliverySettings
    total: int = 0
    busy: Counter[int] = field(default_factory=Counter)
    busy_for: Counter[Key] = field(default_factory=Counter)
    most: dict[Key, int] = field(default_factory=dict)

    def take(self, key: Key, wanted: int) -> int:
        """As many as are free, up to `wanted`."""
        full = self.settings.per_endpoint
        free = min(
            wanted,
            self.most.get(key, full) - self.busy_for[key],
            full - self.busy[key[1]],
            self.settings.at_once - self.total,
        )
        if free <= 0:
            return 0
        self.busy[key[1]] += free
        self.busy_for[key] += free
        self.total += free
        return free

    def give_back(self, key: Key, count: int = 1) -> None:
        """These requests have ended, or were never made."""
        self.total -= count
        self.busy[key[1]] -= count
        if self.busy[key[1]] <= 0:
            del self.busy[key[1]]
        self.busy_for[key] -= count
        if self.busy_for[key] <= 0:
            del self.busy_for[key]

    def learn(self, key: Key, *, answered: bool) -> None:
        """What the last request says about the endpoint."""
        full = self.settings.per_endpoint
        if answered and key not in self.most:
            return
        most = self.most.get(key, full)
        most = most + 1 if answered else max(min(_FEWEST_SLOTS, full), most // 2)
        if most < full:
            self.most[key] = most
        else:
            self.most.pop(key, None)
