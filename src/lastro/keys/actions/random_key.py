"""The registration of an account's random key. The operator gives it; every sandbox account begins with one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.accounts import Account, account_by_id
from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Write
from lastro.keys.actions.asking import refused_by, register
from lastro.keys.actions.create import made
from lastro.keys.problems import ACCOUNT_ID_NOT_ALLOWED
from lastro.keys.rendering import shown
from lastro.rails.port import Permanent

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.rails.port import Registry


@dataclass(frozen=True, slots=True)
class RandomKeyContext:
    """The account, and the directory's answer."""

    account: Account
    said: str | Permanent | None = None


@dataclass(frozen=True)
class RegisterRandomKey(Act["RandomKeyContext | None"]):
    """A random (EVP) key for an account, however many it has. It is made by the directory; the same request_id again brings
    the same key.
    """

    account_id: UUID
    request_id: UUID
    registry: Registry

    async def read(self, session: Session, context: RequestContext) -> RandomKeyContext | None:
        """The account."""
        account = await account_by_id(session, context.company_id, self.account_id)
        return None if account is None else RandomKeyContext(account)

    async def call_out(self, known: RandomKeyContext | None, context: RequestContext) -> RandomKeyContext | Refused | None:
        """Asks the directory, with no connection held."""
        if known is None or not known.account.is_active:
            return known
        said = await register(self.registry, self.request_id, known.account, "RANDOM", None)
        return said if isinstance(said, Refused) else replace(known, said=said)

    def decide(self, known: RandomKeyContext | None, context: RequestContext) -> Done | Refused:
        """The key, active at once."""
        if known is None:
            return Refused(Kind.NOT_FOUND)
        if known.said is None:
            return ACCOUNT_ID_NOT_ALLOWED.refused(why="the account is not active")
        if isinstance(known.said, Permanent):
            return refused_by(known.said)
        key, write = made(context, known.account.id, "RANDOM", known.said)
        relies = (Relied("accounts", self.account_id, known.account.version),)
        return Done(Write(context.company_id, relies=relies) + write, render(shown(key)), key.id)
