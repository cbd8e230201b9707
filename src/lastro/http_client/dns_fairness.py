"""Queues look-ups so that silent name servers delay only their own domains."""

import asyncio
from collections import Counter
from functools import lru_cache

# A domain has at most this part of what is free beside it; and so much of all is for names that are known.
_PART = 4
_MANY_KNOWN = 32_768

# Labels that countries' registries put between a name of theirs and the country. They are few, not every short label: the
# owner of a domain that is taken for one of these would have as many domains as there are names in it. A missing label only
# makes strangers share the places of one domain.
_BETWEEN = frozenset({"ac", "co", "com", "edu", "go", "gob", "gov", "ne", "net", "or", "org"})


@lru_cache(maxsize=8192)
def domain_of(host: str) -> str:
    """Returns the registered domain of a name: two or three labels.

    They are three if the registry's own label stands between, as in Brazil always, but for universities: there each part
    counts as a domain of its own.
    """
    labels = host.lower().rstrip(".").split(".")
    is_three = labels[-1] == "br" or (len(labels[-1]) == 2 and len(labels) > 2 and labels[-2] in _BETWEEN)
    return ".".join(labels[-3 if is_three else -2 :])


class Turns:
    """A fair queue of look-ups, `at_once` at a time.

    A domain has at most a quarter of what is free beside it, or one place. So with one domain whose servers are silent most
    places stay free, and the more such domains there are the fewer places has each. Since anybody may name other people's
    dead domains, of which there is no end, a quarter of the places is for names that had an address when they were looked up
    last. They also go first, before all others that came earlier.
    """

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._for_known = at_once // _PART
        self._busy: Counter[str] = Counter()  # places of each domain
        self._waiting: dict[asyncio.Future[None], str] = {}
        self._known: dict[str, None] = {}  # the one that was found last is the last

    async def take(self, host: str) -> None:
        """Waits for a place. A cancelled waiter leaves the queue and is not looked up."""
        if self._may_begin(host):
            self._begin(host)
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[turn] = host
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                del self._waiting[turn]
            else:  # its turn came in the same moment
                self.give_back(host)
            raise

    def give_back(self, host: str) -> None:
        """Ends a look-up and begins those that may start now."""
        domain = domain_of(host)
        self._free += 1
        self._busy[domain] -= 1
        if not self._busy[domain]:
            del self._busy[domain]
        while (turn := self._next()) is not None:
            self._begin(self._waiting.pop(turn))
            turn.set_result(None)

    def learn(self, host: str, *, has_address: bool) -> None:
        """Remembers the result of a look-up. It is called before the look-up's place is given back."""
        self._known.pop(host, None)
        if has_address:
            self._known[host] = None
            if len(self._known) > _MANY_KNOWN:
                del self._known[next(iter(self._known))]

    def _may_begin(self, host: str) -> bool:
        free = self._free if host in self._known else self._free - self._for_known
        busy = self._busy[domain_of(host)]
        return free > 0 and (not busy or busy < free // _PART)

    def _begin(self, host: str) -> None:
        self._free -= 1
        self._busy[domain_of(host)] += 1

    def _next(self) -> asyncio.Future[None] | None:
        """Returns the next waiter. A waiter that has just given up may still be in the queue."""
        may = [turn for turn, host in self._waiting.items() if not turn.done() and self._may_begin(host)]
        return min(may, key=lambda turn: self._waiting[turn] not in self._known, default=None)
