"""A part of a worker that fails goes on, and says whether anybody has to look."""

import asyncio

from structlog.testing import capture_logs
from tests.in_one import in_one_test

from lastro.app.worker_process import keep
from lastro.core.concurrency import TaskPool
from lastro.core.errors import DatabaseAway, Stale

ENDS = [
    (DatabaseAway("gone"), ("database.away", "warning")),
    (Stale("a migration had the table"), ("lane.overtaken", "warning")),
]


@in_one_test(("error", "said"), [*ENDS, (KeyError("bug"), ("lane.broke", "error"))])
async def test_a_lane_says_why_it_tries_again(error: Exception, said: tuple[str, str]) -> None:
    stop = asyncio.Event()

    async def act() -> bool:
        stop.set()
        raise error

    with capture_logs() as logs:
        await keep("a lane", act, stop)
    assert [(line["event"], line["log_level"]) for line in logs] == [said]


@in_one_test(("error", "said"), [*ENDS, (KeyError("bug"), ("lane.task_broke", "error"))])
async def test_so_does_a_task_of_one(error: Exception, said: tuple[str, str]) -> None:
    async def act() -> None:
        raise error

    crew = TaskPool(1)
    with capture_logs() as logs:
        crew.reserve(1)
        crew.start_reserved(act())
        await crew.rest()
    assert [(line["event"], line["log_level"]) for line in logs] == [said]
