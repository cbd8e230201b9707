"""A client's rights as they were last read; checked with every request."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_network
from typing import TYPE_CHECKING

from lastro.core.errors import Kind, Refused

if TYPE_CHECKING:
    from collections.abc import Collection
    from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

    from asyncpg import Record

    from lastro.core.runner import Call


@dataclass(frozen=True, slots=True)
class Peer:
    """The peer of a request.

    address: None if unknown. certificate: SHA-256 of the certificate it showed to a proxy of ours (`x5t#S256`, RFC 8705
    §3.1); None: it showed none.
    """

    address: IPv4Address | IPv6Address | None = None
    certificate: str | None = None

    def is_within(self, networks: Collection[IPv4Network | IPv6Network]) -> bool:
        """Tells whether its address is in these networks; always if there are none."""
        return not networks or (self.address is not None and any(self.address in network for network in networks))

    def shows(self, certificates: Collection[str]) -> bool:
        """Tells whether it has shown one of these certificates; always if there are none."""
        return not certificates or self.certificate in certificates


NOBODY = Peer()


@dataclass(frozen=True, slots=True)
class Rights:
    """The rights of one client.

    version: of its row. tokens_valid_after: machine seconds; older tokens are refused. networks: those it must come from;
    certificates: of which it must show one; none: no bounds.
    """

    version: int
    permissions: frozenset[str]
    networks: tuple[IPv4Network | IPv6Network, ...]
    certificates: frozenset[str]
    requests_per_minute: int | None
    revoked: bool
    tokens_valid_after: float

    def refusal(self, call: Call) -> Refused | None:
        """Returns the refusal of this call, or None."""
        if self.revoked or call.token_issued_at < self.tokens_valid_after:
            return Refused(Kind.UNAUTHORIZED)
        if not call.peer.shows(self.certificates):
            return Refused(Kind.UNAUTHORIZED)  # as RFC 8705 §3 has it: the token does not count without
        if call.permission not in self.permissions:
            return Refused(Kind.FORBIDDEN)
        if not call.peer.is_within(self.networks):
            return Refused(Kind.FORBIDDEN)
        return None


def rights_of(row: Record, permissions: list[str]) -> Rights:
    """Returns the rights from the row of the tenant check."""
    return Rights(
        row["client_version"],
        frozenset(permissions or ()),
        tuple(ip_network(n) for n in row["allowed_networks"]),
        frozenset(row["certificates"]),
        row["requests_per_minute"],
        row["revoked_at"] is not None and row["revoked_at"] <= row["machine_at"],
        row["tokens_valid_after"].timestamp(),
    )
