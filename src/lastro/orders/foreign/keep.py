"""Stores foreign payments as the poller of a connection finds them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.core.runner import Act, Done
from lastro.core.write import Write
from lastro.orders.foreign import store
from lastro.orders.foreign.states import FOREIGN_PAYMENTS
from lastro.rails.port import REHEARSAL, is_rehearsal

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext, Runner
    from lastro.core.write import Row
    from lastro.rails.port import ForeignPayment

_AT_ONCE = 500  # rows of a write; their times of creation are a microsecond apart, as lists want them
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class KeepForeign(Act["frozenset[tuple[str, str]]"]):
    """Stores foreign payments of one company, each once. No money moves, and nobody is told."""

    payments: Sequence[ForeignPayment]

    async def read(self, session: Session, context: RequestContext) -> frozenset[tuple[str, str]]:
        """Reads which of them are not to be listed: known already, or an order's elsewhere."""
        return await store.known(session, context.company_id, self.payments)

    def decide(self, known: frozenset[tuple[str, str]], context: RequestContext) -> Done:
        """Lists those that are not."""
        fresh: dict[tuple[str, str], ForeignPayment] = {}
        for one in self.payments:
            if (one.rail, one.payment_id) not in known:
                fresh.setdefault((one.rail, one.payment_id), one)
        rows = (listed(one, context, number * _MICROSECOND) for number, one in enumerate(fresh.values()))
        return Done(Write(context.company_id, rows=tuple(row for born in rows for row in born)), b"")


@dataclass(frozen=True)
class ForeignPayments:
    """The list of foreign payments of one company: a `port.Foreign`. company_id: whose connections they come from."""

    runner: Runner
    company_id: UUID

    async def keep(self, payments: Sequence[ForeignPayment]) -> None:
        """Stores the payments, each once; a second copy changes nothing. DatabaseAway, Stale: give the same ones again."""
        for first in range(0, len(payments), _AT_ONCE):
            await self.runner.act(self.company_id, KeepForeign(payments[first : first + _AT_ONCE]))  # it refuses nothing

    async def claimed(self, rail: str, payment_ids: Collection[str]) -> frozenset[str]:
        """Returns the claimed ones of these payments: they are ours since."""
        return await self._listed(rail, payment_ids, is_claimed=True)

    async def unclaimed(self, rail: str, payment_ids: Collection[str]) -> frozenset[str]:
        """Returns those of these payments that are listed and not claimed: they are not ours."""
        return await self._listed(rail, payment_ids, is_claimed=False)

    async def _listed(self, rail: str, payment_ids: Collection[str], *, is_claimed: bool) -> frozenset[str]:
        if not payment_ids:
            return frozenset()
        async with self.runner.database.session(self.company_id) as session:
            return await store.listed(session, self.company_id, rail, sorted(payment_ids), is_claimed=is_claimed)


def listed(one: ForeignPayment, context: RequestContext, later: timedelta = timedelta(0)) -> tuple[Row, ...]:
    """Returns the rows that list a payment. later: how long after now, for a batch. One of a rehearsal waits for nobody."""
    at, reason = context.now + later, REHEARSAL if is_rehearsal(one.txid) else one.reason
    values = {
        "id": context.chance.uuid(context.now), "rail": one.rail, "payment_id": one.payment_id, "txid": one.txid,
        "pix_key": one.pix_key, "reason": reason, "amount_minor": one.amount.minor, "paid_at": one.paid_at,
        "created_at": at, "updated_at": at,
    }  # fmt: skip
    if reason == REHEARSAL:
        return FOREIGN_PAYMENTS.born(values, at, ("find", "close"), reason="a rehearsal of lastro")
    return FOREIGN_PAYMENTS.born(values, at, ("find",))
