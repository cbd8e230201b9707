"""A directory's claims as a test plays them, and its words on them."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
from tests.cast import PLACE, Cast, Seller

from lastro.app.inbox_handlers import inbox_verbs
from lastro.core.commit import commit
from lastro.core.runner import Done
from lastro.core.write import Row, Write
from lastro.rails import port
from lastro.rails.port import Claimed, ClaimNews, ClaimTask, ClaimWish, InboxRow, Permanent, Transient

WEEK = timedelta(days=7)
_AFTER: dict[str, Any] = {port.CLAIM_CONFIRM: "CONFIRMED", port.CLAIM_CANCEL: "CANCELLED", port.CLAIM_COMPLETE: "COMPLETED"}


@dataclass
class Claims:
    """made: by request id. asked: request ids and acts, as they came. says: raised in place of an answer.

    is_lost: what was asked is done, and the answer to it is lost. status: of what is opened. goes_on: what is confirmed is
    completed before the answer.
    """

    made: dict[UUID, ClaimNews] = field(default_factory=dict)
    asked: list[tuple[str, UUID, str | None]] = field(default_factory=list)
    says: Permanent | Transient | None = None
    is_lost: bool = False
    status: Any = "OPEN"
    goes_on: bool = False

    async def open_claim(self, wish: ClaimWish) -> ClaimNews:
        self.asked.append(("open", wish.request_id, None))
        if self.says is not None:
            raise self.says
        news = claim_news(
            wish.key, wish.key_type, claim_type=wish.claim_type, status=self.status, account=wish.account.number
        )
        return self._answered(self.made.setdefault(wish.request_id, news))

    async def tell_claim(self, act: Any, task: ClaimTask) -> ClaimNews:
        self.asked.append((act, task.request_id, task.reason))
        if self.says is not None:
            raise self.says
        ((at, news),) = [(at, one) for at, one in self.made.items() if one.claim_id == task.claim_id]
        status = "COMPLETED" if self.goes_on and act == port.CLAIM_CONFIRM else _AFTER[act]
        self.made[at] = after = msgspec.structs.replace(news, status=status, reason=task.reason)
        return self._answered(after)

    def knows(self, news: ClaimNews) -> ClaimNews:
        """A claim that was not asked for here."""
        self.made[uuid4()] = news
        return news

    def _answered(self, news: ClaimNews) -> ClaimNews:
        if self.is_lost:
            raise Transient("the answer is lost")
        return news


def claim_news(key: str, key_type: str, **more: Any) -> ClaimNews:
    """A word on a claim of this key; by another bank, but for what is said otherwise."""
    now = datetime.now(UTC)
    values = {
        "claim_id": uuid4(), "claim_type": "PORTABILITY", "key_type": key_type, "key": key, "status": "OPEN",
        "role": "DONOR" if more.get("account") is None else "CLAIMER", "other_bank": "99999030", "at": now,
        "resolution_at": now + WEEK,
    }  # fmt: skip
    return ClaimNews(**{**values, **more})


async def told(cast: Cast, seller: Seller, news: ClaimNews) -> str:
    """The directory says it, and what follows is done; what its message was settled with."""
    row_id, lease, at = cast.id(), cast.id(), datetime.now(UTC)
    body, subject = port.encode(news), str(news.claim_id)
    values = {
        "id": row_id, "rail": port.CLAIMS, "kind": port.CLAIM_NEWS, "network_id": str(row_id), "subject": subject,
        "body": body, "received_at": at, "due_at": at, "lease_token": lease, "leased_until": at + timedelta(hours=1),
    }  # fmt: skip
    await commit(cast.database, Write(seller.company_id, rows=(Row("inbox", values),)))
    row = InboxRow(
        Claimed(row_id, lease), seller.company_id, port.CLAIMS, port.CLAIM_NEWS, str(row_id), subject, None, body, at, 1
    )
    assert isinstance(await cast.runner.act(seller.company_id, inbox_verbs(PLACE)[port.CLAIM_NEWS](row)), Done)
    async with cast.database.session(seller.company_id) as session:
        return str(
            await session.value("SELECT outcome FROM inbox WHERE company_id = $1 AND id = $2", seller.company_id, row_id)
        )
