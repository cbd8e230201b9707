"""The silence of the hosts in a plan's QRs, and its limit."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from lastro.payouts import Unasked
from lastro.plans import rules

if TYPE_CHECKING:
    from datetime import datetime, timedelta
    from uuid import UUID

    from lastro.core.errors import Refused
    from lastro.payouts import Ways
    from lastro.rails.port import Charge, Charges, NoCharge

_MOST = 50_000  # addresses and hosts; a plan has 10,000 lines at most
T = TypeVar("T")


class Silences:
    """The silent hosts of plans, each since its first failure.

    Times are business time, kept by this process alone: after its restart an hour begins anew. A host that answers no line
    of a plan is silent since the first of them: the next ones do not each wait an hour of their own. If it answers at
    another address, the hour is that of the one address.
    """

    def __init__(self) -> None:
        self._since: OrderedDict[tuple[UUID, str], datetime] = OrderedDict()

    def listening(self, ways: Ways, plan_id: UUID) -> Ways:
        """Wraps the directories: any answer of a host, good or bad, ends its silence for this plan."""
        return replace(ways, charges=_Listening(ways.charges, self, plan_id))

    def answered(self, plan_id: UUID, location: str) -> None:
        """Ends the silence of a location and its host."""
        for name in (location, _host_of(location)):
            self._since.pop((plan_id, name), None)

    def judge(self, found: T, plan_id: UUID, now: datetime) -> T | Refused | None:
        """Judges a line's look-up: the result, None to retry, or a refusal after too long a silence."""
        if not isinstance(found, Unasked):
            return found
        silent = now - now if found.location is None else self._silent_for(plan_id, found.location, now)
        return rules.gives_up(found, silent)

    def _silent_for(self, plan_id: UUID, location: str, now: datetime) -> timedelta:
        """Returns the silence of a location or its host. The oldest is dropped: its plan may have been canceled."""
        names = [(plan_id, name) for name in (location, _host_of(location))]
        since = min(self._since.setdefault(name, now) for name in names)
        for name in names:
            self._since.move_to_end(name)
        while len(self._since) > _MOST:
            self._since.popitem(last=False)
        return now - since


@dataclass(frozen=True, slots=True)
class _Listening:
    """Reads charges, and ends the silence of hosts that answer."""

    charges: Charges
    silences: Silences
    plan_id: UUID

    async def read(self, location: str, now: datetime) -> Charge | NoCharge:
        """Reads the charge at a location. Raises Transient: it was silent."""
        found = await self.charges.read(location, now)
        self.silences.answered(self.plan_id, location)
        return found


def _host_of(location: str) -> str:
    return location.partition("/")[0].lower()
