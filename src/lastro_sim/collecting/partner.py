"""What sets one partner that collects apart from another, as a value."""

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

# How a payment stands, and a return; also the types of the movements that tell of them.
ANNOUNCED, SETTLED, VOID = "ANNOUNCED", "SETTLED", "VOID"
RETURNED, RETURN_REJECTED = "RETURNED", "RETURN_REJECTED"
# What an item may meet with that is registered and paid.
FAULTS = frozenset({"reject", "timeout", "late", "twice", "lost-answer", "slow", "down", "void", "wrong-amount"})
AT_REGISTRATION = frozenset({"reject", "timeout", "lost-answer", "down"})


@dataclass(frozen=True)
class Item:
    """What is registered. amount: minor units. expires_at: business microseconds. fields: what else the partner keeps."""

    reference: str
    amount: int
    expires_at: int
    fields: Fields


def nothing(_: Form | Fields) -> Fields:
    """No fields of its own."""
    return {}


def admit_all(_network: Network, _partner: "Partner", _item: Item) -> None:
    """Nothing is refused."""


def as_it_is(unique: str) -> str:
    """A payment's id has no form of its own."""
    return unique


def without_blanks(text: str) -> str:
    """A reference as people type it, in groups."""
    return text.replace(" ", "")


@dataclass(frozen=True, eq=False, kw_only=True)
class Partner:
    """A partner. name: its rail's, and in its rows and in `/faults`. kind: what the phone calls such an item."""

    name: str
    kind: str
    currency: str  # in which it is paid, with two decimals
    reference: re.Pattern[str]  # the form of its references
    # From the business microseconds at which a payment is taken, and those that a fault delays it by, when it settles.
    # One that settles at once is not announced before.
    settles_at: Callable[[int, int], int]
    # The faults that always strike an item of an amount, in minor units, or its payment, each with what comes of it.
    magic: Mapping[int, tuple[Fault, str]] = field(default_factory=dict)
    faults: frozenset[str] = FAULTS
    details: Callable[[Form], Fields] = nothing  # what it reads of an item besides the usual
    admit: Callable[[Network, "Partner", Item], None] = admit_all  # RefusedError: it does not take this item
    shows: Callable[[Fields], Fields] = nothing  # of an item, on the phone, besides the usual
    knows_payer: bool = True
    takes_any_amount: bool = False  # also less or more than an item asks
    takes_again: bool = False  # also what was paid
    typed: Callable[[str], str] = without_blanks  # the reference in what a payer types or has scanned
    named: Callable[[str], str] = as_it_is  # a payment's id, of one that nothing else has

    def strikes(self, amount: int) -> Fault | None:
        """The fault that always strikes this amount."""
        found = self.magic.get(amount)
        return None if found is None else found[0]
