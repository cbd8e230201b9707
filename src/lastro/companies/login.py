"""A client proves who it is and gets a token."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_network
from typing import TYPE_CHECKING
from uuid import UUID

from lastro.base.secrets import hash_machine_secret, same
from lastro.companies import store
from lastro.companies.model import company_of_client
from lastro.companies.tokens import SCOPE, issue

if TYPE_CHECKING:
    from collections.abc import Callable
    from ipaddress import IPv4Address, IPv6Address

    from asyncpg import Record

    from lastro.base.db import Database
    from lastro.companies.signing import SigningKeys

_NOBODY = hash_machine_secret("nobody")
_NOWHERE = UUID(int=0)


@dataclass(frozen=True)
class Login:
    """keys: those of now. machine_now: Unix machine time in seconds. random: for the token's id."""

    database: Database
    keys: Callable[[], SigningKeys]
    issuer: str
    machine_now: Callable[[], float]
    random: Callable[[int], bytes]

    async def token(self, client_id: str, client_secret: str, source: IPv4Address | IPv6Address | None = None) -> str | None:
        """A token for an hour, or None, which does not say why: unknown client, wrong secret, revoked, or another network.

        source: the address the request came from; None where that is not known.
        """
        number = company_of_client(client_id)
        if number is None:
            return None
        async with self.database.session() as session:
            # A company that is not there is looked into all the same, so that the time does not tell which ones are.
            company_id = await store.company_of_number(session, number) or _NOWHERE
            await session.enter(company_id)
            row = await store.proof(session, company_id, client_id)
        if not _proven(row, client_secret) or row is None or row["revoked"] or not _comes_from(source, row):
            return None
        return issue(
            self.keys().token,
            issuer=self.issuer,
            client_id=client_id,
            company_id=str(company_id),
            now_machine=self.machine_now(),
            jti=self.random(16).hex(),
            scope=SCOPE,
        )


def _proven(row: Record | None, client_secret: str) -> bool:
    """Both comparisons are always made, so that the time tells neither whether the client exists nor which secret it was."""
    given = hash_machine_secret(client_secret)
    current = None if row is None else row["secret_hash"]
    older = None if row is None else row["secret_hash_previous"]
    is_current = same(given, current or _NOBODY)
    is_older = same(given, older or _NOBODY)
    if row is None or current is None:
        return False  # nobody, or somebody an outside issuer vouches for
    return is_current or (is_older and older is not None and bool(row["previous_admits"]))


def _comes_from(source: IPv4Address | IPv6Address | None, row: Record) -> bool:
    allowed = row["allowed_networks"]
    return not allowed or (source is not None and any(source in ip_network(network) for network in allowed))
