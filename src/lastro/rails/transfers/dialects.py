"""What sets the two banks apart that keep account numbers for orders: their paths, and what names an account there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.rails import port
from lastro.standards import clabe, receiving_accounts

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Dialect:
    """A bank's. rail: by which it collects. root: of its paths. accounts: where the account numbers are, behind it.

    field: in which it names one. currency: of every amount. is_number: whether a text has the form of one.
    """

    rail: str
    root: str
    accounts: str
    field: str
    currency: str
    is_number: Callable[[str], bool]


SPEI = Dialect(port.SPEI, "/spei/v1", "clabes", "clabe", "MXN", lambda text: clabe.read(text) is not None)
DEPOSIT = Dialect(
    port.DEPOSIT, "/deposit/v1", "accounts", "account", "BRL", lambda text: receiving_accounts.read(text) is not None
)
