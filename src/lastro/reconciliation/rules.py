"""The differences between lines and books, and their end. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.rails.port import CHARGEBACK, FEE, IN, RETURN_IN
from lastro.reconciliation.model import (
    AMOUNT,
    CONTRADICTED,
    COST,
    DONE,
    ENDED,
    FED,
    MATCHED,
    MISSING,
    REFERENCE,
    TWICE,
    UNHEARD,
    UNKNOWN,
    UNTOLD,
    WAITS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lastro.reconciliation.model import Item, Ours, Theirs

# Money that has come, or was taken back, can be booked by the line's message; people must look at money that has left
# without an order of ours.
_BOOKED_BY_ITSELF = frozenset({IN, RETURN_IN, CHARGEBACK})


def judge(theirs: Theirs, ours: Ours | None, *, twice: bool = False, readable: bool = True) -> str:
    """Returns MATCHED, COST, or the first difference, gravest first.

    twice: another line has said it. readable: `told` can be read.
    """
    kind = theirs.name[0]
    if kind == FEE:
        return COST
    if twice:
        return TWICE
    if ours is None:
        return UNHEARD if kind in _BOOKED_BY_ITSELF and readable else UNKNOWN
    if ours.amount_minor != theirs.amount.minor:
        return AMOUNT
    if ours.stage != DONE:
        # Money that has come although we or the network had refused it is booked, and goes back.
        by_itself = readable and (ours.stage == WAITS or (ours.stage == ENDED and kind in _BOOKED_BY_ITSELF))
        return UNTOLD if by_itself else CONTRADICTED
    if None not in (theirs.reference, ours.reference) and theirs.reference != ours.reference:
        return REFERENCE
    return MATCHED


def closing(item: Item, theirs: Sequence[Theirs], ours: Ours | None) -> str | None:
    """Returns the trigger that ends an open difference; None: it stays.

    theirs: the lines of every statement as it was issued last, that mean the same movement.
    """
    if not theirs:
        # A line that was said no more says nothing; what is missing is so until a line comes, or ours is undone.
        gone = item.difference != MISSING or ours is None or ours.stage != DONE
        return "explain" if gone else None
    if len(theirs) > 1 and item.difference == TWICE:
        return None
    now = judge(theirs[0], ours)
    if now == MATCHED:
        return "book" if item.difference in FED else "explain"
    # It is no longer known if its message could be read: either may have been found. Another difference has an item of
    # its own; a message that is not booked yet may be on its way.
    stays = {now, judge(theirs[0], ours, readable=False)}
    if item.difference in FED and stays & (FED | {CONTRADICTED, AMOUNT, REFERENCE}):
        return None  # booked otherwise than the line says: nothing else tells of it
    return None if item.difference in stays else "explain"
