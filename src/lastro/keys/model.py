"""The records of a key and of its proof of possession."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.rails.port import CODE_SEND, Need

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

TYPES = ("CPF", "CNPJ", "EMAIL", "PHONE", "RANDOM")
# The channels of a code to a key of this type. A phone is reached by the one way that the installation has.
CHANNELS = {"EMAIL": ("EMAIL",), "PHONE": ("SMS", "WHATSAPP")}
ACCOUNT_CLOSURE = "ACCOUNT_CLOSURE"
USER_REQUESTED = "USER_REQUESTED"
# The purposes of a proof: a key, a claim of one, or the account holder's decision about a claim.
FOR_KEY, FOR_CLAIM, FOR_ANSWER = "KEY", "CLAIM", "ANSWER"
# A code is worth sending while it is the last one of a proof that is still waited for.
NEEDS = {
    CODE_SEND: Need.until(
        "pix_key_validations",
        "(x.status <> 'PENDING' OR x.expires_at <= (SELECT business_now()) OR x.id || ':' || x.number <> outbox.network_id)",
        asks=False,
    )
}


@dataclass(frozen=True, slots=True)
class Key:
    """A key of ours as it was read. possessed_at: since when it leads to this account. claim_id: the open claim of it by
    another bank.
    """

    id: UUID
    state: str
    version: int
    account_id: UUID
    type: str
    key: str
    created_at: datetime
    possessed_at: datetime
    claim_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Validation:
    """A validation as it was read. number: of the code that holds, from 1. tries: wrong codes so far.

    sealed_by: the id of the key ring's key that the code is derived from. request_id: of the request to the directory.
    claim_type: of the claim that it is to open; claim_id: the claim that it has opened, or that is answered by it. proved:
    the number of the code that came back right.
    """

    id: UUID
    state: str
    version: int
    account_id: UUID
    type: str
    key: str
    request_id: UUID
    number: int
    tries: int
    sealed_by: str
    sent_at: datetime
    expires_at: datetime
    purpose: str = FOR_KEY
    claim_type: str | None = None
    claim_id: UUID | None = None
    proved: int | None = None

    @property
    def is_proved(self) -> bool:
        """True once the valid code has come back, in time. Its request may then go to the directory."""
        return self.proved == self.number


@dataclass(frozen=True, slots=True)
class Room:
    """The number of an account's keys. before: how often it had this one. is_ours: it leads to some account here.

    is_at_bank: the key is one of a connection, at the company's own bank.
    """

    active: int
    before: int
    is_ours: bool
    is_at_bank: bool = False
