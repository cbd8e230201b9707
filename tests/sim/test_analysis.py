"""The analyst: requests handed over with their documents, judged by the holder's document, and everything that may go wrong."""

import hashlib
import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.in_one import in_one_test

from lastro_sim.analysis import verdicts

from .orders import set_clock
from .slips import MONDAY
from .stage import TOKEN, Sim

WE = {"Authorization": f"Bearer {TOKEN}"}
BYTES = b"%PDF-1.4 a document"
USUAL, FLAGGED, NEVER, LATE, SILENT = "12345678909", "70000050172", "70000050253", "70000050334", "70000050415"


class Asked:
    """A request of ours there."""

    def __init__(self, document: str = USUAL, submission: int = 1) -> None:
        self.reference = f"00001{uuid.uuid4().hex}-{submission}"
        self.ids = [str(uuid.uuid4()), str(uuid.uuid4())]
        person = {"name": "Bia", "document": {"type": "CPF", "number": document}, "email": "b@x.y", "phone": "+55119"}
        digest = hashlib.sha256(BYTES).hexdigest()
        documents = [{"id": one, "type": "documentHolder", "page": 1, "sha256": digest} for one in self.ids]
        self.body = {"holderType": "INDIVIDUAL", "holder": person, "representatives": [], "documents": documents}

    async def put(self, sim: Sim, **change: Any) -> Any:
        path = f"/analysis/v1/requests/{self.reference}"
        return await sim.http.put(path, json=self.body | change, headers=WE)

    async def upload(self, sim: Sim, place: int, content: bytes = BYTES) -> Any:
        path = f"/analysis/v1/requests/{self.reference}/documents/{self.ids[place]}"
        return await sim.http.put(path, files={"file": ("x.pdf", content, "application/pdf")}, headers=WE)

    async def hand_over(self, sim: Sim) -> None:
        assert (await self.put(sim)).json()["missingDocuments"] == self.ids
        await self.upload(sim, 0)
        assert (await self.upload(sim, 1)).json()["status"] == "RUNNING"

    async def read(self, sim: Sim) -> Any:
        return (await sim.http.get(f"/analysis/v1/requests/{self.reference}", headers=WE)).json()


async def movements(sim: Sim, after: int = 0, wait: int = 0) -> list[dict[str, Any]]:
    path = f"/analysis/v1/movements?after={after}&wait={wait}"
    found: list[dict[str, Any]] = (await sim.http.get(path, headers=WE)).json()["movements"]
    return found


async def test_a_request_is_approved_a_minute_after_its_last_document(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    asked = Asked()
    assert (await asked.put(sim)).status_code == 201
    assert (await asked.put(sim)).status_code == 200, "the same again changes nothing"
    assert (await asked.upload(sim, 0)).json()["missingDocuments"] == asked.ids[1:]
    assert (await asked.read(sim))["status"] == "WAITING"
    assert (await sim.http.get("/clock")).json()["nextDue"] is None
    await asked.upload(sim, 1)
    due = datetime.fromisoformat((await sim.http.get("/clock")).json()["nextDue"])
    assert due - datetime.fromisoformat((await sim.http.get("/clock")).json()["now"]) <= timedelta(minutes=1)
    await set_clock(sim, MONDAY + timedelta(minutes=3))
    (told,) = await movements(sim, wait=5)
    assert (told["type"], told["reference"], told["outcome"]) == ("VERDICT", asked.reference, "APPROVED")
    assert (await sim.http.get("/clock")).json()["quiet"] is False
    assert await movements(sim, told["sequence"]) == []
    assert (await sim.http.get("/clock")).json()["quiet"] is True
    (listed,) = (await sim.http.get("/analyses")).json()["data"]
    assert (listed["status"], listed["verdict"]["outcome"]) == ("JUDGED", "APPROVED")


@pytest.mark.parametrize(
    ("document", "submission", "outcome", "code", "fields"),
    [
        (FLAGGED, 1, "REPROVED", verdicts.ILLEGIBLE, ["documentHolder", "selfieHolder"]),
        (FLAGGED, 2, "APPROVED", None, None),
        (NEVER, 1, "REPROVED", verdicts.DEFINITIVE, []),
        (NEVER, 2, "REPROVED", verdicts.DEFINITIVE, []),
    ],
)
async def test_magic_documents(
    sim: Sim, document: str, submission: int, outcome: str, code: str | None, fields: list[str] | None
) -> None:
    await set_clock(sim, MONDAY)
    await Asked(document, submission).hand_over(sim)
    await set_clock(sim, MONDAY + timedelta(minutes=3))
    (told,) = await movements(sim, wait=5)
    assert (told["outcome"], told.get("code"), told.get("fields")) == (outcome, code, fields)


async def test_a_late_verdict_and_one_that_is_told_only_to_who_asks(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    late, silent = Asked(LATE), Asked(SILENT)
    await late.hand_over(sim)
    await silent.hand_over(sim)
    await set_clock(sim, MONDAY + timedelta(days=1))
    await set_clock(sim, MONDAY + timedelta(days=3))
    (told,) = await movements(sim, wait=5)
    assert told["reference"] == late.reference
    assert (await silent.read(sim))["verdict"]["outcome"] == "APPROVED"


async def test_what_is_refused(sim: Sim) -> None:
    asked = Asked()
    assert (await sim.http.get(f"/analysis/v1/requests/{asked.reference}", headers=WE)).status_code == 404
    assert (await sim.http.put(f"/analysis/v1/requests/{asked.reference}", json=asked.body)).status_code == 401
    assert (await asked.put(sim, documents=[])).status_code == 400
    assert (await asked.put(sim, holder={"name": "x"})).status_code == 400
    await asked.put(sim)
    assert (await asked.put(sim, holderType="ORGANIZATION")).status_code == 409
    assert (await asked.upload(sim, 0, b"another")).status_code == 422
    path = f"/analysis/v1/requests/{asked.reference}/documents/{asked.ids[0]}"
    assert (await sim.http.put(path, content=b"x", headers=WE)).status_code == 400
    other = f"/analysis/v1/requests/{asked.reference}/documents/{uuid.uuid4()}"
    assert (await sim.http.put(other, files={"file": ("x", BYTES)}, headers=WE)).status_code == 404


@in_one_test(("behaviour", "status", "is_there"), [("reject", 422, False), ("down", 503, False), ("lost-answer", 503, True)])
async def test_faults_at_its_door(sim: Sim, behaviour: str, status: int, is_there: bool) -> None:
    asked = Asked()
    fault = {"operation": "analysis", "behaviour": behaviour, "match": {"reference": asked.reference}}
    await sim.http.post("/faults", json=fault)
    assert (await asked.put(sim)).status_code == status
    path = f"/analysis/v1/requests/{asked.reference}"
    assert (await sim.http.get(path, headers=WE)).status_code == (200 if is_there else 404)


@pytest.mark.parametrize(("behaviour", "told", "days"), [("twice", 2, 0), ("timeout", 0, 0), ("slow", 1, 1)])
async def test_faults_of_its_verdict(sim: Sim, behaviour: str, told: int, days: int) -> None:
    await set_clock(sim, MONDAY)
    fault = {"operation": "analysis", "behaviour": behaviour, "match": {"document": USUAL}}
    assert (await sim.http.post("/faults", json=fault)).status_code == 200
    asked = Asked()
    await asked.hand_over(sim)
    await set_clock(sim, MONDAY + timedelta(days=days, minutes=3))
    assert len(await movements(sim, wait=2 if told else 0)) == told
    assert (await asked.read(sim))["status"] == "JUDGED"
