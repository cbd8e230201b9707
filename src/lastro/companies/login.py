"""A client proves who it is and gets a token."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_network
from typing import TYPE_CHECKING
from uuid import UUID

from lastro.companies import store
from lastro.companies.model import company_of_client
from lastro.companies.tokens import SCOPE, issue
from lastro.core.rights import NOBODY, Peer
from lastro.core.secrets import hash_machine_secret, same

if TYPE_CHECKING:
    from collections.abc import Callable

    from asyncpg import Record

    from lastro.companies.signing import SigningKeys
    from lastro.core.db import Database

_NOBODY = hash_machine_secret("nobody")
_NOWHERE = UUID(int=0)


@dataclass(frozen=True)
class Login:
    """The login of clients. keys: those of now. random: for the token's id."""

    database: Database
    keys: Callable[[], SigningKeys]
    issuer: str
    random: Callable[[int], bytes]

    async def token(self, client_id: str, client_secret: str, peer: Peer = NOBODY) -> str | None:
        """Returns a token for an hour.

        None does not say the reason: unknown client, wrong secret, revoked, another network or certificate.

        The token of a client that has certificates is bound to the one that it showed (RFC 8705 §3).
        """
        number = company_of_client(client_id)
        if number is None:
            return None
        async with self.database.session() as session:
            # A company that is not there is looked into all the same, so that the time does not tell which ones are.
            company_id = await store.company_of_number(session, number) or _NOWHERE
        async with self.database.session(company_id) as session:
            row = await store.proof(session, company_id, client_id)
        if not _proven(row, client_secret) or row is None or row["revoked"] or not _may_come(peer, row):
            return None
        return issue(
            self.keys().token,
            issuer=self.issuer,
            client_id=client_id,
            company_id=str(company_id),
            # The database's clock dates revocations: two clocks would let a token live that was issued before one.
            now_machine=row["read_at"],
            jti=self.random(16).hex(),
            scope=SCOPE,
            certificate=peer.certificate if row["certificates"] else None,
        )


def _proven(row: Record | None, client_secret: str) -> bool:
    """Tells whether a secret is the client's current or previous one.

    Both comparisons are always made, so that the time tells neither the existence of the client nor which secret it was.
    """
    given = hash_machine_secret(client_secret)
    current = None if row is None else row["secret_hash"]
    older = None if row is None else row["secret_hash_previous"]
    is_current = same(given, current or _NOBODY)
    is_older = same(given, older or _NOBODY)
    if row is None or current is None:
        return False  # unknown, or a client of the outside issuer
    return is_current or (is_older and older is not None and bool(row["previous_admits"]))


def _may_come(peer: Peer, row: Record) -> bool:
    return peer.is_within([ip_network(network) for network in row["allowed_networks"]]) and peer.shows(row["certificates"])
