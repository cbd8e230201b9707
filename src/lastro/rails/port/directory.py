"""The directory of Pix keys, as rooms see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from uuid import UUID

_NOT_FOUND = "NotFound"


@dataclass(frozen=True, slots=True)
class KeyOwner:
    """The owner of a key. document: CPF or CNPJ, digits alone."""

    name: str
    document: str


@dataclass(frozen=True, slots=True)
class KeyAccount:
    """The account of ours that a key leads to."""

    branch: str
    number: str
    opened_at: datetime


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """The directory's entry of a key.

    key_type: CPF, CNPJ, EMAIL, PHONE, RANDOM. account_type: the interface's word. seconds: for how long the directory
    lets its answer be used again.
    """

    key: str
    key_type: str
    name: str
    document_type: str
    document_number: str
    ispb: str
    branch: str
    account: str
    account_type: str
    seconds: int = 0


@dataclass(frozen=True, slots=True)
class NoEntry:
    """The directory gives no account for a key. code: its word, raw (NotFound, EntryBlocked …)."""

    code: str

    @property
    def is_unknown(self) -> bool:
        """True where the directory has no such key. This costs more than an answer (DICT API 2.12.1)."""
        return self.code == _NOT_FOUND


@dataclass(frozen=True, slots=True)
class Asking:
    """The requester of a look-up, as the directory demands it; its budget is spent.

    document: the payer's CPF or CNPJ. end_to_end_id: of the payment that is to follow.
    """

    company_id: UUID
    document: str
    end_to_end_id: str


class BudgetSpent(Exception):  # noqa: N818 it says what happened to the budget
    """Too many keys were looked up. seconds: until it is worth asking again."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"{seconds} s")
        self.seconds = seconds


class Directory(Protocol):
    """Looks up keys, ours and others'."""

    async def entry(self, key: str, asking: Asking) -> KeyEntry | NoEntry:
        """Returns the entry of a key. BudgetSpent: it may not be asked now. Transient: the directory was silent for 3 s."""


class Participants(Protocol):
    """Lists the participants of Pix."""

    async def registered_hosts(self) -> Mapping[str, frozenset[str]]:
        """Returns the participants (ISPBs) that registered each host of charges and keys. Transient: silence.

        A host has its port where it is not the usual one.
        """


class Registry(Protocol):
    """Registers our keys."""

    async def register_key(
        self, *, request_id: UUID, key_type: str, key: str | None, owner: KeyOwner, account: KeyAccount
    ) -> str:
        """Registers a key, and returns it as the directory has it.

        key_type: CPF, CNPJ, EMAIL, PHONE, RANDOM (then key is None: it is made there).

        The same request_id again gives the same key.
        """

    async def delete_key(self, *, key: str, reason: str) -> None:
        """Frees a key of ours; one that the directory does not know, or that is another's by now, is free of us already.

        reason: USER_REQUESTED or ACCOUNT_CLOSURE. Permanent: the directory refuses, of a key with an open claim.
        """
