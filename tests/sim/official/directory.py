"""A participant at the simulated directory: entries and claims of keys, and days that pass."""

from typing import Any
from uuid import uuid4

import httpx

from lastro_sim.clock import DAY, SECOND
from lastro_sim.settings import LASTRO_ISPB

from ..stage import ACCOUNT, OWNER, Sim

ELISA = {"Type": "NATURAL_PERSON", "TaxIdNumber": "98765432100", "Name": "Elisa Externa"}
DORA = {"Type": "NATURAL_PERSON", "TaxIdNumber": "52998224725", "Name": "Dora"}
LOJA = {"Type": "LEGAL_PERSON", "TaxIdNumber": OWNER["document"]["number"], "Name": OWNER["name"]}
OURS = {
    "Participant": LASTRO_ISPB, "Branch": ACCOUNT["branch"], "AccountNumber": ACCOUNT["account"], "AccountType": "TRAN",
    "OpeningDate": "2026-01-01T00:00:00.000Z",
}  # fmt: skip
PHONE = "+5511987654321"  # Elisa has it at the bank outside
FREE = "+5511900000001"  # nobody has it
ERROR = "https://dict.pi.rsfn.net.br/api/v2/error/"


def refusal(answered: httpx.Response) -> tuple[int, str]:
    """The status and the code of a no, whose type is an address (RFC 7807)."""
    kind = answered.json()["type"]
    assert kind.startswith(ERROR), kind
    assert answered.json()["status"] == answered.status_code
    return answered.status_code, kind.removeprefix(ERROR)


def outcome(answered: httpx.Response) -> str | tuple[int, str]:
    """The status of the claim that is answered, or the no."""
    return str(answered.json()["Status"]) if answered.is_success else refusal(answered)


def wish(**changes: Any) -> dict[str, Any]:
    """A claim of Elisa's phone by Dora, who has an account here."""
    return {"Type": "OWNERSHIP", "Key": PHONE, "KeyType": "PHONE", "Claimer": DORA, "ClaimerAccount": OURS, **changes}


async def claim(sim: Sim, **changes: Any) -> httpx.Response:
    """createClaim."""
    return await sim.ask("POST", "/dict/v2/claims", wish(**changes))


async def step(sim: Sim, claim_id: str, act: str, **body: Any) -> httpx.Response:
    """acknowledgeClaim, confirmClaim, cancelClaim or completeClaim by the participant."""
    said = {"ClaimId": claim_id, "Participant": LASTRO_ISPB, **body}
    return await sim.ask("POST", f"/dict/v2/claims/{claim_id}/{act}", said)


async def complete(sim: Sim, claim_id: str, request_id: str | None = None) -> httpx.Response:
    """completeClaim under a request id."""
    return await step(sim, claim_id, "complete", RequestId=request_id or str(uuid4()))


async def read(sim: Sim, claim_id: str) -> Any:
    """getClaim."""
    answered = await sim.ask("GET", f"/dict/v2/claims/{claim_id}", **{"PI-RequestingParticipant": LASTRO_ISPB})
    assert answered.status_code == 200, answered.text
    return answered.json()


def entry(kind: str, key: str, **changes: Any) -> dict[str, Any]:
    """A CreateEntryRequest of the participant."""
    return {
        "requestId": str(uuid4()), "reason": "USER_REQUESTED", "type": kind, "owner": OWNER, "account": ACCOUNT,
        **({"key": key} if key else {}), **changes,
    }  # fmt: skip


async def register(sim: Sim, kind: str, key: str, **changes: Any) -> httpx.Response:
    """createEntry."""
    return await sim.ask("POST", "/dict/v2/entries", entry(kind, key, **changes))


async def ours(sim: Sim, key: str = FREE, kind: str = "PHONE", **changes: Any) -> str:
    """A key that the participant has."""
    made = await register(sim, kind, key, **changes)
    assert made.status_code == 201, made.text
    return str(made.json()["key"])


async def delete(sim: Sim, key: str, reason: str = "USER_REQUESTED", **changes: Any) -> httpx.Response:
    """deleteEntry."""
    body = {"key": key, "participant": LASTRO_ISPB, "reason": reason, **changes}
    return await sim.ask("POST", f"/dict/v2/entries/{key}/delete", body)


async def claimed(sim: Sim, key: str, kind: str = "CLAIM_OWNERSHIP") -> str:
    """The bank outside claims a key of the participant's."""
    return str((await sim.act("/directory/claims", {"key": key, "claimType": kind}))["claimId"])


async def advance(sim: Sim, claim_id: str, status: str, reason: str = "USER_REQUESTED") -> Any:
    """The bank outside takes a step."""
    return await sim.act(f"/directory/claims/{claim_id}/advance", {"status": status, "reason": reason})


async def pass_time(sim: Sim, days: int, seconds: int = 0) -> None:
    """Business time goes on."""
    offset = sim.network.clock.offset + days * DAY + seconds * SECOND
    assert (await sim.ask("PUT", "/clock", {"offsetMicroseconds": offset})).status_code == 200


async def where(sim: Sim, key: str) -> str | None:
    """The participant that has the key; None: the directory has no entry of it."""
    listed = (await sim.http.get("/directory")).json()["data"]
    return next((one["bank"]["ispb"] for one in listed if one["key"] == key), None)
