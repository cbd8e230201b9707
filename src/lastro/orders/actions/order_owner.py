"""The owner of an order that belongs to something else.

An owner may refuse money for its order, and adds its rows to the same Write as the order's: both or neither. The owner's
room lies above this one, so this room knows it only by this protocol.
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
        """Returns the network's code for refusing money that fits; None accepts it.

        Asked last, when account, order, time and amount are right, both before a payment and of unasked money that is in.
        """

    def demand_collectable(self) -> None:
        """Raises NotYet where collected money has to wait: the connection's bank has a further word to say."""

    def accepted(self, arrival: PixArrival, context: RequestContext) -> Write:
        """Returns the owner's rows when we accept a payment. The order is reserved until `settled` or `failed`."""

    def settled(self, paid: Paid, context: RequestContext) -> Write:
        """Returns the owner's rows when the order becomes PAID. The money was let in before, or is in unasked and fits."""

    def failed(self, end_to_end_id: str, code: str | None, context: RequestContext) -> Write:
        """Returns the owner's rows when an accepted payment is dropped. The order is free again. code: the raw reason."""


class OrderOwners(Protocol):
    """A lookup of the owners of orders."""

    async def read(self, session: Session, context: RequestContext, order: Order) -> OrderOwner | None:
        """Reads the order's owner, in any state; None: no money is let in."""


class Untied:
    """Nobody speaks for any order."""

    async def read(self, session: Session, context: RequestContext, order: Order) -> OrderOwner | None:
        """Finds nobody."""
        del session, context, order
        return None


UNTIED = Untied()
