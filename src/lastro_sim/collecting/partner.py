"""What sets one partner that collects apart from another, as a value."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from lastro_sim.faults import Fault

Row: TypeAlias = sqlite3.Row
Fields: TypeAlias = dict[str, Any]

# How a payment stands, and a return; also the types of the movements that tell of them, unless a partner has other words.
ANNOUNCED, SETTLED, VOID = "ANNOUNCED", "SETTLED", "VOID"
RETURNED, RETURN_REJECTED = "RETURNED", "RETURN_REJECTED"
WORDS = {word: word for word in (ANNOUNCED, SETTLED, VOID, RETURNED, RETURN_REJECTED)}


def no_magic(amount: int) -> Fault | None:
    """No amount of this partner's is magic."""
    del amount
    return None


def as_it_is(unique: str) -> str:
    """A payment's id has no form of its own."""
    return unique


def without_blanks(text: str) -> str:
    """A reference as people type it, in groups."""
    return text.replace(" ", "")


@dataclass(frozen=True, eq=False)
class Partner:
    """A partner. name: its rail's, and in its rows and in `/faults`. kind: what the phone calls such an item.

    currency: what it is paid in, with two decimals.

    settles_at: from the business microseconds at which a payment is taken, and those that a fault delays it by, when it
    settles. One that settles at once is not announced before.
    item, payment, returned: its own field names for what is kept, without a status. Fields that are None are not told.
    magic: the fault that always strikes an item of an amount, in minor units, or its payment.
    takes_any_amount: also less or more than an item asks. takes_again: also what was paid. takes_late: also after its time.
    typed: the reference in what a payer types or has scanned. named: a payment's id, of one that nothing else has.
    words: the types of its movements, by ours.
    """

    name: str
    kind: str
    currency: str
    settles_at: Callable[[int, int], int]
    item: Callable[[Row], Fields]
    payment: Callable[[Row], Fields]
    returned: Callable[[Row], Fields]
    magic: Callable[[int], Fault | None] = no_magic
    takes_any_amount: bool = False
    takes_again: bool = False
    takes_late: bool = False
    typed: Callable[[str], str] = without_blanks
    named: Callable[[str], str] = as_it_is
    words: dict[str, str] = field(default_factory=lambda: dict(WORDS))
