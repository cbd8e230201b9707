"""The types of connections, as they are declared here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime
    from uuid import UUID


@dataclass(frozen=True, slots=True)
class DeclaredKey:
    """A Pix key at a connection's bank. account_id: the account here that it credits."""

    id: UUID
    rail: str
    key: str
    account_id: UUID
    version: int


@dataclass(frozen=True, slots=True)
class DeclaredConnection:
    """A connection as it is declared here. owner: the company of its rail, None: there is no such rail yet.

    elsewhere: keys that the file names for it and another connection of the company has. accounts: the company's active
    ones by number, of those that were looked for. ours: keys that our own directory has.
    """

    owner: UUID | None
    is_there: bool
    is_issuing: bool | None
    version: int
    keys: tuple[DeclaredKey, ...]
    elsewhere: tuple[DeclaredKey, ...]
    accounts: Mapping[str, UUID]
    ours: Collection[str]


@dataclass(frozen=True, slots=True)
class ShownKey:
    """A live Pix key of a connection. number: of the account here that it credits."""

    key: str
    account_id: UUID
    number: str


@dataclass(frozen=True, slots=True)
class ShownConnection:
    """A connection with what is open there. until: it was polled so far; None: never. open, found: counted so far."""

    rail: str
    is_issuing: bool
    until: datetime | None
    keys: tuple[ShownKey, ...]
    open: int
    found: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A connection of ours that the file lacks. is_needed: it has an order of the last 90 days."""

    company_id: UUID
    rail: str
    is_needed: bool
