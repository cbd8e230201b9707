"""Accounts that open and close, an order paid in parts, and a payout and an order that come to nothing."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from tests.journeys import test_opening as opening
from tests.journeys import test_payouts as payouts
from tests.journeys import test_teds as teds
from tests.journeys import test_transfers as transfers
from tests.journeys.insisting import insist
from tests.journeys.play import ORDERS, Play
from tests.journeys.stage import until
from tests.journeys.test_closing import ACCOUNTS, COMPANY, HOLDER
from tests.journeys.test_plans import told

CLOSED = "conta-encerrada@fora.example"  # the key of an account to which the network pays nothing
_KEYS = "SELECT key FROM pix_keys WHERE account_id = $1::text::uuid"


async def asked_for(play: Play) -> dict[str, Any]:
    return await opening.wish(play, opening.somebody())


async def opened(play: Play, body: dict[str, Any]) -> None:
    """One request, one look of the analyst at its papers, one account with one key."""
    request = (await insist(partial(play.call, "POST", ACCOUNTS, body, key=str(uuid4())), 201)).json
    slots = (await opening.becomes(play, request, "PENDING_DOCUMENTS"))["missingRequiredDocuments"]
    for slot in slots:
        await insist(partial(opening.upload, play, request, slot, opening.photo(), key=str(uuid4())), 201)
    await play.rest()
    await play.jump(timedelta(minutes=2))
    account = (await opening.becomes(play, request, "APPROVED"))["accountId"]

    async def has_key() -> bool:
        return bool(await play.books.fetch(_KEYS, account))

    await until(has_key, "a key of the new account")
    await play.rest()
    assert [one["event"] for one in await opening.events(play, request)] == ["ACCOUNT.PENDING_DOCUMENTS", "ACCOUNT.CREATED"]
    (key,) = [row["key"] for row in await play.books.fetch(_KEYS, account)]
    assert key in [one["key"] for one in (await play.act("/directory", method="GET"))["data"]]
    listed = (await play.act("/analyses", method="GET"))["data"]
    (seen,) = [one for one in listed if request["accountRequestId"].replace("-", "") in one["reference"]]
    assert (seen["status"], len(seen["request"]["documents"])) == ("JUDGED", len(slots))
    assert (await play.call("GET", f"{ACCOUNTS}/{account}")).json["status"] == "ACTIVE"


async def in_use(play: Play) -> dict[str, Any]:
    """An account with a key, of which an order waits to be paid."""
    company = await play.books.fetchval(COMPANY, play.account["id"])
    account = await teds.operator(play, "account", "open", company, *HOLDER)
    key = (await teds.operator(play, "account", "add-key", account["number"]))["key"]
    return {**account, "key": key, "order": await play.order("7.00", accountId=account["id"])}


async def closed(play: Play, account: dict[str, Any]) -> None:
    """Its order ends, its key leaves the directory, and it is told once that it is closed."""
    path, asked = f"{ACCOUNTS}/{account['id']}/close-request", {"closeRequestReason": "We are moving"}
    made = (await insist(partial(play.call, "POST", path, asked, key=str(uuid4())), 201)).json

    async def completed() -> bool:
        found = await play.call("GET", f"{ACCOUNTS}/close-requests/{made['id']}")
        return bool(found.json["status"] == "COMPLETED")

    await until(completed, "nothing hangs on the account")
    await play.rest()
    assert (await play.call("GET", f"{ACCOUNTS}/{account['id']}")).json["status"] == "CLOSED"
    assert await told(play, account["order"]) == ["ORDER-PAYIN.CANCELED"]
    assert await told(play, account) == ["ACCOUNT.STATUS_CHANGED"]
    assert account["key"] not in [one["key"] for one in (await play.act("/directory", method="GET"))["data"]]
    assert (await play.call("GET", f"{ACCOUNTS}/{account['id']}/keys")).json["data"] == []


async def in_parts(play: Play, _: None) -> None:
    """An order is paid by two transfers, and what was too much goes back once."""
    before = await transfers.has(play, "MXN")
    amount = {"currency": "MXN", "value": "100.00"}
    body = play.asking("100.00", customer=transfers.LUCIA, paymentMethod="SPEI", amount=amount)
    made = (await insist(partial(play.call, "PUT", ORDERS, body, key=str(uuid4())), 200)).json
    clabe = made["spei"]["clabe"]
    await transfers.at_its_bank(play, clabe)
    await play.act("/phone/pay", {"qrcodeData": clabe, "amount": "40.00"})
    await play.becomes(made, "PENDING")
    await play.act("/phone/pay", {"qrcodeData": clabe, "amount": "60.01"})
    await play.becomes(made, "PAID")
    await transfers.given_back(play, "spei", clabe, ["0.01"])
    await play.rest()
    assert await transfers.has(play, "MXN") - before == 10000
    assert await told(play, made) == ["ORDER-PAYIN.PAID"]
    (item,) = (await play.act(f"/collecting/spei?reference={clabe}", method="GET"))["data"]
    assert [(one["amount"], one["status"], len(one["returns"])) for one in item["payments"]] == [
        ("40.00", "SETTLED", 0), ("60.01", "SETTLED", 1),
    ]  # fmt: skip


async def refused(play: Play, _: None) -> None:
    """What the network rejects is held once and released once."""
    before = await play.balance()
    body = payouts.wish(play, "12.00", paymentData={"pixKey": CLOSED})
    payout = (await insist(partial(play.call, "POST", payouts.PATH, body, key=str(uuid4())), 201)).json
    await payouts.becomes(play, payout, "ERROR")
    await play.rest()
    assert await play.balance() == before
    assert [(kind, amount) for kind, *_, amount in await teds.booked(play, payout)] == [("held", 1200), ("voided", 1200)]
    assert await told(play, payout) == ["ORDER-PAYOUT.ERROR"]


async def expired(play: Play, _: None) -> None:
    """An order that nobody pays ends by the clock, once, and its code is dead."""
    body = play.asking("10.00", expiration=600)
    made = (await insist(partial(play.call, "PUT", ORDERS, body, key=str(uuid4())), 200)).json
    await play.jump(timedelta(minutes=11))
    await play.becomes(made, "EXPIRED")
    await play.rest()
    assert await told(play, made) == ["ORDER-PAYIN.EXPIRED"]
    assert (await play.act("/phone/read", {"qrcodeData": made["pix"]["qrcodeData"]}))["problem"] == "LOCATION_GONE"
