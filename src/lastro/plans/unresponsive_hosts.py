"""For how long the addresses in a plan's QRs have been silent, and when that is long enough."""

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
    """Since when, as far as this process has seen, in business time: after its restart an hour begins anew.

    A host that answers no line of a plan is silent since the first of them: the next ones do not each wait an hour of their
    own. Where it answers at another address, an hour is that of the one address.
    """

    def __init__(self) -> None:
        self._since: OrderedDict[tuple[UUID, str], datetime] = OrderedDict()

    def listening(self, ways: Ways, plan_id: UUID) -> Ways:
        """The same ways; whatever an address says, as good or as bad as it is, it is no longer silent to this plan."""
        return replace(ways, charges=_Listening(ways.charges, self, plan_id))

    def answered(self, plan_id: UUID, location: str) -> None:
        """Somebody is there."""
        for name in (location, _host_of(location)):
            self._since.pop((plan_id, name), None)

    def judge(self, found: T, plan_id: UUID, now: datetime) -> T | Refused | None:
        """What was found of a line; None: nothing was, it is asked again; a refusal, once nobody will answer any more."""
        if not isinstance(found, Unasked):
            return found
        silent = now - now if found.location is None else self._silent_for(plan_id, found.location, now)
        return rules.gives_up(found, silent)

    def _silent_for(self, plan_id: UUID, location: str, now: datetime) -> timedelta:
        """Of very many, what was silent longest ago is forgotten: its plan may have been canceled."""
        names = [(plan_id, name) for name in (location, _host_of(location))]
        since = min(self._since.setdefault(name, now) for name in names)
        for name in names:
            self._since.move_to_end(name)
        while len(self._since) > _MOST:
            self._since.popitem(last=False)
        return now - since


@dataclass(frozen=True, slots=True)
class _Listening:
    """Reads charges, and hears who answers."""

    charges: Charges
    silences: Silences
    plan_id: UUID

    async def read(self, location: str, now: datetime) -> Charge | NoCharge:
        """What is asked for at a location. Transient: it was silent."""
        found = await self.charges.read(location, now)
        self.silences.answered(self.plan_id, location)
        return found


def _host_of(location: str) -> str:
    return location.partition("/")[0].lower()
