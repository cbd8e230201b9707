"""The deletion of a key in the directory. It leads to the account no longer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.routes import NOT_FOUND
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Freed, Write
from lastro.keys import store
from lastro.keys.model import ACCOUNT_CLOSURE
from lastro.keys.problems import KEY_NOT_DELETED
from lastro.keys.states import KEYS
from lastro.rails.port import Permanent, Transient

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.keys.model import Key
    from lastro.rails.port import Registry

_CLAIMED = KEY_NOT_DELETED.refused(why="a claim of the key by another bank is open")


@dataclass(frozen=True, slots=True)
class EndKeyContext:
    """The key, and is_asked_for: an order that can still be paid names it."""

    key: Key | None
    is_asked_for: bool = False


@dataclass(frozen=True)
class EndKey(Act[EndKeyContext]):
    """DELETE …/keys/{keyId}, and a key of a closed account. The directory is told, then the key is DELETED.

    reason: USER_REQUESTED or ACCOUNT_CLOSURE; the latter goes before the orders that name the key. A key that is DELETED
    needs nothing if its account is closed, and is refused to a client. The directory has nothing to delete if an earlier try
    was cut short: that counts as done.
    """

    account_id: UUID
    key_id: UUID
    reason: str
    registry: Registry

    async def read(self, session: Session, context: RequestContext) -> EndKeyContext:
        """The key, and whether it is asked for."""
        key = await store.key_of(session, context.company_id, self.account_id, self.key_id)
        if key is None or key.state != "ACTIVE" or self.reason == ACCOUNT_CLOSURE:
            return EndKeyContext(key)
        return EndKeyContext(key, await store.is_asked_for(session, context.company_id, key.key))

    async def call_out(self, known: EndKeyContext, context: RequestContext) -> EndKeyContext | Refused:
        """Tells the directory, with no connection held."""
        refused = self._refusal(known)
        if refused is not None or known.key is None or known.key.state != "ACTIVE":
            return known if refused is None else refused
        try:
            await self.registry.delete_key(key=known.key.key, reason=self.reason)
        except Transient as silent:
            return Refused(Kind.UNAVAILABLE, retry_after_seconds=silent.retry_after_seconds or 5)
        except Permanent as no:
            return KEY_NOT_DELETED.refused(why=f"the directory refuses: {no.code}")
        return known

    def decide(self, known: EndKeyContext, context: RequestContext) -> Done | Refused:
        """The key is DELETED, and may be registered again by anybody."""
        refused = self._refusal(known)
        if refused is not None or known.key is None:
            return refused or NOT_FOUND
        key = known.key
        if key.state != "ACTIVE":
            return Done(None, b"")
        trigger = "close account" if self.reason == ACCOUNT_CLOSURE else "delete"
        write = Write(
            context.company_id,
            moves=(KEYS.move(key, trigger, context.now, reason=self.reason),),
            freed=(Freed("own_keys", {"key": key.key}),),
        )
        return Done(write, b"", key.id)

    def _refusal(self, known: EndKeyContext) -> Refused | None:
        if known.key is None:
            return NOT_FOUND
        if known.key.claim_id is not None and known.key.state == "ACTIVE":
            return _CLAIMED
        if known.is_asked_for:
            return KEY_NOT_DELETED.refused(why="an order that can still be paid names the key")
        if known.key.state != "ACTIVE" and self.reason != ACCOUNT_CLOSURE:
            return KEY_NOT_DELETED.refused(why="the key is deleted")
        return None
