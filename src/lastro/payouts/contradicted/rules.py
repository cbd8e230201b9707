"""The latest times at which a network may take a message. Pure."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.rails.port import PIX
from lastro.standards import pix_ids

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.payouts.model import Payout

# The SPI works on a payment whose id's minute lies at most 12 hours back (decisions/payouts.md); clocks differ a little.
_ID_IS_TAKEN_FOR = timedelta(hours=12, minutes=1)


def may_be_taken_until(p: Payout) -> datetime:
    """Returns the last instant for a copy of a transfer's message. None is sent or taken later."""
    assert p.send_until is not None, "it was sent"
    if p.rail != PIX or p.end_to_end_id is None:
        return p.send_until
    return max(p.send_until, pix_ids.minute_of(p.end_to_end_id) + _ID_IS_TAKEN_FOR)
