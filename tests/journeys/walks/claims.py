"""Disputes from both sides, and Pix keys that come or leave by a claim.

In the end the directory, the books and the events agree, and no money moved twice.
"""

from functools import partial
from typing import Any
from uuid import uuid4

from tests.journeys import test_charging as charging
from tests.journeys import test_claims as claims
from tests.journeys import test_disputes as disputes
from tests.journeys import test_key_codes as codes
from tests.journeys import test_payouts as payouts
from tests.journeys import test_teds as teds
from tests.journeys.insisting import insist
from tests.journeys.play import Play
from tests.journeys.stage import until
from tests.journeys.test_plans import told

from lastro.keys.rules import MOST_CODES_OF_ACCOUNT

CODES_OF_A_JOURNEY = 2
_CODES = "SELECT used_minor FROM quotas WHERE owner_id = $1::text::uuid AND kind = 'codes' AND period = $2"


async def statuses(play: Play, name: str) -> list[str]:
    """What was told of an object of the directory, in its order."""
    return [body["status"] for body in await teds.events(play, {"id": name})]


async def paid_order(play: Play) -> dict[str, Any]:
    return await disputes.paid(play, "25.00")


async def blamed(play: Play, order: dict[str, Any]) -> None:
    """A Pix that came is said to be a fraud: blocked once, given back once."""
    before = await play.balance()
    begun = await play.act("/med", {"endToEndId": order["endToEndId"], "situationType": "SCAM"})
    notice = begun["referenceId"]
    await disputes.becomes(play, notice, "RECEIVED")
    assert before - await play.balance() == 2500
    await disputes.advance(play, notice, "ANALYSED", analysisResult="AGREED")
    request = (await disputes.of_type(play, notice, "REFUND_REQUEST"))["referenceId"]
    ended = await disputes.becomes(play, request, "ANALYSED")
    assert (ended["analysisResult"], ended["returnedAmount"]) == ("TOTALLY_ACCEPTED", "25.00")
    assert (await play.becomes(order, "REFUNDED"))["refundedAmount"]["value"] == "25.00"
    await play.rest()
    record = await play.statement(order["endToEndId"])
    assert [(one["amount"], one["status"]) for one in record["returns"]] == [("25.00", "SETTLED")]
    there = await play.act(f"/med/{request}", method="GET")
    assert (there["status"], there["analysisResult"], there["returnedAmount"]) == ("ANALYSED", "TOTALLY_ACCEPTED", "25.00")
    assert await teds.booked(play, {"id": notice}) == [("moved", "MED_BLOCK", "CUST", "BLOCK", 2500)]
    assert await teds.booked(play, {"id": request}) == []
    assert await play.moved(order["endToEndId"]) == [
        ("moved", "NET", "CUST", 2500), ("held", "BLOCK", "NET", 2500), ("posted", "BLOCK", "NET", 2500),
    ]  # fmt: skip
    assert await statuses(play, notice) == ["OPEN", "RECEIVED", "ANALYSED"]
    assert await statuses(play, request) == ["OPEN", "ANALYSED"]
    assert await told(play, order) == ["ORDER-PAYIN.PAID", "ORDER-PAYIN.REFUNDED"]
    assert before - await play.balance() == 2500


async def paid_payout(play: Play) -> dict[str, Any]:
    payout = await payouts.create(play, "12.00", paymentData={"pixKey": "fabio@fora.example"})
    await payouts.becomes(play, payout, "PAID")
    return payout


async def contested(play: Play, payout: dict[str, Any]) -> None:
    """A Pix that was sent is contested: one case, whose money comes back once."""
    before = await play.balance()
    path = f"{disputes.MED}/accounts/{play.account['id']}"
    body = {"endToEndId": payout["endToEndId"], "situationType": "SCAM"}
    case = (await insist(partial(play.call, "POST", path, body, key=str(uuid4())), 201)).json["referenceId"]
    await disputes.advance(play, case, "TRACED", transactions=1)
    await disputes.advance(play, case, "WAITING_ANALYSIS")
    notice = (await disputes.of_type(play, case, "INFRINGEMENT_NOTIFICATION"))["referenceId"]
    await disputes.advance(play, notice, "RECEIVED")
    await disputes.advance(play, notice, "ANALYSED", analysisResult="AGREED")
    request = (await disputes.of_type(play, case, "REFUND_REQUEST"))["referenceId"]
    await disputes.advance(play, request, "ANALYSED")
    ended = await disputes.becomes(play, case, "COMPLETED")
    assert ended["returnedAmount"] == "12.00"
    await payouts.becomes(play, payout, "PAID", "REFUNDED")
    await play.rest()
    there = await play.act("/med", method="GET")
    assert [(o["referenceId"], o["status"]) for o in there["data"] if o["endToEndId"] == payout["endToEndId"]] == [
        (case, "COMPLETED"), (notice, "ANALYSED"), (request, "ANALYSED"),
    ]  # fmt: skip
    record = await play.statement(payout["endToEndId"])
    assert [(one["amount"], one["status"]) for one in record["returns"]] == [("12.00", "SETTLED")]
    assert await teds.booked(play, payout) == [
        ("held", "PIX_OUT", "CUST", "NET", 1200), ("posted", "PIX_OUT", "CUST", "NET", 1200),
        ("moved", "PIX_RETURNED", "NET", "CUST", 1200),
    ]  # fmt: skip
    assert await statuses(play, case) == [
        "CREATED", "TRACED", "WAITING_ANALYSIS", "ANALYSED", "WAITING_REFUND", "COMPLETED",
    ]  # fmt: skip
    assert await statuses(play, notice) == ["OPEN", "RECEIVED", "ANALYSED"]
    assert await statuses(play, request) == ["OPEN", "ANALYSED"]
    assert await told(play, payout) == ["ORDER-PAYOUT.PAID", "ORDER-PAYOUT.REFUNDED"]
    assert await play.balance() - before == 1200


async def at_the_directory(play: Play, claim_id: str) -> str:
    """How the directory has the claim."""
    found = (await play.act("/directory/claims", method="GET"))["data"]
    (status,) = [one["status"] for one in found if one["claimId"] == claim_id]
    return str(status)


async def decided(play: Play, claim_id: str, to: str) -> dict[str, Any]:
    """The holder says yes, by the code that he is sent."""
    one = codes.path(play, f"/claims/{claim_id}")
    asked = await insist(partial(play.call, "POST", f"{one}/confirm-request", key=str(uuid4())), 202)

    async def look() -> str | None:
        newest = await codes.letter(play, to)
        return newest["code"] if "decidir" in newest["text"] else None

    code = await until(look, f"a code to decide for {to}")
    body = {"validationId": asked.json["validationId"], "token": code, "decision": "CONFIRM"}
    found: dict[str, Any] = (await insist(partial(play.call, "POST", f"{one}/confirm", body, key=str(uuid4())), 200)).json
    return found


async def has_room(play: Play) -> None:
    """The account may have one more key and be sent more codes: those that came before go, a new day has its own codes."""
    for one in (await play.call("GET", codes.path(play))).json["data"]:
        if one["type"] == "PHONE":
            gone = await play.call("DELETE", codes.path(play, f"/{one['id']}"))
            assert gone.status == 204, gone.body
    today = str(await charging.today(play))
    if (await play.books.fetchval(_CODES, play.account["id"], today) or 0) + CODES_OF_A_JOURNEY > MOST_CODES_OF_ACCOUNT:
        await play.advance(advance="P1D")


async def outside_phone(play: Play) -> str:
    """A phone number that is a key of the outside bank's."""
    await has_room(play)
    phone = f"+55119{uuid4().int % 10**8:08d}"
    await play.act("/directory", {"type": "PHONE", "key": phone})
    return phone


async def coming(play: Play, phone: str) -> None:
    """A key comes here: one claim there, one key here."""
    body = {"claimType": "CLAIM_OWNERSHIP", "type": "PHONE", "key": phone}
    asked = (await insist(partial(play.call, "POST", codes.path(play, "/claims"), body, key=str(uuid4())), 202)).json
    proof = {"validationId": asked["validationId"], "token": (await codes.letter(play, phone))["code"]}
    confirm = partial(play.call, "POST", codes.path(play, "/claims/confirm"), proof, key=str(uuid4()))
    claim_id = (await insist(confirm, 201)).json["id"]
    await claims.stands(play, claim_id, "WAITING_RESOLUTION")
    await play.act(f"/directory/claims/{claim_id}/advance", {"status": "CONFIRMED"})
    await claims.stands(play, claim_id, "CONFIRMED")
    won = await decided(play, claim_id, phone)
    assert won["status"] == "COMPLETED"
    await play.rest()
    listed = (await play.call("GET", codes.path(play))).json["data"]
    assert [one["id"] for one in listed if one["key"] == phone] == [won["keyId"]]
    assert await at_the_directory(play, claim_id) == "COMPLETED"
    assert await claims.told(play, claim_id) == ["OPEN", "WAITING_RESOLUTION", "CONFIRMED", "COMPLETED"]


async def own_address(play: Play) -> str:
    """An e-mail address that is a key of ours."""
    await has_room(play)
    mail = f"{uuid4()}@example.com"
    asked = await play.call("POST", codes.path(play), {"type": "EMAIL", "key": mail}, key=str(uuid4()))
    proof = {"validationId": asked.json["validationId"], "token": (await codes.letter(play, mail))["code"]}
    made = await play.call("POST", codes.path(play, "/confirm"), proof, key=str(uuid4()))
    assert made.status == 201, made.body
    return mail


async def leaving(play: Play, mail: str) -> None:
    """A key leaves by a claim of the outside bank's, once its holder has agreed."""
    claim_id = (await play.act("/directory/claims", {"key": mail}))["claimId"]
    await claims.stands(play, claim_id, "WAITING_RESOLUTION")
    await decided(play, claim_id, mail)
    await claims.stands(play, claim_id, "COMPLETED")
    await play.rest()
    assert mail not in [one["key"] for one in (await play.call("GET", codes.path(play))).json["data"]]
    (entry,) = [one for one in (await play.act("/directory", method="GET"))["data"] if one["key"] == mail]
    assert entry["bank"]["ispb"] == "99999030"
    assert await at_the_directory(play, claim_id) == "COMPLETED"
    assert await claims.told(play, claim_id) == ["OPEN", "WAITING_RESOLUTION", "CONFIRMED", "COMPLETED"]
