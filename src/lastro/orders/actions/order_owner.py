"""Money for an order that belongs to something else: its owner has a say before it is let in, and a part in its end.

The owner stands above this room, so that it is known here by what it answers alone. What it adds is in the same Write as
what happens to the order: both or neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.core.write import Write
    from lastro.orders.actions.pay import Paid
    from lastro.orders.model import Order
    from lastro.rails.port import PixArrival


class OrderOwner(Protocol):
    """The owner of one order, as it was read together with it. It never moves the order: that is done here."""

    def refusal(self, arrival: PixArrival) -> str | None:
        """Why money is not let in that fits the order, as the network words it; None: it is.

        Asked last, when account, order, time and amount are as they should be, of questions and of money that is in unasked.
        """

    def accepted(self, arrival: PixArrival, context: RequestContext) -> Write:
        """What it adds when we say yes to a question: the order is reserved until `settled` or `failed`."""

    def settled(self, paid: Paid, context: RequestContext) -> Write:
        """What it adds when the order becomes PAID: of money that was let in, or that is in unasked and fits."""

    def failed(self, end_to_end_id: str, code: str | None, context: RequestContext) -> Write:
        """What it adds when the network drops what we had said yes to: the order is free again. code: why, raw."""


class OrderOwners(Protocol):
    """Where owners of orders are found."""

    async def read(self, session: Session, context: RequestContext, order: Order) -> OrderOwner | None:
        """The owner of an order that has one, whatever state it is in; None: nobody speaks for it, and nothing is let in."""


class Untied:
    """Nobody speaks for any order."""

    async def read(self, session: Session, context: RequestContext, order: Order) -> OrderOwner | None:
        """Nobody."""
        del session, context, order
        return None


UNTIED = Untied()
