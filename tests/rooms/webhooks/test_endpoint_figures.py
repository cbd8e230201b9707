"""How each endpoint does, as the console's developers' page shows it: of the newest deliveries, the worst endpoint first."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from tests.rooms.webhooks.conftest import Company, Scene
from tests.rooms.webhooks.made import Made, make

from lastro.console import figures

WELL, BADLY = "https://well.example/hook", "https://badly.example:8443/a/b?c=d"


async def shown(scene: Scene, company: Company, back: timedelta = timedelta(hours=24)) -> list[dict[str, Any]]:
    since = await scene.now() - back
    async with scene.database.session(company.id) as session:
        return [dict(row) for row in await figures.endpoints(session, company.id, since)]


async def attempted(scene: Scene, event_id: UUID, number: int, failure: str | None, took_ms: int) -> None:
    await scene.admin.execute(
        "UPDATE delivery_attempts SET failure = $3, duration_ms = $4 WHERE event_id = $1 AND number = $2",
        event_id, number, failure, took_ms,
    )  # fmt: skip


async def test_each_endpoint_by_what_became_of_its_deliveries(scene: Scene) -> None:
    ana, dora = await scene.company(), await scene.company()
    good = await make(scene, ana, [Made("DELIVERED", url=f"{WELL}/{n}") for n in range(19)])
    bad = await make(scene, ana, [Made("FAILED", url=BADLY), Made("RETRYING", url=BADLY), Made("PENDING", url=BADLY)])
    await make(scene, dora, [Made("DELIVERED", url=BADLY)])
    for n, event_id in enumerate(good):
        await attempted(scene, event_id, 1, None, 10 * (n + 1))
    for number in range(1, 6):
        await attempted(scene, bad[0], number, "BAD_STATUS", 300)
    await attempted(scene, bad[1], 1, "TIMEOUT", 5000)
    worst, best = await shown(scene, ana)
    assert (worst["origin"], worst["deliveries"], worst["delivered"], worst["waiting"], worst["failed"]) == (
        "https://badly.example:8443", 3, 0, 2, 1,
    )  # fmt: skip
    assert (worst["begun"], worst["at_once"], worst["half_ms"], worst["most_ms"]) == (2, 0, 300, 5000)
    assert (worst["failure"], worst["failed_event"]) == ("BAD_STATUS", bad[0]), (
        "its fifth attempt was after the other's first"
    )
    assert (best["origin"], best["delivered"], best["waiting"], best["failed"]) == ("https://well.example", 19, 0, 0)
    assert (best["begun"], best["at_once"], best["half_ms"], best["most_ms"]) == (19, 19, 100, 190)
    assert (best["failure"], best["failed_at"], best["failed_event"]) == (None, None, None)
    assert {one["looked_at"] for one in (worst, best)} == {22}
    (hers,) = await shown(scene, dora)
    assert (hers["delivered"], hers["looked_at"]) == (1, 1)


async def test_what_waits_for_its_first_attempt_is_counted_and_what_is_older_is_not(scene: Scene) -> None:
    ana = await scene.company()
    await make(scene, ana, [Made("PENDING")])
    (one,) = await shown(scene, ana)
    assert (one["waiting"], one["begun"], one["half_ms"]) == (1, 0, None)
    assert await shown(scene, ana, timedelta(hours=-1)) == []
