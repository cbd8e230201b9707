"""The types of all methods' instruments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.orders.transfers import NO_TRANSFERS

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.accounts import Account, Institution
    from lastro.core.money import Money
    from lastro.orders.cards.model import Drawn
    from lastro.orders.forms import OrderForm
    from lastro.orders.model import Instrument
    from lastro.orders.transfers import Transfers
    from lastro.rails.port import Quote


@dataclass(frozen=True, slots=True)
class Basis:
    """The facts that an instrument is made of. final: the amount to pay. sequence: a number used once.

    rail: of the chosen partner. quote: the partner's rate, where the method has one. card: of a payment by card. transfers:
    the configured destinations of transfers.
    """

    institution: Institution
    account: Account
    company_number: int
    sequence: int
    final: Money
    made_at: datetime
    wish: OrderForm
    quote: Quote | None = None
    rail: str = ""
    card: Drawn | None = None
    transfers: Transfers = NO_TRANSFERS


@dataclass(frozen=True, slots=True)
class Made:
    """An instrument. expires_at: the last instant at which it is taken.

    ends_at: its order's end if no payment was told of.
    """

    instrument: Instrument
    expires_at: datetime
    ends_at: datetime
