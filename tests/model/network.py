"""The other side of every message: a network that says what a test tells it to, when it tells it, and nothing by itself."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from tests.house.town_disputes import TownLine

from lastro.core.secrets import Secret
from lastro.rails import port

if TYPE_CHECKING:
    import asyncio

    import msgspec

    from lastro.rails.network_client import NetworkClient


@dataclass
class Network:
    """A rail, a directory of keys, and nobody's will. sent: what has arrived here, by kind and network id.

    entries: where keys outside lead. is_silent: whatever arrives is kept, and the sender hears nothing.
    """

    ispb: str
    sent: dict[tuple[str, str], bytes] = field(default_factory=dict)
    copies: Counter[tuple[str, str]] = field(default_factory=Counter)
    entries: dict[str, port.KeyEntry] = field(default_factory=dict)
    registered: dict[UUID, str] = field(default_factory=dict)
    is_silent: bool = False

    # ── as a rail ──

    async def listen(self, keep: port.Keep, stop: asyncio.Event) -> None:
        """Nobody listens: what is told is stored where a test says so."""
        del keep
        await stop.wait()

    async def close(self) -> None:
        """There is nothing to close."""

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Takes a message."""
        del company_id
        self.sent[kind, network_id] = body
        self.copies[kind, network_id] += 1
        if self.is_silent:
            raise port.Transient("its answer was lost")

    async def status_of(self, kind: str, network_id: str) -> port.NetworkMessage | port.Pending | port.Unknown:
        """What has arrived is still being worked on, until a test says how it ended."""
        return port.Pending() if kind == port.PIX_ASK or (kind, network_id) in self.sent else port.Unknown()

    # ── as a directory ──

    @property
    def line(self) -> NetworkClient:
        """Over which claims and disputes are opened."""
        return TownLine("http://127.0.0.1:9", Secret("none"))

    async def entry(self, key: str, asking: port.Asking) -> port.KeyEntry | port.NoEntry:
        """Where a key leads."""
        del asking
        return self.entries.get(key, port.NoEntry("NotFound"))

    async def register_key(
        self, *, request_id: UUID, key_type: str, key: str | None, owner: port.KeyOwner, account: port.KeyAccount
    ) -> str:
        """Registers a key, under each request id once."""
        del key_type, owner, account
        return self.registered.setdefault(request_id, key or str(uuid4()))

    async def delete_key(self, *, key: str, reason: str) -> None:
        """Forgets a key."""
        del reason
        self.registered = {asked: known for asked, known in self.registered.items() if known != key}

    # ── what a test looks for ──

    def of(self, kind: str, read: Any) -> list[Any]:
        """Every message of a kind that has arrived, read."""
        return [read(body) for (known, _), body in self.sent.items() if known == kind]


def told(kind: str, value: msgspec.Struct, subject: str, **about: Any) -> port.NetworkMessage:
    """A message of its own of the network."""
    return port.NetworkMessage(kind, os.urandom(12).hex(), subject, port.encode(value), **about)


def message_id() -> str:
    """A name that only one message of another bank has."""
    return f"M87654321{os.urandom(12).hex()[:23]}"
