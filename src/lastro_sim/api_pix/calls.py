"""A request to the bank and its answer, as values."""

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from lastro_sim.network import Network

Row: TypeAlias = sqlite3.Row
JSON = "application/json"


@dataclass(frozen=True)
class Customer:
    """A customer of the bank. document: his CPF or CNPJ; account: his account's number."""

    client_id: str
    name: str
    document: str
    branch: str
    account: str
    dialect: str


@dataclass(frozen=True)
class Call:
    """A request whose customer is known. path: of the resource, behind the version; parameters: those of its path."""

    network: Network
    customer: Customer
    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """An answer. body: a JSON object, or bytes as they are; None: nothing."""

    status: int
    body: dict[str, Any] | bytes | None = None
    media_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)


Handler: TypeAlias = Callable[[Call], Answer]
