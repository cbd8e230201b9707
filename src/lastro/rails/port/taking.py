"""The interface between orders and a bank that takes money back.

It does so without us: in a dispute, or because a person at its console does.
"""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 msgspec reads the annotations when it runs

import msgspec

from lastro.core.money import Money  # noqa: TC001
from lastro.rails.port.codec import decoder, encode
from lastro.rails.port.rail import NetworkMessage

COLLECTION_TAKEN = "collection.taken"  # Taken
CONSOLE = "CONSOLE"  # a nature of our own: a person at the bank, or another system of the merchant


class Taken(msgspec.Struct, frozen=True):
    """Money of a Pix that its bank gave back without us. at: when it left the account.

    payment_id: the endToEndId. taking_id: the same whenever it is told. nature: MED_FRAUDE, MED_OPERACIONAL or
    MED_PIX_AUTOMATICO, as the bank says; else CONSOLE. reference: the payment's txid; None: it carried none.
    """

    payment_id: str
    taking_id: str
    amount: Money
    nature: str
    at: datetime
    reference: str | None = None


taken = decoder(Taken)


def taken_message(rail: str, told: Taken, company_number: int) -> NetworkMessage:
    """Returns the inbox message of a taking. company_number: of the connection's company, whose every payment there is."""
    return NetworkMessage(
        COLLECTION_TAKEN, f"taken:{told.taking_id}", told.payment_id, encode(told), company_number=company_number, rail=rail
    )
