"""A client proves who it is and gets a token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.base.secrets import hash_machine_secret, same
from lastro.companies import store
from lastro.companies.model import company_of_client
from lastro.companies.tokens import SCOPE, issue

if TYPE_CHECKING:
    from collections.abc import Callable

    from lastro.base.db import Database
    from lastro.companies.signing import SigningKeys

_NOBODY = hash_machine_secret("nobody")


@dataclass(frozen=True)
class Login:
    """machine_now: Unix machine time in seconds. random: for the token's id."""

    database: Database
    keys: SigningKeys
    issuer: str
    machine_now: Callable[[], float]
    random: Callable[[int], bytes]

    async def token(self, client_id: str, client_secret: str) -> str | None:
        """A token for an hour, or None: unknown client, wrong secret or revoked, which answer alike."""
        number = company_of_client(client_id)
        async with self.database.session() as session:
            company_id = None if number is None else await store.company_of_number(session, number)
            row = None
            if company_id is not None:
                await session.enter(company_id)
                row = await store.client(session, company_id, client_id)
        given = hash_machine_secret(client_secret)
        # Both comparisons are always made, so that the time tells neither whether the client exists nor which secret it was.
        current = same(given, _NOBODY if row is None else row["secret_hash"])
        older = same(given, _NOBODY if row is None or row["secret_hash_previous"] is None else row["secret_hash_previous"])
        if row is None or row["revoked"] or not (current or (older and row["previous_admits"])):
            return None
        return issue(
            self.keys.token,
            issuer=self.issuer,
            client_id=client_id,
            company_id=str(company_id),
            now_machine=self.machine_now(),
            jti=self.random(16).hex(),
            scope=SCOPE,
        )
