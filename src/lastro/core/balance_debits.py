"""Computes the arguments of the SQL function draw() from a Write's transfers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID

    from lastro.core.write import Transfer, Watch


def draws(
    transfers: Iterable[Transfer], watches: Iterable[Watch] = ()
) -> tuple[list[UUID], list[int], list[int], list[int], list[int]]:
    """Returns the arguments of draw(), as parallel lists ordered by account id.

    For each account: its id, and the amounts added to its debits, its held amount, its debt and its watched amount, in minor
    units. moved adds to debits; held adds to held; posted turns held into debits; voided gives held back. A transfer from or
    to an account that has a debtor changes the debt. Credits of accounts with a floor are rows of transfers alone and lock
    nothing.
    """
    debits: dict[UUID, int] = {}
    held: dict[UUID, int] = {}
    owed: dict[UUID, int] = {}
    watched: dict[UUID, int] = {}
    for w in watches:
        watched[w.account.id] = watched.get(w.account.id, 0) + w.minor
    for t in transfers:
        if t.kind in ("moved", "posted"):
            for side, sign in ((t.debit, 1), (t.credit, -1)):
                if side.debtor is not None:
                    owed[side.debtor] = owed.get(side.debtor, 0) + sign * t.amount.minor
        if not t.debit.floor:
            continue
        account, amount = t.debit.id, t.amount.minor
        debits[account] = debits.get(account, 0) + (amount if t.kind in ("moved", "posted") else 0)
        held[account] = held.get(account, 0) + {"held": amount, "posted": -amount, "voided": -amount}.get(t.kind, 0)
    order = sorted(debits.keys() | owed.keys() | watched.keys())
    first, second, third, fourth = ([of.get(a, 0) for a in order] for of in (debits, held, owed, watched))
    return order, first, second, third, fourth
