"""E-mails and text messages, as rooms order them and carriers see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from lastro.core.write import Message
from lastro.rails.port.codec import decoder, encode

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

MESSAGES = "messages"  # the outbox's word for it, beside the rails of money
CODE_SEND = "code.send"


class CodeOrder(msgspec.Struct, frozen=True):
    """The nth code of a validation is to be sent. Neither the code nor where it goes stands in the order."""

    validation_id: str
    number: int


class Carrier(Protocol):
    """Brings a text to an e-mail address or to a phone."""

    async def carry(self, *, message_id: str, to: str, subject: str, text: str) -> None:
        """Carries a message.

        Transient: it may not have arrived, and is sent again under its id. Permanent: nobody can be reached there.
        """

    async def close(self) -> None:
        """Ends its connections."""


def code_message(message_id: UUID, validation_id: UUID, number: int, at: datetime) -> Message:
    """Returns the order to send the nth code of a validation."""
    return Message(
        message_id, MESSAGES, CODE_SEND, f"{validation_id}:{number}", validation_id,
        encode(CodeOrder(str(validation_id), number)), at,
    )  # fmt: skip


code_order = decoder(CodeOrder)
