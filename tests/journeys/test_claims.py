"""Claims of keys through HTTP, worker and directory: one that comes here, one that leaves, and what the clock decides."""

import json
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from .play import Answer, Play
from .stage import until
from .test_key_codes import letter, path


async def opened(play: Play, phone: str, kind: str) -> str:
    """A claim of a phone that is at the outside bank, proved by the code that arrives."""
    body = {"claimType": kind, "type": "PHONE", "key": phone}
    asked = await play.call("POST", path(play, "/claims"), body, key=str(uuid4()))
    assert asked.status == 202, asked.body
    code = (await letter(play, phone))["code"]
    proof = {"validationId": asked.json["validationId"], "token": code}
    await play.fault("claim", "lost-answer", match={"key": phone})
    assert (await play.call("POST", path(play, "/claims/confirm"), proof)).status == 503
    made = await play.call("POST", path(play, "/claims/confirm"), proof)
    assert made.status == 201, made.body
    claim_id: str = made.json["id"]
    return claim_id


async def stands(play: Play, claim_id: str, status: str) -> dict[str, Any]:
    """The claim, once it is there."""

    async def look() -> Any:
        answer = await play.call("GET", path(play, f"/claims/{claim_id}"))
        return answer.json if answer.status == 200 and answer.json["status"] == status else None

    found: dict[str, Any] = await until(look, f"{status} of {claim_id}")
    return found


async def decide(play: Play, claim_id: str, decision: str, to: str) -> Answer:
    """The code that the holder is sent, and what he decides by it."""
    asked = await play.call("POST", path(play, f"/claims/{claim_id}/confirm-request"))
    assert asked.status == 202, asked.body

    async def look() -> list[dict[str, Any]]:
        return [one for one in await messages(play, to) if "decidir" in one["text"]]

    code = (await until(look, f"a code to decide for {to}"))[0]["code"]
    body = {"validationId": asked.json["validationId"], "token": code, "decision": decision}
    return await play.call("POST", path(play, f"/claims/{claim_id}/confirm"), body, key=str(uuid4()))


async def told(play: Play, claim_id: str) -> list[str]:
    """The statuses of its events, in their order."""
    rows = await play.books.fetch(
        "SELECT type, convert_from(body, 'UTF8')::jsonb ->> 'status' AS status FROM events"
        " WHERE reference_id = $1::text::uuid ORDER BY created_at, id",
        claim_id,
    )
    assert {row["type"] for row in rows} == {"KEY-CLAIM.STATUS_CHANGED"}
    return [row["status"] for row in rows]


async def moment(play: Play, claim: dict[str, Any], name: str, seconds: int) -> None:
    """Business time goes to so many seconds before or after a moment that the claim names."""
    at = datetime.fromisoformat(claim[name]) + timedelta(seconds=seconds)
    await play.advance(now=at.isoformat())


async def test_a_phone_number_comes_here(play: Play) -> None:
    """The donor has agreed: it is completed at once, by a second proof of possession."""
    phone = f"+55119{uuid4().int % 10**8:08d}"
    await play.act("/directory", {"type": "PHONE", "key": phone})
    claim_id = await opened(play, phone, "CLAIM_OWNERSHIP")
    await stands(play, claim_id, "WAITING_RESOLUTION")
    await play.act(f"/directory/claims/{claim_id}/advance", {"status": "CONFIRMED"})
    assert (await stands(play, claim_id, "CONFIRMED"))["awaitsDecision"] is True
    won = await decide(play, claim_id, "CONFIRM", phone)
    assert (won.status, won.json["status"]) == (200, "COMPLETED"), won.body
    listed = (await play.call("GET", path(play))).json["data"]
    assert [one["key"] for one in listed if one["id"] == won.json["keyId"]] == [phone]
    assert await told(play, claim_id) == ["OPEN", "WAITING_RESOLUTION", "CONFIRMED", "COMPLETED"]


async def messages(play: Play, to: str) -> list[dict[str, Any]]:
    """What was sent there, the newest first."""
    sent = await play.ask("GET", f"{play.stage.simulator_url}/messages?to={to.replace('+', '%2B')}")
    found: list[dict[str, Any]] = sent.json["data"]
    return found


async def a_key(play: Play, kind: str, text: str) -> dict[str, Any]:
    """A key that leads to the account, proved by its code, as the API shows it."""
    before = await messages(play, text)
    asked = await play.call("POST", path(play), {"type": kind, "key": text}, key=str(uuid4()))

    async def another() -> list[dict[str, Any]]:
        return (await messages(play, text))[: -len(before) or None]

    code = (await until(another, f"a message to {text}"))[0]["code"]
    proof = {"validationId": asked.json["validationId"], "token": code}
    made: dict[str, Any] = (await play.call("POST", path(play, "/confirm"), proof, key=str(uuid4()))).json
    return made


async def an_address(play: Play) -> dict[str, Any]:
    """An e-mail address that leads to the account."""
    return await a_key(play, "EMAIL", f"{uuid4()}@example.com")


async def test_an_email_address_leaves(play: Play) -> None:
    made = await an_address(play)
    mail = made["key"]
    await play.fault("claim", "twice", match={"key": mail})
    claim_id = (await play.act("/directory/claims", {"key": mail}))["claimId"]
    waits = await stands(play, claim_id, "WAITING_RESOLUTION")
    assert (waits["role"], waits["keyId"], waits["awaitsDecision"]) == ("DONOR", made["id"], True)
    (flagged,) = [one for one in (await play.call("GET", path(play))).json["data"] if one["id"] == made["id"]]
    assert flagged["claimId"] == claim_id
    assert (await play.call("DELETE", path(play, f"/{made['id']}"))).problem == (409, "status", "CONFLICT")
    given = await decide(play, claim_id, "CONFIRM", mail)
    assert given.status == 200, given.body
    await stands(play, claim_id, "COMPLETED")
    assert made["id"] not in [one["id"] for one in (await play.call("GET", path(play))).json["data"]]
    assert await told(play, claim_id) == ["OPEN", "WAITING_RESOLUTION", "CONFIRMED", "COMPLETED"]


async def test_a_phone_number_comes_here_from_a_bank_that_is_silent(play: Play) -> None:
    """Confirmed by default, it is completed after the completion period alone: 14 days after the opening, to the second."""
    phone = f"+55119{uuid4().int % 10**8:08d}"
    await play.act("/directory", {"type": "PHONE", "key": phone})
    claim_id = await opened(play, phone, "CLAIM_OWNERSHIP")
    made = await stands(play, claim_id, "WAITING_RESOLUTION")
    await moment(play, made, "resolutionUntil", 90)
    await stands(play, claim_id, "CONFIRMED")
    await moment(play, made, "completionFrom", -30)
    early = await play.call("POST", path(play, f"/claims/{claim_id}/confirm-request"))
    assert early.problem == (409, "status", "CONFLICT")
    assert (await stands(play, claim_id, "CONFIRMED"))["awaitsDecision"] is False
    await moment(play, made, "completionFrom", 120)
    assert (await stands(play, claim_id, "CONFIRMED"))["awaitsDecision"] is True, "the end of the period cancels nothing"
    won = await decide(play, claim_id, "CONFIRM", phone)
    assert (won.status, won.json["status"]) == (200, "COMPLETED"), won.body


async def test_a_phone_number_leaves_by_silence_and_is_never_taken(play: Play) -> None:
    """It is gone when the claim is confirmed, with what names it; day 30 cancels the claim and brings nothing back."""
    phone = f"+55119{uuid4().int % 10**8:08d}"
    made = await a_key(play, "PHONE", phone)
    order = await play.order(pixKey=phone, expiration=2_592_000)
    claim_id = (await play.act("/directory/claims", {"key": phone, "claimType": "CLAIM_OWNERSHIP"}))["claimId"]
    claim = await stands(play, claim_id, "WAITING_RESOLUTION")
    assert (await play.location(order)).status == 200
    await moment(play, claim, "resolutionUntil", 90)
    await stands(play, claim_id, "CONFIRMED")
    assert made["id"] not in [one["id"] for one in (await play.call("GET", path(play))).json["data"]]
    assert (await play.location(order)).status == 410
    named = await play.books.fetchval(
        "SELECT convert_from(body, 'UTF8')::jsonb -> 'affected' FROM events WHERE reference_id = $1::text::uuid"
        " AND convert_from(body, 'UTF8')::jsonb ->> 'status' = 'CONFIRMED'",
        claim_id,
    )
    assert json.loads(named) == {
        "orders": 1, "staticQrcodes": 0, "subscriptions": 0,
        "orderIds": [order["id"]], "staticQrcodeIds": [], "subscriptionIds": [],
    }  # fmt: skip
    await moment(play, claim, "completionUntil", -30)
    await stands(play, claim_id, "CONFIRMED")
    await moment(play, claim, "completionUntil", 90)
    await stands(play, claim_id, "CANCELLED")
    assert phone not in [one["key"] for one in (await play.call("GET", path(play))).json["data"]]
    anew = await a_key(play, "PHONE", phone)
    assert (anew["key"], anew["id"] != made["id"]) == (phone, True)


async def test_an_end_that_was_never_told_is_asked_for(play: Play) -> None:
    """A claim whose last word is lost would keep every later claim of its key waiting."""
    mail = (await an_address(play))["key"]
    first = (await play.act("/directory/claims", {"key": mail}))["claimId"]
    await stands(play, first, "WAITING_RESOLUTION")
    await play.fault("claim", "untold", match={"key": mail})
    await play.act(f"/directory/claims/{first}/advance", {"status": "CANCELLED"})
    second = (await play.act("/directory/claims", {"key": mail}))["claimId"]
    assert (await play.call("GET", path(play, f"/claims/{second}"))).status == 404
    await stands(play, first, "WAITING_RESOLUTION")
    await play.advance(advance="P1DT1M")
    await stands(play, first, "CANCELLED")
    await stands(play, second, "WAITING_RESOLUTION")
    assert await told(play, first) == ["OPEN", "WAITING_RESOLUTION", "CANCELLED"]
