"""Cards: an order is known to the acquirer by a number of ours, and ends after a quarter of an hour (contract.md §10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.orders.cards.rules import CHALLENGE_WITHIN
from lastro.orders.instruments.model import Made
from lastro.orders.model import Instrument
from lastro.rails import port
from lastro.standards.own_numbers import own_digits

if TYPE_CHECKING:
    from lastro.orders.instruments.model import Basis


def card(basis: Basis) -> Made:
    """Returns the shown card data. Brand, last four digits and the client's token; the number is nowhere."""
    drawn = basis.card
    assert drawn is not None, "a token is made before the order is"
    details = {
        "brand": drawn.kept.brand, "lastFour": drawn.kept.last_four, "installments": str(drawn.wish.installments),
        "cardToken": drawn.kept.name,
    }  # fmt: skip
    ends_at = basis.made_at + CHALLENGE_WITHIN
    made = Instrument(port.CARD, own_digits(basis.company_number, basis.sequence), details=details)
    return Made(made, ends_at, ends_at)
