"""An account of Ana's from its key to its end: blocked and unblocked by an operator, closed by a request."""

from uuid import uuid4

from .play import ORDERS, Play
from .stage import until
from .test_teds import operator

ACCOUNTS = "/order/v1/banking/accounts"
HOLDER = ("--holder-type", "individual", "--name", "Rita Ramos", "--document", "529.982.247-25", "--email", "rita@example.com",
          "--phone", "+5511987654321")  # fmt: skip


async def test_blocked_unblocked_and_closed(play: Play) -> None:
    company = await play.books.fetchval(
        "SELECT n.number::text FROM company_numbers n JOIN accounts a ON a.company_id = n.company_id WHERE a.id = $1::text::uuid",
        play.account["id"],
    )
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
