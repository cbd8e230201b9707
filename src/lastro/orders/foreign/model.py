"""The types of foreign payments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.core.money import Money

STATES = ("FOUND", "CLAIMED", "CLOSED")


@dataclass(frozen=True, slots=True)
class KeptForeign:
    """A foreign payment as it was read. rail: the connection's name. payment_id: its endToEndId.

    txid, pix_key: as the bank told them; None: it told none. order_id: that a person claimed it for.
    reason: a word of `port.foreign`, why it is not ours although an order of ours has its txid, or why it cannot be claimed.
    """

    id: UUID
    state: str
    version: int
    rail: str
    payment_id: str
    txid: str | None
    pix_key: str | None
    reason: str | None
    amount: Money
    paid_at: datetime
    order_id: UUID | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class ForeignFilter:
    """The filters of a list of foreign payments; None: all."""

    state: str | None = None
    rail: str | None = None
