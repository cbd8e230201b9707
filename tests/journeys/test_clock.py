"""One clock for lastro and the simulated network, which goes forward alone."""

from datetime import datetime, timedelta
from typing import Any

from tests.in_one import in_one_test

from .play import Play

CLOCK = "/sandbox/clock"


async def set_clock(play: Play, body: Any) -> Any:
    return await play.ask("PUT", play.stage.base_url + CLOCK, body)


async def now(play: Play) -> datetime:
    answer = await play.ask("GET", play.stage.base_url + CLOCK)
    assert answer.json["pending"] == 0
    return datetime.fromisoformat(answer.json["now"])


async def network_now(play: Play) -> datetime:
    return datetime.fromisoformat((await play.ask("GET", f"{play.stage.simulator_url}/clock")).json["now"])


@in_one_test(
    ("advance", "seconds"),
    [("PT90S", 90), ("PT0.5S", 0.5), ("PT1H30M", 5400), ("P1D", 86_400), ("P1W", 604_800), ("P1DT1S", 86_401)],
)
async def test_it_goes_forward_by_a_duration(play: Play, advance: str, seconds: float) -> None:
    before = await now(play)
    answer = await set_clock(play, {"advance": advance})
    assert (answer.status, set(answer.json)) == (200, {"now", "pending"})
    passed = await now(play) - before - timedelta(seconds=seconds)
    assert timedelta(0) <= passed < timedelta(seconds=20)
    assert abs(await network_now(play) - await now(play)) < timedelta(seconds=2)


async def test_it_goes_forward_to_a_moment_and_never_back(play: Play) -> None:
    wanted = await now(play) + timedelta(hours=1)
    assert (await set_clock(play, {"now": wanted.isoformat()})).status == 200
    reached = await now(play)
    assert timedelta(0) <= reached - wanted < timedelta(seconds=20)
    for moment, issue in (
        ({"now": (reached - timedelta(seconds=1)).isoformat()}, "OUT_OF_RANGE"),
        ({"advance": "P99999D"}, "OUT_OF_RANGE"),
        ({"now": "yesterday"}, "INVALID"),
        ({"now": "2030-01-01T00:00:00"}, "INVALID"),
    ):
        answer = await set_clock(play, moment)
        assert (answer.status, answer.json["details"][0]["issue"]) == (400, issue)
    malformed: tuple[dict[str, Any], ...] = (
        {"advance": "-P1D"},
        {"advance": "3 days"},
        {"advance": "P"},
        {"advance": 5},
        {"advance": "P1D", "now": wanted.isoformat()},
        {},
    )
    for wrong in malformed:
        assert (await set_clock(play, wrong)).problem[0] == 400, wrong
    assert timedelta(0) <= await now(play) - reached < timedelta(seconds=20)


async def test_months_go_by_the_calendar(play: Play) -> None:
    before = await now(play)
    await set_clock(play, {"advance": "P1M"})
    assert (await now(play)).month == before.month % 12 + 1


async def test_it_survives_a_restart_of_everything(play: Play) -> None:
    order = await play.order(expiration=3600)
    await play.advance(advance="PT30M")
    before = await now(play)
    await play.stage.restart()
    after = await now(play)
    assert timedelta(0) <= after - before < timedelta(seconds=60)
    assert abs(await network_now(play) - after) < timedelta(seconds=2)
    assert (await play.shown(order))["status"] == "INITIAL"
    await play.advance(advance="PT31M")
    await play.becomes(order, "EXPIRED")
    await play.told(order, "ORDER-PAYIN.EXPIRED")


async def test_a_step_that_was_begun_goes_on_after_a_crash(play: Play) -> None:
    order = await play.order(expiration=86_400)
    play.stage.kill("worker")
    stepping = play.meanwhile(set_clock(play, {"advance": "P2D"}))
    wanted = "SELECT target_at IS NOT NULL FROM clock"
    await play.wait_for(wanted)
    await play.stage.restart("worker")
    assert (await stepping).status == 200
    await play.becomes(order, "EXPIRED")
    await play.told(order, "ORDER-PAYIN.EXPIRED")


async def test_durations_add_up_while_it_still_walks(play: Play) -> None:
    before = await now(play)
    play.stage.kill("worker")  # so that it stands still, with a target
    steps = [play.meanwhile(set_clock(play, {"advance": "P1D"})) for _ in range(3)]
    await play.wait_for(f"SELECT target_at > timestamptz '{before.isoformat()}' + interval '3 days' FROM clock")
    await play.stage.restart("worker")
    assert [(await step).status for step in steps] == [200] * 3
    await play.rest()
    assert timedelta(days=3) <= await now(play) - before < timedelta(days=3, seconds=60)


async def test_it_waits_for_what_is_under_way(play: Play) -> None:
    order = await play.order("10.00", expiration=60)
    await play.fault("payin", "slow", delay=2)
    play.meanwhile(play.pay(order))
    await play.reserved(order)
    await play.advance(advance="P1D")
    paid = await play.becomes(order, "PAID")
    assert datetime.fromisoformat(paid["paidAt"]) - datetime.fromisoformat(paid["createdAt"]) < timedelta(seconds=30)


async def test_many_instants_in_one_step_all_run(play: Play) -> None:
    orders = [await play.order("1.00", expiration=60 + n) for n in range(40)]
    assert (await set_clock(play, {"advance": "P1D"})).status == 200  # when all ran, or after 15 s
    await play.rest()
    assert [(await play.shown(o))["status"] for o in orders] == ["EXPIRED"] * 40


_TAKEN = """
SELECT count(*) FILTER (WHERE state = 'TAKEN') AS taken, count(*) AS begun FROM statements
 WHERE day = ((SELECT business_now()) AT TIME ZONE 'America/Sao_Paulo')::date - 1
"""


async def test_nothing_pending_means_that_the_days_statements_are_taken(play: Play) -> None:
    """The pause for what the clock woke is not long: the answer itself waits for the statements of the day that is over."""
    answer = await set_clock(play, {"advance": "P1D"})
    assert answer.json["pending"] == 0
    counted = await play.books.fetchrow(_TAKEN)
    assert counted is not None
    assert (counted["taken"], counted["begun"] > 2) == (counted["begun"], True)
