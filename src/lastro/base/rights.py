"""What a client may do, as it was last read; looked at with every request."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_network
from typing import TYPE_CHECKING

from lastro.base.errors import Kind, Refused

if TYPE_CHECKING:
    from ipaddress import IPv4Network, IPv6Network

    from asyncpg import Record

    from lastro.base.run import Call


@dataclass(frozen=True, slots=True)
class Rights:
    """Of one client. version: of its row. tokens_valid_after: machine seconds; older tokens are refused."""

    version: int
    permissions: frozenset[str]
    networks: tuple[IPv4Network | IPv6Network, ...]
    requests_per_minute: int | None
    revoked: bool
    tokens_valid_after: float

    def refusal(self, call: Call) -> Refused | None:
        """Why this call is refused, or None."""
        if self.revoked or call.token_issued_at < self.tokens_valid_after:
            return Refused(Kind.UNAUTHORIZED)
        if call.permission not in self.permissions:
            return Refused(Kind.FORBIDDEN)
        if self.networks and (call.source is None or not any(call.source in network for network in self.networks)):
            return Refused(Kind.FORBIDDEN)
        return None


def rights_of(row: Record, permissions: list[str]) -> Rights:
    """From what the door gave back."""
    return Rights(
        row["client_version"],
        frozenset(permissions or ()),
        tuple(ip_network(n) for n in row["allowed_networks"]),
        row["requests_per_minute"],
        row["revoked_at"] is not None and row["revoked_at"] <= row["machine_at"],
        row["tokens_valid_after"].timestamp(),
    )
