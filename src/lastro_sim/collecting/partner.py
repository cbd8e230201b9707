"""The differences between collecting partners, as one value."""

import re
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from lastro_sim.faults import Fault
from lastro_sim.forms import Form
from lastro_sim.network import Network

Row: TypeAlias = sqlite3.Row
Fields: TypeAlias = dict[str, Any]

# Statuses of payments and returns; also the types of their movements.
ANNOUNCED, SETTLED, VOID = "ANNOUNCED", "SETTLED", "VOID"
RETURNED, RETURN_REJECTED = "RETURNED", "RETURN_REJECTED"
# The faults of an item that is registered and paid.
FAULTS = frozenset({"reject", "timeout", "late", "twice", "lost-answer", "slow", "down", "void", "wrong-amount"})
AT_REGISTRATION = frozenset({"reject", "timeout", "lost-answer", "down"})


@dataclass(frozen=True)
class Item:
    """A registered item. amount: minor units. expires_at: business microseconds. fields: further ones that are kept."""

    reference: str
    amount: int
    expires_at: int
    fields: Fields


def nothing(_: Form | Fields) -> Fields:
    """Returns no fields."""
    return {}


def admit_all(_network: Network, _partner: "Partner", _item: Item) -> None:
    """Refuses nothing."""


def as_it_is(unique: str) -> str:
    """Returns a payment's id unchanged."""
    return unique


def without_blanks(text: str) -> str:
    """Removes the blanks from a reference typed in groups."""
    return text.replace(" ", "")


@dataclass(frozen=True, eq=False, kw_only=True)
class Partner:
    """A partner. name: its rail's, also in rows and `/faults`. kind: an item's name on the phone."""

    name: str
    kind: str
    currency: str  # of its payments, with two decimals
    reference: re.Pattern[str]  # the form of its references
    # Returns the settlement time, from the business microseconds of taking a payment and of a fault's delay.
    # A payment that settles at once is not announced before.
    settles_at: Callable[[int, int], int]
    # The faults that always strike an item or payment of an amount, in minor units, each with its outcome.
    magic: Mapping[int, tuple[Fault, str]] = field(default_factory=dict)
    faults: frozenset[str] = FAULTS
    details: Callable[[Form], Fields] = nothing  # reads an item's further fields
    admit: Callable[[Network, "Partner", Item], None] = admit_all  # raises RefusedError for an item that it refuses
    shows: Callable[[Fields], Fields] = nothing  # an item's further fields on the phone
    knows_payer: bool = True
    takes_any_amount: bool = False  # also less or more than the item's amount
    takes_again: bool = False  # also items that were paid
    typed: Callable[[str], str] = without_blanks  # the reference in a typed or scanned text
    named: Callable[[str], str] = as_it_is  # a payment's id, from a unique one

    def strikes(self, amount: int) -> Fault | None:
        """Returns the fault that always strikes this amount."""
        found = self.magic.get(amount)
        return None if found is None else found[0]
