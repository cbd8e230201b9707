"""The registration of a key in the directory, and its answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from lastro.core.errors import Kind, Refused
from lastro.keys.model import USER_REQUESTED
from lastro.keys.rules import refusal
from lastro.rails.port import KeyAccount, KeyOwner, Permanent, Transient

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.rails.port import Registry

_log = structlog.get_logger(__name__)


async def register(
    registry: Registry, request_id: UUID, account: Account, kind: str, key: str | None
) -> str | Permanent | Refused:
    """Registers a key and returns it, or the refusal, raw. UNAVAILABLE: no answer, so that the same must be asked again."""
    holder = account.holder
    try:
        return await registry.register_key(
            request_id=request_id,
            key_type=kind,
            key=key,
            owner=KeyOwner(holder.full_name, holder.document_number),
            account=KeyAccount(account.branch, account.number, account.created_at),
        )
    except Transient as silent:
        return Refused(Kind.UNAVAILABLE, retry_after_seconds=silent.retry_after_seconds or 5)
    except Permanent as refused:
        return refused


async def give_up(registry: Registry, account: Account, key: str) -> None:
    """Frees a key that the directory has registered in vain. The account cannot have it: others were quicker."""
    try:
        await registry.delete_key(key=key, reason=USER_REQUESTED)
    except (Transient, Permanent) as no:
        _log.error("keys.not_given_up", id=str(account.id), reason=str(no))


def refused_by(said: Permanent) -> Refused:
    """Returns the client's error for the directory's refusal."""
    return refusal(said.code)
