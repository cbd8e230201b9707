"""What a Write's transfers take from accounts with a floor: the amounts that the SQL function draw() is called with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID

    from lastro.base.write import Transfer


def draws(transfers: Iterable[Transfer]) -> tuple[list[UUID], list[int], list[int]]:
    """Account ids in order, and for each what is added to its debits and to its held amount, in minor units.

    moved adds to debits; held adds to held; posted turns held into debits; voided gives held back. Credits of accounts
    with a floor are rows of transfers alone and lock nothing.
    """
    debits: dict[UUID, int] = {}
    held: dict[UUID, int] = {}
    for t in transfers:
        if not t.debit.floor:
            continue
        account, amount = t.debit.id, t.amount.minor
        debits[account] = debits.get(account, 0) + (amount if t.kind in ("moved", "posted") else 0)
        held[account] = held.get(account, 0) + {"held": amount, "posted": -amount, "voided": -amount}.get(t.kind, 0)
    order = sorted(debits)
    return order, [debits[a] for a in order], [held[a] for a in order]
