"""Who may enter no longer: companies' statements know it from a table that every server has, and of nobody else."""

import asyncio
import os
from datetime import UTC, datetime, timedelta
from uuid import UUID

from tests.cast import Cast
from tests.rooms.people.acting import register

from lastro.core.errors import Refused
from lastro.people import Person, Role, forget_not_ended

_TOLD = "SELECT count(*) FROM people_ended WHERE person_id = $1"
_SAID = "INSERT INTO people_ended (act_id, person_id, ended_at) VALUES ($1, $2, $3)"


async def somebody(cast: Cast) -> Person:
    made = await register(cast).invite(f"{os.urandom(6).hex()}@ana.example", "Rita", (Role.READ,), None)
    assert isinstance(made, tuple)
    return made[0]


async def told(cast: Cast, whom: UUID) -> int:
    """Counts what is said of the person's end."""
    async with cast.database.session() as session:
        return int(await session.value(_TOLD, whom))


async def test_an_end_that_is_refused_is_told_to_nobody(cast: Cast) -> None:
    before = await somebody(cast)
    assert await register(cast).sign_out(before) is None
    assert isinstance(await register(cast).end(before), Refused), "it was changed meanwhile"
    assert await told(cast, before.id) == 0


async def test_of_several_ends_at_once_one_stays(cast: Cast) -> None:
    whom = await somebody(cast)
    done = await asyncio.gather(*(register(cast).end(whom) for _ in range(4)))
    assert done.count(None) == 1
    assert await told(cast, whom.id) == 1


async def test_an_end_that_was_cut_off_is_forgotten_after_an_hour(cast: Cast) -> None:
    ended, cut_off, under_way = [await somebody(cast) for _ in range(3)]
    assert await register(cast).end(ended) is None
    now = datetime.now(UTC)
    async with cast.database.session() as session:
        for whom, ago in ((ended, 2), (cut_off, 2), (under_way, 0)):
            await session.fetch(_SAID, cast.id(), whom.id, now - timedelta(hours=ago))
        await forget_not_ended(session)
    assert [await told(cast, one.id) for one in (ended, cut_off, under_way)] == [2, 0, 1]
