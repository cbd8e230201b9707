"""The JSON of keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.api_kit.rendering import Id, Paged, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.keys.model import TYPES

if TYPE_CHECKING:
    from lastro.keys.model import Key


class AccountKey(Answer, frozen=True, kw_only=True):
    """A key that leads to an account."""

    id: Id
    type: Annotated[str, words(*TYPES)]
    key: Annotated[str, msgspec.Meta(description="As the directory has it.", examples=["ana@example.com"], max_length=77)]
    created_at: Timestamp
    possed_at: Annotated[Timestamp, msgspec.Meta(description="Since when the key leads to this account.")]
    claim_id: Annotated[
        Id | None, msgspec.Meta(description="The open claim of the key by another bank; it still leads here meanwhile.")
    ] = None


class CreatedKey(Answer, frozen=True, kw_only=True):
    """The key (201), or, where a code was sent, the validation (202)."""

    id: Id | None = None
    type: Annotated[str, words(*TYPES)] | None = None
    key: Annotated[str | None, msgspec.Meta(description="As the directory has it.", examples=["ana@example.com"])] = None
    created_at: Timestamp | None = None
    possed_at: Annotated[
        Timestamp | None, msgspec.Meta(description="Since when the key leads to this account.")
    ] = None  # fmt: skip
    validation_id: Annotated[Id | None, msgspec.Meta(description="What the code is confirmed under.")] = None
    expires_at: Annotated[Timestamp | None, msgspec.Meta(description="Until when the code holds.")] = None


class AccountKeys(Paged, frozen=True, kw_only=True):
    """A page of an account's keys."""

    data: list[AccountKey]


class CodeSent(Answer, frozen=True, kw_only=True):
    """A code is on its way to the e-mail address or phone."""

    validation_id: Annotated[Id, msgspec.Meta(description="What the code is confirmed under.")]
    expires_at: Annotated[Timestamp, msgspec.Meta(description="Until when the code holds.")]


def shown(key: Key) -> AccountKey:
    """A key as every answer shows it."""
    return AccountKey(
        id=str(key.id), type=key.type, key=key.key, created_at=stamp(key.created_at), possed_at=stamp(key.possessed_at),
        claim_id=None if key.claim_id is None else str(key.claim_id),
    )  # fmt: skip
