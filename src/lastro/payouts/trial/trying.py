"""Tries out many payouts, a few look-ups at a time; their facts are read in a few statements."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.accounts import OwnFirst
from lastro.core.errors import Refused
from lastro.payouts import rules, store
from lastro.payouts.actions.create import CreatePayoutContext, Findings, MakePayout
from lastro.payouts.duplicates.store import sames
from lastro.payouts.trial.store import numbers, taken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.money import Money
    from lastro.core.runner import RequestContext
    from lastro.payouts.actions.finding import Ways
    from lastro.payouts.model import Destination, Likeness, PayoutWish

Ground = CreatePayoutContext  # the facts of one payout


@dataclass(frozen=True, slots=True)
class Tried:
    """A payout as it would be made. transfers: their number. like: the likeness of repetitions."""

    destination: Destination
    fee: Money
    transfers: int
    like: Likeness


async def read_grounds(
    session: Session, context: RequestContext, wishes: Sequence[PayoutWish], ways: Ways
) -> tuple[list[Ground], Ways]:
    """Reads each payout's facts, in order, and the directories to use."""
    keys = [key for key in map(rules.key_paid, wishes) if key is not None]
    if isinstance(ways.directory, OwnFirst):
        ways = replace(ways, directory=await ways.directory.among(session, keys))
    banks = await ways.banks.read(session)
    codes = await taken(session, context.company_id, [w.external_id for w in wishes])
    given = iter(await numbers(session, len(wishes)))
    by_account: dict[tuple[UUID, str], store.Ground] = {}
    found: list[Ground] = []
    for w in wishes:
        one = by_account.get((w.account_id, w.method))
        if one is None:
            one = await store.ground(session, context.company_id, w.account_id, w.method, w.external_id, 1)
            by_account[w.account_id, w.method] = one
        ground = replace(one, is_taken=w.external_id in codes, numbers=(next(given),))
        found.append(CreatePayoutContext(ground, None, banks))
    return found, ways


async def try_out(wish: PayoutWish, ground: Ground, ways: Ways, context: RequestContext) -> Tried | Refused:
    """Tries one payout: looks up its destination and decides, except about repetitions.

    No connection is held meanwhile. Unasked says nothing of the payout: the look-up failed for now.
    """
    create = MakePayout(wish, "", ways, Findings())
    known = await create.call_out(ground, context)
    if isinstance(known, Refused):
        return known
    parts = create.judged(known)
    if isinstance(parts, Refused):
        return parts
    assert known.destination is not None
    fee = known.ground.setup.fees.at(context.now).total(wish.amount)
    return Tried(known.destination, fee, len(parts), create.likeness(known.destination))


async def repetitions(session: Session, context: RequestContext, tried: Mapping[int, Tried]) -> dict[int, UUID]:
    """Reads equal payouts of the last ten minutes, by place tried."""
    likes = {place: one.like for place, one in tried.items()}
    return await sames(session, context.company_id, likes, context.now - rules.SAME_WITHIN)
