"""How many connections are open, of all and of one address, and which one goes when there are too many."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from lastro.api_kit.proxies import counted_as

if TYPE_CHECKING:
    from collections.abc import Callable


class Quiet(Protocol):
    """What may be closed without anybody losing an answer."""

    @property
    def is_quiet(self) -> bool:
        """Whether no whole request waits for its answer there."""


C = TypeVar("C", bound=Quiet)


class Connections(Generic[C]):
    """most: of all addresses together; of_one: of one address, or one network of IPv6, but for those that stand for many, as
    proxies of ours do.

    closed: how many were, to make room.
    """

    def __init__(self, most: int, of_one: int, stands_for_many: Callable[[str], bool] = lambda _: False) -> None:
        self._most = most
        self._of_one = of_one
        self._stands_for_many = stands_for_many
        self._owner = lru_cache(maxsize=4096)(lambda address: address if stands_for_many(address) else _network(address))
        self._by_owner: dict[str, dict[C, None]] = {}  # whoever has asked for something last is last
        self.count = 0
        self.closed = 0

    def opened(self, connection: C, address: str) -> C | None:
        """Counts one more. Which is to be closed for it: a quiet one, itself where none is; None: there is room.

        Whoever has the most gives one, so that thousands of one address cost nobody else a connection.
        """
        own = self._by_owner.setdefault(self._owner(address), {})
        own[connection] = None
        self.count += 1
        if len(own) > self._of_one and not self._stands_for_many(address):
            crowd = own
        elif self.count > self._most:
            crowd = max(self._by_owner.values(), key=len)
        else:
            return None
        self.closed += 1
        return next((one for one in crowd if one is not connection and one.is_quiet), connection)

    def asked(self, connection: C, address: str) -> None:
        """Something is asked there: it is closed after those that were silent for longer."""
        own = self._by_owner.get(self._owner(address), {})
        if connection in own:
            del own[connection]
            own[connection] = None

    def lost(self, connection: C, address: str) -> None:
        """It is over. Whoever was told to close one hears of it here too, so that it is counted once."""
        owner = self._owner(address)
        own = self._by_owner.get(owner)
        if own is None or connection not in own:
            return
        del own[connection]
        self.count -= 1
        if not own:
            del self._by_owner[owner]


def _network(address: str) -> str:
    """Whose an address is: who has one of IPv6 has as many as it likes."""
    try:
        return counted_as(ip_address(address))
    except ValueError:  # of a socket that is a file
        return address
