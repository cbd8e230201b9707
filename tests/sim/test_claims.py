"""Claims as the simulated directory keeps them: who may take which step, what follows by itself, and what goes wrong."""

from typing import Any
from uuid import uuid4

import pytest

from lastro_sim.clock import DAY

from .stage import ACCOUNT, OWNER, Sim, until

ELISA = {"Type": "NATURAL_PERSON", "TaxIdNumber": "98765432100", "Name": "Elisa Externa"}
DORA = {"Type": "NATURAL_PERSON", "TaxIdNumber": "52998224725", "Name": "Dora"}
OURS = {
    "Participant": ACCOUNT["ispb"], "Branch": ACCOUNT["branch"], "AccountNumber": ACCOUNT["account"], "AccountType": "TRAN",
    "OpeningDate": "2026-01-01T00:00:00.000Z",
}  # fmt: skip
PHONE, MAIL = "+5511987654321", "fabio@fora.example"  # the first is Elisa's


def wish(**changes: Any) -> dict[str, Any]:
    return {
        "RequestId": str(uuid4()), "Type": "OWNERSHIP", "Key": PHONE, "KeyType": "PHONE", "Claimer": DORA,
        "ClaimerAccount": OURS, **changes,
    }  # fmt: skip


async def claimed(sim: Sim, **changes: Any) -> Any:
    answered = await sim.ask("POST", "/dict/v2/claims", wish(**changes))
    assert answered.status_code == 201, answered.text
    return answered.json()


async def step(sim: Sim, claim: Any, act: str, **body: Any) -> tuple[int, Any]:
    answered = await sim.ask("POST", f"/dict/v2/claims/{claim['Id']}/{act}", {"RequestId": str(uuid4()), **body})
    return answered.status_code, answered.json()


async def ours(sim: Sim, key: str, kind: str = "PHONE") -> str:
    """A key of the participant's account."""
    body = {"requestId": key, "type": kind, "key": key, "owner": OWNER, "account": ACCOUNT}
    assert (await sim.ask("POST", "/dict/v2/entries", body)).status_code == 201
    return key


async def told(sim: Sim) -> list[str]:
    """The statuses that the participant has been told, in order."""
    events = (await sim.ask("GET", "/dict/v2/claim-events?after=0")).json()["movements"]
    return [event["Claim"]["Status"] for event in events]


async def later(sim: Sim, days: int) -> None:
    offset = sim.network.clock.offset + days * DAY
    assert (await sim.ask("PUT", "/clock", {"offsetMicroseconds": offset})).status_code == 200


async def owner(sim: Sim, key: str) -> str:
    (entry,) = [one for one in (await sim.http.get("/directory")).json()["data"] if one["key"] == key]
    return f"{entry['bank']['ispb']} {entry['owner']['document']['number']}"


async def is_at(sim: Sim, claim_id: str, status: str) -> Any:
    (found,) = [one for one in (await sim.http.get("/directory/claims")).json()["data"] if one["claimId"] == claim_id]
    assert found["status"] == status
    return found


async def test_an_ownership_comes_to_the_participant(sim: Sim) -> None:
    body = wish()
    first = (await sim.ask("POST", "/dict/v2/claims", body)).json()
    assert (await sim.ask("POST", "/dict/v2/claims", body)).json()["Id"] == first["Id"]
    other = await sim.ask("POST", "/dict/v2/claims", body | {"Type": "PORTABILITY"})
    assert other.json()["type"] == "RequestIdAlreadyUsed"
    assert first["Status"] == "WAITING_RESOLUTION"
    assert (await step(sim, first, "complete"))[1]["type"] == "ClaimOperationInvalid"
    assert (await sim.act(f"/directory/claims/{first['Id']}/advance", {"status": "CONFIRMED"}))["status"] == "CONFIRMED"
    for _ in range(2):
        status, done = await step(sim, first, "complete")
        assert (status, done["Status"]) == (200, "COMPLETED")
    assert await owner(sim, PHONE) == f"{ACCOUNT['ispb']} 52998224725"
    assert await told(sim) == ["WAITING_RESOLUTION", "CONFIRMED", "COMPLETED"]


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"Claimer": ELISA}, 409, "ClaimTypeInconsistent"),  # she has it
        ({"Type": "PORTABILITY"}, 409, "ClaimTypeInconsistent"),  # Dora has not
        ({"Key": MAIL, "KeyType": "EMAIL"}, 409, "ClaimTypeInconsistent"),  # only the ownership of a phone
        ({"Key": "+5511900000000"}, 404, "ClaimKeyNotFound"),
        ({"Key": "x"}, 400, "BadRequest"),
        ({"KeyType": "EVP"}, 400, "BadRequest"),
    ],
)
async def test_what_cannot_be_claimed(sim: Sim, changes: Any, status: int, code: str) -> None:
    answered = await sim.ask("POST", "/dict/v2/claims", wish(**changes))
    assert (answered.status_code, answered.json()["type"]) == (status, code)


async def test_one_claim_of_a_key_is_open_and_locks_it(sim: Sim) -> None:
    key = await ours(sim, "+5511911111111")
    claim_id = (await sim.act("/directory/claims", {"key": key}))["claimId"]
    assert (await sim.act("/directory/claims", {"key": key}))["code"] == "ClaimAlreadyExistsForKey"
    assert (await sim.ask("DELETE", f"/dict/v2/entries/{key}")).json()["type"] == "EntryLockedByClaim"
    own = await sim.ask("POST", "/dict/v2/claims", wish(Key=key, Claimer=DORA))
    assert own.json()["type"] == "ClaimAlreadyExistsForKey"
    assert (await sim.act(f"/directory/claims/{claim_id}/advance", {"status": "CANCELLED"}))["status"] == "CANCELLED"
    assert (await sim.ask("POST", "/dict/v2/claims", wish(Key=key))).json()["type"] == "ClaimResultingEntryAlreadyExists"
    assert (await sim.ask("DELETE", f"/dict/v2/entries/{key}")).status_code == 200


async def test_a_portability_leaves_at_once_when_its_donor_confirms(sim: Sim) -> None:
    key = await ours(sim, "+5511911111112")
    claim = {"Id": (await sim.act("/directory/claims", {"key": key}))["claimId"]}
    assert (await step(sim, claim, "confirm", Reason="USER_REQUESTED"))[0] == 409  # not acknowledged
    for _ in range(2):
        assert (await step(sim, claim, "acknowledge"))[1]["Status"] == "WAITING_RESOLUTION"
    assert (await step(sim, claim, "confirm", Reason="DEFAULT_OPERATION"))[0] == 409  # not of a portability
    assert (await step(sim, claim, "confirm", Reason="USER_REQUESTED"))[1]["Status"] == "COMPLETED"
    assert (await step(sim, claim, "confirm", Reason="USER_REQUESTED"))[0] == 200
    assert await owner(sim, key) == "99999030 11222333000181"
    assert await told(sim) == ["OPEN", "WAITING_RESOLUTION", "CONFIRMED", "COMPLETED"]


async def test_what_the_outside_banks_silence_means(sim: Sim) -> None:
    owned = await claimed(sim)
    await sim.act(
        "/directory", {"type": "EMAIL", "key": "ana@fora.example", "owner": {"name": "Ana", "document": "52998224725"}}
    )
    ported = await claimed(sim, Type="PORTABILITY", Key="ana@fora.example", KeyType="EMAIL")
    key = await ours(sim, "+5511911111113")
    gone = {"Id": (await sim.act("/directory/claims", {"key": key, "claimType": "CLAIM_OWNERSHIP"}))["claimId"]}
    await step(sim, gone, "acknowledge")
    early = await step(sim, gone, "confirm", Reason="DEFAULT_OPERATION")
    assert early[1]["type"] == "ClaimResolutionPeriodNotEnded"
    await later(sim, 8)
    sim.network.bells.ring("timer")
    await until(lambda: sim.network.store.row("SELECT 1 FROM claim WHERE id = ? AND status = 'CONFIRMED'", owned["Id"]))
    assert (await is_at(sim, ported["Id"], "CANCELLED"))["reason"] == "DEFAULT_OPERATION"
    assert (await step(sim, gone, "confirm", Reason="DEFAULT_OPERATION"))[1]["Status"] == "CONFIRMED"
    assert (await step(sim, owned, "cancel", Reason="DEFAULT_OPERATION", CancelledBy="CLAIMER"))[1]["type"] == (
        "ClaimCompletionPeriodNotEnded"
    )
    await later(sim, 8)
    await until(lambda: sim.network.store.row("SELECT 1 FROM claim WHERE id = ? AND status = 'CANCELLED'", gone["Id"]))
    assert (await step(sim, owned, "cancel", Reason="DEFAULT_OPERATION", CancelledBy="CLAIMER"))[0] == 200


@pytest.mark.parametrize(("side", "reason", "status"), [("DONOR", "USER_REQUESTED", 409), ("DONOR", "FRAUD", 200), ("CLAIMER", "FRAUD", 403)])  # fmt: skip
async def test_who_may_cancel_for_what(sim: Sim, side: str, reason: str, status: int) -> None:
    key = await ours(sim, "+5511911111114")
    claim = {"Id": (await sim.act("/directory/claims", {"key": key, "claimType": "CLAIM_OWNERSHIP"}))["claimId"]}
    assert (await step(sim, claim, "cancel", Reason=reason, CancelledBy=side))[0] == status


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
    assert (await sim.ask("POST", "/dict/v2/claims", wish())).status_code == status
    assert [one["status"] for one in (await sim.http.get("/directory/claims")).json()["data"]] == (
        [stands] if stands else []
    )
    assert await told(sim) == words
