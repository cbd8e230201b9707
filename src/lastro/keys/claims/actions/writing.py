"""What every verb of a claim writes: a claim born or moved, what is told of each status, and what follows for its key."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lastro.base.machine import NOT_THERE
from lastro.base.write import Freed, Write
from lastro.keys.actions.create import made
from lastro.keys.claims import rules
from lastro.keys.claims.model import KeyClaim
from lastro.keys.claims.rendering import told_of
from lastro.keys.claims.states import CLAIMS, DONOR, PORTABILITY, trigger_to, way_to
from lastro.keys.states import KEYS
from lastro.rails.port import CLAIM_ACKNOWLEDGE, CLAIM_COMPLETE, ClaimTask, claim_message

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.base.run import Door
    from lastro.keys.model import Key
    from lastro.rails.port import ClaimAct, ClaimNews


def born(news: ClaimNews, account_id: UUID, door: Door, key: Key | None = None) -> tuple[KeyClaim, Write]:
    """A claim that is open and new to us, in the status that it has, each one told. key: ours, that another bank claims."""
    way = way_to(news.status)
    one = KeyClaim(
        news.claim_id, news.status, len(way), account_id, news.role, news.claim_type, news.key_type, news.key,
        None if key is None else key.id, news.other_bank, news.reason, news.resolution_at, news.completion_at, None,
        door.now, door.now,
    )  # fmt: skip
    assert one.is_open, "what has ended elsewhere is no claim of ours"
    one = replace(one, due_at=rules.due_of(one))
    values = {
        "id": one.id, "account_id": one.account_id, "role": one.role, "claim_type": one.type, "key_type": one.key_type,
        "key": one.key, "key_id": one.key_id, "other_bank": one.other_bank, "reason": one.reason,
        "resolution_at": one.resolution_at, "completion_at": one.completion_at, "due_at": one.due_at,
        "created_at": door.now, "updated_at": door.now,
    }  # fmt: skip
    facts, before = [], NOT_THERE
    for trigger in way:
        after = CLAIMS.moves[before, trigger]
        facts.append(told_of(door, replace(one, state=after), before or None, news.at))
        before = after
    write = Write(door.company_id, rows=CLAIMS.born(values, door.now, way, reason=news.reason), facts=tuple(facts))
    if key is not None:
        moves = (KEYS.move(key, "claim", door.now, claim_id=one.id),)
        write += Write(door.company_id, moves=moves) + ordered(one, CLAIM_ACKNOWLEDGE, None, door)
    return one, write + _completing(one, door)


def followed(one: KeyClaim, news: ClaimNews, key: Key | None, door: Door) -> tuple[KeyClaim, Write] | None:
    """The claim in the status that the directory says, with what that does to its key; None: no step leads there.

    key: the active one here that another bank claims.
    """
    trigger = trigger_to(one.state, news.status)
    if trigger is None:
        return None
    after = replace(
        one, state=news.status, version=one.version + 1, reason=news.reason or one.reason,
        completion_at=news.completion_at or one.completion_at, updated_at=door.now,
    )  # fmt: skip
    more = Write(door.company_id)
    if one.role == DONOR and key is not None:
        more += _left(key, one, news.status, door)
    if one.is_ours and news.status == "COMPLETED":
        won, more = made(door, one.account_id, one.key_type, one.key)
        after = replace(after, key_id=won.id)
    after = replace(after, due_at=rules.due_of(after))
    changed = {
        "reason": after.reason, "completion_at": after.completion_at, "due_at": after.due_at, "key_id": after.key_id
    }  # fmt: skip
    # The claim keeps the reason, too: a column by the name that the history has it under.
    move = replace(CLAIMS.move(one, trigger, door.now, reason=news.reason), sets=changed)
    write = Write(door.company_id, moves=(move,), facts=(told_of(door, after, one.state, news.at),))
    return after, write + more + _completing(after, door)


def task_of(one: KeyClaim, act: ClaimAct, reason: str | None) -> ClaimTask:
    """What the directory is told of a claim by this act."""
    asked_under = rules.act_id(one.id, act)
    return ClaimTask(
        claim_id=one.id, request_id=asked_under, role="DONOR" if one.role == DONOR else "CLAIMER", reason=reason
    )


def ordered(one: KeyClaim, act: ClaimAct, reason: str | None, door: Door) -> Write:
    """The act is to be told to the directory by the outbox; what follows is known by its word."""
    return Write(door.company_id, messages=(claim_message(act, task_of(one, act, reason), door.chance, door.now),))


def _completing(one: KeyClaim, door: Door) -> Write:
    """A portability that was confirmed is completed at once, unless its account has given it up meanwhile."""
    if one.is_ours and one.type == PORTABILITY and one.state == "CONFIRMED" and not one.is_ordered:
        return ordered(one, CLAIM_COMPLETE, None, door)
    return Write(door.company_id)


def _left(key: Key, one: KeyClaim, status: str, door: Door) -> Write:
    """What the end of a claim by another bank does to the key here: it leads here no longer, or nobody claims it."""
    if status == "COMPLETED":
        lost = KEYS.move(key, "lose", door.now, reason=str(one.id), claim_id=None)
        return Write(door.company_id, moves=(lost,), freed=(Freed("own_keys", {"key": key.key}),))
    if status == "CANCELLED":
        return Write(door.company_id, moves=(KEYS.move(key, "keep", door.now, claim_id=None),))
    return Write(door.company_id)
