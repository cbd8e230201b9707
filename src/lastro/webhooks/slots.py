"""The limits of concurrent requests.

They are of all receivers together, of one company, of one endpoint, and of one company at one endpoint.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from lastro.webhooks.rules import DEFAULT_PLAN, Plan

if TYPE_CHECKING:
    from uuid import UUID

Key: TypeAlias = "tuple[UUID, int]"  # company and endpoint
K = TypeVar("K")
V = TypeVar("V")

_FEWEST_SLOTS = 2  # of an endpoint that does not answer: enough to notice that it does again
_REMEMBERED = 10_000  # endpoints that were silent lately: a company may name as many as there are hosts and ports


@dataclass(frozen=True, slots=True)
class DeliverySettings:
    """The limits of deliveries.

    per_endpoint: requests of a company at once to one scheme, host and port. at_once: all. claim: taken at a time.
    """

    is_sandbox: bool
    plan: Plan = DEFAULT_PLAN
    per_endpoint: int = 32
    at_once: int = 1024
    claim: int = 32
    claims_at_once: int = 4


@dataclass(slots=True)
class Slots:
    """The running requests, and their limits.

    A company whose endpoint gives no answer loses half of its slots there each time, and gets one back with each answer:
    so endpoints that time out cannot take all the room between them, and a host that companies share is not lost to all
    of them by one.

    A company has as many as are left free, however many endpoints it names (the dynamic threshold of shared buffers,
    Choudhury and Hahne 1998): half of all alone, a third each where two want everything. So there is room for the next.
    And likewise at an endpoint, which has twice what a company may have there: a company that always wants more leaves
    room for others.
    """

    settings: DeliverySettings
    total: int = 0
    busy: Counter[int] = field(default_factory=Counter)
    busy_of: Counter[UUID] = field(default_factory=Counter)
    busy_for: Counter[Key] = field(default_factory=Counter)
    most: OrderedDict[Key, int] = field(default_factory=OrderedDict)

    def take(self, key: Key, wanted: int) -> int:
        """Takes as many slots as are free, up to `wanted`."""
        company_id, endpoint = key
        full, left = self.settings.per_endpoint, self.settings.at_once - self.total
        free = min(
            wanted,
            self.most.get(key, full) - self.busy_for[key],
            (2 * full - self.busy[endpoint] - self.busy_for[key] + 1) // 2,
            (left - self.busy_of[company_id] + 1) // 2,  # each one that it takes is one that is no longer left
        )
        if free <= 0:
            return 0
        self.busy[endpoint] += free
        self.busy_of[company_id] += free
        self.busy_for[key] += free
        self.total += free
        return free

    def give_back(self, key: Key, count: int = 1) -> None:
        """Frees the slots of requests that ended or were never made."""
        company_id, endpoint = key
        self.total -= count
        _less(self.busy, endpoint, count)
        _less(self.busy_of, company_id, count)
        _less(self.busy_for, key, count)

    def learn(self, key: Key, *, answered: bool) -> None:
        """Adapts an endpoint's slots to the last request's result."""
        full = self.settings.per_endpoint
        if answered and key not in self.most:
            return
        most = self.most.get(key, full)
        most = most + 1 if answered else max(min(_FEWEST_SLOTS, full), most // 2)
        if most < full:
            remember(self.most, key, most)
        else:
            self.most.pop(key, None)


def _less(busy: Counter[K], one: K, count: int) -> None:
    busy[one] -= count
    if busy[one] <= 0:
        del busy[one]


def remember(known: OrderedDict[K, V], key: K, value: V) -> None:
    """Caches a value of an endpoint; of too many, the oldest is evicted.

    Most of them never answer and are never asked again, so that nothing else would take them out.
    """
    known[key] = value
    known.move_to_end(key)
    if len(known) > _REMEMBERED:
        known.popitem(last=False)
