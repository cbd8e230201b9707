"""For how long the address in a line's QR has been silent, and when that is long enough."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, TypeVar

from lastro.payouts import Unasked
from lastro.plans import rules

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.base.errors import Refused

_MOST = 50_000  # lines; a plan has 10,000 at most
T = TypeVar("T")


class Silences:
    """Since when, as far as this process has seen, in business time: after its restart an hour begins anew."""

    def __init__(self) -> None:
        self._since: OrderedDict[tuple[UUID, int], datetime] = OrderedDict()

    def judge(self, found: T, plan_id: UUID, number: int, now: datetime) -> T | Refused | None:
        """What was found of a line; None: nothing was, it is asked again; a refusal, once nobody will answer any more."""
        if isinstance(found, Unasked):
            silent = now - self._heard_of(plan_id, number, now) if found.is_address else now - now
            given_up = rules.gives_up(found, silent)
            if given_up is None:
                return None
            self._since.pop((plan_id, number), None)
            return given_up
        self._since.pop((plan_id, number), None)
        return found

    def _heard_of(self, plan_id: UUID, number: int, now: datetime) -> datetime:
        """Since when the line is silent. Of many, the oldest is forgotten: its plan may have been canceled."""
        since = self._since.setdefault((plan_id, number), now)
        if len(self._since) > _MOST:
            self._since.popitem(last=False)
        return since
