"""The interface between rooms and an acquirer of card payments. Codes are raw.

An order by card is registered under our reference (collection.send, with a CardOrder) and authenticated there; we judge
the result, and only then order the charge. The number of a card is seen by a Tokenizer alone.
"""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 msgspec reads the annotations when it runs
from typing import TYPE_CHECKING, Protocol

import msgspec

from lastro.core.money import Money  # noqa: TC001
from lastro.core.write import Message
from lastro.rails.port.codec import decoder, encode
from lastro.rails.port.collecting import CARD
from lastro.rails.port.facts import Facts  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from lastro.standards.cards import CardNumber, Expiry, SecurityCode

# Outbox kind.
CARD_AUTHORIZE = "card.authorize"  # CardAuthorize

# Inbox kinds.
CARD_AUTHENTICATED = "card.authenticated"  # CardAuthenticated
CARD_CHARGEBACK = "card.chargeback"  # CardChargeback

# transStatus of EMV 3-D Secure 2, and S: it was skipped, as we had asked.
SKIPPED = "S"


class ThreeDs(msgspec.Struct, frozen=True):
    """A payer's authentication, as an issuer wants it with the charge.

    status: transStatus (EMV 3-D Secure 2.2). eci, cryptogram, ds_transaction_id, version: eci, authenticationValue (CAVV,
    AAV), dsTransID, messageVersion, each as the card's network gave it; None: it gave none.
    """

    status: str
    eci: str | None = None
    cryptogram: str | None = None
    ds_transaction_id: str | None = None
    version: str | None = None


class CardAuthorize(msgspec.Struct, frozen=True):
    """A card that may be charged, once, under this reference. three_ds: None where nobody was to be authenticated."""

    reference: str
    amount: Money
    three_ds: ThreeDs | None = None


class CardAuthenticated(msgspec.Struct, frozen=True):
    """The result of a payer's authentication.

    status: transStatus, raw. challenge_url: of C, the page where the payer is asked. eci, ds_transaction_id, version,
    cryptogram: as the card's network has them (EMVCo 3DS: eci, dsTransID, messageVersion, authenticationValue). They are
    told with the charge.
    """

    reference: str
    status: str
    challenge_url: str | None = None
    eci: str | None = None
    ds_transaction_id: str | None = None
    version: str | None = None
    cryptogram: str | None = None
    of: Facts | None = None  # as in Collected

    @property
    def three_ds(self) -> ThreeDs | None:
        """The authentication told with the charge; None where nobody was to be authenticated."""
        if self.status == SKIPPED:
            return None
        return ThreeDs(self.status, self.eci, self.cryptogram, self.ds_transaction_id, self.version)


class CardChargeback(msgspec.Struct, frozen=True):
    """The issuer has taken the money of a payment back. chargeback_id: the acquirer's own. at: when it left us."""

    chargeback_id: str
    payment_id: str
    reference: str
    amount: Money
    at: datetime
    code: str | None = None
    of: Facts | None = None  # as in Collected


class CardToken(msgspec.Struct, frozen=True):
    """The acquirer's token of a card."""

    token: str


class Tokenizer(Protocol):
    """Takes the number of a card and gives a token; nothing else ever sees the number."""

    async def tokenize(self, number: CardNumber, code: SecurityCode, expiry: Expiry, holder: Mapping[str, str]) -> CardToken:
        """Returns a token of a card.

        holder: name, and document masked. Transient: it does not answer; Permanent: it takes no such card.
        """

    async def close(self) -> None:
        """Ends its connections."""


card_authorize = decoder(CardAuthorize)
card_authenticated = decoder(CardAuthenticated)
card_chargeback = decoder(CardChargeback)


def authorize_message(
    reference: str, amount: Money, three_ds: ThreeDs | None, order_id: UUID, row_id: UUID, at: datetime
) -> Message:
    """Returns the outbox message that has a card charged.

    It has a name of its own beside the one that registered the order.
    """
    body = encode(CardAuthorize(reference, amount, three_ds))
    return Message(row_id, CARD, CARD_AUTHORIZE, charge_id(reference), order_id, body, at)


def charge_id(reference: str) -> str:
    """Returns the id of a payment's charge; the payment's own is the reference."""
    return f"authorize:{reference}"
