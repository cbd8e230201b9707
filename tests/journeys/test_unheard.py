"""Processes whose lines nobody takes: whatever they do goes on, and a figure says how many lines were lost."""

import pytest
from tests import muted

from .conftest import playing
from .insisting import journey
from .stage import Stage, until


@pytest.mark.parametrize("manner", muted.MANNERS)
async def test_a_whole_journey_of_processes_that_nobody_hears(fragile: Stage, manner: str) -> None:
    async with playing(fragile) as play:
        names = ("api", "worker", "simulator")
        try:
            await fragile.restart(*names, **{muted.OUTPUT: manner, "LASTRO_LOG_LEVEL": "debug"})
            await journey(play)
            if manner != "standing":  # there it is lost once thousands wait

                async def lost() -> float:
                    async with play.http.get(fragile.base_url + "/metrics") as answer:
                        figures = (await answer.text()).splitlines()
                    (line,) = (line for line in figures if line.startswith("lastro_log_lines_lost_total "))
                    return float(line.split()[1])

                assert await until(lost, "a line that is lost") > 0
            assert all(fragile.is_running(name) for name in names)
        finally:
            await fragile.restart(*names)
