"""How the server plans what a worker asks, seen in a worker put together as the process is."""

from uuid import UUID

from tests.journeys.play import Play

from lastro.app import wiring
from lastro.config.settings import read

# An array of unknown length: its plan for all values looks dearer than one for those that are given.
_ASKED = "SELECT count(*) FROM outbox WHERE company_id = $1 AND id = ANY($2)"
_PLANNED = "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement = $1"


async def test_a_workers_statement_is_planned_once_for_all_its_values(play: Play) -> None:
    worker = wiring.assemble(read(play.stage.environment), lambda _: None)
    company = UUID(int=7)
    try:
        for database in (worker.database, worker.work):
            async with database.session(company) as session:
                for n in range(12):
                    await session.fetch(_ASKED, company, [UUID(int=n)])
                (counted,) = await session.fetch(_PLANNED, _ASKED)
            assert tuple(counted) == (12, 0)
    finally:
        await worker.close()
