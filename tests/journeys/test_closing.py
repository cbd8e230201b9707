"""An account of Ana's from its key to its end: blocked and unblocked by an operator, closed by a request."""

from datetime import timedelta
from uuid import uuid4

from .play import ORDERS, Play
from .stage import until
from .test_payouts import becomes, create, events, tomorrow
from .test_teds import operator

ACCOUNTS = "/order/v1/banking/accounts"
HOLDER = ("--holder-type", "individual", "--name", "Rita Ramos", "--document", "529.982.247-25", "--email", "rita@example.com",
          "--phone", "+5511987654321")  # fmt: skip
COMPANY = """
SELECT n.number::text FROM company_numbers n JOIN accounts a ON a.company_id = n.company_id WHERE a.id = $1::text::uuid
"""
_TO_MIDNIGHT = """
SELECT ((business_now() AT TIME ZONE 'America/Sao_Paulo')::date + 1)::timestamp AT TIME ZONE 'America/Sao_Paulo'
     - business_now() + interval '1 second'
"""


async def test_blocked_unblocked_and_closed(play: Play) -> None:
    company = await play.books.fetchval(COMPANY, play.account["id"])
    opened = await operator(play, "account", "open", company, *HOLDER)
    account, number = opened["id"], opened["number"]
    key = (await operator(play, "account", "add-key", number))["key"]
    order = await play.order("7.00", accountId=account)

    blocked = await operator(play, "account", "block", number, "--reason", "COURT_ORDER", "--description", "Order 7")
    assert (blocked["status"], blocked["description"]) == ("INACTIVE", "Order 7")
    refused = await play.call("PUT", ORDERS, play.asking("1.00", accountId=account))
    assert refused.problem == (400, "order.accountId", "NOT_ALLOWED")
    paid = await play.pay(order)
    assert (paid["status"], paid["code"]) == ("REJECTED", "AC06")

    await operator(play, "account", "unblock", number, "--reason", "COURT_ORDER")
    asked, path = {"closeRequestReason": "We are moving"}, f"{ACCOUNTS}/{account}/close-request"
    assert (await play.call("POST", path, asked, dora=True)).status == 404
    made = await play.call("POST", path, asked, key=str(uuid4()))
    assert (made.status, made.json["status"]) == (201, "REQUESTED"), made.body

    async def completed() -> bool:
        found = await play.call("GET", f"{ACCOUNTS}/close-requests/{made.json['id']}")
        return bool(found.json["status"] == "COMPLETED")

    await until(completed, "the account is closed and nothing hangs on it")
    assert (await play.call("GET", f"{ACCOUNTS}/{account}")).json["status"] == "CLOSED"
    await play.told(order, "ORDER-PAYIN.CANCELED")
    looked = await play.call("GET", f"{ACCOUNTS}/{play.account['id']}/keys/lookup?key={key}")
    assert looked.status == 404, "the directory has it no more"
    bodies = await play.books.fetch(
        "SELECT convert_from(body, 'UTF8')::jsonb AS b FROM events WHERE reference_id = $1::text::uuid ORDER BY created_at",
        account,
    )
    assert len(bodies) == 3, "each change is told once"
    again = await operator(play, "account", "show", number)
    assert (again["status"], again["pixKeys"]) == ("CLOSED", [])


async def test_what_a_blocked_account_sends_to_an_account_here_expires(play: Play) -> None:
    """It began while the account was blocked; the block is lifted a day later, and nothing of it is carried then."""
    account, number, key = await with_money(play)
    ours, theirs = await play.balance(account), await play.balance(dora=True)
    payout = await create(
        play, "5.00", accountId=account["id"], scheduledDate=await tomorrow(play), paymentData={"pixKey": key}
    )
    await operator(play, "account", "block", number, "--reason", "COURT_ORDER")
    await play.jump(await play.books.fetchval(_TO_MIDNIGHT))
    await play.wait_for(
        "SELECT true FROM outbox WHERE reference_id = $1::text::uuid AND sends = 0 AND due_at > business_now()", payout["id"]
    )
    assert await play.balance(account) == ours - 500
    await play.jump(timedelta(hours=24, minutes=2))
    await becomes(play, payout, "EXPIRED")
    await operator(play, "account", "unblock", number, "--reason", "COURT_ORDER")
    await play.jump(timedelta(minutes=6))
    await play.rest()
    assert (await play.balance(account), await play.balance(dora=True)) == (ours, theirs)
    assert await events(play, payout) == ["EXPIRED"]


async def with_money(play: Play) -> tuple[dict[str, str], str, str]:
    """Another account of Ana's that has 7.00, with its number; and a key of Dora's."""
    company = await play.books.fetchval(COMPANY, play.account["id"])
    opened = await operator(play, "account", "open", company, *HOLDER)
    await operator(play, "account", "add-key", opened["number"])
    order = await play.order("7.00", accountId=opened["id"])
    await play.pay(order)
    await play.becomes(order, "PAID")
    dora = (await play.call("GET", ACCOUNTS, dora=True)).json["data"][0]
    key = await play.books.fetchval("SELECT key FROM pix_keys WHERE account_id = $1::text::uuid", dora["id"])
    return {"id": opened["id"]}, opened["number"], key
