"""A dispute with accounts here on both sides, through HTTP, worker and simulated directory: each company has its side of it."""

from typing import Any
from uuid import uuid4

from tests.in_one import in_one_test

from .play import Play
from .stage import until

MED, PAYOUTS = "/order/v1/banking/med", "/order/v1/banking/order-payouts"
PHONE = {"ispb": "99999020", "branchNumber": "0001", "accountNumber": "123456", "accountType": "CHECKING_ACCOUNT"}
PHONES = {"name": "Pessoa Pagadora", "document": {"type": "CPF", "number": "12345678909"}}


async def sent(play: Play, value: str, bank: Any, receiver: Any) -> str:
    """Ana has paid so much; its endToEndId."""
    wish = {
        "externalId": f"here-{uuid4()}", "accountId": play.account["id"], "paymentMethod": "PIX", "description": "A shop",
        "amount": {"currency": "BRL", "value": value}, "paymentData": {"bankAccount": bank}, "receiver": receiver,
    }  # fmt: skip
    answer = await play.call("POST", PAYOUTS, wish, key=str(uuid4()))
    assert answer.status == 201, answer.body
    name: str = answer.json["endToEndId"]
    await play.wait_for("SELECT true FROM payouts WHERE end_to_end_id = $1 AND status = 'PAID'", name)
    return name


async def doras(play: Play) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The account of another company here, as a payout names it, and its holder."""
    dora = (await play.call("GET", "/order/v1/banking/accounts", dora=True)).json["data"][0]
    bank = {name: dora["bankAccountData"][name] for name in ("ispb", "branchNumber", "accountNumber")}
    return dora, {**bank, "accountType": "PAYMENT_ACCOUNT"}, {"name": dora["fullName"], "document": dora["document"]}


async def side(play: Play, object_type: str, status: str, end_to_end_id: str, *, dora: bool) -> dict[str, Any]:
    """What a company has of an object of this transaction, once it stands there."""

    async def look() -> dict[str, Any] | None:
        found = (await play.call("GET", f"{MED}?limit=100", dora=dora)).json["data"]
        return next(
            (o for o in found if (o["objectType"], o["status"], o["endToEndId"]) == (object_type, status, end_to_end_id)),
            None,
        )

    return await until(look, f"{object_type} {status}") or {}


async def contested(play: Play, name: str) -> str:
    answer = await play.call(
        "POST", f"{MED}/accounts/{play.account['id']}", {"endToEndId": name, "situationType": "SCAM"}, key=str(uuid4())
    )
    assert answer.status == 201, answer.body
    found: str = answer.json["referenceId"]
    return found


async def advance(play: Play, name: str, status: str, **more: Any) -> Any:
    done = await play.act(f"/med/{name}/advance", {"status": status, **more})
    assert done["status"] == status, done
    return done


async def both(play: Play, recovery: str, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both sides of the notice about this transaction: Ana's and Dora's."""
    await advance(play, recovery, "WAITING_ANALYSIS")
    ours = await side(play, "INFRINGEMENT_NOTIFICATION", "RECEIVED", name, dora=False)
    theirs = await side(play, "INFRINGEMENT_NOTIFICATION", "RECEIVED", name, dora=True)
    assert (ours["role"], ours["blockedAmount"], "directoryId" in ours) == ("PAYER", "0.00", False)
    assert (theirs["role"], theirs["directoryId"]) == ("RECEIVER", ours["referenceId"])
    for owner, other in ((False, theirs), (True, ours)):
        assert (await play.call("GET", f"{MED}/{other['referenceId']}", dora=owner)).status == 404
    return ours, theirs


@in_one_test("verdict", ["AGREED", "DISAGREED"])
async def test_a_payout_to_an_account_here(play: Play, verdict: str) -> None:
    """It settled in our own books, and goes back there."""
    before, theirs_before = await play.balance(), await play.balance(dora=True)
    _, bank, holder = await doras(play)
    name = await sent(play, "250.00", bank, holder)

    async def came() -> bool:
        return await play.balance(dora=True) == theirs_before + 250_00

    await until(came, "money on the other side")
    recovery = await contested(play, name)
    await advance(play, recovery, "TRACED")
    ours, theirs = await both(play, recovery, name)
    assert theirs["blockedAmount"] == "250.00"
    assert await play.balance(dora=True) == theirs_before
    await advance(play, ours["referenceId"], "ANALYSED", analysisResult=verdict)
    if verdict == "DISAGREED":
        await side(play, "RECOVERY_VALUE", "COMPLETED", name, dora=False)
        await until(came, "what was blocked")
        return
    ended = await side(play, "REFUND_REQUEST", "ANALYSED", name, dora=True)
    assert (ended["role"], ended["analysisResult"], ended["returnedAmount"]) == ("RECEIVER", "TOTALLY_ACCEPTED", "250.00")
    whole = await side(play, "RECOVERY_VALUE", "COMPLETED", name, dora=False)
    assert whole["returnedAmount"] == "250.00"

    async def back() -> bool:
        return (await play.balance(), await play.balance(dora=True)) == (before, theirs_before)

    await until(back, "the money")
    assert (await play.act(f"/payments?endToEndId={name}", method="GET"))["data"] == []
    found = (await play.call("GET", f"{PAYOUTS}?limit=100")).json["data"]
    assert [p["status"] for p in found if p.get("endToEndId") == name] == ["REFUNDED"]


async def test_money_that_went_on_to_an_account_here(play: Play) -> None:
    """By way of another bank: its second receiver is here, and what he has of it is blocked until he is cleared."""
    theirs_before = await play.balance(dora=True)
    dora, _, _ = await doras(play)
    name = await sent(play, "300.00", PHONE, PHONES)
    number = {"branch": dora["bankAccountData"]["branchNumber"], "account": dora["bankAccountData"]["accountNumber"]}
    onward = await play.act("/phone/transfer", {"account": number, "amount": "280.00"})
    await play.payment_becomes(onward["endToEndId"], "SETTLED")
    recovery = await contested(play, name)
    await advance(play, recovery, "TRACED", onward=onward["endToEndId"])
    ours, theirs = await both(play, recovery, onward["endToEndId"])
    assert (theirs["amount"], theirs["blockedAmount"]) == ("280.00", "280.00")
    assert await play.balance(dora=True) == theirs_before
    await advance(play, ours["referenceId"], "ANALYSED", analysisResult="DISAGREED")
    freed = await side(play, "INFRINGEMENT_NOTIFICATION", "ANALYSED", onward["endToEndId"], dora=True)
    assert (freed["analysisResult"], freed["blockedAmount"]) == ("DISAGREED", "0.00")
    assert await play.balance(dora=True) == theirs_before + 280_00
    assert (await play.call("POST", f"{MED}/{recovery}/cancel", {}, key=str(uuid4()))).status == 200
