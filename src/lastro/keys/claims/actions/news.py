"""The directory tells how a claim stands: it begins here or moves, and with its end the key comes or goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.accounts import owner_of
from lastro.base.run import Act, Done
from lastro.base.write import Write
from lastro.keys.claims import store
from lastro.keys.claims.actions.writing import born, followed
from lastro.keys.claims.states import CLAIMER, OPEN, is_behind
from lastro.keys.store import key_here
from lastro.rails.port import ALARMED

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.base.db import Session
    from lastro.base.run import Door
    from lastro.keys.claims.model import KeyClaim
    from lastro.keys.model import Key
    from lastro.rails.port import Claimed, ClaimNews


@dataclass(frozen=True, slots=True)
class Known:
    """The claim as it is here; our key of its name; whose account it is about, where the claim is new."""

    own: KeyClaim | None
    key: Key | None
    account_id: UUID | None


@dataclass(frozen=True)
class Noted(Act[Known]):
    """One word of the directory. What is late, comes twice or out of its order changes nothing."""

    news: ClaimNews
    claimed: Claimed

    async def read(self, session: Session, door: Door) -> Known:
        """The claim, and what it needs to begin or move."""
        news = self.news
        own = await store.claim_by_id(session, door.company_id, news.claim_id)
        key = await key_here(session, door.company_id, news.key)
        if news.role == CLAIMER:
            owner = None if news.account is None else await owner_of(session, news.account, None)
            return Known(own, None, None if owner is None or owner[0] != door.company_id else owner[1])
        return Known(own, key, None if key is None else key.account_id)

    def decide(self, known: Known, door: Door) -> Done:
        """Begun, moved, known already, or for people to look at."""
        outcome, write = self._begun(known, door) if known.own is None else self._moved(known.own, known.key, door)
        settled = Write(door.company_id, finished=(self.claimed.finished(outcome, door.now),))
        return Done(settled if write is None else settled + write, b"")

    def _begun(self, known: Known, door: Door) -> tuple[str, Write | None]:
        if known.account_id is None or self.news.status not in OPEN:
            return ALARMED, None
        return "handled", born(self.news, known.account_id, door, known.key)[1]

    def _moved(self, own: KeyClaim, key: Key | None, door: Door) -> tuple[str, Write | None]:
        if is_behind(self.news.status, own.state):
            return "known", None
        after = followed(own, self.news, key if key is not None and key.id == own.key_id else None, door)
        return (ALARMED, None) if after is None else ("handled", after[1])
