"""Closes differences: explained by now, or settled by people outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done
from lastro.core.write import Write
from lastro.reconciliation import store
from lastro.reconciliation.problems import NOT_OPEN
from lastro.reconciliation.rules import closing
from lastro.reconciliation.states import ITEMS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.rails.port import Booked
    from lastro.reconciliation.model import Item, Name, Ours, Theirs

FIRST = UUID(int=0)  # before every id


@dataclass(frozen=True, slots=True)
class SettleItemContext:
    """The open differences, and both sides' present rows for their movements."""

    items: Sequence[Item]
    told: Mapping[Name, Sequence[Theirs]]
    ours: Mapping[Name, Ours]


@dataclass(frozen=True)
class Look(Act[SettleItemContext]):
    """Looks again at a few open differences at a rail. after: those with higher ids."""

    rail: str
    booked: Sequence[Booked]
    after: UUID
    limit: int

    async def read(self, session: Session, context: RequestContext) -> SettleItemContext:
        """Reads open differences, their lines and our rows."""
        company = context.company_id
        items = await store.open_items(session, company, self.rail, self.after, self.limit)
        ids = {item.name[1] for item in items}
        if not ids:
            return SettleItemContext((), {}, {})
        told = await store.lines_of(session, company, self.rail, ids)
        return SettleItemContext(items, told, await store.ours_of(session, company, self.booked, ids))

    def decide(self, known: SettleItemContext, context: RequestContext) -> Done:
        """Closes the differences that are explained or booked by now.

        The answer: the last id that was looked at, empty at the end.
        """
        moves = []
        for item in known.items:
            trigger = closing(item, known.told.get(item.name, ()), known.ours.get(item.name))
            if trigger is not None:
                moves.append(ITEMS.move(item, trigger, context.now))
        last = known.items[-1].id.bytes if len(known.items) == self.limit else b""
        return Done(Write(context.company_id, moves=tuple(moves)), last)


@dataclass(frozen=True)
class Accept(Act["Item | None"]):
    """Accepts a difference that people have settled outside. by, reason: the author and the reason, for the history."""

    item_id: UUID
    by: str
    reason: str

    async def read(self, session: Session, context: RequestContext) -> Item | None:
        """Reads the difference."""
        return await store.item(session, context.company_id, self.item_id)

    def decide(self, known: Item | None, context: RequestContext) -> Done | Refused:
        """Moves the difference to ACCEPTED; the books stay as they are."""
        if known is None:
            return NOT_FOUND
        if not ITEMS.allows(known.state, "accept"):
            return NOT_OPEN.refused(state=known.state)
        move = ITEMS.move(known, "accept", context.now, reason=f"by {self.by}: {self.reason}")
        kind, network_id = known.name
        said = {
            "id": str(known.id), "kind": kind, "networkId": network_id, "difference": known.difference, "state": "ACCEPTED",
        }  # fmt: skip
        return Done(Write(context.company_id, moves=(move,)), render(said))
