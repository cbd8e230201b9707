"""Claims of the town: a directory that opens every claim and lets every step be taken, and claims to begin with."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from tests.house.examples import EXAMPLES
from tests.house.examples_of_keys import ACCOUNT_OF, CLAIM_OF, TOKENS

from lastro.core.commit import commit
from lastro.core.runner import RequestContext
from lastro.keys import Codes
from lastro.keys.claims.actions.writing import born
from lastro.rails.network_client import NetworkAnswer
from lastro.rails.port import ClaimNews

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.house.strangers import Town

    from lastro.api_kit.routes import Route

_AFTER = {"cancel": "CANCELLED", "complete": "COMPLETED", "confirm": "CONFIRMED", "acknowledge": "WAITING_RESOLUTION"}
# What the directory knows of each claim, by its id, in its own words.
KNOWN: dict[str, dict[str, Any]] = {}


def claimed(path: str, body: bytes | None) -> NetworkAnswer:
    """What the directory answers about a claim."""
    *_, name, act = path.split("/")
    wish = msgspec.json.decode(body or b"{}")
    if act not in _AFTER:
        name = str(UUID(bytes=os.urandom(16), version=4))
        KNOWN[name] = {part: wish[part] for part in ("Type", "Key", "KeyType", "Claimer", "ClaimerAccount")}
    said = {
        "Id": name, "Status": _AFTER.get(act, "OPEN"), "DonorParticipant": "99999030", "LastModified": datetime.now(UTC),
        "ResolutionPeriodEnd": datetime.now(UTC) + timedelta(days=7), **KNOWN[name],
    }  # fmt: skip
    return NetworkAnswer(201, {}, msgspec.json.encode(said))


async def furnish_claims(town: Town, routes: Mapping[str, Route]) -> None:
    """Proofs of keys that are claimed, claims, and proofs by which one of them is decided; some of the proofs are old."""
    account = town.objects["account"]
    for kind in ("claim validation", "claim validation to resend"):
        made = await town.send(routes["create_key_claim"], EXAMPLES["create_key_claim"].ask(account), town.token(town.ana))
        assert made.status_code == 202, made.text
        await _proof(town, kind, made.json()["validationId"])
    for kind, status in (("claim", "WAITING_RESOLUTION"), ("claim to cancel", "OPEN"), ("claim to answer", "CONFIRMED")):
        town.objects[kind] = claim_id = await _claim(town, status)
        ACCOUNT_OF[claim_id] = account
    for kind in ("answer validation", "answer validation to resend"):
        ask = EXAMPLES["request_key_claim_code"].ask(town.objects["claim to answer"])
        made = await town.send(routes["request_key_claim_code"], ask, town.token(town.ana))
        assert made.status_code == 202, made.text
        await _proof(town, kind, made.json()["validationId"])
        CLAIM_OF[town.objects[kind]] = town.objects["claim to answer"]
    for kind in ("claim validation to resend", "answer validation to resend"):
        await town.sent_earlier(kind)


async def _proof(town: Town, kind: str, validation_id: str) -> None:
    town.objects[kind] = validation_id
    ACCOUNT_OF[validation_id] = town.objects["account"]
    row = await town.admin.fetchrow("SELECT sealed_by FROM pix_key_validations WHERE id = $1::text::uuid", validation_id)
    assert row is not None
    TOKENS[validation_id] = Codes(town.house.key_ring).code(UUID(validation_id), 1, row["sealed_by"]) or ""


async def _claim(town: Town, status: Any) -> str:
    """A claim of a phone by the town's account, as the directory would have told of it."""
    now = await town.admin.fetchval("SELECT business_now()")
    number = await town.admin.fetchval("SELECT number FROM accounts WHERE id = $1::text::uuid", town.objects["account"])
    phone = f"+55119{int.from_bytes(os.urandom(4), 'big') % 10**8:08d}"
    claim_id = UUID(bytes=os.urandom(16), version=4)
    news = ClaimNews(
        claim_id=claim_id, claim_type="CLAIM_OWNERSHIP", key_type="PHONE", key=phone, status=status, role="CLAIMER",
        other_bank="99999030", at=now, resolution_at=now + timedelta(days=7), account=number,
        completion_at=now,  # its donor has agreed
    )  # fmt: skip
    KNOWN[str(claim_id)] = {
        "Type": "OWNERSHIP", "Key": phone, "KeyType": "PHONE", "Claimer": {"TaxIdNumber": "11222333000181"},
        "ClaimerAccount": {"Participant": "00000000", "Branch": "0001", "AccountNumber": number},
    }  # fmt: skip
    context = RequestContext(town.ana.company_id, now, town.house.chance)
    await commit(town.house.database, born(news, UUID(town.objects["account"]), context)[1])
    return str(claim_id)
