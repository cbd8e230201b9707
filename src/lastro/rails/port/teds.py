"""The STR's message of a TED from another bank. Codes are raw."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 msgspec reads the annotations when it runs

import msgspec

from lastro.core.money import Money  # noqa: TC001
from lastro.rails.port.codec import decoder
from lastro.rails.port.pix import Payer  # noqa: TC001

# Inbox kind. Money that fits nobody goes back by RETURN_SEND, and its end is told by RETURN_FINAL, as a Pix's is.
TED_ARRIVED = "ted.arrived"  # TedArrival

# CodDevTransf: why a TED is sent back (domain.md §5).
ACCOUNT_CLOSED = "1"
ACCOUNT_INVALID = "2"
DOCUMENT_DIFFERS = "3"


class TedArrival(msgspec.Struct, frozen=True):
    """A TED to an account here, whose money is in. control_number: the STR's (NumCtrlSTR).

    receiver_account: as we write our numbers, zeros in front and all. receiver_document: as the payer named the holder, None
    where he did not. history: what the payer wrote.
    """

    control_number: str
    amount: Money
    payer: Payer
    receiver_branch: str
    receiver_account: str
    receiver_document: str | None
    settled_at: datetime
    history: str | None = None


ted_arrival = decoder(TedArrival)
