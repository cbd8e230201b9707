"""Settings of an API process's concurrency and connections."""

from __future__ import annotations

import resource
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lastro.config.given import Given

_OWN_FILES = 192  # open beside its clients: the database, networks, files, and some to spare


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of concurrency and queueing.

    at_once: requests that are worked on at a time; waiting: requests in the queue. patience_seconds: the longest wait;
    hurried_seconds: the longest wait once the queue has been occupied for so long: then it is no burst but too much, and
    longer waits would make every answer late (controlled delay).
    """

    at_once: int = 32
    waiting: int = 64
    patience_seconds: float = 0.5
    hurried_seconds: float = 0.1


@dataclass(frozen=True, slots=True)
class Load:
    """The limits of an API process.

    connections: of all clients. company_requests_per_minute: of all clients of a company.
    """

    bounds: Bounds = field(default_factory=Bounds)
    connections: int = 4_096
    company_requests_per_minute: int = 120_000


def load(given: Given) -> Load:
    """Reads the concurrency settings of an API process."""
    bounds = Bounds(
        given.whole("LASTRO_REQUESTS_AT_ONCE"),
        given.whole("LASTRO_REQUESTS_WAITING"),
        given.whole("LASTRO_REQUESTS_WAIT_MS") / 1000,
        given.whole("LASTRO_REQUESTS_HURRIED_WAIT_MS") / 1000,
    )
    if bounds.hurried_seconds > bounds.patience_seconds:
        given.problems.append("LASTRO_REQUESTS_HURRIED_WAIT_MS must not be above LASTRO_REQUESTS_WAIT_MS.")
    return Load(
        bounds,
        given.whole("LASTRO_CONNECTIONS"),
        given.whole("LASTRO_COMPANY_REQUESTS_PER_MINUTE"),
    )


def room_for(connections: int) -> int:
    """Raises this process's file limit; returns how many connections fit."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return connections if most == resource.RLIM_INFINITY else max(1, min(connections, most - _OWN_FILES))
