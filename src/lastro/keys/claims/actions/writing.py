"""The writes of a claim: a claim created or moved, its notifications, and the effect on its key."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from msgspec import structs

from lastro.core.machine import NOT_THERE
from lastro.core.write import Freed, Write
from lastro.keys.actions.create import made
from lastro.keys.claims import rules
from lastro.keys.claims.model import ASK_EVERY, KeyClaim
from lastro.keys.claims.rendering import claim_event
from lastro.keys.claims.states import CLAIMS, DONOR, GONE, PORTABILITY
from lastro.keys.states import KEYS
from lastro.rails.port import CLAIM_ACKNOWLEDGE, CLAIM_COMPLETE, ClaimTask, claim_message

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from lastro.core.runner import RequestContext
    from lastro.core.write import Event
    from lastro.keys.claims.model import Affected
    from lastro.keys.model import Key
    from lastro.rails.port import ClaimAct, ClaimNews


@dataclass(frozen=True, slots=True)
class DepartingKey:
    """Our key that another bank claims, and the objects that name it. None: none leads here."""

    key: Key | None = None
    affected: Affected | None = None


NO_KEY = DepartingKey()


def born(
    news: ClaimNews, account_id: UUID, context: RequestContext, leaving: DepartingKey = NO_KEY, *, is_wanted: bool = True
) -> tuple[KeyClaim, Write]:
    """Creates a claim in its present status, and notifies each status. leaving: our key that another bank claims.

    is_wanted: False where the account has no room for the key: nothing is done for it.
    """
    key = leaving.key
    way = CLAIMS.way(NOT_THERE, news.status)
    one = KeyClaim(
        news.claim_id, news.status, len(way), account_id, news.role, news.claim_type, news.key_type, news.key,
        None if key is None else key.id, news.other_bank, news.reason, news.resolution_at, news.completion_at, None,
        context.now, context.now,
    )  # fmt: skip
    one = replace(one, due_at=rules.due_of(one))
    one, follows = _followed_by(one, key, context) if is_wanted else (one, Write(context.company_id))
    values = {
        "id": one.id, "account_id": one.account_id, "role": one.role, "claim_type": one.type, "key_type": one.key_type,
        "key": one.key, "key_id": one.key_id, "other_bank": one.other_bank, "reason": one.reason,
        "resolution_at": one.resolution_at, "completion_at": one.completion_at, "due_at": one.due_at,
        "ask_at": context.now + ASK_EVERY, "created_at": context.now, "updated_at": context.now,
    }  # fmt: skip
    rows = CLAIMS.born(values, context.now, way, reason=news.reason)
    write = Write(context.company_id, rows=rows, events=_events(one, NOT_THERE, way, news, context, leaving.affected))
    if one.role == DONOR and one.is_open:
        assert key is not None, "as donor we know of a claim by our key"
        if one.state == "OPEN":  # a later one is known to have been received: ClaimOperationInvalid
            write += ordered(one, CLAIM_ACKNOWLEDGE, None, context)
        if one.state not in GONE:
            write += Write(context.company_id, moves=(KEYS.move(key, "claim", context.now, claim_id=one.id),))
    return one, write + follows


def followed(
    one: KeyClaim, news: ClaimNews, leaving: DepartingKey, context: RequestContext
) -> tuple[KeyClaim, Write] | None:
    """Moves the claim to the directory's status; None: no way leads there. Writes the effect on its key.

    If a message was missed, the claim goes through every status up to the one that is told. leaving: the active key here
    that another bank claims.
    """
    way = CLAIMS.way(one.state, news.status)
    if not way:
        return None
    after = replace(
        one, state=news.status, version=one.version + len(way), reason=news.reason or one.reason,
        completion_at=news.completion_at or one.completion_at, updated_at=context.now,
    )  # fmt: skip
    key = leaving.key if leaving.key is not None and leaving.key.id == one.key_id else None
    after, follows = _followed_by(after, key, context)
    after = replace(after, due_at=rules.due_of(after))
    changed = {
        "reason": after.reason, "completion_at": after.completion_at, "due_at": after.due_at, "key_id": after.key_id
    }  # fmt: skip
    events = _events(after, one.state, way, news, context, leaving.affected)
    if len(way) == 1:
        # The claim keeps the reason, too: a column by the name that the history has it under.
        move = structs.replace(CLAIMS.move(one, way[0], context.now, reason=news.reason), sets=changed)
        return after, Write(context.company_id, moves=(move,), events=events) + follows
    touch, rows = CLAIMS.walk(one, way, context.now, reason=news.reason)
    touch = structs.replace(touch, sets={**touch.sets, **changed})
    return after, Write(context.company_id, touches=(touch,), rows=rows, events=events) + follows


def task_of(one: KeyClaim, act: ClaimAct, reason: str | None) -> ClaimTask:
    """Returns the directory task of this act on a claim."""
    asked_under = rules.act_id(one.id, act)
    return ClaimTask(
        claim_id=one.id, request_id=asked_under, role="DONOR" if one.role == DONOR else "CLAIMER", reason=reason
    )


def ordered(one: KeyClaim, act: ClaimAct, reason: str | None, context: RequestContext) -> Write:
    """Tells the directory the act by the outbox. The directory's message tells what follows."""
    return Write(context.company_id, messages=(claim_message(act, task_of(one, act, reason), context.chance, context.now),))


def _events(
    after: KeyClaim, before: str, way: Sequence[str], news: ClaimNews, context: RequestContext, affected: Affected | None
) -> tuple[Event, ...]:
    """Returns an event for each status on the way. The last one has the key that was won.

    affected: goes with the event by which a key has left.
    """
    events, key_id = [], None if after.is_ours else after.key_id
    for trigger in way:
        state = CLAIMS.after(before, trigger)
        shown = after if state == after.state else replace(after, state=state, key_id=key_id)
        left = affected if after.role == DONOR and state == "CONFIRMED" else None
        events.append(claim_event(context, shown, before or None, news.at, left))
        before = state
    return tuple(events)


def _followed_by(one: KeyClaim, key: Key | None, context: RequestContext) -> tuple[KeyClaim, Write]:
    """Returns the claim and the effect of its status on its key. key: as in `followed`.

    A portability that was confirmed is completed at once, unless its account has given it up meanwhile.
    """
    nothing = Write(context.company_id)
    if one.role == DONOR:
        return one, nothing if key is None else _left(key, one, context)
    if one.state == "COMPLETED":
        won, write = made(context, one.account_id, one.key_type, one.key)
        return replace(one, key_id=won.id), write
    if one.type == PORTABILITY and one.state == "CONFIRMED" and not one.is_ordered:
        return one, ordered(one, CLAIM_COMPLETE, None, context)
    return one, nothing


def _left(key: Key, one: KeyClaim, context: RequestContext) -> Write:
    """Applies another bank's claim to the key here.

    CONFIRMED: the key leads here no longer, and its holder has to register it anew even if the claim is canceled later
    (confirmClaim). Canceled before: nobody claims it.
    """
    if one.state in GONE:
        lost = KEYS.move(key, "lose", context.now, reason=str(one.id), claim_id=None)
        return Write(context.company_id, moves=(lost,), freed=(Freed("own_keys", {"key": key.key}),))
    if one.state == "CANCELLED" and key.claim_id == one.id:
        return Write(context.company_id, moves=(KEYS.move(key, "keep", context.now, claim_id=None),))
    return Write(context.company_id)
