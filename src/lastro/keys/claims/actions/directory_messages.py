"""The directory's messages about claims. A claim begins here or moves, and with its end the key comes or goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.accounts import accounts_of, owner_of
from lastro.core.errors import NotYet
from lastro.core.runner import Act, Done
from lastro.keys.actions.create import counted
from lastro.keys.claims import rules, store
from lastro.keys.claims.actions.writing import NO_KEY, DepartingKey, born, followed, ordered
from lastro.keys.claims.states import CLAIMER, DONOR, GONE, OWNERSHIP
from lastro.keys.rules import has_no_room
from lastro.keys.store import key_here
from lastro.rails.port import ALARMED

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.core.write import Write
    from lastro.keys.claims.model import ClaimRoom, KeyClaim
    from lastro.rails.port import Claimed, ClaimNews

_AGAIN_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class ClaimNewsContext:
    """The context of a directory message about a claim.

    own: as it is here; leaving: our key of its name, with the objects that name it; account_id: of a new claim. account,
    room: of a claim that was asked for here, and is new to us by this message.
    """

    own: KeyClaim | None
    leaving: DepartingKey
    account_id: UUID | None
    account: Account | None = None
    room: ClaimRoom | None = None


@dataclass(frozen=True)
class Noted(Act[ClaimNewsContext]):
    """A directory message about a claim. A late or repeated one changes nothing."""

    news: ClaimNews
    claimed: Claimed

    async def read(self, session: Session, context: RequestContext) -> ClaimNewsContext:
        """Reads the claim, and the context to begin or move it.

        NotYet: the end of another claim of the key was not told yet; the directory has opened this one behind it.
        """
        news = self.news
        own = await store.claim_by_id(session, context.company_id, news.claim_id)
        if own is None:
            own = await store.open_of_key(session, context.company_id, news.key)
            if own is not None and own.id != news.claim_id:
                raise NotYet(_AGAIN_SECONDS)
        key = await key_here(session, context.company_id, news.key)
        if news.role == CLAIMER:
            owner = None if news.account is None else await owner_of(session, news.account, None)
            account_id = None if owner is None or owner[0] != context.company_id else owner[1]
            if own is not None or account_id is None:
                return ClaimNewsContext(own, NO_KEY, account_id)
            (account,) = await accounts_of(session, context.company_id, [account_id])
            room = await store.room_for(session, context.company_id, account_id, news.key)
            return ClaimNewsContext(None, NO_KEY, account_id, account, room)
        affected = None
        if key is not None and news.status in GONE and (own is None or own.key_id == key.id):
            affected = await store.affected_by(session, context.company_id, key.account_id, key.key)
        return ClaimNewsContext(own, DepartingKey(key, affected), None if key is None else key.account_id)

    def decide(self, known: ClaimNewsContext, context: RequestContext) -> Done:
        """Begins or moves the claim, or finds it known or for people."""
        outcome, write = self._begun(known, context) if known.own is None else self._moved(known.own, known.leaving, context)
        return self.claimed.done(outcome, context, write)

    def _begun(self, known: ClaimNewsContext, context: RequestContext) -> tuple[str, Write | None]:
        if known.account_id is None:
            return ALARMED, None
        account, room = known.account, known.room
        is_short = account is not None and room is not None and has_no_room(account, room.active)
        is_over = self.news.status in ("COMPLETED", "CANCELLED")
        one, write = born(self.news, known.account_id, context, known.leaving, is_wanted=is_over or not is_short)
        if room is not None and one.is_open:
            write += counted(known.account_id, room.active, context)
            if is_short:
                # A key was created while the directory opened it, and its client is told no, or nothing.
                write += ordered(one, *rules.for_want_of_room(one), context)
        return self._outcome(None), write

    def _moved(self, own: KeyClaim, leaving: DepartingKey, context: RequestContext) -> tuple[str, Write | None]:
        news = self.news
        said = (news.key, news.key_type, news.claim_type, news.role, news.other_bank)
        if said != (own.key, own.key_type, own.type, own.role, own.other_bank):
            return ALARMED, None  # of another claim than the one that has this id here: people must look
        after = followed(own, self.news, leaving, context)
        return ("known", None) if after is None else (self._outcome(own), after[1])

    def _outcome(self, own: KeyClaim | None) -> str:
        """Returns ALARMED for a completed claim that our side did not confirm.

        The key comes or goes by the directory's message in any case; people look. Our default of an ownership is a yes
        (rules.default_of); of a portability it may be a no.
        """
        is_yes = own is not None and own.role == DONOR and own.type == OWNERSHIP and own.is_ordered
        has_said = own is not None and (own.state == "CONFIRMED" or is_yes)
        return ALARMED if self.news.status == "COMPLETED" and not has_said else "handled"
