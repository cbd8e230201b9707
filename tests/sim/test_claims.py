"""What goes wrong with claims at the simulated directory, and what a participant is told; their rules: official/test_claims."""

import pytest

from .official.directory import PHONE, advance, claim, claimed, complete, ours, step
from .stage import Sim


async def told(sim: Sim) -> list[str]:
    """The statuses that the participant has been told, in order."""
    events = (await sim.ask("GET", "/dict/v2/claim-events?after=0")).json()["movements"]
    return [event["Claim"]["Status"] for event in events]


async def test_a_claimer_is_told_of_every_status_but_the_one_that_it_has_asked_for(sim: Sim) -> None:
    made = (await claim(sim)).json()["Id"]
    await advance(sim, made, "CONFIRMED")
    await complete(sim, made)
    assert await told(sim) == ["WAITING_RESOLUTION", "CONFIRMED", "COMPLETED"]


async def test_a_donor_is_told_of_every_status(sim: Sim) -> None:
    """The bank outside completes a portability as soon as it is confirmed."""
    made = await claimed(sim, await ours(sim), "PORTABILITY")
    await step(sim, made, "acknowledge")
    await step(sim, made, "confirm", Reason="USER_REQUESTED")
    assert await told(sim) == ["OPEN", "WAITING_RESOLUTION", "CONFIRMED", "COMPLETED"]


@pytest.mark.parametrize(
    ("behaviour", "status", "stands", "words"),
    [
        ("reject", 403, None, []),
        ("down", 503, None, []),
        ("lost-answer", 503, "WAITING_RESOLUTION", ["WAITING_RESOLUTION"]),
        ("timeout", 201, "OPEN", []),
        ("twice", 201, "WAITING_RESOLUTION", ["WAITING_RESOLUTION", "WAITING_RESOLUTION"]),
        ("untold", 201, "WAITING_RESOLUTION", []),
    ],
)
async def test_what_goes_wrong(sim: Sim, behaviour: str, status: int, stands: str | None, words: list[str]) -> None:
    await sim.act("/faults", {"operation": "claim", "behaviour": behaviour, "match": {"key": PHONE}})
    assert (await claim(sim)).status_code == status
    assert [one["status"] for one in (await sim.http.get("/directory/claims")).json()["data"]] == (
        [stands] if stands else []
    )
    assert await told(sim) == words
