"""The verbs of keys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.accounts import Account, accounts_of
from lastro.base.api import render, stamp
from lastro.base.errors import Kind, Problem, Refused
from lastro.base.run import Act, Done, Door
from lastro.base.write import Relied, Row, Write
from lastro.rails.port import KeyAccount, KeyOwner, Permanent, Transient

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.base.db import Session
    from lastro.rails.port import Registry


@dataclass(frozen=True, slots=True)
class Known:
    """The account, and the key the directory made for it."""

    account: Account
    key: str | None = None


@dataclass(frozen=True)
class RegisterRandomKey(Act["Known | None"]):
    """A random (EVP) key for an account. It is made by the directory; the same request_id again brings the same key."""

    account_id: UUID
    request_id: UUID
    registry: Registry

    async def read(self, session: Session, door: Door) -> Known | None:
        """The account."""
        accounts = await accounts_of(session, door.company_id, [self.account_id])
        return Known(accounts[0]) if accounts else None

    async def look_up(self, known: Known | None, door: Door) -> Known | Refused | None:
        """Asks the directory, with no connection held."""
        if known is None or not known.account.is_active:
            return known
        holder, account = known.account.holder, known.account
        try:
            key = await self.registry.register_key(
                request_id=self.request_id,
                key_type="RANDOM",
                key=None,
                owner=KeyOwner(holder.full_name, holder.document_number),
                account=KeyAccount(account.branch, account.number, account.created_at),
            )
        except Transient:
            return Refused(Kind.UNAVAILABLE, retry_after_seconds=5)
        except Permanent as refused:
            return Refused(Kind.CONFLICT, (Problem("key", "CONFLICT", f"the directory refused: {refused.code}"),))
        return replace(known, key=key)

    def decide(self, known: Known | None, door: Door) -> Done | Refused:
        """The key, active at once."""
        if known is None:
            return Refused(Kind.NOT_FOUND)
        if known.key is None:
            return Refused(Kind.INVALID, (Problem("accountId", "NOT_ALLOWED", "the account is not active"),))
        key_id = door.chance.uuid(door.now)
        row = {
            "id": key_id, "account_id": self.account_id, "type": "RANDOM", "key": known.key, "status": "ACTIVE",
            "created_at": door.now, "possessed_at": door.now,
        }  # fmt: skip
        relies = (Relied("accounts", self.account_id, known.account.version),)
        at = stamp(door.now)
        body = render({"id": str(key_id), "type": "RANDOM", "key": known.key, "createdAt": at, "possedAt": at})
        owned = Row("own_keys", {"key": known.key, "account_id": self.account_id})
        return Done(Write(door.company_id, relies=relies, rows=(Row("pix_keys", row), owned)), body, key_id)
