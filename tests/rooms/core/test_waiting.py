"""What the runner does for a verb that waits, that has another status, or whose answer is kept sealed."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.cast import Cast, Seller
from tests.rooms.core.verbs import Tell, count

from lastro.core.db import Session
from lastro.core.errors import Kind, Refused, Wait
from lastro.core.runner import Act, Done, Reply, RequestContext


@dataclass
class Waiting(Act[str]):
    """Waits so often before it answers."""

    cast: Cast
    times: int
    lent: list[int] = field(default_factory=list)
    meanwhile: Any = None

    async def read(self, session: Session, context: RequestContext) -> str:
        if len(self.lent) < self.times:
            raise Wait(self.pause)
        return "come"

    async def pause(self) -> None:
        self.lent.append(self.cast.database.lent)
        if self.meanwhile is not None:
            await self.meanwhile()

    def decide(self, known: str, context: RequestContext) -> Done:
        return Done(None, known.encode(), status=203)


async def test_who_waits_is_asked_again_as_often_as_it_waits_and_holds_no_connection(cast: Cast, ana: Seller) -> None:
    verb = Waiting(cast, 7)
    reply = await cast.run(ana.client, verb)
    assert isinstance(reply, Reply)
    assert (reply.status, reply.body) == (203, b"come")
    assert verb.lent == [0] * 7


async def test_what_a_client_may_do_is_looked_at_after_each_wait(cast: Cast, ana: Seller, inside: Any) -> None:
    async def revoke() -> None:
        await inside.execute("UPDATE clients SET revoked_at = machine_now(), version = version + 1")

    verb = Waiting(cast, 3, meanwhile=revoke)
    assert await cast.run(ana.client, verb) == Refused(Kind.UNAUTHORIZED)
    assert len(verb.lent) == 1


async def test_who_gives_up_while_it_waits_leaves_nothing_behind(cast: Cast, ana: Seller) -> None:
    begun = asyncio.Event()

    async def for_ever() -> None:
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(cast.run(ana.client, Waiting(cast, 1, meanwhile=for_ever)))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cast.database.lent == 0


@dataclass
class Sealed(Tell):
    """Keeps its answer backwards, as if that were a seal."""

    def decide(self, known: str, context: RequestContext) -> Done | Refused:
        done = super().decide(known, context)
        assert isinstance(done, Done)
        return Done(done.write, done.body, done.object_id, sealed=done.body[::-1], status=202)

    def unsealed(self, kept: bytes) -> bytes:
        return kept[::-1]


async def test_an_answer_that_is_kept_sealed_is_replayed_as_it_was(cast: Cast, ana: Seller, inside: Any) -> None:
    first = await cast.run(ana.client, Sealed(), key="k")
    second = await cast.run(ana.client, Sealed(), key="k")
    assert isinstance(first, Reply)
    assert isinstance(second, Reply)
    assert (second.body, second.status, second.replayed) == (first.body, 202, True)
    assert await inside.fetchval("SELECT body FROM answers") == first.body[::-1]
    assert await count(cast, ana, "events") == 1


async def test_of_two_at_once_the_second_opens_what_the_first_has_sealed(cast: Cast, ana: Seller) -> None:
    replies = await asyncio.gather(*(cast.run(ana.client, Sealed(), key="k") for _ in range(4)))
    assert {reply.body for reply in replies if isinstance(reply, Reply)} == {replies[0].body}  # type: ignore[union-attr]
    assert len(replies) == 4
